"""The same model in onnxruntime: the same vectors under the same identity, from an export made once."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wenlan_lab.derived import onnx_embedder
from wenlan_lab.derived.onnx_embedder import OnnxEmbedder
from wenlan_lab.derived.sentence_embedder import SentenceEmbedder
from wenlan_lab.errors import MissingExtra, ProviderUnavailable

TEXTS = [
    "Caroline went to the LGBTQ support group on 7 May 2023.",
    "",
    "ok",
    "漢字とé and 👩‍👩‍👧 and NUL\0",
    "The committee met again on Tuesday. " * 60,
    *[f"Entry {n}: " + "measured the drift again, " * (n % 13) for n in range(40)],
]


def test_without_the_extra_the_pip_command_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install 'wenlan-lab\[onnx\]'"):
        OnnxEmbedder(tmp_path).embed_query("a")


def test_it_has_the_identity_of_the_same_weights_in_torch(tmp_path: Path):
    made = OnnxEmbedder(tmp_path / "not yet")
    assert (made.identity, made.dimensions) == (SentenceEmbedder().identity, SentenceEmbedder().dimensions)
    assert made.windows("word " * 900) == SentenceEmbedder().windows("word " * 900)
    assert not (tmp_path / "not yet").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the export in it."""
    pytest.importorskip("onnxruntime", reason="the extra [onnx] is not installed")
    folder = tmp_path_factory.mktemp("onnx")
    OnnxEmbedder(folder).embed_query("exported now")
    return folder


@pytest.mark.slow
def test_its_vectors_are_those_of_torch(folder: Path):
    ours, theirs = OnnxEmbedder(folder).embed_documents(TEXTS), SentenceEmbedder().embed_documents(TEXTS)
    assert (ours * theirs).sum(axis=1).min() >= 0.9999
    assert np.abs(ours - theirs).max() < 1e-5


@pytest.mark.slow
def test_what_else_is_in_a_batch_changes_no_vector(folder: Path):
    together = OnnxEmbedder(folder).embed_documents(TEXTS)
    alone = OnnxEmbedder(folder, batch_tokens=1).embed_documents(TEXTS)
    assert np.abs(together - alone).max() < 1e-5


@pytest.mark.slow
def test_the_export_is_made_once_and_then_torch_is_not_needed(folder: Path):
    export = next(folder.iterdir())
    before = export.stat()
    statements = (
        "import sys\n"
        "from wenlan_lab.derived.onnx_embedder import OnnxEmbedder\n"
        "OnnxEmbedder(sys.argv[1]).embed_documents(['a', 'b'])\n"
        "assert not {'torch', 'transformers', 'onnx'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", statements, str(folder)], check=True, timeout=120, env=os.environ)
    assert export.stat() == before
    assert list(folder.iterdir()) == [export]


@pytest.mark.slow
def test_a_damaged_export_is_made_again(folder: Path, tmp_path: Path):
    export = tmp_path / next(folder.iterdir()).name
    export.write_bytes(b"not a graph " * 50)
    assert OnnxEmbedder(tmp_path).embed_query("a").shape == (384,)
    assert export.stat().st_size > 80_000_000


@pytest.mark.slow
def test_an_export_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch, folder: Path):
    def broken(weights_folder: Path, path: Path) -> None:
        path.write_bytes(b"half")
        raise ProviderUnavailable("no torch here")

    monkeypatch.setattr(onnx_embedder, "_export", broken)
    with pytest.raises(ProviderUnavailable, match="no torch here"):
        OnnxEmbedder(tmp_path).embed_query("a")
    assert list(tmp_path.iterdir()) == []

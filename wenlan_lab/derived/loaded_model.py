"""A sentence model that is ready to work: its tokeniser, its limits, its prefixes and one function that embeds a batch.

Two ways lead here. The bundled weights are read by us, which spares the seconds that transformers and
sentence_transformers take to import. Any other model is loaded by sentence_transformers; when it is a plain BERT and our
own forward pass agrees with it, that one is used, since it is faster.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wenlan_lab.derived import bundled_model
from wenlan_lab.derived.bert_forward import BertForward, bert_forward
from wenlan_lab.errors import ProviderUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from wenlan_lab.model.ports import FloatMatrix

LONGEST_WINDOW = 512
"""Tokens. A model may read more, but a vector of more says less about each part."""

Forward = Callable[[Sequence[str], Sequence[Sequence[int]]], "FloatMatrix"]
"""(texts, their token ids with special ones) -> one vector each; the texts come sorted by length."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """`tokenizer` reads texts whole, `reader` cuts at `most_tokens` (special ones included), which is what is embedded."""

    identity: str
    dimensions: int
    most_tokens: int
    tokenizer: Tokenizer
    reader: Tokenizer
    query_prefix: str
    document_prefix: str
    forward: Forward


def load_bundled(make_forward: Callable[[Path], Forward] | None = None) -> LoadedModel:
    """all-MiniLM-L6-v2 from its package. Raises ProviderUnavailable when it or torch is missing, or was changed."""
    folder = bundled_model.model_folder()
    forward = (make_forward or _bundled_forward)(folder)
    whole = bundled_model.read_tokenizer(folder)
    most = bundled_model.MOST_TOKENS
    return LoadedModel(
        bundled_model.IDENTITY, bundled_model.DIMENSIONS, most, whole, _cutting(whole, most), "", "", forward
    )


def _bundled_forward(folder: Path) -> Forward:
    path = bundled_model.verified_weights(folder)
    try:
        from safetensors.torch import load_file
    except ImportError as error:
        raise ProviderUnavailable(f"torch can't be imported ({error}): run `pip install torch safetensors`.") from error
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    forward = bert_forward(load_file(path), config, "mean")
    if forward is None:
        raise ProviderUnavailable(f"{folder / 'config.json'} is not the one of {bundled_model.NAME}: reinstall it.")
    return _of_ids(forward)


def _of_ids(forward: BertForward) -> Forward:
    return lambda _, ids: forward(ids)


def load_named(model: str, revision: str | None) -> LoadedModel:
    """A sentence-transformers model by its name on the hub or by its folder.

    Raises ProviderUnavailable when it can't be had: no such model, no connection, missing packages, unusable tokeniser.
    """
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # of reading the weights; a download shows its own
        try:
            loaded: Any = SentenceTransformer(model, revision=revision)
        finally:
            logging.enable_progress_bar()
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise ProviderUnavailable(
            f"the embedding model {model!r} can't be loaded: {_first_line(error)} Check the name and the connection to "
            "the model hub, or name a folder that holds the model, or use the default embedder."
        ) from error
    backend = getattr(loaded.tokenizer, "backend_tokenizer", loaded.tokenizer)
    if not hasattr(backend, "encode_batch"):
        raise ProviderUnavailable(f"{model!r} has no fast tokeniser, which finding windows needs: use another model.")
    whole = _whole(backend)
    most = min(loaded.max_seq_length or LONGEST_WINDOW, LONGEST_WINDOW)
    loaded.max_seq_length = most
    dimensions = int(loaded.get_embedding_dimension())
    query, document, rule = prefixes(model, loaded.prompts)
    return LoadedModel(
        identity=f"{_name_and_revision(model, loaded)} {dimensions}d {rule}",
        dimensions=dimensions,
        most_tokens=most,
        tokenizer=whole,
        reader=_cutting(whole, most),
        query_prefix=query,
        document_prefix=document,
        forward=_forward_of(loaded, _cutting(whole, most)),
    )


def _first_line(error: BaseException) -> str:
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return line if line.endswith((".", "!")) else line + "."


def _whole(tokenizer: Tokenizer) -> Tokenizer:
    """A copy that neither cuts nor pads, so that the model's own is left as it is."""
    copy: Tokenizer = type(tokenizer).from_str(tokenizer.to_str())
    copy.no_padding()
    copy.no_truncation()
    return copy


def _cutting(tokenizer: Tokenizer, most_tokens: int) -> Tokenizer:
    copy = _whole(tokenizer)
    copy.enable_truncation(most_tokens)
    return copy


def prefixes(model: str, prompts: dict[str, str]) -> tuple[str, str, str]:
    """What is put before a query and a document, and a name for the rule.

    BGE and E5 as their model cards say; else the prompts that the model brings along; else nothing.
    """
    name = model.rstrip("/").lower().rpartition("/")[2]
    if re.fullmatch(r"bge-(small|base|large)-en(-v1\.5)?", name):
        return "Represent this sentence for searching relevant passages: ", "", "bge-prefix"
    if re.fullmatch(r"(multilingual-)?e5-(small|base|large)(-v2)?", name):
        return "query: ", "passage: ", "e5-prefix"
    query = prompts.get("query") or ""
    document = prompts.get("document") or prompts.get("passage") or ""
    if query or document:
        return query, document, f"prefix-{hashlib.sha256(f'{query}|{document}'.encode()).hexdigest()[:8]}"
    return "", "", "no-prefix"


def _name_and_revision(model: str, loaded: Any) -> str:
    """The name with the hub's commit, or with the digest of the weights for a folder: never a path."""
    folder = Path(model)
    if folder.is_dir():
        digest = hashlib.sha256()
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".safetensors", ".bin") and path.is_file():
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        return f"{folder.resolve().name}@{digest.hexdigest()[:12]}"
    commit = getattr(getattr(getattr(loaded[0], "auto_model", None), "config", None), "_commit_hash", None)
    return f"{model}@{commit[:12]}" if commit else model


def _forward_of(loaded: Any, reader: Tokenizer) -> Forward:
    """Our forward pass when the model is plain BERT on a CPU and it agrees on a probe; else the model's own."""

    def own_code(texts: Sequence[str], _: Sequence[Sequence[int]]) -> FloatMatrix:
        vectors: FloatMatrix = loaded.encode(
            list(texts), batch_size=len(texts), prompt="", show_progress_bar=False, normalize_embeddings=True
        )
        return vectors.astype(np.float32, copy=False)

    transformer, pooling = loaded[0], loaded[1] if len(loaded) > 1 else None
    plain = len(loaded) == 2 or (len(loaded) == 3 and type(loaded[2]).__name__ == "Normalize")
    if not plain or loaded.device.type != "cpu" or not hasattr(transformer, "auto_model"):
        return own_code
    bert = transformer.auto_model
    forward = bert_forward(bert.state_dict(), bert.config.to_dict(), str(getattr(pooling, "pooling_mode", "")))
    if forward is None:
        return own_code
    probe = ["Which of these two agrees?", "A second, longer text: 12 tokens and then some more."]
    ids = [encoding.ids for encoding in reader.encode_batch(probe)]
    if not np.allclose(forward(ids), own_code(probe, ids), atol=1e-5):
        return own_code
    return _of_ids(forward)

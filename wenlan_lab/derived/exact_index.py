"""The vector index in NumPy: every row is scored. It is the reference that the FAISS index is compared with.

Both rank alike: a fast float32 pass picks the contenders, then `ranked` scores these anew, each row by itself, so that
equal vectors have equal scores wherever they lie and ties go by key. Rows and queries have length 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wenlan_lab.errors import NotFound, ProviderContractError

if TYPE_CHECKING:
    from wenlan_lab.model.ports import FloatMatrix, FloatVector, IntArray

SLACK = 1e-5
"""More than a float32 product of two unit vectors can be off: who is this close to the last place may deserve it."""


class ExactIndex:
    """Implements `VectorIndex` in NumPy."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._keys: IntArray = np.empty(0, dtype=np.int64)  # ascending, and _rows in the same order
        self._rows: FloatMatrix = np.empty((0, dimensions), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._keys)

    def replace(self, keys: IntArray, vectors: FloatMatrix) -> None:
        """Add rows or replace those whose key is there already. keys (n,), vectors (n, dimensions)."""
        keys, vectors = checked(keys, vectors, self._dimensions)
        self.remove(keys)
        at = np.searchsorted(self._keys, keys)
        self._keys = np.insert(self._keys, at, keys)
        self._rows = np.insert(self._rows, at, vectors, axis=0)

    def remove(self, keys: IntArray) -> None:
        """Drop rows; unknown keys are ignored."""
        kept = ~np.isin(self._keys, keys)
        if not kept.all():
            self._keys, self._rows = self._keys[kept], self._rows[kept]

    def vectors(self, keys: IntArray) -> FloatMatrix:
        """The vectors of these keys, in order (len(keys), dimensions). Raises NotFound unless all of them are there."""
        return self._rows[rows_of(self._keys, keys)]

    def search(self, vector: FloatVector, k: int, allowed: IntArray | None = None) -> tuple[IntArray, FloatVector]:
        """The k best keys and their inner products, best first, ties by key; among `allowed` only, when given."""
        query = checked_query(vector, self._dimensions)
        rows = slice(None) if allowed is None else np.isin(self._keys, allowed)
        keys, vectors = self._keys[rows], self._rows[rows]
        near = contenders(vectors @ query, k)
        return ranked(keys[near], vectors[near], query, k)


def rows_of(ascending: IntArray, keys: IntArray) -> IntArray:
    """Where each of `keys` stands among ascending ones. Raises NotFound when one isn't there."""
    keys = np.asarray(keys, dtype=np.int64)
    at = np.searchsorted(ascending, keys)
    absent = np.ones(len(keys), dtype=np.bool_)
    inside = at < len(ascending)
    absent[inside] = ascending[at[inside]] != keys[inside]
    if absent.any():
        raise NotFound(f"the vector index has no key {keys[absent][0]}: bring it up to date before asking for vectors.")
    return at


def contenders(scores: FloatVector, k: int) -> IntArray:
    """Positions of all scores that could be among the k best once they are known exactly."""
    if k >= len(scores):
        return np.arange(len(scores))
    if k <= 0:
        return np.empty(0, dtype=np.int64)
    kth = np.partition(scores, len(scores) - k)[len(scores) - k]
    return np.flatnonzero(scores >= kth - SLACK)


def ranked(keys: IntArray, vectors: FloatMatrix, query: FloatVector, k: int) -> tuple[IntArray, FloatVector]:
    """The k best of a few rows by their exact inner product, ties by key."""
    # One row at a time, in float64: a BLAS product depends on where in the matrix a row stands.
    scores = (vectors.astype(np.float64) * query).sum(axis=1).astype(np.float32)
    order = np.lexsort((keys, -scores))[: max(k, 0)]
    return keys[order], scores[order]


def checked(keys: IntArray, vectors: FloatMatrix, dimensions: int) -> tuple[IntArray, FloatMatrix]:
    """Both as arrays of the right kind, keys ascending; of a key given twice the last one counts."""
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if vectors.shape != (len(keys), dimensions):
        raise ProviderContractError(
            f"{len(keys)} keys need vectors of shape ({len(keys)}, {dimensions}), got {vectors.shape}: "
            "the embedder and the index must have the same dimensions."
        )
    if len(keys) and not (np.diff(keys) > 0).all():
        keys, last = np.unique(keys[::-1], return_index=True)
        vectors = vectors[::-1][last]
    return keys, np.ascontiguousarray(vectors)


def checked_query(vector: FloatVector, dimensions: int) -> FloatVector:
    """The query as float32 of the right length."""
    query = np.ascontiguousarray(vector, dtype=np.float32)
    if query.shape != (dimensions,):
        raise ProviderContractError(
            f"a query needs shape ({dimensions},), got {query.shape}: "
            "the embedder and the index must have the same dimensions."
        )
    return query

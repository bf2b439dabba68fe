"""The vector index in FAISS: IndexIDMap2 over IndexFlatIP, exact, and 100,000 rows are added in a fifth of a second.

That is why nothing is saved: the index is built from the vector cache when a workbench opens. A restricted search hands
FAISS a bitmap over rows. Measured with 100,000 x 384 on one thread it takes as long as an unrestricted search when all
keys are allowed and a fortieth of that when one in a hundred is, where IDSelectorBatch (a hash set of ids) took double.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from wenlan_lab.derived.exact_index import SLACK, checked, checked_query, ranked, rows_of

if TYPE_CHECKING:
    from wenlan_lab.model.ports import FloatMatrix, FloatVector, IntArray

EXTRA = 32
"""How many more than k are asked for at first, to see whether the last place is contested."""


class FaissIndex:
    """Implements `VectorIndex` on FAISS. `threads` holds during our calls; elsewhere FAISS keeps its own setting."""

    def __init__(self, dimensions: int, *, threads: int = 1) -> None:
        import faiss

        self._faiss: Any = faiss
        self._threads = threads
        self._dimensions = dimensions
        self._flat: Any = faiss.IndexFlatIP(dimensions)
        self._index: Any = faiss.IndexIDMap2(self._flat)
        self._sorted: tuple[IntArray, IntArray, IntArray] | None = None

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def replace(self, keys: IntArray, vectors: FloatMatrix) -> None:
        """Add rows or replace those whose key is there already. keys (n,), vectors (n, dimensions)."""
        keys, vectors = checked(keys, vectors, self._dimensions)
        if len(keys) == 0:
            return
        self.remove(keys)
        with self._own_threads():
            self._index.add_with_ids(vectors, keys)
        self._sorted = None

    def remove(self, keys: IntArray) -> None:
        """Drop rows; unknown keys are ignored."""
        known, _ = self._find(np.asarray(keys, dtype=np.int64))
        if len(known) == 0:
            return  # FAISS would walk all rows to find that out
        with self._own_threads():
            self._index.remove_ids(self._faiss.IDSelectorBatch(known))
        self._sorted = None

    def vectors(self, keys: IntArray) -> FloatMatrix:
        """The vectors of these keys, in order (len(keys), dimensions). Raises NotFound unless all of them are there."""
        ordered, rows, _ = self._order()
        return self._stored()[rows[rows_of(ordered, keys)]]

    def search(self, vector: FloatVector, k: int, allowed: IntArray | None = None) -> tuple[IntArray, FloatVector]:
        """The k best keys and their inner products, best first, ties by key; among `allowed` only, when given."""
        query = checked_query(vector, self._dimensions)
        options, available = None, len(self)
        if allowed is not None:
            _, rows = self._find(np.asarray(allowed, dtype=np.int64))
            chosen = np.zeros(len(self), dtype=np.bool_)
            chosen[rows] = True
            available = int(chosen.sum())
            if available < len(self):
                bits = np.packbits(chosen, bitorder="little")
                options = self._faiss.SearchParameters(sel=self._faiss.IDSelectorBitmap(bits))
        k = min(k, available)
        if k <= 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        with self._own_threads():
            near = self._contenders(query, k, available, options)
        return ranked(self._order()[2][near], self._stored()[near], query, k)

    def _stored(self) -> FloatMatrix:
        """All rows where FAISS keeps them, (n, dimensions): to be copied from at once, since an addition may move them."""
        if len(self) == 0:
            return np.empty((0, self._dimensions), dtype=np.float32)
        flat = self._faiss.rev_swig_ptr(self._flat.get_xb(), len(self) * self._dimensions)
        return np.asarray(flat).reshape(-1, self._dimensions)

    def _contenders(self, query: FloatVector, k: int, available: int, options: Any) -> IntArray:
        """Rows of all that could be among the k best: more are fetched while the last one is still as good."""
        fetch = min(k + EXTRA, available)
        while True:
            scores, rows = self._flat.search(query[None, :], fetch, params=options)
            if fetch == available or scores[0, -1] < scores[0, k - 1] - SLACK:
                return np.asarray(rows[0], dtype=np.int64)
            fetch = min(4 * fetch, available)

    def _find(self, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Those of `keys` that are here, and their rows."""
        ordered, rows, _ = self._order()
        if len(ordered) == 0:
            return keys[:0], keys[:0]
        at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
        here = ordered[at] == keys
        return keys[here], rows[at[here]]

    def _order(self) -> tuple[IntArray, IntArray, IntArray]:
        """Keys ascending, the row of each, and the keys by row."""
        if self._sorted is None:
            by_row: IntArray = self._faiss.vector_to_array(self._index.id_map)
            rows = np.argsort(by_row, kind="stable")
            self._sorted = by_row[rows], rows, by_row
        return self._sorted

    @contextmanager
    def _own_threads(self) -> Iterator[None]:
        before = self._faiss.omp_get_max_threads()
        self._faiss.omp_set_num_threads(self._threads)
        try:
            yield
        finally:
            self._faiss.omp_set_num_threads(before)

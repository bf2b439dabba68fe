"""The index in memory: one array per column, addressed by entry number, and the vector index over it.

Recall scores hundreds of candidates at a time; it reads these arrays instead of asking the database row by row. The
snapshot follows the index's generation, so what another process indexed appears at the next refresh.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.derived import catalog, embeddings
from wenlan_lab.derived.catch_up import GENERATION
from wenlan_lab.derived.entries import date_words
from wenlan_lab.derived.stems import StemArray, all_hashes
from wenlan_lab.derived.vectors import EMBEDDER, WINDOW_BITS
from wenlan_lab.model.ports import VectorIndex

CHANGED = """select number, id, kind, alive, space_id, type, trust, status, pinned, archived, hidden, thread, position,
        speaker, at, touched, uses, flags, length, words from entry where generation > ? order by number"""
WINDOWS = """select w.key, w.digest from window w join entry e on e.number = w.number
    where e.generation > ? and e.alive = 1 order by w.key"""
MOST_NUMBER = "select ifnull(max(number), 0) from entry"

IntArray = NDArray[np.int64]
_NO_WORDS: StemArray = np.empty(0, dtype=np.uint32)
KINDS = ("memory", "passage")
DAY_WORDS = 4


class Codes:
    """Small whole numbers for repeated words (spaces, threads, speakers, types), in order of appearance."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}

    def of(self, word: str) -> int:
        """The number of a word, given one when it is new."""
        known = self._numbers.get(word)
        if known is None:
            known = self._numbers[word] = len(self.words)
            self.words.append(word)
        return known

    def find(self, word: str) -> int:
        """The number of a word, -1 when it never appeared."""
        return self._numbers.get(word, -1)


class Snapshot:
    """Arrays over entry numbers (row 0 is unused). `alive` says which rows are real."""

    def __init__(self, vector_index: Callable[[], VectorIndex]) -> None:
        self._make_index = vector_index
        self.index: VectorIndex = vector_index()
        self.generation = 0
        self.identity: str | None = None
        self.missing_vectors = 0
        self.ids: list[str] = [""]
        self.words: list[StemArray] = [_NO_WORDS]
        self.document_counts: Counter[int] = Counter()
        self.total_words = 0
        self.numbers: dict[str, int] = {}
        self.spaces, self.threads, self.speakers, self.types = Codes(), Codes(), Codes(), Codes()
        self.trusts, self.statuses = Codes(), Codes()
        self._before: IntArray | None = None
        self._after: IntArray | None = None
        self._allocate(1024)

    def _allocate(self, size: int) -> None:
        """Make room for entry numbers below `size`, keeping what is there."""
        old = {name: getattr(self, name, None) for name in _COLUMNS}
        for name, (kind, empty) in _COLUMNS.items():
            shape = (size, DAY_WORDS) if name == "day_words" else size
            column: NDArray[Any] = np.full(shape, empty, dtype=kind)
            before = old[name]
            if before is not None:
                column[: len(before)] = before
            setattr(self, name, column)

    alive: NDArray[np.bool_]
    kind: NDArray[np.int8]
    space: NDArray[np.int32]
    type: NDArray[np.int32]
    trust: NDArray[np.int32]
    status: NDArray[np.int32]
    pinned: NDArray[np.bool_]
    archived: NDArray[np.bool_]
    hidden: NDArray[np.bool_]
    thread: NDArray[np.int32]
    position: NDArray[np.int32]
    speaker: NDArray[np.int32]
    at: NDArray[np.float64]
    day_words: NDArray[np.uint32]
    touched: NDArray[np.float64]
    uses: NDArray[np.int32]
    flags: NDArray[np.int64]
    length: NDArray[np.int32]

    def refresh(self, index: sqlite3.Connection, cache: sqlite3.Connection | None) -> int:
        """Take in what changed since the last refresh; returns how many entries that were."""
        generation = catalog.number(index, GENERATION)
        identity = catalog.get(index, EMBEDDER)
        if identity != self.identity:  # vectors of another embedder: start its index anew
            self.index, self.identity = self._make_index(), identity
            self.generation = 0
        if generation == self.generation:
            return 0
        rows = index.execute(CHANGED, (self.generation,)).fetchall()
        most = int(index.execute(MOST_NUMBER).fetchone()[0])
        if most >= len(self.alive):
            self._allocate(max(most + 1, 2 * len(self.alive)))
        missing = most + 1 - len(self.ids)
        self.ids.extend([""] * missing)
        self.words.extend([_NO_WORDS] * missing)
        for row in rows:
            self._take(row)
        self._take_vectors(index, cache, np.array([row[0] for row in rows], dtype=np.int64))
        self.generation = generation
        self._before = self._after = None
        return len(rows)

    def _take(self, row: Sequence[Any]) -> None:
        (
            number,
            entry_id,
            kind,
            alive,
            space,
            type_,
            trust,
            status,
            pinned,
            archived,
            hidden,
            thread,
            position,
            speaker,
            at,
            touched,
            uses,
            flags,
            length,
            words,
        ) = row
        self._count_words(number, np.frombuffer(words, dtype=np.uint32))
        self.ids[number] = entry_id
        self.numbers[entry_id] = number
        self.alive[number] = bool(alive)
        self.kind[number] = KINDS.index(kind)
        self.space[number] = self.spaces.of(space)
        self.type[number] = self.types.of(type_)
        self.trust[number] = self.trusts.of(trust)
        self.status[number] = self.statuses.of(status)
        self.pinned[number] = bool(pinned)
        self.archived[number] = bool(archived)
        self.hidden[number] = bool(hidden)
        self.thread[number] = self.threads.of(thread) if thread else -1
        self.position[number] = position
        self.speaker[number] = self.speakers.of(speaker)
        self.at[number] = timestamp(at)
        self.day_words[number] = day_hashes(at)
        self.touched[number] = timestamp(touched)
        self.uses[number] = uses
        self.flags[number] = flags
        self.length[number] = length

    def _count_words(self, number: int, words: StemArray) -> None:
        """Keep an entry's stems, and in how many entries each stem stands."""
        before = self.words[number]
        if len(before):
            self.document_counts.subtract(set(before.tolist()))
            self.total_words -= len(before)
        self.words[number] = words
        self.document_counts.update(set(words.tolist()))
        self.total_words += len(words)

    def _take_vectors(self, index: sqlite3.Connection, cache: sqlite3.Connection | None, numbers: IntArray) -> None:
        known = getattr(self, "_keys", np.empty(0, dtype=np.int64))
        stale = known[np.isin(known >> WINDOW_BITS, numbers)]
        self.index.remove(stale)
        known = known[~np.isin(known, stale)]
        self.missing_vectors = 0
        if cache is not None and self.identity is not None:
            rows = index.execute(WINDOWS, (self.generation,)).fetchall()
            digests = [row[1] for row in rows]
            vectors, found = embeddings.stored(cache, self.identity, digests)
            keys = np.array([row[0] for row in rows], dtype=np.int64)[found]
            self.missing_vectors = len(rows) - len(keys)
            if len(keys):
                self.index.replace(keys, vectors)
            known = np.union1d(known, keys)
        self._keys = known

    @property
    def keys(self) -> IntArray:
        """Keys of all windows in the vector index, ascending."""
        return self._keys if hasattr(self, "_keys") else np.empty(0, dtype=np.int64)

    def vectors_of(self, numbers: IntArray) -> tuple[IntArray, NDArray[np.float32]]:
        """All windows of these entries: which row of `numbers` each belongs to (m,), and their vectors (m, d)."""
        keys = self.keys
        first = np.searchsorted(keys, numbers << WINDOW_BITS)
        last = np.searchsorted(keys, (numbers + 1) << WINDOW_BITS)
        sizes = last - first
        owner = np.repeat(np.arange(len(numbers)), sizes)
        at = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
        return owner, self.index.vectors(keys[at])

    def neighbours(self, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """The entry before and after each of these in its thread, (n,) each, 0 where there is none."""
        if self._before is None or self._after is None:
            rows = np.flatnonzero(self.alive & (self.thread >= 0))
            rows = rows[np.lexsort((rows, self.position[rows], self.thread[rows]))]
            same = self.thread[rows[1:]] == self.thread[rows[:-1]]
            self._before = np.zeros(len(self.alive), dtype=np.int64)
            self._after = np.zeros(len(self.alive), dtype=np.int64)
            self._before[rows[1:][same]] = rows[:-1][same]
            self._after[rows[:-1][same]] = rows[1:][same]
        return self._before[numbers], self._after[numbers]


_COLUMNS: dict[str, tuple[Any, Any]] = {
    "alive": (np.bool_, False),
    "kind": (np.int8, 0),
    "space": (np.int32, -1),
    "type": (np.int32, -1),
    "trust": (np.int32, -1),
    "status": (np.int32, -1),
    "pinned": (np.bool_, False),
    "archived": (np.bool_, False),
    "hidden": (np.bool_, False),
    "thread": (np.int32, -1),
    "position": (np.int32, -1),
    "speaker": (np.int32, -1),
    "at": (np.float64, np.nan),
    "day_words": (np.uint32, 0),
    "touched": (np.float64, np.nan),
    "uses": (np.int32, 0),
    "flags": (np.int64, 0),
    "length": (np.int32, 0),
}


def day_hashes(at: str | None) -> StemArray:
    """The stems of the words of a date, four of them or none."""
    words = all_hashes(date_words(at))
    return words if len(words) == DAY_WORDS else np.zeros(DAY_WORDS, dtype=np.uint32)


def timestamp(at: str | None) -> float:
    """Seconds since 1970 of an ISO moment, NaN when there is none or it can't be read."""
    if not at:
        return float("nan")
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return float("nan")

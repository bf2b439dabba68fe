"""A shelf of vectors on disk that many runs, and many processes at once, take from and add to.

A folder for each embedder identity holds pairs of files, `N.vectors` (float32 rows) and `N.digests` (sha256 of each
row's text). Every writer has a pair of its own and only appends, so two processes never write one file, and a row
counts once both of its parts are whole: what was cut off when a process was killed is not read. A row that is no unit
vector is not read either. No text is kept. The folder may be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

DIGEST_BYTES = 32
_IDENTITY = "identity.txt"
_MOST_WRITERS = 1_000_000


def digest_of(text: str) -> bytes:
    """sha256 of the text; takes any string, lone surrogates too."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


class VectorShelf:
    """The vectors of one embedder below `root`. No file stays open for writing, so there is nothing to close."""

    def __init__(self, root: Path, identity: str, dimensions: int) -> None:
        self.dimensions = dimensions
        self.folder = root / sha256(f"{identity}\0{dimensions}".encode()).hexdigest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / _IDENTITY).write_text(f"{identity}\n{dimensions} dimensions\n", encoding="utf-8")
        self._rows: dict[bytes, tuple[int, int]] = {}
        self._shelves: list[Matrix] = []
        self._fresh: dict[bytes, Matrix] = {}
        self._mine: Path | None = None
        for path in sorted(self.folder.glob("*.digests")):
            self._take_in(path)

    def __len__(self) -> int:
        return len(self._rows) + len(self._fresh)

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._rows or digest in self._fresh

    def get(self, digest: bytes) -> Matrix | None:
        """The vector (dimensions,) of the text with this digest, or None."""
        fresh = self._fresh.get(digest)
        if fresh is not None:
            return fresh
        place = self._rows.get(digest)
        if place is None:
            return None
        row = np.asarray(self._shelves[place[0]][place[1]])
        # Bytes of a damaged file may be anything; the comparison is false for NaN as well.
        return row if abs(float(row @ row) - 1) < 1e-3 else None

    def add(self, digests: Sequence[bytes], rows: Matrix) -> None:
        """Keep these rows (n, dimensions). They are on disk when this returns."""
        mine = self._pair()
        with mine.open("ab") as vectors:
            vectors.write(np.ascontiguousarray(rows, dtype="<f4").tobytes())
        with mine.with_suffix(".digests").open("ab") as names:  # last: a row whose digest is there is whole
            names.write(b"".join(digests))
        self._fresh.update((digest, row.copy()) for digest, row in zip(digests, rows, strict=True))

    def _take_in(self, path: Path) -> None:
        vectors = path.with_suffix(".vectors")
        names = path.read_bytes()
        size = vectors.stat().st_size if vectors.is_file() else 0
        count = min(len(names) // DIGEST_BYTES, size // (4 * self.dimensions))
        if count == 0:
            return
        rows = np.memmap(vectors, dtype="<f4", mode="r", shape=(count, self.dimensions))
        at = len(self._shelves)
        self._shelves.append(rows)
        for number in range(count):
            self._rows[names[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES]] = (at, number)

    def _pair(self) -> Path:
        """The pair to append to: a new one when an interrupt left the two parts of the old one unequal."""
        if self._mine is not None:
            names = self._mine.with_suffix(".digests")
            count = names.stat().st_size / DIGEST_BYTES if names.is_file() else 0
            if self._mine.stat().st_size == count * 4 * self.dimensions:
                return self._mine
        return self._new_pair()

    def _new_pair(self) -> Path:
        for number in range(_MOST_WRITERS):
            path = self.folder / f"{number:06d}.vectors"
            try:
                path.touch(exist_ok=False)  # whoever makes it owns it
            except FileExistsError:
                continue
            self._mine = path
            return path
        raise OSError(f"{self.folder} holds a million files: delete it, it will be made again.")

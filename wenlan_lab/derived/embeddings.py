"""The vector cache derived/vectors.db: what each embedder made of each window of text, so that no text is embedded twice.

A vector is kept under the embedder's identity and the text's digest; identities never mix. The text itself isn't here.
Like all of derived/ the file may be deleted at any time. One that can't be read is discarded, and a row that is no unit
vector counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.derived.catalog import transaction
from wenlan_lab.errors import ProviderContractError

if TYPE_CHECKING:
    from wenlan_lab.model.ports import Embedder, FloatMatrix, Progress

VECTORS_FILE = "vectors.db"
LAYOUT = 1
CHUNK = 256
"""Windows that are embedded before what was made is committed: an interrupt loses at most these."""

CREATE = """create table if not exists vector (
    identity text not null, digest text not null, vector blob not null, primary key (identity, digest)) strict"""
FIND = """select digest, vector from vector where identity = ? and digest in (select value from json_each(?))"""
FIND_ALL = "select digest, vector from vector where +identity = ?"
LENGTHS = "select length(vector) from vector where identity = ? limit 16"
SIZE = "select ifnull(max(rowid), 0) from vector"
PUT = """insert into vector (identity, digest, vector) values (?, ?, ?)
    on conflict (identity, digest) do update set vector = excluded.vector"""
FORGET = "delete from vector where digest in (select value from json_each(?))"
PRUNE = "delete from vector where identity <> ?"


def open_vectors(folder: Path) -> tuple[sqlite3.Connection, tuple[str, ...]]:
    """A connection to `folder/vectors.db`, made ready, and notes on what had to be thrown away to get there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / VECTORS_FILE
    try:
        return _open(path), ()
    except (sqlite3.DatabaseError, _OtherLayout) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_THE_FILES_FAULT:
            raise
        discard(folder)
        return _open(path), (f"the vector cache was discarded, texts are embedded again: {error}",)


NOT_THE_FILES_FAULT = frozenset({
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM,
})  # fmt: skip


class _OtherLayout(Exception):
    """The file was written by another version."""


def _open(path: Path) -> sqlite3.Connection:
    cache = sqlite3.connect(path, isolation_level=None, timeout=60)
    try:
        cache.execute("pragma page_size = 8192")  # five vectors of 384 to a page, with little left over
        cache.execute("pragma auto_vacuum = incremental")
        cache.execute("pragma journal_mode = wal")
        cache.execute("pragma synchronous = normal")
        cache.execute("pragma secure_delete = on")
        layout = cache.execute("pragma user_version").fetchone()[0]
        if layout not in (0, LAYOUT):
            raise _OtherLayout(f"it has layout {layout}, this version uses {LAYOUT}")
        if layout == 0:
            with transaction(cache):
                cache.execute(CREATE)
                cache.execute(f"pragma user_version = {LAYOUT}")
        cache.execute(FIND, ("", "[]")).fetchall()  # is the table as we know it?
    except BaseException:
        cache.close()
        raise
    return cache


def discard(folder: Path) -> None:
    """Delete the cache's files. Connections to them must be closed."""
    for suffix in ("", "-wal", "-shm"):
        (folder / (VECTORS_FILE + suffix)).unlink(missing_ok=True)


def text_digest(text: str) -> str:
    """SHA-256 of the text, in hexadecimal. Takes any string, lone surrogates too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stored(
    connection: sqlite3.Connection, identity: str, digests: Sequence[str]
) -> tuple[FloatMatrix, NDArray[np.bool_]]:
    """The vectors that are in the cache for `digests`, in their order, and for each digest whether it was found."""
    slots = {digest: at for at, digest in enumerate(dict.fromkeys(digests))}
    if len(slots) * 4 > connection.execute(SIZE).fetchone()[0]:
        rows = connection.execute(FIND_ALL, (identity,))  # a walk through the table beats that many look-ups
    else:
        rows = connection.execute(FIND, (identity, json.dumps(list(slots))))
    # Of a few, so that one that was cut short doesn't decide how long they are.
    size = max((row[0] for row in connection.execute(LENGTHS, (identity,))), default=0) // 4 * 4
    filled = bytearray(len(slots) * size)  # what isn't found stays zero, and so is no unit vector
    for digest, blob in rows:
        at = slots.get(digest)
        if at is not None and len(blob) == size:
            filled[at * size : (at + 1) * size] = blob
    known = np.frombuffer(filled, dtype="<f4").reshape(len(slots), size // 4)
    sound = np.abs(np.einsum("ij,ij->i", known, known) - 1) < 1e-3  # false for NaN
    if sound.all() and len(slots) == len(digests):
        return known, sound
    positions = np.fromiter((slots[digest] for digest in digests), dtype=np.int64, count=len(digests))
    found = sound[positions]
    return known[positions[found]], found


def vectors_for(
    connection: sqlite3.Connection, embedder: Embedder, texts: Sequence[str], progress: Progress | None = None
) -> FloatMatrix:
    """float32 (len(texts), dimensions), rows of length 1, one for each text; each text should be one window.

    Only what isn't in the cache is embedded, 256 at a time, and each such chunk is committed, so an interrupt loses
    nothing that was finished. `progress` counts the texts to embed. Raises ProviderUnavailable, ProviderContractError.
    """
    identity, dimensions = embedder.identity, embedder.dimensions
    digests = [text_digest(text) for text in texts]
    vectors, found = stored(connection, identity, digests)
    if len(vectors) and vectors.shape[1] != dimensions:
        raise ProviderContractError(
            f"{identity} made vectors of {vectors.shape[1]} dimensions before and says {dimensions} now: "
            "an embedder whose vectors change needs another identity."
        )
    result = np.empty((len(texts), dimensions), dtype=np.float32)
    if found.any():
        result[found] = vectors
    missing = {digests[at]: texts[at] for at in np.flatnonzero(~found).tolist()}
    made: dict[str, int] = {}
    rows = np.empty((len(missing), dimensions), dtype=np.float32)
    pairs = list(missing.items())
    for start in range(0, len(pairs), CHUNK):
        chunk = pairs[start : start + CHUNK]
        fresh = embedder.embed_documents([text for _, text in chunk], _shifted(progress, start, len(pairs)))
        check_vectors(fresh, len(chunk), dimensions)
        with transaction(connection):
            connection.executemany(
                PUT,
                (
                    (identity, digest, row.astype("<f4").tobytes())
                    for (digest, _), row in zip(chunk, fresh, strict=True)
                ),
            )
        rows[start : start + len(chunk)] = fresh
        made.update((digest, start + at) for at, (digest, _) in enumerate(chunk))
    for at in np.flatnonzero(~found):
        result[at] = rows[made[digests[at]]]
    return result


def _shifted(progress: Progress | None, start: int, total: int) -> Callable[[int, int], None] | None:
    """The callback for a chunk of a longer run."""
    if progress is None:
        return None
    return lambda done, _: progress(start + done, total)


def check_vectors(vectors: FloatMatrix, count: int, dimensions: int) -> None:
    """Raise ProviderContractError unless these are `count` finite rows of length 1 (within 1e-3)."""
    if vectors.shape != (count, dimensions):
        raise ProviderContractError(
            f"the embedder returned shape {vectors.shape} for {count} texts, expected ({count}, {dimensions}): "
            "fix the embedder."
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    bad = np.flatnonzero(~(np.abs(lengths - 1) < 1e-3))  # also true for NaN and infinity
    if len(bad):
        raise ProviderContractError(
            f"the embedder returned a vector of length {lengths[bad[0]]:.4g} for text {bad[0]} of {count}, expected 1: "
            "fix the embedder."
        )


def forget_vectors(connection: sqlite3.Connection, digests: Sequence[str]) -> int:
    """Erase the vectors of these texts under every identity; returns how many there were. The bytes are overwritten."""
    with transaction(connection):
        count = connection.execute(FORGET, (json.dumps(list(digests)),)).rowcount
    if count:
        # The write-ahead log may still hold them. A reader elsewhere can keep this from happening now; its own next
        # checkpoint then does it.
        connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    return count


def prune(connection: sqlite3.Connection, keep: str) -> int:
    """Delete the vectors of all identities but `keep`, give the space back; returns how many there were."""
    with transaction(connection):
        count = connection.execute(PRUNE, (keep,)).rowcount
    if count:
        connection.executescript("pragma incremental_vacuum")  # a step for each page: `execute` would take only one
    return count

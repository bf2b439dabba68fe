"""The second step of following: windows of waiting entries are embedded and noted, chunk by chunk.

Every chunk is one transaction after its embedding is done, so an interrupt loses at most the chunk in hand. A different
embedder identity means that all entries wait again; their old windows go, and vectors of two identities never meet.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from wenlan_lab.derived import catalog, embeddings
from wenlan_lab.derived.catch_up import DROP_WINDOWS, GENERATION
from wenlan_lab.model.ports import Embedder

EMBEDDER = "embedder"
CHUNK = 256
WINDOW_BITS = 16

WAITING = "select number, dense from entry where windowed = 0 and alive = 1 order by number limit ?"
COUNT_WAITING = "select count(*) from entry where windowed = 0 and alive = 1"
STILL_SO = "select 1 from entry where number = ? and dense = ? and windowed = 0 and alive = 1"
ADD_WINDOW = "insert or replace into window (key, number, digest) values (?, ?, ?)"
NOTE_WINDOWED = "update entry set windowed = 1, generation = ? where number = ?"
ALL_WAIT = "update entry set windowed = 0, generation = ? where alive = 1"
DROP_ALL_WINDOWS = "delete from window"


def waiting(index: sqlite3.Connection) -> int:
    """How many entries have no vector yet."""
    return int(index.execute(COUNT_WAITING).fetchone()[0])


def use_identity(index: sqlite3.Connection, identity: str) -> bool:
    """Make `identity` the one whose vectors count. Returns True when that was a change: then everything waits again."""
    if catalog.get(index, EMBEDDER) == identity:
        return False
    with catalog.transaction(index):
        before = catalog.get(index, EMBEDDER)
        if before == identity:
            return False
        generation = catalog.number(index, GENERATION) + 1
        index.execute(DROP_ALL_WINDOWS)
        index.execute(ALL_WAIT, (generation,))
        catalog.put(index, EMBEDDER, identity)
        catalog.put(index, GENERATION, str(generation))
    return before is not None


def embed_waiting(
    index: sqlite3.Connection,
    cache: sqlite3.Connection,
    embedder: Embedder,
    *,
    most: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed waiting entries, at most `most` of them, and return how many were done. May raise ProviderUnavailable."""
    use_identity(index, embedder.identity)
    total = waiting(index) if most is None else min(waiting(index), most)
    done = 0
    while done < total:
        rows = index.execute(WAITING, (min(CHUNK, total - done),)).fetchall()
        if not rows:
            break
        windows = [tuple(embedder.windows(dense)) for _, dense in rows]
        flat = list(dict.fromkeys(window for pieces in windows for window in pieces))
        embeddings.vectors_for(cache, embedder, flat)
        with catalog.transaction(index):
            generation = catalog.number(index, GENERATION) + 1
            for (number, dense), pieces in zip(rows, windows, strict=True):
                if index.execute(STILL_SO, (number, dense)).fetchone() is None:
                    continue  # changed or done by another process meanwhile
                index.execute(DROP_WINDOWS, (number,))
                index.executemany(
                    ADD_WINDOW,
                    [
                        (number << WINDOW_BITS | at, number, embeddings.text_digest(piece))
                        for at, piece in enumerate(pieces[: 1 << WINDOW_BITS])
                    ],
                )
                index.execute(NOTE_WINDOWED, (generation, number))
            catalog.put(index, GENERATION, str(generation))
        done += len(rows)
        if progress is not None:
            progress(done, total)
    return done

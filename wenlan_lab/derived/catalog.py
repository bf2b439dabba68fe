"""Opening derived/index.db: the keyword index, the entries behind it, and how far they have followed the journal.

Another version's file is discarded, never migrated. So is one that can't be read: all of it can be made again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wenlan_lab.derived import lexical

INDEX_FILE = "index.db"
LAYOUT = "4"

CREATE = (
    "create table if not exists about (key text primary key, value text not null) strict, without rowid",
    """create table if not exists entry (
        number integer primary key, id text not null unique, kind text not null, alive integer not null,
        space_id text not null, type text not null, trust text not null, status text not null, pinned integer not null,
        archived integer not null, hidden integer not null, thread text not null, position integer not null,
        speaker text not null, at text, touched text not null, uses integer not null, flags integer not null,
        length integer not null, dense text not null, words blob not null, windowed integer not null,
        generation integer not null) strict""",
    "create index if not exists entry_thread on entry (thread, position)",
    "create index if not exists entry_generation on entry (generation)",
    "create index if not exists entry_waiting on entry (number) where windowed = 0 and alive = 1",
    """create table if not exists window (
        key integer primary key, number integer not null, digest text not null) strict""",
    "create index if not exists window_number on window (number)",
    lexical.CREATE,
)
GET = "select value from about where key = ?"
SET = "insert into about (key, value) values (?, ?) on conflict (key) do update set value = excluded.value"


def open_index(folder: Path) -> tuple[sqlite3.Connection, tuple[str, ...]]:
    """A connection to `folder/index.db`, made ready, and notes on what had to be thrown away to get there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / INDEX_FILE
    try:
        return _open(path), ()
    except (sqlite3.DatabaseError, _OtherLayout) as error:
        discard(folder)
        return _open(path), (f"the index was built again: {error}",)


class _OtherLayout(Exception):
    """The file was written by another version."""


def _open(path: Path) -> sqlite3.Connection:
    index = sqlite3.connect(path, isolation_level=None, timeout=60)
    try:
        index.execute("pragma journal_mode = wal")
        # Losing the last moments to a power cut costs a catch-up, nothing more.
        index.execute("pragma synchronous = normal")
        index.execute("pragma secure_delete = on")
        with transaction(index):
            for statement in CREATE:
                index.execute(statement)
            layout = get(index, "layout")
            if layout is None:
                put(index, "layout", LAYOUT)
            elif layout != LAYOUT:
                raise _OtherLayout(f"it has layout {layout}, this version uses {LAYOUT}")
    except BaseException:
        index.close()
        raise
    return index


def discard(folder: Path) -> None:
    """Delete the index's files."""
    for suffix in ("", "-wal", "-shm"):
        (folder / (INDEX_FILE + suffix)).unlink(missing_ok=True)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction on a derived database; rolls back on anything but a normal end."""
    connection.execute("begin immediate")
    try:
        yield connection
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def truncate_log(connection: sqlite3.Connection) -> None:
    """Move the write-ahead log into the database and cut it to nothing, so that no old page is left in it."""
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()


def get(index: sqlite3.Connection, key: str) -> str | None:
    """A remembered value: layout, watermark, generation, embedder."""
    row = index.execute(GET, (key,)).fetchone()
    return None if row is None else str(row[0])


def put(index: sqlite3.Connection, key: str, value: str) -> None:
    """Remember a value."""
    index.execute(SET, (key, value))


def number(index: sqlite3.Connection, key: str) -> int:
    """A remembered whole number, 0 when there is none."""
    return int(get(index, key) or 0)

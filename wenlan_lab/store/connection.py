"""Opening truth.db, and the one guard around writing to it.

The connection lives in `PRAGMA query_only = on`: any statement that would write fails. `writing` lifts the guard for
one transaction and is imported by the write path and by migrations only. A crash, an error or a KeyboardInterrupt
inside it rolls back and puts the guard back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wenlan_lab.errors import StoreError

TRUTH_FILE = "truth.db"
BUSY_MILLISECONDS = 60_000


def open_truth(folder: Path) -> sqlite3.Connection:
    """A guarded connection to `folder/truth.db`, which is created when missing (still without a schema)."""
    path = folder / TRUTH_FILE
    try:
        truth = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MILLISECONDS / 1000)
        truth.execute(f"pragma busy_timeout = {BUSY_MILLISECONDS}")
        truth.execute("pragma journal_mode = wal")
        # Full: a receipt that was printed must survive a power cut, not only a killed process.
        truth.execute("pragma synchronous = full")
        truth.execute("pragma foreign_keys = on")
        # What is erased is overwritten with zeros, so that forgetting reaches the bytes.
        truth.execute("pragma secure_delete = on")
        truth.execute("pragma query_only = on")
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path} can't be opened as a workbench ({error}): check the path and permissions, or restore a backup."
        ) from error
    truth.row_factory = sqlite3.Row
    return truth


def has_fts5() -> bool:
    """Whether this Python's SQLite can search text."""
    memory = sqlite3.connect(":memory:")
    try:
        return bool(memory.execute("select sqlite_compileoption_used('ENABLE_FTS5')").fetchone()[0])
    finally:
        memory.close()


@contextmanager
def writing(truth: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction: commits at the end, rolls back on anything else, and always puts the guard back."""
    truth.execute("pragma query_only = off")
    try:
        truth.execute("begin immediate")
        try:
            yield truth
            truth.execute("commit")
        except BaseException:
            if truth.in_transaction:
                truth.execute("rollback")
            raise
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise StoreError(
                "another process has been writing to this workbench for over a minute: "
                "nothing was changed, try again when it is done."
            ) from error
        raise
    finally:
        truth.execute("pragma query_only = on")


@contextmanager
def own_tables(truth: sqlite3.Connection) -> Iterator[None]:
    """Lift the guard to make temporary tables and triggers, which live in this connection alone."""
    truth.execute("pragma query_only = off")
    try:
        yield
    finally:
        truth.execute("pragma query_only = on")


@contextmanager
def snapshot(truth: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Several reads that see one state."""
    if truth.in_transaction:
        yield truth
        return
    truth.execute("begin")
    try:
        yield truth
    finally:
        if truth.in_transaction:
            truth.execute("commit")

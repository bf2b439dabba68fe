"""Replay: the rows of a truth made again from its journal alone, in a truth that is empty.

What every entry did to the rows is in its payload; doing all of it in order must give the rows there are. Erased words
stay erased: the entries that held them say `[erased]`, and the entry that forgot them leaves the row empty.
"""

from __future__ import annotations

import sqlite3

from wenlan_lab.store import journal, write
from wenlan_lab.store.effects import from_json

BODIES = "select body from journal_payload order by seq"


def replay(source: sqlite3.Connection, target: sqlite3.Connection) -> int:
    """Apply every journal entry's effects of `source` to the empty `target`; returns how many entries there were.

    Raises InvalidRequest when `target` has a journal already. `source` is only read.
    """
    bodies = source.execute(BODIES)
    return write.replay_all(target, (from_json(journal.unpack(row["body"])["effects"]) for row in bodies))

"""Versions of memories: every state each was in, with the time it was true for and the time it was known.

The log is only appended to. The open row (recorded_to is null) is the present; a change closes it and opens the next.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from wenlan_lab.store.effects import Effect

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode

CLOSE = "update memory_version set recorded_to = ? where memory_id = ? and recorded_to is null"
OPEN = """insert into memory_version (memory_id, version, seq, recorded_from, recorded_to, valid_from, valid_to, state)
    values (?, (select ifnull(max(version), 0) + 1 from memory_version where memory_id = ?), ?, ?, null, ?, ?, ?)"""
VERSIONS = """select version, seq, recorded_from, recorded_to, valid_from, valid_to, state from memory_version
    where memory_id = ? order by version"""


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a memory. `state` is its row then, as plain values."""

    version: int
    seq: int
    recorded_from: str
    recorded_to: str | None
    valid_from: str
    valid_to: str | None
    state: dict[str, Any]


def record(tx: sqlite3.Connection, effects: tuple[Effect, ...], seq: int, at: str) -> None:
    """Append the new state of every memory row among the effects."""
    for effect in effects:
        if effect.table != "memory":
            continue
        if effect.before is not None or effect.after is None:
            tx.execute(CLOSE, (at, effect.key))
        if effect.after is not None:
            row = effect.after
            state = _ENCODE(row)
            tx.execute(OPEN, (effect.key, effect.key, seq, at, row["valid_from"], row["valid_to"], state))


def of(truth: sqlite3.Connection, memory_id: str) -> tuple[Version, ...]:
    """All versions of a memory, oldest first; empty when there never was one."""
    rows = truth.execute(VERSIONS, (memory_id,))
    return tuple(Version(row[0], row[1], row[2], row[3], row[4], row[5], json.loads(row["state"])) for row in rows)

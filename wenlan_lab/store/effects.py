"""What a change did to the rows, recorded by the database itself.

Temporary triggers on every state table note each row before and after. So an effect can't be forgotten by the code that
caused it, and the journal holds what undo and replay need. Logs (journal, versions) are not state and have no triggers.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from wenlan_lab.store.connection import own_tables

# Every state table, its key, and the subject that a changed row counts as touched: (kind, column holding its id).
STATE_TABLES: dict[str, tuple[str, str, str]] = {
    "space": ("id", "space", "id"),
    "memory": ("id", "memory", "id"),
    "source": ("id", "source", "id"),
    "passage": ("id", "passage", "id"),
    "evidence": ("id", "memory", "memory_id"),
    "rejection": ("id", "rejection", "id"),
    "tombstone": ("id", "tombstone", "id"),
    "review": ("id", "review", "id"),
    "feedback": ("id", "feedback", "id"),
}

CREATE_EFFECT = """create temp table if not exists effect (
    number integer primary key, name text not null, before text, after text)"""
EFFECTS = "select name, before, after from temp.effect order by number"
CLEAR_EFFECTS = "delete from temp.effect"
COLUMNS = "select name from pragma_table_info(?) order by cid"


@dataclass(frozen=True, slots=True)
class Effect:
    """One row that changed. `before` is None for an inserted row, `after` for a deleted one."""

    table: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def key(self) -> str:
        """The row's primary key."""
        row = self.after if self.after is not None else self.before
        return str((row or {})[STATE_TABLES[self.table][0]])

    @property
    def subject(self) -> tuple[str, str]:
        """(kind, id) of what counts as touched."""
        _, kind, column = STATE_TABLES[self.table]
        row = self.after if self.after is not None else self.before
        return kind, str((row or {})[column])


def watch(truth: sqlite3.Connection) -> None:
    """Put the recording triggers on this connection. Called once, when it is opened, before the guard matters."""
    with own_tables(truth):
        truth.execute(CREATE_EFFECT)
        for table in STATE_TABLES:
            columns = [row[0] for row in truth.execute(COLUMNS, (table,))]
            old, new = _row_json("old", columns), _row_json("new", columns)
            for event, before, after in (("insert", "null", new), ("update", old, new), ("delete", old, "null")):
                truth.execute(
                    f"create temp trigger if not exists effect_{table}_{event} after {event} on main.{table} begin "  # noqa: S608 - names from our own schema
                    f"insert into effect (name, before, after) values ('{table}', {before}, {after}); end"
                )


def _row_json(alias: str, columns: list[str]) -> str:
    return "json_object(" + ", ".join(f"'{name}', {alias}.{name}" for name in columns) + ")"


def collect(tx: sqlite3.Connection) -> tuple[Effect, ...]:
    """The effects since the last call, with those of one row joined and those that came to nothing left out."""
    rows = tx.execute(EFFECTS).fetchall()
    if not rows:
        return ()
    tx.execute(CLEAR_EFFECTS)
    joined: dict[tuple[str, str], Effect] = {}
    for name, before, after in rows:
        effect = Effect(name, json.loads(before) if before else None, json.loads(after) if after else None)
        identity = (name, effect.key)
        first = joined.get(identity)
        joined[identity] = effect if first is None else Effect(name, first.before, effect.after)
    return tuple(effect for effect in joined.values() if effect.before != effect.after)


def to_json(effects: tuple[Effect, ...]) -> list[list[Any]]:
    """Effects as JSON lists [table, before, after]."""
    return [[effect.table, effect.before, effect.after] for effect in effects]


def from_json(plain: list[list[Any]]) -> tuple[Effect, ...]:
    """What `to_json` wrote."""
    return tuple(Effect(table, before, after) for table, before, after in plain)


def inverse(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """The effects that take these back, last first."""
    return tuple(Effect(effect.table, effect.after, effect.before) for effect in reversed(effects))


def perform(tx: sqlite3.Connection, effects: tuple[Effect, ...]) -> None:
    """Bring the rows to the state each effect's `after` describes. Foreign keys are checked at the end."""
    tx.execute("pragma defer_foreign_keys = on")
    for effect in effects:
        key = STATE_TABLES[effect.table][0]
        if effect.after is None:
            tx.execute(f"delete from {effect.table} where {key} = ?", (effect.key,))  # noqa: S608 - names from our own schema
            continue
        columns = list(effect.after)
        settings = ", ".join(f"{name} = excluded.{name}" for name in columns if name != key)
        tx.execute(
            f"insert into {effect.table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))}) "  # noqa: S608 - names from our own schema
            f"on conflict ({key}) do update set {settings}",
            tuple(effect.after.values()),
        )

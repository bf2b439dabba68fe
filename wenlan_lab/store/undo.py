"""Undo: the rows that a journal entry changed go back to what they were, unless something later rests on them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.outcomes import Applied, Outcome, UndoRefused
from wenlan_lab.store import effects, journal, permissions, tombstones
from wenlan_lab.store.context import Context
from wenlan_lab.store.effects import STATE_TABLES, Effect, from_json

LATER = "select distinct seq from touched where kind = ? and id = ? and seq > ? order by seq"
FINAL = ("ForgetMemory", "RecordRejection")
UNDONE = "undone"
LINKS = """select "table", "from" from pragma_foreign_key_list(?) where "table" in (select value from json_each(?))"""
ERASED_PAYLOAD = "select erased_by from journal_payload where seq = ?"


def undo(ctx: Context, seq: int) -> Outcome:
    """Take an entry back. Refused, with the entries that stand in the way, when its rows have changed since."""
    entry = next(iter(journal.entries(ctx.tx, after=seq - 1, most=1, before=seq + 1)), None)
    plain = journal.payload(ctx.tx, seq)
    if entry is None or plain is None:
        raise NotFound(f"there is no journal entry {seq}: `journal` lists those there are.")
    if entry.change in FINAL:
        return UndoRefused(seq, _why_final(entry.change), ())
    erased_by = ctx.tx.execute(ERASED_PAYLOAD, (seq,)).fetchone()[0]
    if erased_by is not None:
        return UndoRefused(seq, f"its text was erased by entry {erased_by}", (erased_by,))
    done = from_json(plain["effects"])
    blocking = {later for effect in done if not _is_so(ctx.tx, effect) for later in _later(ctx.tx, effect, seq)}
    if blocking or not all(_is_so(ctx.tx, effect) for effect in done):
        return UndoRefused(seq, "later changes rest on it", tuple(sorted(blocking)))
    resting = {later for kind, subject in _resting(ctx.tx, done) for later in _later_of(ctx.tx, kind, subject, seq)}
    if resting:
        return UndoRefused(seq, "what came later needs what it would take away", tuple(sorted(resting)))
    stone = _rejected_since(ctx.tx, done)
    if stone is not None:
        return UndoRefused(seq, f"its claim was rejected since: lift {stone} first, with unforget", ())
    if ctx.actor.kind != "person" and entry.actor != str(ctx.actor):
        for effect in done:
            if effect.table == "memory" and effect.before is not None and effect.after is not None:
                permissions.check_memory(ctx, effect.key)
    try:
        effects.perform(ctx.tx, effects.inverse(done))
    except sqlite3.IntegrityError as error:
        raise InvalidRequest(f"entry {seq} can't be undone: what it removed has been told again ({error}).") from error
    _keep_out(ctx, entry.actor, done)
    return Applied(tuple(dict.fromkeys(effect.key for effect in done)), len(done))


def _resting(tx: sqlite3.Connection, done: tuple[Effect, ...]) -> Iterator[tuple[str, str]]:
    """Subjects that taking this back would leave pointing at nothing: rows of a removed row, or a restored row's parent."""
    changed = {(effect.table, effect.key): effect.before for effect in done}
    removed = [identity for identity, row in changed.items() if row is None]
    for child, (key, kind, column) in STATE_TABLES.items():
        for parent, name in tx.execute(LINKS, (child, json.dumps(list(STATE_TABLES)))).fetchall():
            for table, removed_key in removed:
                query = f"select {key}, {column} from {child} where {name} = ?"  # noqa: S608 - names from our own schema
                for row in tx.execute(query, (removed_key,)) if table == parent else ():
                    if (child, row[0]) not in changed:
                        yield kind, row[1]
            for (table, _), row in changed.items():
                needed = row[name] if table == child and row is not None else None
                if needed is None or changed.get((parent, needed)) is not None:
                    continue
                query = f"select 1 from {parent} where {STATE_TABLES[parent][0]} = ?"  # noqa: S608 - names from our own schema
                if tx.execute(query, (needed,)).fetchone() is None:
                    yield STATE_TABLES[parent][1], needed


def _rejected_since(tx: sqlite3.Connection, done: tuple[Effect, ...]) -> str | None:
    """The tombstone that stops a claim which taking this back would make live again."""
    own = {effect.key for effect in done if effect.table == "tombstone"}
    for effect in done:
        row = effect.before
        if effect.table != "memory" or row is None or row["status"] != "live" or row["text_key"] is None:
            continue
        stone = tombstones.standing(tx, row["space_id"], row["text_key"])
        # One that an undo put up keeps a claim from being told again, not from coming back by another undo.
        if stone is not None and stone.id not in own and stone.reason != UNDONE:
            return stone.id
    return None


def _why_final(change: str) -> str:
    return "the text is gone: forgetting can't be undone" if change == "ForgetMemory" else "a log entry has no effect"


def _is_so(tx: sqlite3.Connection, effect: Effect) -> bool:
    """Whether the row is still what the effect left it as."""
    key = STATE_TABLES[effect.table][0]
    row = tx.execute(f"select * from {effect.table} where {key} = ?", (effect.key,)).fetchone()  # noqa: S608 - names from our own schema
    return (None if row is None else dict(row)) == effect.after


def _later(tx: sqlite3.Connection, effect: Effect, seq: int) -> list[int]:
    return _later_of(tx, *effect.subject, seq)


def _later_of(tx: sqlite3.Connection, kind: str, subject: str, seq: int) -> list[int]:
    return [row[0] for row in tx.execute(LATER, (kind, subject, seq))]


def _keep_out(ctx: Context, actor: str, done: tuple[effects.Effect, ...]) -> None:
    """A claim that an agent or a process made and that is undone doesn't come back by itself."""
    if actor.startswith("person"):
        return
    for effect in done:
        if effect.table == "memory" and effect.before is None and effect.after is not None:
            row = effect.after
            if row["text_key"] is not None:
                tombstones.raise_over(ctx, row["space_id"], row["text_key"], row["id"], UNDONE)

"""Undo: the rows that a journal entry changed go back to what they were, unless something later rests on them."""

from __future__ import annotations

import sqlite3

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.outcomes import Applied, Outcome, UndoRefused
from wenlan_lab.store import effects, journal, tombstones
from wenlan_lab.store.context import Context
from wenlan_lab.store.effects import STATE_TABLES, Effect, from_json

LATER = "select distinct seq from touched where kind = ? and id = ? and seq > ? order by seq"
FINAL = ("ForgetMemory", "RecordRejection")
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
    try:
        effects.perform(ctx.tx, effects.inverse(done))
    except sqlite3.IntegrityError as error:
        raise InvalidRequest(f"entry {seq} can't be undone: what it removed has been told again ({error}).") from error
    _keep_out(ctx, entry.actor, done)
    return Applied(tuple(dict.fromkeys(effect.key for effect in done)), len(done))


def _why_final(change: str) -> str:
    return "the text is gone: forgetting can't be undone" if change == "ForgetMemory" else "a log entry has no effect"


def _is_so(tx: sqlite3.Connection, effect: Effect) -> bool:
    """Whether the row is still what the effect left it as."""
    key = STATE_TABLES[effect.table][0]
    row = tx.execute(f"select * from {effect.table} where {key} = ?", (effect.key,)).fetchone()  # noqa: S608 - names from our own schema
    return (None if row is None else dict(row)) == effect.after


def _later(tx: sqlite3.Connection, effect: Effect, seq: int) -> list[int]:
    kind, subject = effect.subject
    return [row[0] for row in tx.execute(LATER, (kind, subject, seq))]


def _keep_out(ctx: Context, actor: str, done: tuple[effects.Effect, ...]) -> None:
    """A claim that an agent or a process made and that is undone doesn't come back by itself."""
    if actor.startswith("person"):
        return
    for effect in done:
        if effect.table == "memory" and effect.before is None and effect.after is not None:
            row = effect.after
            if row["text_key"] is not None:
                tombstones.raise_over(ctx, row["space_id"], row["text_key"], row["id"], "undone")

"""Rows of memories and their evidence, and what each change does to them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from wenlan_lab.errors import InvalidRequest, NotFound, StaleRevision
from wenlan_lab.model.actors import parse_actor
from wenlan_lab.model.changes import ForgetMemory, MoveMemory, RetagMemory, RetypeMemory
from wenlan_lab.model.memories import Evidence, Memory, NewEvidence, NewMemory, Origin
from wenlan_lab.model.outcomes import AlreadyKnown, Applied, ClaimTombstoned, Outcome, Unchanged
from wenlan_lab.model.trust import Status, check_status, check_trust
from wenlan_lab.model.types import TYPE_RULES, retrieval_cue
from wenlan_lab.store import spaces, tombstones
from wenlan_lab.store.context import Context

# `on conflict do nothing`: the partial unique index decides, in the same statement, whether it is known already.
INSERT = """insert into memory (id, space_id, text, text_key, type, fields, cue, tags, trust, status, pinned, supersedes,
        supersede_mode, valid_from, valid_to, time_rule, author, origin, created, changed, touched, uses, revision)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, null, ?, ?, null, ?, ?, ?, ?, ?, ?, 0, 1)
    on conflict do nothing"""
INSERT_EVIDENCE = """insert into evidence (id, memory_id, quote, passage_id, source_id, start_at, end_at, source_digest,
        located, supports) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
LIVE_STATEMENT = """select id from memory
    where ifnull(space_id, '') = ifnull(?, '') and text_key = ? and status = 'live'"""
MEMORIES = """select m.*, s.name as space from memory m left join space s on s.id = m.space_id
    where m.id in (select value from json_each(?))"""
EVIDENCE_OF = "select * from evidence where memory_id in (select value from json_each(?)) order by memory_id, id"
SET_TRUST = "update memory set trust = ?, changed = ?, touched = ?, revision = revision + 1 where id = ?"
SET_PINNED = "update memory set pinned = ?, changed = ?, revision = revision + 1 where id = ?"
SET_TYPE = """update memory set type = ?, cue = ?, supersede_mode = ?, origin = ?, changed = ?, revision = revision + 1
    where id = ? and revision = ?"""
SET_TAGS = "update memory set tags = ?, changed = ?, revision = revision + 1 where id = ? and revision = ?"
SET_SPACE = """update or ignore memory set space_id = ?, origin = ?, changed = ?, revision = revision + 1
    where id = ? and revision = ?"""
ERASE = """update memory set text = '', text_key = null, fields = '{}', cue = null, tags = '[]', status = 'forgotten',
    trust = ?, changed = ?, revision = revision + 1 where id = ?"""
ERASE_EVIDENCE = "delete from evidence where memory_id = ?"
DELETE_EVIDENCE_IN_SPACE = "delete from evidence where memory_id in (select id from memory where space_id = ?)"
UNLINK_IN_SPACE = """update memory set supersedes = null
    where supersedes in (select id from memory where space_id = ?)"""
DELETE_IN_SPACE = "delete from memory where space_id = ?"
IDS_IN_SPACE = "select id from memory where space_id = ? order by id"
TEXT_KEY = "select text_key from memory where id = ?"
LISTED = """select m.id from memory m where m.status = 'live' and m.trust <> 'draft'
        and (:space is null or ifnull(m.space_id, '') = :space) and (:type is null or m.type = :type)
    order by m.changed desc, m.id desc limit :most"""


def from_row(row: sqlite3.Row, evidence: tuple[Evidence, ...] = ()) -> Memory:
    """A memory from its row joined with its space's name."""
    origin = json.loads(row["origin"])
    return Memory(
        id=row["id"],
        text=row["text"],
        type=row["type"],
        space_id=row["space_id"],
        space=row["space"],
        fields=json.loads(row["fields"]),
        cue=row["cue"],
        tags=tuple(json.loads(row["tags"])),
        trust=row["trust"],
        status=row["status"],
        pinned=bool(row["pinned"]),
        supersedes=row["supersedes"],
        supersede_mode=row["supersede_mode"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        time_rule=row["time_rule"],
        author=parse_actor(row["author"]),
        origin=Origin(**origin),
        created=row["created"],
        changed=row["changed"],
        touched=row["touched"],
        uses=row["uses"],
        revision=row["revision"],
        evidence=evidence,
    )


def evidence_from_row(row: sqlite3.Row) -> Evidence:
    """An evidence row as a value."""
    supports = None if row["supports"] is None else bool(row["supports"])
    return Evidence(
        row["id"],
        row["memory_id"],
        row["quote"],
        row["passage_id"],
        row["source_id"],
        row["start_at"],
        row["end_at"],
        row["source_digest"],
        bool(row["located"]),
        supports,
    )


def evidence_of(truth: sqlite3.Connection, ids: Sequence[str]) -> dict[str, tuple[Evidence, ...]]:
    """The evidence of each of these memories; those without any are absent."""
    found: dict[str, list[Evidence]] = {}
    for row in truth.execute(EVIDENCE_OF, (json.dumps(list(ids)),)):
        found.setdefault(row["memory_id"], []).append(evidence_from_row(row))
    return {memory_id: tuple(rows) for memory_id, rows in found.items()}


def get_many(truth: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Memory]:
    """Memories by id, with their evidence; unknown ids are absent."""
    wanted = list(ids)
    evidence = evidence_of(truth, wanted)
    rows = truth.execute(MEMORIES, (json.dumps(wanted),))
    return {row["id"]: from_row(row, evidence.get(row["id"], ())) for row in rows}


def get(truth: sqlite3.Connection, memory_id: str) -> Memory:
    """One memory, whatever its status; NotFound when there is none of that id."""
    found = get_many(truth, [memory_id]).get(memory_id)
    if found is None:
        raise NotFound(f"there is no memory {memory_id!r}: `recall` and `history` print the ids there are.")
    return found


def listed(
    truth: sqlite3.Connection, *, space_id: str | None = None, memory_type: str | None = None, most: int = 50
) -> tuple[Memory, ...]:
    """Live memories, last changed first. `space_id` "" is uncategorized, None is everywhere."""
    ids = [row[0] for row in truth.execute(LISTED, {"space": space_id, "type": memory_type, "most": most})]
    found = get_many(truth, ids)
    return tuple(found[memory_id] for memory_id in ids)


def live_statement(truth: sqlite3.Connection, space_id: str | None, text_key: str) -> str | None:
    """The live memory that says just this in that space, if there is one."""
    row = truth.execute(LIVE_STATEMENT, (space_id, text_key)).fetchone()
    return None if row is None else str(row[0])


def text_key_of(truth: sqlite3.Connection, memory_id: str) -> str | None:
    """The normalised words of a memory; None when they were forgotten."""
    key: str | None = truth.execute(TEXT_KEY, (memory_id,)).fetchone()[0]
    return key


def insert(ctx: Context, new: NewMemory, status: Status) -> str | AlreadyKnown:
    """Insert a memory with its evidence and return its id, unless the same statement is live in that space."""
    spaces.require(ctx.tx, new.space_id)
    memory_id = ctx.new_id("mem")
    cursor = ctx.tx.execute(
        INSERT,
        (
            memory_id,
            new.space_id,
            new.text,
            new.text_key,
            new.type,
            _json(dict(new.fields)),
            new.cue,
            _json(list(new.tags)),
            new.trust,
            status,
            new.supersede_mode,
            new.valid_from or ctx.at,
            new.time_rule,
            str(ctx.actor),
            origin_json(new.origin),
            ctx.at,
            ctx.at,
            ctx.at,
        ),
    )
    if cursor.rowcount == 0:
        known = live_statement(ctx.tx, new.space_id, new.text_key)
        if known is None:
            raise InvalidRequest(f"id {memory_id} is taken: the id source must never repeat itself.")
        return AlreadyKnown(known)
    for item in new.evidence:
        insert_evidence(ctx, memory_id, item)
    return memory_id


def insert_evidence(ctx: Context, memory_id: str, item: NewEvidence) -> None:
    """One evidence row of a memory."""
    supports = None if item.supports is None else int(item.supports)
    ctx.tx.execute(
        INSERT_EVIDENCE,
        (
            ctx.new_id("evi"),
            memory_id,
            item.quote,
            item.passage_id,
            item.source_id,
            item.start,
            item.end,
            item.source_digest,
            int(item.located),
            supports,
        ),
    )


def confirm(ctx: Context, memory_id: str) -> Outcome:
    """Trust becomes accepted and the memory stops fading."""
    memory = living(ctx, memory_id)
    if memory.trust == "accepted":
        return Unchanged(memory_id, f"{memory_id} is accepted already")
    check_trust(memory.trust, "accepted")
    ctx.tx.execute(SET_TRUST, ("accepted", ctx.at, ctx.at, memory_id))
    return Applied((memory_id,))


def unconfirm(ctx: Context, memory_id: str) -> Outcome:
    """Trust returns to grounded when located, supporting evidence is there, else to asserted."""
    memory = living(ctx, memory_id)
    if memory.trust != "accepted":
        return Unchanged(memory_id, f"{memory_id} is {memory.trust}, not accepted")
    grounded = any(item.located and item.supports for item in memory.evidence)
    ctx.tx.execute(SET_TRUST, ("grounded" if grounded else "asserted", ctx.at, ctx.at, memory_id))
    return Applied((memory_id,))


def set_pinned(ctx: Context, memory_id: str, *, pinned: bool) -> Outcome:
    """Put a pin on a memory or take it away."""
    memory = living(ctx, memory_id)
    if memory.pinned == pinned:
        return Unchanged(memory_id, f"{memory_id} is {'pinned' if pinned else 'not pinned'} already")
    ctx.tx.execute(SET_PINNED, (int(pinned), ctx.at, memory_id))
    return Applied((memory_id,))


def retype(ctx: Context, change: RetypeMemory) -> Outcome:
    """Change the type; cue and supersede mode follow from the table of types."""
    memory = living(ctx, change.memory_id)
    if memory.type == change.type:
        return Unchanged(memory.id, f"{memory.id} is a {change.type} already")
    origin = Origin(True, memory.origin.fields_explicit, memory.origin.space_source)
    cue, mode = retrieval_cue(change.type, memory.fields), TYPE_RULES[change.type].supersede_mode
    cursor = ctx.tx.execute(
        SET_TYPE, (change.type, cue, mode, origin_json(origin), ctx.at, memory.id, change.base_revision)
    )
    return _replaced(cursor, memory, change.base_revision)


def retag(ctx: Context, change: RetagMemory) -> Outcome:
    """Replace the tags."""
    memory = living(ctx, change.memory_id)
    if memory.tags == change.tags:
        return Unchanged(memory.id, f"{memory.id} has these tags already")
    cursor = ctx.tx.execute(SET_TAGS, (_json(list(change.tags)), ctx.at, memory.id, change.base_revision))
    return _replaced(cursor, memory, change.base_revision)


def move(ctx: Context, change: MoveMemory) -> Outcome:
    """Put a memory into another space, unless the same statement is live there."""
    memory = living(ctx, change.memory_id)
    spaces.require(ctx.tx, change.space_id)
    if memory.space_id == change.space_id:
        return Unchanged(memory.id, f"{memory.id} is there already")
    key = text_key_of(ctx.tx, memory.id)
    stone = tombstones.standing(ctx.tx, change.space_id, key or "") if memory.status in ("live", "held") else None
    if stone is not None:
        return ClaimTombstoned(stone.id, stone.reason)
    origin = Origin(
        memory.origin.type_explicit, memory.origin.fields_explicit, "request" if change.space_id else "none"
    )
    cursor = ctx.tx.execute(SET_SPACE, (change.space_id, origin_json(origin), ctx.at, memory.id, change.base_revision))
    if cursor.rowcount == 0 and memory.revision == change.base_revision:
        return AlreadyKnown(live_statement(ctx.tx, change.space_id, key or "") or memory.id)
    return _replaced(cursor, memory, change.base_revision)


def forget(ctx: Context, change: ForgetMemory) -> Outcome:
    """Erase the words; the row stays, so that its id keeps meaning "forgotten"."""
    memory = get(ctx.tx, change.memory_id)
    if memory.status == "forgotten":
        return Unchanged(memory.id, f"{memory.id} is forgotten already")
    check_status(memory.status, "forgotten")
    ctx.tx.execute(ERASE_EVIDENCE, (memory.id,))
    ctx.tx.execute(ERASE, ("rejected" if change.as_false else memory.trust, ctx.at, memory.id))
    return Applied((memory.id,))


def delete_in_space(ctx: Context, space_id: str) -> tuple[str, ...]:
    """Delete every memory of a space with its evidence; returns the ids."""
    ids = tuple(row[0] for row in ctx.tx.execute(IDS_IN_SPACE, (space_id,)))
    ctx.tx.execute(DELETE_EVIDENCE_IN_SPACE, (space_id,))
    ctx.tx.execute(UNLINK_IN_SPACE, (space_id,))
    ctx.tx.execute(DELETE_IN_SPACE, (space_id,))
    return ids


def origin_json(origin: Origin) -> str:
    """The origin as it is stored."""
    return _json(
        {
            "type_explicit": origin.type_explicit,
            "fields_explicit": origin.fields_explicit,
            "space_source": origin.space_source,
        }
    )


def living(ctx: Context, memory_id: str) -> Memory:
    """A memory that still has its words; InvalidRequest when it was forgotten."""
    memory = get(ctx.tx, memory_id)
    if memory.status == "forgotten":
        raise InvalidRequest(f"{memory_id} was forgotten: its text is gone, so there is nothing left to change.")
    return memory


def _replaced(cursor: sqlite3.Cursor, memory: Memory, base_revision: int) -> Outcome:
    if cursor.rowcount == 0:
        raise StaleRevision(memory.id, expected=base_revision, current=memory.revision)
    return Applied((memory.id,))


_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode

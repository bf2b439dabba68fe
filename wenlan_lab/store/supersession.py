"""How memories replace, contradict and outlive each other: supersede, dispute, hold, release, retract.

A superseded memory's time of being true ends where the new one's begins; a later claim never ends before it starts.
"""

from __future__ import annotations

from wenlan_lab.errors import InvalidRequest, StaleRevision
from wenlan_lab.model.changes import ForgetMemory, RetractMemory, SettleDispute, SupersedeMemory
from wenlan_lab.model.memories import Memory
from wenlan_lab.model.outcomes import Applied, Outcome, Unchanged
from wenlan_lab.model.trust import Trust, check_status, check_trust
from wenlan_lab.store import memories, reviews, tombstones
from wenlan_lab.store.context import Context

CLOSE = """update memory set status = 'superseded', valid_to = ?, changed = ?, revision = revision + 1
    where id = ? and revision = ?"""
LINK = """update memory set supersedes = ?, status = 'live', supersede_mode = ?, changed = ?, revision = revision + 1
    where id = ?"""
GO_LIVE = "update memory set status = 'live', changed = ?, revision = revision + 1 where id = ?"
RETRACT = """update memory set status = 'retracted', trust = ?, changed = ?, revision = revision + 1 where id = ?"""
SUCCESSOR = (
    "select id from memory where supersedes = ? and status = 'live' and id <> ? order by changed desc, id limit 1"
)


def supersede(ctx: Context, change: SupersedeMemory, *, base_revision: int | None = None) -> Outcome:
    """Replace `old_id` by `new_id`. Refused: itself, another space, a cycle, an old one that was forgotten."""
    old, new = memories.get(ctx.tx, change.old_id), memories.get(ctx.tx, change.new_id)
    _check_link(ctx, old, new)
    if old.status == "superseded" and new.supersedes == old.id:
        return Unchanged(old.id, f"{old.id} is superseded by {new.id} already")
    if new.status != "live":
        tombstones.refuse(ctx.tx, new.space_id, memories.text_key_of(ctx.tx, new.id))
    # What was replaced meanwhile: the new one replaces what stands in its place now, so that no two stand side by side.
    while old.status == "superseded":
        row = ctx.tx.execute(SUCCESSOR, (old.id, new.id)).fetchone()
        if row is None:
            break
        old = memories.get(ctx.tx, row[0])
    _check_link(ctx, old, new)
    expected = old.revision if base_revision is None else base_revision
    check_status(old.status, "superseded")
    ends = max(old.valid_from, new.valid_from)
    if ctx.tx.execute(CLOSE, (ends, ctx.at, old.id, expected)).rowcount == 0:
        raise StaleRevision(old.id, expected=expected, current=old.revision)
    check_status(new.status, "live")
    ctx.tx.execute(LINK, (old.id, new.supersede_mode, ctx.at, new.id))
    if new.trust == "disputed":
        set_trust(ctx, new, undisputed(new))
    return Applied((new.id, old.id), 2)


def _check_link(ctx: Context, old: Memory, new: Memory) -> None:
    if old.id == new.id:
        raise InvalidRequest(f"{old.id} can't supersede itself: name the older memory.")
    if old.space_id != new.space_id:
        raise InvalidRequest(f"{new.id} can't supersede {old.id}: they are in different spaces; move one first.")
    if old.status == "forgotten" or new.status == "forgotten":
        raise InvalidRequest("a forgotten memory can't take part in a supersession: its text is gone.")
    seen, at = {new.id}, old
    while at.supersedes is not None:
        if at.supersedes in seen:
            raise InvalidRequest(f"{new.id} can't supersede {old.id}: {old.id} comes after it, that would be a circle.")
        seen.add(at.id)
        at = memories.get(ctx.tx, at.supersedes)


def release(ctx: Context, memory_id: str) -> Outcome:
    """A held memory becomes live by itself."""
    memory = memories.get(ctx.tx, memory_id)
    if memory.status != "held":
        return Unchanged(memory_id, f"{memory_id} is {memory.status}, not held")
    key = memories.text_key_of(ctx.tx, memory_id) or ""
    told = memories.live_statement(ctx.tx, memory.space_id, key) is not None
    if told or tombstones.standing(ctx.tx, memory.space_id, key) is not None:
        # Told meanwhile by another memory, or rejected meanwhile.
        ctx.tx.execute(RETRACT, (memory.trust, ctx.at, memory_id))
    else:
        ctx.tx.execute(GO_LIVE, (ctx.at, memory_id))
    return Applied((memory_id,))


def dispute(ctx: Context, first: str, second: str) -> None:
    """Mark both as disputed."""
    for memory_id in (first, second):
        memory = memories.get(ctx.tx, memory_id)
        if memory.trust != "disputed":
            check_trust(memory.trust, "disputed")
            set_trust(ctx, memory, "disputed")


def settle(ctx: Context, change: SettleDispute) -> Outcome:
    """Both stand: each gets back the trust its evidence gives."""
    settled = []
    for memory_id in change.memory_ids:
        memory = memories.get(ctx.tx, memory_id)
        if memory.trust == "disputed":
            set_trust(ctx, memory, undisputed(memory))
            settled.append(memory_id)
    return Applied(tuple(settled), len(settled)) if settled else Unchanged(change.memory_ids[0], "nothing is disputed")


def undisputed(memory: Memory) -> Trust:
    """The trust a memory has by its evidence alone."""
    return "grounded" if any(item.located and item.supports for item in memory.evidence) else "asserted"


def set_trust(ctx: Context, memory: Memory, trust: Trust) -> None:
    """Move trust along a legal transition."""
    check_trust(memory.trust, trust)
    ctx.tx.execute(memories.SET_TRUST, (trust, ctx.at, memory.touched, memory.id))


def retract(ctx: Context, change: RetractMemory) -> Outcome:
    """Take a memory out of recall; `as_false` rejects the claim and puts up a tombstone for it."""
    memory = memories.get(ctx.tx, change.memory_id)
    if memory.status == "retracted":
        return Unchanged(memory.id, f"{memory.id} is retracted already")
    check_status(memory.status, "retracted")
    if change.as_false:
        check_trust(memory.trust, "rejected")
        bury(ctx, memory, change.reason)
    ctx.tx.execute(RETRACT, ("rejected" if change.as_false else memory.trust, ctx.at, memory.id))
    reviews.expire_about(ctx, memory.id, "it was retracted")
    return Applied((memory.id,))


def forget(ctx: Context, change: ForgetMemory) -> Outcome:
    """Erase a memory's words; `as_false` keeps the digest of its claim as a tombstone."""
    memory = memories.get(ctx.tx, change.memory_id)
    if change.as_false and memory.status != "forgotten":
        bury(ctx, memory, change.reason)
    reviews.expire_about(ctx, memory.id, "its text was forgotten")
    reviews.erase_about(ctx, memory.id)
    return memories.forget(ctx, change)


def bury(ctx: Context, memory: Memory, reason: str) -> None:
    """Put up the tombstone of a memory's claim, from its digest."""
    key = memories.text_key_of(ctx.tx, memory.id)
    if key is not None:
        tombstones.raise_over(ctx, memory.space_id, key, memory.id, reason)

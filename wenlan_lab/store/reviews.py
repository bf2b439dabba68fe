"""The review queue: stored Changes that wait for a person. Accepting performs the change where the item is closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.changes import (
    AcceptReview,
    Change,
    DismissReview,
    ExpireReview,
    ProposeReview,
    ReleaseMemory,
    RetractMemory,
)
from wenlan_lab.model.outcomes import AlreadyResolved, Applied, Outcome, Proposed, Unchanged
from wenlan_lab.model.reviews import Review
from wenlan_lab.store import change_codec, memories, tombstones
from wenlan_lab.store.context import Context

INSERT = """insert into review (id, kind, status, if_accepted, if_dismissed, fingerprint, space_id, before_id, after_id,
        why, proposed_by, created, resolved, resolved_by, resolution)
    values (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, null, null, '') on conflict (fingerprint) do nothing"""
BY_FINGERPRINT = "select * from review where fingerprint = ?"
BY_ID = "select * from review where id = ?"
CLOSE = """update review set status = ?, resolved = ?, resolved_by = ?, resolution = ? where id = ? and status = 'pending'"""
LISTED = """select * from review where (:status is null or status = :status) and (:kind is null or kind = :kind)
        and (:space is null or ifnull(space_id, '') = :space)
    order by created, id limit :most offset :skip"""
PENDING_OF = """select * from review where status = 'pending' and (before_id = ?1 or after_id = ?1)"""
EVERY = "select * from review order by created, id"
BY_ITSELF = "update review set if_accepted = ?, if_dismissed = ? where id = ?"
ERASE_ABOUT = """update review set why = '[erased]', resolution = iif(resolution = '', '', '[erased]')
    where before_id = ?1 or after_id = ?1"""
REWORD = "update memory set text = ?, text_key = ?, changed = ?, revision = revision + 1 where id = ?"

Perform = Callable[[Context, Change], Outcome]


def from_row(row: sqlite3.Row) -> Review:
    """A review item from its row."""
    return Review(*tuple(row))


def get(truth: sqlite3.Connection, review_id: str) -> Review:
    """One item; NotFound when there is none."""
    row = truth.execute(BY_ID, (review_id,)).fetchone()
    if row is None:
        raise NotFound(f"there is no review item {review_id!r}: `review` lists those that wait.")
    return from_row(row)


def listed(
    truth: sqlite3.Connection,
    *,
    status: str | None = "pending",
    kind: str | None = None,
    space_id: str | None = None,
    most: int = 100,
    skip: int = 0,
) -> tuple[Review, ...]:
    """Items, oldest first; `space_id` "" is uncategorized, None is everywhere."""
    question = {"status": status, "kind": kind, "space": space_id, "most": most, "skip": skip}
    return tuple(from_row(row) for row in truth.execute(LISTED, question))


def disputed_by(truth: sqlite3.Connection, memory_id: str) -> str | None:
    """The other side of a memory's open contradiction, None when there is none."""
    for row in truth.execute(PENDING_OF, (memory_id,)):
        item = from_row(row)
        if item.kind == "contradiction":
            return item.before_id if item.after_id == memory_id else item.after_id
    return None


def every(truth: sqlite3.Connection) -> tuple[Review, ...]:
    """The whole queue, resolved items included."""
    return tuple(from_row(row) for row in truth.execute(EVERY))


def propose(ctx: Context, change: ProposeReview) -> Outcome:
    """Put an item into the queue, unless its fingerprint was ever there."""
    row = (
        ctx.new_id("rev"),
        change.kind,
        change.if_accepted,
        change.if_dismissed,
        change.fingerprint,
        change.space_id,
        change.before_id,
        change.after_id,
        change.why,
        str(ctx.actor),
        ctx.at,
    )
    if ctx.tx.execute(INSERT, row).rowcount == 0:
        known = from_row(ctx.tx.execute(BY_FINGERPRINT, (change.fingerprint,)).fetchone())
        return Unchanged(known.id, f"that was proposed before and is {known.status}")
    return Proposed(row[0])


def accept(ctx: Context, change: AcceptReview, perform: Perform) -> Outcome:
    """Perform the stored change and close the item."""
    item = get(ctx.tx, change.review_id)
    if item.status != "pending":
        return AlreadyResolved(item.id, item.status)
    _only_a_person(ctx)
    if change.text is not None:
        _reword(ctx, item, change.text, change.text_key)
    _check_words(ctx, item)
    _close(ctx, item.id, "accepted", change.reason)
    outcome = perform(ctx, change_codec.decode(item.if_accepted))
    ids = getattr(outcome, "ids", ()) or (getattr(outcome, "id", ""),)
    return Applied((item.id, *ids), 1 + len(ids))


def _reword(ctx: Context, item: Review, text: str, text_key: str | None) -> None:
    if item.after_id is None or text_key is None:
        raise InvalidRequest("this item has no text of its own to edit: accept or dismiss it as it is.")
    held = memories.get(ctx.tx, item.after_id)
    if held.status != "held":
        raise InvalidRequest(f"{held.id} is {held.status}: only a held text can be edited while it is accepted.")
    ctx.tx.execute(REWORD, (text, text_key, ctx.at, held.id))


def _check_words(ctx: Context, item: Review) -> None:
    """The words that would go live are neither rejected nor told already by a memory that stays."""
    held = None if item.after_id is None else memories.get(ctx.tx, item.after_id)
    if held is None or held.status != "held":
        return
    key = memories.text_key_of(ctx.tx, held.id) or ""
    tombstones.refuse(ctx.tx, held.space_id, key)
    known = memories.live_statement(ctx.tx, held.space_id, key)
    if known not in (None, item.before_id):
        raise InvalidRequest(f"{known} says just this already: dismiss the item, or accept it with other words.")


def dismiss(ctx: Context, change: DismissReview, perform: Perform) -> Outcome:
    """Close the item; what it was about stays, and what should happen then happens."""
    item = get(ctx.tx, change.review_id)
    if item.status != "pending":
        return AlreadyResolved(item.id, item.status)
    _only_a_person(ctx)
    _close(ctx, item.id, "dismissed", change.reason)
    if item.if_dismissed is not None:
        perform(ctx, change_codec.decode(item.if_dismissed))
    return Applied((item.id,))


def expire(ctx: Context, change: ExpireReview) -> Outcome:
    """Close an item that can't be performed any more."""
    item = get(ctx.tx, change.review_id)
    if item.status != "pending":
        return AlreadyResolved(item.id, item.status)
    _close(ctx, item.id, "expired", change.reason)
    return Applied((item.id,))


def expire_about(ctx: Context, memory_id: str, reason: str) -> None:
    """Close what waits about a memory that is gone, and settle what it disputed.

    A text that was to replace it still waits: to stand by itself, or to be left out.
    """
    for row in ctx.tx.execute(PENDING_OF, (memory_id,)).fetchall():
        item = from_row(row)
        if item.before_id == memory_id and item.after_id and memories.get(ctx.tx, item.after_id).status == "held":
            alone, out = ReleaseMemory(item.after_id), RetractMemory(item.after_id, "dismissed in review")
            ctx.tx.execute(BY_ITSELF, (change_codec.encode(alone), change_codec.encode(out), item.id))
            continue
        _close(ctx, item.id, "expired", reason)
        other = item.before_id if item.after_id == memory_id else item.after_id
        if item.kind == "contradiction" and other is not None:
            _settle(ctx, other)


def erase_about(ctx: Context, memory_id: str) -> None:
    """What was written about a memory whose words are erased may quote them."""
    ctx.tx.execute(ERASE_ABOUT, (memory_id,))


def _settle(ctx: Context, memory_id: str) -> None:
    """What a memory that is gone disputed has its trust back."""
    memory = memories.get(ctx.tx, memory_id)
    if memory.trust == "disputed":
        grounded = any(row.located and row.supports for row in memory.evidence)
        ctx.tx.execute(memories.SET_TRUST, ("grounded" if grounded else "asserted", ctx.at, memory.touched, memory.id))


def _close(ctx: Context, review_id: str, status: str, reason: str) -> None:
    ctx.tx.execute(CLOSE, (status, ctx.at, str(ctx.actor), reason, review_id))


def _only_a_person(ctx: Context) -> None:
    if ctx.actor.kind != "person":
        raise InvalidRequest(f"{ctx.actor} can't decide a review: only a person accepts or dismisses.")

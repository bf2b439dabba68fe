"""Storing a capture: refused by a tombstone, known already, live, held for review, or disputed; one transaction each."""

from __future__ import annotations

import hashlib

from wenlan_lab.model.changes import (
    Against,
    CaptureMemory,
    Change,
    ProposeReview,
    ReleaseMemory,
    RetractMemory,
    SettleDispute,
    SupersedeMemory,
)
from wenlan_lab.model.memories import NewMemory
from wenlan_lab.model.outcomes import AlreadyKnown, Captured, ClaimTombstoned, Held, Outcome
from wenlan_lab.model.reviews import ReviewKind
from wenlan_lab.store import change_codec, memories, reviews, supersession, tombstones
from wenlan_lab.store.context import Context


def capture(ctx: Context, change: CaptureMemory) -> Outcome:
    """Store a memory as the change says. Every write path comes through here, so every one meets the tombstones."""
    new, against = change.memory, change.against
    stone = tombstones.standing(ctx.tx, new.space_id, new.text_key)
    if stone is not None:
        return ClaimTombstoned(stone.id, stone.reason)
    known = memories.live_statement(ctx.tx, new.space_id, new.text_key)
    if known is not None:
        return AlreadyKnown(known)
    if change.near_tombstone is not None:
        return _held(ctx, new, "near_tombstone", None, f"nearly repeats a rejected claim ({change.near_tombstone})")
    if against is None:
        return _live(ctx, new)
    match against.action:
        case "review":
            return _held(ctx, new, "supersede", against.memory_id, against.why)
        case "supersede":
            return _superseding(ctx, new, against)
        case "dispute":
            return _disputed(ctx, new, against)


def _live(ctx: Context, new: NewMemory) -> Outcome:
    done = memories.insert(ctx, new, "live")
    return done if isinstance(done, AlreadyKnown) else Captured(done)


def _superseding(ctx: Context, new: NewMemory, against: Against) -> Outcome:
    # Held for a moment: two live statements of the same words may not stand side by side, not even between two lines.
    done = memories.insert(ctx, new, "held")
    if isinstance(done, AlreadyKnown):
        return done
    link = SupersedeMemory(against.memory_id, done)
    supersession.supersede(ctx, link, base_revision=against.base_revision)
    return Captured(done)


def _disputed(ctx: Context, new: NewMemory, against: Against) -> Outcome:
    done = memories.insert(ctx, new, "live")
    if isinstance(done, AlreadyKnown):
        return done
    supersession.dispute(ctx, against.memory_id, done)
    _propose(
        ctx,
        new,
        "contradiction",
        against.memory_id,
        done,
        against.why,
        SupersedeMemory(against.memory_id, done),
        SettleDispute((against.memory_id, done)),
    )
    return Captured(done)


def _held(ctx: Context, new: NewMemory, kind: ReviewKind, old_id: str | None, why: str) -> Outcome:
    done = memories.insert(ctx, new, "held")
    if isinstance(done, AlreadyKnown):
        return done
    accepted: Change = ReleaseMemory(done) if old_id is None else SupersedeMemory(old_id, done)
    dismissed: Change = RetractMemory(done, "dismissed in review") if old_id is None else ReleaseMemory(done)
    item = _propose(ctx, new, kind, old_id, done, why, accepted, dismissed)
    return Held(done, item)


def _propose(
    ctx: Context,
    new: NewMemory,
    kind: ReviewKind,
    old_id: str | None,
    new_id: str,
    why: str,
    accepted: Change,
    dismissed: Change,
) -> str:
    outcome = reviews.propose(
        ctx,
        ProposeReview(
            kind,
            fingerprint(kind, old_id, new),
            change_codec.encode(accepted),
            why,
            change_codec.encode(dismissed),
            new.space_id,
            old_id,
            new_id,
        ),
    )
    return str(getattr(outcome, "id", ""))


def fingerprint(kind: str, old_id: str | None, new: NewMemory) -> str:
    """What makes two proposals the same: their kind, what they would replace, and the words they would put there."""
    told = "\x1f".join((kind, old_id or "", new.space_id or "", new.text_key))
    return "sha256:" + hashlib.sha256(told.encode()).hexdigest()

"""The one write path. `apply` is the only function that changes the truth: the change, its effects on the rows, the new
versions and the journal row commit together or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC
from typing import assert_never

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import (
    AcceptReview,
    AddPassages,
    AddSource,
    CaptureMemory,
    Change,
    ConfirmMemory,
    CreateSpace,
    DeleteSpace,
    DismissReview,
    EditSpace,
    ExpireReview,
    ForgetMemory,
    LiftTombstone,
    MarkPassagesGone,
    MoveMemory,
    PinMemory,
    ProposeReview,
    RecordFeedback,
    RecordRejection,
    ReleaseMemory,
    RemoveSource,
    RetagMemory,
    RetractMemory,
    RetypeMemory,
    SettleDispute,
    SupersedeMemory,
    UnconfirmMemory,
    UndoEntry,
    UnpinMemory,
)
from wenlan_lab.model.outcomes import Outcome, Written
from wenlan_lab.model.ports import Clock, NewId
from wenlan_lab.store import (
    captures,
    effects,
    erasure,
    feedback,
    journal,
    memories,
    permissions,
    rejections,
    reviews,
    sources,
    space_deletion,
    spaces,
    supersession,
    tombstones,
    undo,
    versions,
)
from wenlan_lab.store.connection import writing
from wenlan_lab.store.context import Context
from wenlan_lab.store.effects import Effect


def apply(truth: sqlite3.Connection, change: Change, *, actor: Actor, clock: Clock, new_id: NewId) -> Written:
    """Apply one change. Returns its journal number (None when it had no effect) and its outcome."""
    return apply_all(truth, [change], actor=actor, clock=clock, new_id=new_id)[0]


def apply_all(
    truth: sqlite3.Connection, changes: Sequence[Change], *, actor: Actor, clock: Clock, new_id: NewId
) -> list[Written]:
    """Apply several changes in one transaction, each with its own journal row: all of them, or none."""
    written = []
    with writing(truth) as tx:
        effects.collect(tx)  # whatever an interrupted transaction left in the temporary table
        last = journal.tip(tx)
        for change in changes:
            # A clock that went back must not make recorded intervals overlap.
            at = max(clock().astimezone(UTC).isoformat(timespec="microseconds"), last.at)
            ctx = Context(tx, at, actor, new_id)
            permissions.check(ctx, change)
            outcome = _perform(ctx, change)
            done = effects.collect(tx)
            if not done:
                written.append(Written(None, outcome))
                continue
            last = journal.append(tx, last, change, done, summary_of(change, outcome), actor, at, new_id("nonce"))
            versions.record(tx, done, last.seq, at)
            if isinstance(change, ForgetMemory):
                erasure.scrub(tx, change.memory_id, last.seq)
            written.append(Written(last.seq, outcome))
    return written


def replay_all(target: sqlite3.Connection, recorded: Iterable[tuple[Effect, ...]]) -> int:
    """Bring recorded effects onto the rows of an empty truth, in order, in one transaction; returns how many entries.

    Only state comes over: the target gets no journal of its own, so it is for comparing, not for going on with.
    """
    with writing(target) as tx:
        if journal.last_seq(tx):
            raise InvalidRequest("replay needs an empty truth: open a new folder for it.")
        count = 0
        for done in recorded:
            effects.perform(tx, done)
            count += 1
        effects.collect(tx)
    return count


def _perform(ctx: Context, change: Change) -> Outcome:
    match change:
        case CreateSpace():
            return spaces.create(ctx, change)
        case EditSpace():
            return spaces.edit(ctx, change)
        case DeleteSpace():
            return space_deletion.delete(ctx, change)
        case CaptureMemory():
            return captures.capture(ctx, change)
        case RecordRejection():
            return rejections.record(ctx, change)
        case ConfirmMemory():
            return memories.confirm(ctx, change.memory_id)
        case UnconfirmMemory():
            return memories.unconfirm(ctx, change.memory_id)
        case PinMemory():
            return memories.set_pinned(ctx, change.memory_id, pinned=True)
        case UnpinMemory():
            return memories.set_pinned(ctx, change.memory_id, pinned=False)
        case RetypeMemory():
            return memories.retype(ctx, change)
        case RetagMemory():
            return memories.retag(ctx, change)
        case MoveMemory():
            return memories.move(ctx, change)
        case ForgetMemory():
            return supersession.forget(ctx, change)
        case AddSource():
            return sources.add(ctx, change)
        case AddPassages():
            return sources.add_passages(ctx, change)
        case MarkPassagesGone():
            return sources.mark_gone(ctx, change)
        case RemoveSource():
            return sources.remove(ctx, change.source_id)
        case RetractMemory():
            return supersession.retract(ctx, change)
        case LiftTombstone():
            return tombstones.lift(ctx, change)
        case SupersedeMemory():
            return supersession.supersede(ctx, change)
        case ReleaseMemory():
            return supersession.release(ctx, change.memory_id)
        case SettleDispute():
            return supersession.settle(ctx, change)
        case ProposeReview():
            return reviews.propose(ctx, change)
        case AcceptReview():
            return reviews.accept(ctx, change, _perform)
        case DismissReview():
            return reviews.dismiss(ctx, change, _perform)
        case ExpireReview():
            return reviews.expire(ctx, change)
        case UndoEntry():
            return undo.undo(ctx, change.seq)
        case RecordFeedback():
            return feedback.record(ctx, change)
        case _:
            assert_never(change)


def summary_of(change: Change, outcome: Outcome) -> str:
    """One line for the journal. Holds ids, reasons and counts, never a memory's words: it stays when they are erased."""
    name = type(change).__name__
    ids = getattr(outcome, "ids", None) or (getattr(outcome, "id", ""),)
    count = max(getattr(outcome, "count", 1), len(ids))
    head = f"{name} {ids[0]}".rstrip()
    return head if count <= 1 else f"{head} and {count - 1} more"

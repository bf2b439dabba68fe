"""Feedback on recalled memories: the only way that use is recorded. Reads themselves write nothing."""

from __future__ import annotations

from wenlan_lab.model.changes import RecordFeedback
from wenlan_lab.model.outcomes import Applied, Outcome
from wenlan_lab.store import memories
from wenlan_lab.store.context import Context

INSERT = "insert into feedback (id, memory_id, verdict, actor, at) values (?, ?, ?, ?, ?)"
USED = "update memory set uses = uses + 1, touched = ?, revision = revision + 1 where id = ?"


def record(ctx: Context, change: RecordFeedback) -> Outcome:
    """Note a verdict. `used` and `helpful` count as a use; `wrong` is kept for the review of that memory."""
    memory = memories.living(ctx, change.memory_id)
    feedback_id = ctx.new_id("fbk")
    ctx.tx.execute(INSERT, (feedback_id, memory.id, change.verdict, str(ctx.actor), ctx.at))
    if change.verdict != "wrong":
        ctx.tx.execute(USED, (ctx.at, memory.id))
    return Applied((memory.id,))

"""The log of refused captures: the reason, a digest and a redacted excerpt, never the text."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from wenlan_lab.model.changes import RecordRejection
from wenlan_lab.model.outcomes import Applied, Outcome
from wenlan_lab.store.context import Context

INSERT = "insert into rejection (id, at, actor, reason, detail, digest, excerpt) values (?, ?, ?, ?, ?, ?, ?)"
NEWEST = "select id, at, actor, reason, detail, excerpt from rejection order by at desc, id desc limit ?"


@dataclass(frozen=True, slots=True)
class RejectedCapture:
    """One refused capture."""

    id: str
    at: str
    actor: str
    reason: str
    detail: str
    excerpt: str


def record(ctx: Context, change: RecordRejection) -> Outcome:
    """Write one row of the log."""
    rejection_id = ctx.new_id("rej")
    row = (rejection_id, ctx.at, str(ctx.actor), change.reason, change.detail, change.digest, change.excerpt)
    ctx.tx.execute(INSERT, row)
    return Applied((rejection_id,))


def newest(truth: sqlite3.Connection, most: int = 50) -> tuple[RejectedCapture, ...]:
    """The log, newest first."""
    return tuple(RejectedCapture(*row) for row in truth.execute(NEWEST, (most,)))

"""Tombstones: rows under a unique key that stop the same claim from coming back. Only a digest of the claim is kept."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.changes import LiftTombstone
from wenlan_lab.model.outcomes import Applied, Outcome, Unchanged
from wenlan_lab.store.context import Context

INSERT = """insert into tombstone (id, kind, space_id, digest, memory_id, reason, actor, at, lifted, lifted_reason)
    values (?, 'claim', ?, ?, ?, ?, ?, ?, 0, '') on conflict do nothing"""
STANDING = """select * from tombstone where kind = 'claim' and ifnull(space_id, '') = ifnull(?, '') and digest = ?
    and lifted = 0"""
OF_MEMORY = "select * from tombstone where memory_id = ? order by at desc, id desc limit 1"
ALL = "select * from tombstone order by at, id"
BY_ID = "select * from tombstone where id = ?"
LIFT = "update tombstone set lifted = 1, lifted_reason = ? where id = ? and lifted = 0"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A claim that was rejected. `lifted` ones no longer stop anything."""

    id: str
    kind: str
    space_id: str | None
    digest: str
    memory_id: str | None
    reason: str
    actor: str
    at: str
    lifted: bool
    lifted_reason: str


def from_row(row: sqlite3.Row) -> Tombstone:
    """A tombstone from its row."""
    return Tombstone(**{**dict(row), "lifted": bool(row["lifted"])})


def claim_digest(text_key: str) -> str:
    """The digest under which a claim's normalised words are remembered."""
    return "sha256:" + hashlib.sha256(text_key.encode()).hexdigest()


def standing(truth: sqlite3.Connection, space_id: str | None, text_key: str) -> Tombstone | None:
    """The tombstone that stops this claim in that space, if there is one."""
    row = truth.execute(STANDING, (space_id, claim_digest(text_key))).fetchone()
    return None if row is None else from_row(row)


def refuse(truth: sqlite3.Connection, space_id: str | None, text_key: str | None) -> None:
    """Raise InvalidRequest when a tombstone stops these words in that space."""
    stone = None if text_key is None else standing(truth, space_id, text_key)
    if stone is not None:
        raise InvalidRequest(
            f"this claim was rejected before{f' ({stone.reason})' if stone.reason else ''}: "
            f"lift the tombstone first, unforget({stone.id!r}, reason), or leave it out."
        )


def of_memory(truth: sqlite3.Connection, memory_id: str) -> Tombstone | None:
    """The newest tombstone that a memory left."""
    row = truth.execute(OF_MEMORY, (memory_id,)).fetchone()
    return None if row is None else from_row(row)


def listed(truth: sqlite3.Connection) -> tuple[Tombstone, ...]:
    """All tombstones, lifted ones included, oldest first."""
    return tuple(from_row(row) for row in truth.execute(ALL))


def raise_over(ctx: Context, space_id: str | None, text_key: str, memory_id: str, reason: str) -> None:
    """Put up a tombstone for a claim; one that stands already is enough."""
    row = (ctx.new_id("tmb"), space_id, claim_digest(text_key), memory_id, reason, str(ctx.actor), ctx.at)
    ctx.tx.execute(INSERT, row)


def lift(ctx: Context, change: LiftTombstone) -> Outcome:
    """Let the claim be told again."""
    row = ctx.tx.execute(BY_ID, (change.tombstone_id,)).fetchone()
    if row is None:
        raise NotFound(f"there is no tombstone {change.tombstone_id!r}: `tombstones` lists those there are.")
    if ctx.tx.execute(LIFT, (change.reason, change.tombstone_id)).rowcount == 0:
        return Unchanged(change.tombstone_id, f"{change.tombstone_id} was lifted already")
    return Applied((change.tombstone_id,))

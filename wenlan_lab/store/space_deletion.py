"""Deleting a space: what was in it is refiled, moved or deleted in the same transaction, and nothing is left behind."""

from __future__ import annotations

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.changes import DeleteSpace
from wenlan_lab.model.outcomes import Applied, Outcome
from wenlan_lab.model.spaces import Space
from wenlan_lab.store import memories, sources, tombstones
from wenlan_lab.store.context import Context
from wenlan_lab.store.spaces import by_id

DELETE = "delete from space where id = ?"
REFILE_MEMORIES = """update or ignore memory set space_id = ?, changed = ?, revision = revision + 1
    where space_id = ?"""
# The same statement is live in both spaces: the moved copy gives way and stays readable in history.
FOLD_MEMORIES = """update memory set space_id = ?, status = 'superseded', changed = ?, revision = revision + 1
    where space_id = ?"""
REFILE_SOURCES = "update or ignore source set space_id = ?, revision = revision + 1 where space_id = ?"
REFILE_REVIEWS = "update review set space_id = ? where space_id = ?"
DELETE_REVIEWS = "delete from review where space_id = ?"
DELETE_FEEDBACK = "delete from feedback where memory_id in (select id from memory where space_id = ?)"
STANDING_IN = "select id, text_key from memory where space_id = ? and status in ('live', 'held')"
LEFT_SOURCES = "select count(*) from source where space_id = ?"


def delete(ctx: Context, change: DeleteSpace) -> Outcome:
    """Delete a space and refile, move or delete what is in it; nothing keeps a name that no longer is."""
    space = by_id(ctx.tx, change.space_id)
    match change.mode:
        case "unassign":
            count = _refile(ctx, space, None)
        case "move":
            if change.target_id is None or change.target_id == space.id:
                raise InvalidRequest("moving needs another space to move to: name it with target=.")
            count = _refile(ctx, space, by_id(ctx.tx, change.target_id).id)
        case "delete":
            ctx.tx.execute(DELETE_FEEDBACK, (space.id,))
            ctx.tx.execute(DELETE_REVIEWS, (space.id,))
            count = len(memories.delete_in_space(ctx, space.id)) + sources.delete_in_space(ctx, space.id)
    ctx.tx.execute(DELETE, (space.id,))
    return Applied((space.id,), count=1 + count)


def _refile(ctx: Context, space: Space, target_id: str | None) -> int:
    for memory_id, key in ctx.tx.execute(STANDING_IN, (space.id,)).fetchall():
        if tombstones.standing(ctx.tx, target_id, key) is not None:
            raise InvalidRequest(
                f"{memory_id} says what was rejected where it would go: retract it, or lift the tombstone, then try again."
            )
    ctx.tx.execute(REFILE_REVIEWS, (target_id, space.id))
    moved: int = ctx.tx.execute(REFILE_MEMORIES, (target_id, ctx.at, space.id)).rowcount
    moved += ctx.tx.execute(FOLD_MEMORIES, (target_id, ctx.at, space.id)).rowcount
    moved += ctx.tx.execute(REFILE_SOURCES, (target_id, space.id)).rowcount
    if ctx.tx.execute(LEFT_SOURCES, (space.id,)).fetchone()[0]:
        raise InvalidRequest(
            f"a source in {space.name!r} is registered in the target as well: remove one of the two, then try again."
        )
    return moved

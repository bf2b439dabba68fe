"""Rows of spaces, and what each change does to them."""

from __future__ import annotations

import sqlite3

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.changes import CreateSpace, EditSpace
from wenlan_lab.model.outcomes import Applied, Outcome, Unchanged
from wenlan_lab.model.spaces import UNCATEGORIZED, Space
from wenlan_lab.store.context import Context

INSERT = """insert into space (id, name, description, created, revision) values (?, ?, ?, ?, 1)
    on conflict (name) do nothing"""
UPDATE = """update or ignore space set name = ?, description = ?, revision = revision + 1 where id = ?"""
COUNTED = """select s.*,
        (select count(*) from memory m where m.space_id = s.id and m.status in ('live', 'held')) as memories,
        (select count(*) from passage p join source o on o.id = p.source_id
            where o.space_id = s.id and p.gone = 0) as passages
    from space s where (:id is null or s.id = :id) and (:name is null or s.name = :name) order by s.name"""
NAMES = "select name from space order by name"
EXISTS = "select 1 from space where id = ?"


def from_row(row: sqlite3.Row) -> Space:
    """A space with its counts."""
    return Space(
        row["id"], row["name"], row["description"], row["created"], row["revision"], row["memories"], row["passages"]
    )


def listed(truth: sqlite3.Connection) -> tuple[Space, ...]:
    """All spaces by name, with how much is in each."""
    return tuple(from_row(row) for row in truth.execute(COUNTED, {"id": None, "name": None}))


def names(truth: sqlite3.Connection) -> tuple[str, ...]:
    """The names there are."""
    return tuple(row[0] for row in truth.execute(NAMES))


def by_name(truth: sqlite3.Connection, name: str) -> Space | None:
    """The space of that name, or None."""
    row = truth.execute(COUNTED, {"id": None, "name": name}).fetchone()
    return None if row is None else from_row(row)


def by_id(truth: sqlite3.Connection, space_id: str) -> Space:
    """The space of that id; NotFound when it is gone."""
    row = truth.execute(COUNTED, {"id": space_id, "name": None}).fetchone()
    if row is None:
        raise NotFound(f"there is no space with id {space_id!r}: it was deleted; `spaces` lists those there are.")
    return from_row(row)


def require(tx: sqlite3.Connection, space_id: str | None) -> None:
    """Refuse a space that was deleted between the look and the write."""
    if space_id is not None and tx.execute(EXISTS, (space_id,)).fetchone() is None:
        raise NotFound("that space was deleted meanwhile: nothing was written; choose another or create it again.")


def clean_name(name: str) -> str:
    """The name as it is stored; refuses what can't be one."""
    cleaned = " ".join(name.split())
    if not cleaned:
        raise InvalidRequest("a space needs a name that isn't blank.")
    if cleaned.lower() == UNCATEGORIZED:
        raise InvalidRequest(f"{UNCATEGORIZED!r} already means what is in no space: choose another name.")
    if len(cleaned) > 200:
        raise InvalidRequest(f"a space's name has at most 200 characters, this one has {len(cleaned)}.")
    return cleaned


def create(ctx: Context, change: CreateSpace) -> Outcome:
    """Register a space; a taken name changes nothing."""
    name = clean_name(change.name)
    space_id = ctx.new_id("spc")
    if ctx.tx.execute(INSERT, (space_id, name, change.description, ctx.at)).rowcount == 0:
        known = by_name(ctx.tx, name)
        return Unchanged(known.id if known else "", f"there is a space {name!r} already")
    return Applied((space_id,))


def edit(ctx: Context, change: EditSpace) -> Outcome:
    """Rename or describe. A part that isn't given stays: a rename never erases a description."""
    space = by_id(ctx.tx, change.space_id)
    name = space.name if change.name is None else clean_name(change.name)
    description = space.description if change.description is None else change.description
    if (name, description) == (space.name, space.description):
        return Unchanged(space.id, f"space {name!r} is so already")
    if ctx.tx.execute(UPDATE, (name, description, space.id)).rowcount == 0:
        raise InvalidRequest(f"there is a space {name!r} already: choose another name, or move what is in this one.")
    return Applied((space.id,))

"""Names to read scopes and write spaces. An unknown name is an error with near spellings, never an empty result."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Literal

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.spaces import UNCATEGORIZED, GlobalScope, ReadScope, Space, SpaceScope, UncategorizedScope
from wenlan_lab.store import spaces

SpaceSource = Literal["request", "default", "none"]


@dataclass(frozen=True, slots=True)
class WriteSpace:
    """Where a capture goes, and whether the caller said so, a default did, or nobody."""

    id: str | None
    name: str | None
    source: SpaceSource


def read_scope(truth: sqlite3.Connection, name: str | None) -> ReadScope:
    """None or blank is everything; "uncategorized" is what is in no space; else a registered name."""
    wanted = (name or "").strip()
    if not wanted:
        return GlobalScope()
    if wanted.lower() == UNCATEGORIZED:
        return UncategorizedScope()
    space = existing(truth, wanted)
    return SpaceScope(space.id, space.name)


def write_space(truth: sqlite3.Connection, name: str | None, default: str | None) -> WriteSpace:
    """The space to write to: the caller's, else the workbench's default, else none."""
    if name is not None:
        if not name.strip():
            raise InvalidRequest("space is blank: name one, or leave space out to capture without one.")
        if name.strip().lower() == UNCATEGORIZED:
            return WriteSpace(None, None, "request")
        space = existing(truth, name.strip())
        return WriteSpace(space.id, space.name, "request")
    if default is not None:
        space = existing(truth, default)
        return WriteSpace(space.id, space.name, "default")
    return WriteSpace(None, None, "none")


def existing(truth: sqlite3.Connection, name: str) -> Space:
    """The space of that name, or InvalidRequest that says which names are near."""
    found = spaces.by_name(truth, " ".join(name.split()))
    if found is not None:
        return found
    near = near_spellings(name, spaces.names(truth))
    hint = f"did you mean {' or '.join(repr(item) for item in near)}?" if near else "`spaces` lists those there are;"
    raise InvalidRequest(f"there is no space {name!r}: {hint} create it first if it is new.")


def near_spellings(name: str, known: tuple[str, ...], most: int = 3) -> list[str]:
    """The names that look most like `name`."""
    from rapidfuzz import process

    return [found for found, score, _ in process.extract(name, known, limit=most, processor=str.lower) if score >= 60]

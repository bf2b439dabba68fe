"""Spaces and read scopes. A memory or a source is in one space or in none ("uncategorized")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

UNCATEGORIZED = "uncategorized"
DeleteMode = Literal["unassign", "move", "delete"]


@dataclass(frozen=True, slots=True)
class Space:
    """A named scope. `name` is what people write, `id` is what rows refer to, so a rename moves nothing."""

    id: str
    name: str
    description: str
    created: str
    revision: int
    memories: int = 0
    passages: int = 0


@dataclass(frozen=True, slots=True)
class GlobalScope:
    """Everything in the workbench."""


@dataclass(frozen=True, slots=True)
class SpaceScope:
    """One space."""

    space_id: str
    name: str


@dataclass(frozen=True, slots=True)
class UncategorizedScope:
    """What is in no space."""


ReadScope = GlobalScope | SpaceScope | UncategorizedScope

"""Sources (something outside) and passages (verbatim units of a source)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SourceKind = Literal["chat", "file", "notebook", "cell", "url"]


@dataclass(frozen=True, slots=True)
class Source:
    """Something outside the workbench. `ref` is how the outside names it: a path, a URL, a conversation's id."""

    id: str
    kind: SourceKind
    ref: str
    title: str
    space_id: str | None
    digest: str
    added: str
    revision: int


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage before it is stored. `at` is ISO 8601 in UTC or None; `position` counts within `thread` from 0."""

    ref: str
    thread: str
    position: int
    speaker: str
    at: str | None
    text: str
    title: str = ""
    redactions: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim unit of a source: a turn, a chunk, a cell. Identity is (source, ref, position, digest), not its words."""

    id: str
    source_id: str
    ref: str
    thread: str
    position: int
    speaker: str
    at: str | None
    text: str
    title: str
    digest: str
    redactions: int
    gone: bool


@dataclass(frozen=True, slots=True)
class PassageOrigin:
    """Where a hit comes from, as the `source` of a Hit shows it."""

    kind: str
    ref: str
    thread: str
    position: int | None
    speaker: str
    at: str | None

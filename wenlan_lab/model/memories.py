"""A memory: one self-contained statement with a type, a space, trust, evidence and versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wenlan_lab.model import shown_values
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.trust import Status, Trust
from wenlan_lab.model.types import MemoryType, SupersedeMode, Tier, tier_of

TimeRule = Literal["stated", "document", "event", "capture"]


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """What a memory rests on, before it is stored: a quote, and the passage or source that holds it.

    `start` and `end` are character offsets into the passage's text, -1 when the quote was not located there.
    """

    quote: str
    passage_id: str | None = None
    source_id: str | None = None
    start: int = -1
    end: int = -1
    source_digest: str = ""
    located: bool = False
    supports: bool | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stored evidence row of one memory."""

    id: str
    memory_id: str
    quote: str
    passage_id: str | None
    source_id: str | None
    start: int
    end: int
    source_digest: str
    located: bool
    supports: bool | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Which of type, fields and space the caller chose; what the system chose a later pass may improve."""

    type_explicit: bool
    fields_explicit: bool
    space_source: Literal["request", "default", "none"]


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory before it is stored: everything decided but its id and the moment of recording."""

    text: str
    text_key: str
    type: MemoryType
    space_id: str | None
    fields: Mapping[str, str]
    cue: str | None
    tags: tuple[str, ...]
    trust: Trust
    origin: Origin
    valid_from: str | None = None
    time_rule: TimeRule = "capture"
    supersede_mode: SupersedeMode = "hide"
    evidence: tuple[NewEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory as it is now. Times are ISO 8601 in UTC; `revision` counts its changes from 1."""

    id: str
    text: str
    type: MemoryType
    space_id: str | None
    space: str | None
    fields: Mapping[str, str]
    cue: str | None
    tags: tuple[str, ...]
    trust: Trust
    status: Status
    pinned: bool
    supersedes: str | None
    supersede_mode: SupersedeMode
    valid_from: str
    valid_to: str | None
    time_rule: TimeRule
    author: Actor
    origin: Origin
    created: str
    changed: str
    touched: str
    uses: int
    revision: int
    evidence: tuple[Evidence, ...] = field(default=())

    @property
    def tier(self) -> Tier:
        """Who may supersede it and how fast it fades; follows from the type."""
        return tier_of(self.type)

    def __repr__(self) -> str:
        return shown_values.memory_text(self)

    def _repr_html_(self) -> str:
        return shown_values.memory_html(self)

"""What a recall returns: hits that explain themselves, and a trace of what was done and dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wenlan_lab.model import shown_recall
from wenlan_lab.model.memories import Evidence
from wenlan_lab.model.sources import PassageOrigin
from wenlan_lab.model.trust import Status, Trust

HitKind = Literal["memory", "passage"]
DropReason = Literal["forgotten", "out_of_scope", "out_of_time", "not_recalled", "folded", "beyond_k", "archived"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled thing. The product of `factors` is `score`, to 1e-9; `parts` are what
    the relevance is made of: they add up to it (weighted) or to its logit (learned).
    """

    id: str
    text: str
    score: float
    kind: HitKind
    type: str
    space: str | None
    trust: Trust
    status: Status
    source: PassageOrigin
    factors: Mapping[str, float]
    evidence: tuple[Evidence, ...] = ()
    found_by: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)
    folded: tuple[str, ...] = ()
    marks: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        return shown_recall.hit_text(self)

    def _repr_html_(self) -> str:
        return shown_recall.hit_html(self)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that is not among the hits, and why."""

    id: str
    reason: DropReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ArmReport:
    """What one arm did: how many candidates it found, in how many milliseconds, and whether it could work at all."""

    name: str
    found: int
    milliseconds: float
    status: str = "ok"


@dataclass(frozen=True, slots=True)
class Trace:
    """How the result came about. `notes` holds every degradation in plain words."""

    arms: tuple[ArmReport, ...]
    candidates: int
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    milliseconds: Mapping[str, float]
    watermark: int
    scope: str
    model: str = ""


Emptiness = Literal["", "empty_workbench", "empty_space", "no_match", "nothing_relevant"]

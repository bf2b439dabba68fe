"""What came of a change, and the receipt that says so. Expected results are values, never errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from wenlan_lab.model import shown_values

RejectionReason = Literal["too_short", "credential_leak", "noise_pattern", "embedding_unavailable", "claim_tombstoned"]


@dataclass(frozen=True, slots=True)
class Captured:
    """A new memory is live."""

    id: str


@dataclass(frozen=True, slots=True)
class Held:
    """A new memory is stored but waits in review, as `review_id` says; nothing recalls it yet."""

    id: str
    review_id: str


@dataclass(frozen=True, slots=True)
class ClaimTombstoned:
    """That claim was rejected before; nothing was written."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A review item waits."""

    id: str


@dataclass(frozen=True, slots=True)
class AlreadyResolved:
    """The review item was decided before; nothing was written."""

    id: str
    detail: str


@dataclass(frozen=True, slots=True)
class UndoRefused:
    """The entry can't be taken back, and why; `blocking` are the later entries that stand in the way."""

    seq: int
    detail: str
    blocking: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AlreadyKnown:
    """The same statement is live in that space; nothing was written."""

    id: str


@dataclass(frozen=True, slots=True)
class Applied:
    """The change took effect. `ids` are what it made or touched first, `count` how many things it touched."""

    ids: tuple[str, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Unchanged:
    """It was so already; nothing was written."""

    id: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SourceKnown:
    """That source is registered; nothing was written."""

    id: str


@dataclass(frozen=True, slots=True)
class PassagesAdded:
    """`ids` are new passages; `known` counts those that were there already."""

    ids: tuple[str, ...]
    known: int


Outcome = (
    Captured
    | Held
    | AlreadyKnown
    | ClaimTombstoned
    | Applied
    | Unchanged
    | SourceKnown
    | PassagesAdded
    | Proposed
    | AlreadyResolved
    | UndoRefused
)


@dataclass(frozen=True, slots=True)
class Written:
    """One applied change: its journal number (None when nothing changed) and what came of it."""

    seq: int | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a text was not stored, in the gate's words, and what to do about it."""

    reason: RejectionReason
    detail: str
    next_step: str


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The live neighbour that says nearly the same. `similarity` is a cosine."""

    id: str
    text: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Place:
    """One place where an erased text stands: what kind of place, its id, and how often."""

    kind: str
    id: str
    detail: str


ReceiptOutcome = Literal["Captured", "AlreadyKnown", "Held", "Rejected", "Applied", "Unchanged"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a capture (or any other change to one thing) came to. `seq` is None when nothing changed."""

    seq: int | None
    outcome: ReceiptOutcome
    id: str | None
    space: str | None = None
    space_source: Literal["request", "default", "none"] = "none"
    near_duplicate: NearDuplicate | None = None
    warnings: tuple[str, ...] = ()
    reason: Rejection | None = None
    detail: str = field(default="")

    def __repr__(self) -> str:
        return shown_values.receipt_text(self)

    def _repr_html_(self) -> str:
        return shown_values.receipt_html(self)

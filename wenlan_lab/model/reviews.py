"""Review items: changes that wait for a person's permission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from wenlan_lab.model import shown_reviews, shown_tables
from wenlan_lab.model.memories import Evidence

ReviewKind = Literal[
    "supersede",
    "contradiction",
    "near_tombstone",
    "page_revision",
    "page_merge",
    "entity_merge",
    "relation_conflict",
    "new_vocabulary",
    "stale_evidence",
]
ReviewStatus = Literal["pending", "accepted", "dismissed", "expired"]
REVIEW_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)


@dataclass(frozen=True, slots=True)
class Review:
    """A stored review item. `if_accepted` and `if_dismissed` are encoded Changes."""

    id: str
    kind: ReviewKind
    status: ReviewStatus
    if_accepted: str
    if_dismissed: str | None
    fingerprint: str
    space_id: str | None
    before_id: str | None
    after_id: str | None
    why: str
    proposed_by: str
    created: str
    resolved: str | None
    resolved_by: str | None
    resolution: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A review item as it is shown: what stands now, what would stand then, and what speaks for it."""

    id: str
    kind: ReviewKind
    status: ReviewStatus
    before: str
    after: str
    evidence: tuple[Evidence, ...]
    proposed_by: str
    created: str
    fingerprint: str
    why: str = ""
    space: str | None = None
    before_id: str | None = None
    after_id: str | None = None
    resolved: str | None = None
    resolved_by: str | None = None
    resolution: str = ""

    def __repr__(self) -> str:
        return shown_reviews.item_text(self)

    def _repr_html_(self) -> str:
        return shown_reviews.item_html(self)


@dataclass(frozen=True, slots=True)
class ReviewStats:
    """The queue in numbers. Ages are days; `stopped_share` is the share of protected writes that had to wait."""

    arrivals: int
    accepted: int
    dismissed: int
    expired: int
    waiting: int
    age_p50: float
    age_p95: float
    protected_writes: int
    protected_stopped: int
    stopped_share: float
    by_kind: dict[str, int]
    backlog: str

    def __repr__(self) -> str:
        return shown_tables.text_table(shown_reviews.stats_table(self))

    def _repr_html_(self) -> str:
        return shown_tables.html_table(shown_reviews.stats_table(self))

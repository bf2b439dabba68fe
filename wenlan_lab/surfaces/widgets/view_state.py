"""What the review panel shows, as a frozen value: computed from a workbench, drawn by whoever can draw.

No widget is known here, so the same view is the panel's state, the static fallback and the text for a terminal. Looking
writes nothing. Items stand by kind, and within a kind the oldest first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from wenlan_lab.model import shown_reviews
from wenlan_lab.model.reviews import REVIEW_KINDS, ReviewItem
from wenlan_lab.model.shown import plain
from wenlan_lab.model.shown_diff import Piece, word_diff
from wenlan_lab.model.shown_tables import FAINT, FRAME
from wenlan_lab.model.shown_text import Html, escape, tag, visible, wrapped
from wenlan_lab.model.spaces import UNCATEGORIZED

if TYPE_CHECKING:
    import polars

    from wenlan_lab.engine.workbench import Workbench

PAGE = 20
MOST = 2_000
ALL_DECIDED = "All decided: nothing waits for you."
HOW = "decide with `%wenlan accept ID`, `%wenlan accept ID --text …` or `%wenlan dismiss ID --reason …`"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part of the queue to show. `skipped` are put aside by this viewer; they wait all the same."""

    kind: str | None = None
    space: str | None = None
    page: int = 0
    skipped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Card:
    """One item: what changes, how long it has waited, and whether its text can be edited before it is accepted."""

    item: ReviewItem
    diff: tuple[Piece, ...]
    age: str
    editable: bool

    @property
    def html(self) -> Html:
        """The card without its buttons."""
        head = tag("span", escape(f"{self.item.id} · {self.item.space or UNCATEGORIZED}"), style="font-weight:600")
        age = tag("span", escape(f" · waiting {self.age}"), style=FAINT)
        return tag("div", tag("div", head, age), shown_reviews.card_html(self.item), style=FRAME)


@dataclass(frozen=True, slots=True)
class Section:
    """The cards of one kind on this page; `count` is how many of it wait in all."""

    kind: str
    title: str
    count: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ReviewView:
    """One page of the queue. `kinds` and `spaces` are what can be filtered by; `message` stands for missing cards."""

    asked: Asked
    sections: tuple[Section, ...]
    waiting: int
    put_aside: int
    pages: int
    kinds: tuple[tuple[str, int], ...]
    spaces: tuple[str, ...]
    message: str
    status: str

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards of this page in order."""
        return tuple(card for section in self.sections for card in section.cards)

    @property
    def all_decided(self) -> bool:
        """Whether nothing waits at all in the part that was asked for."""
        return self.waiting == 0

    def __repr__(self) -> str:
        lines = [*wrapped(self.status, 100)]
        for section in self.sections:
            lines += ["", f"{section.title} ({section.count:,})"]
            for card in section.cards:
                lines += ["", shown_reviews.item_text(card.item), f"  waiting {card.age}"]
        return "\n".join([*lines, *(["", self.message] if self.message else ["", HOW])])

    def _repr_html_(self) -> str:
        parts = [tag("div", escape(self.status), style="font-weight:600")]
        for section in self.sections:
            parts.append(section_html(section))
            parts += [tag("div", card.html, style="margin:0 0 10px 10px") for card in section.cards]
        parts.append(tag("div", escape(self.message or HOW), style=FAINT))
        return tag("div", *parts, style=FRAME)


def section_html(section: Section) -> Html:
    """The heading of a section."""
    return tag("div", escape(f"{section.title} ({section.count:,})"), style="font-weight:600;margin:8px 0 4px")


def review_view(wb: Workbench, asked: Asked | None = None) -> ReviewView:
    """The page that was asked for; a page behind the last one is the last one.

    Raises InvalidRequest for an unknown kind or space. Of a queue of more than 2,000 items the oldest are shown.
    """
    asked = asked or Asked()
    items = wb.reviews.pending(space=asked.space, most=MOST)
    by_kind = Counter(item.kind for item in items)
    wanted = wb.reviews.pending(kind=asked.kind, space=asked.space, most=MOST) if asked.kind else items
    shown = [item for item in wanted if item.id not in asked.skipped]
    shown.sort(key=lambda item: REVIEW_KINDS.index(item.kind))  # stable: within a kind the oldest stays first
    pages = max(1, -(-len(shown) // PAGE))
    page = min(max(asked.page, 0), pages - 1)
    here = shown[page * PAGE : (page + 1) * PAGE]
    cards = [_card(wb, item) for item in here]
    counts = Counter(item.kind for item in shown)
    sections = tuple(
        Section(kind, _title(kind), counts[kind], tuple(card for card in cards if card.item.kind == kind))
        for kind in REVIEW_KINDS
        if any(card.item.kind == kind for card in cards)
    )
    view = ReviewView(
        asked=replace(asked, page=page),
        sections=sections,
        waiting=len(wanted),
        put_aside=len(wanted) - len(shown),
        pages=pages,
        kinds=tuple((kind, by_kind[kind]) for kind in REVIEW_KINDS if by_kind[kind] or kind == asked.kind),
        spaces=(*(space.name for space in wb.spaces.list()), UNCATEGORIZED),
        message="",
        status="",
    )
    return replace(view, message=_message(view), status=_status(view, page * PAGE))


def _card(wb: Workbench, item: ReviewItem) -> Card:
    held = item.after_id is not None and wb.memory(item.after_id).status == "held"
    return Card(item, word_diff(item.before, item.after), age_of(item, wb.clock()), held)


def age_of(item: ReviewItem, now: datetime) -> str:
    """How long it has waited, in words."""
    return shown_reviews.days(_days(item, now))


def _days(item: ReviewItem, now: datetime) -> float:
    return max((now - datetime.fromisoformat(item.created)).total_seconds() / 86_400, 0.0)


def _title(kind: str) -> str:
    told = shown_reviews.KIND_TITLES[kind]
    return told[0].upper() + told[1:]


def _message(view: ReviewView) -> str:
    if view.cards:
        return ""
    if view.put_aside:
        return f"{view.put_aside} put aside: they still wait."
    if view.asked.kind or view.asked.space:
        return f"Nothing waits in {_narrowed(view.asked)}."
    return ALL_DECIDED


def _narrowed(asked: Asked) -> str:
    return " · ".join(visible(part) for part in (asked.space, asked.kind) if part)


def _status(view: ReviewView, skip: int) -> str:
    many = f"{view.waiting:,} or more" if view.waiting >= MOST else f"{view.waiting:,}"
    parts = [f"review: {many} waiting"]
    if view.asked.kind or view.asked.space:
        parts.append(_narrowed(view.asked))
    if view.pages > 1:
        shown = view.waiting - view.put_aside
        parts.append(
            f"{skip + 1:,}–{skip + len(view.cards):,} of {shown:,} shown, page {view.asked.page + 1} of {view.pages}"
        )
    if view.put_aside:
        parts.append(f"{view.put_aside} put aside")
    return " · ".join(parts)


def queue_frame(wb: Workbench, *, kind: str | None = None, space: str | None = None) -> polars.DataFrame:
    """The waiting items as a polars frame, one row each, oldest first; ages in days. The columns are always there."""
    import polars as pl

    now = wb.clock()
    names = ("id", "kind", "space", "before", "after", "why", "proposed_by", "created", "before_id", "after_id")
    rows = [
        {**{name: value for name, value in plain(item).items() if name in names}, "age_days": _days(item, now)}
        for item in wb.reviews.pending(kind=kind, space=space, most=MOST)
    ]
    return pl.DataFrame(rows, schema={**dict.fromkeys(names, pl.String), "age_days": pl.Float64})

"""wb.reviews: the queue of changes that wait for a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING

from wenlan_lab.engine import faces, gate
from wenlan_lab.engine.normalise import check_storable, text_key
from wenlan_lab.engine.scopes import read_scope
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import AcceptReview, CaptureMemory, Change, DismissReview
from wenlan_lab.model.memories import Memory
from wenlan_lab.model.outcomes import AlreadyResolved, Receipt
from wenlan_lab.model.results import Listing
from wenlan_lab.model.reviews import REVIEW_KINDS, Review, ReviewItem, ReviewStats
from wenlan_lab.model.spaces import GlobalScope, SpaceScope, UncategorizedScope
from wenlan_lab.store import change_codec, counts, memories, reviews

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

BACKLOG_ITEMS = 100
BACKLOG_DAYS = 14.0
MOVED = "(moved to another space)"


@dataclass(frozen=True, slots=True)
class ReviewsOfWorkbench:
    """The review queue of one workbench."""

    wb: Workbench

    def pending(
        self, *, kind: str | None = None, space: str | None = None, most: int = 100, skip: int = 0
    ) -> Listing[ReviewItem]:
        """Items that wait, oldest first, each with before, after and evidence."""
        return self.list(status="pending", kind=kind, space=space, most=most, skip=skip)

    def list(
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        space: str | None = None,
        most: int = 100,
        skip: int = 0,
    ) -> Listing[ReviewItem]:
        """Items of any status (pending, accepted, dismissed, expired; None: all), oldest first."""
        if kind is not None and kind not in REVIEW_KINDS:
            raise InvalidRequest(f"review kind {kind!r} is unknown: choose one of {', '.join(REVIEW_KINDS)}.")
        wanted = self._space(space)
        found = reviews.listed(self.wb.truth, status=status, kind=kind, space_id=wanted, most=most, skip=skip)
        items = tuple(self._item(row, wanted) for row in found)
        return Listing(items, faces.reviews_table(items))

    def get(self, id: str) -> ReviewItem:
        """One item. Raises NotFound."""
        return self._item(reviews.get(self.wb.truth, id))

    def accept(
        self, id: str, reason: str = "", *, text: str | None = None, actor: Actor | str | None = None
    ) -> Receipt:
        """Perform the waiting change. `text` replaces the held words first ("edit, then accept")."""
        key = None
        if text is not None:
            check_storable(text)
            text = text.strip()
            leak = gate.judge_credentials(text)
            if leak is not None:
                raise InvalidRequest(
                    f"the new words are not kept, the item still waits: {leak.detail}; {leak.next_step}"
                )
            key = text_key(text)
        return self._decide(AcceptReview(id, gate.safe_reason(reason), text, key), id, "accepted", actor)

    def dismiss(self, id: str, reason: str = "", actor: Actor | str | None = None) -> Receipt:
        """Say no; the same proposal never comes back."""
        return self._decide(DismissReview(id, gate.safe_reason(reason)), id, "dismissed", actor)

    def _decide(self, change: Change, id: str, what: str, actor: Actor | str | None) -> Receipt:
        done = self.wb.apply(change, actor)
        if isinstance(done.outcome, AlreadyResolved):
            return Receipt(None, "Unchanged", id, detail=f"{id} was {done.outcome.detail} already")
        return Receipt(done.seq, "Applied", id, detail=f"{id} is {what}")

    def stats(self, *, space: str | None = None) -> ReviewStats:
        """Arrivals, decisions, waiting times, and how many writes to protected memories were stopped."""
        wanted = self._space(space)
        rows = [row for row in reviews.every(self.wb.truth) if wanted is None or (row.space_id or "") == wanted]
        now = self.wb.clock()
        ages = sorted(_days(row.created, row.resolved, now) for row in rows)
        waiting = [_days(row.created, None, now) for row in rows if row.status == "pending"]
        count = Counter(row.status for row in rows)
        protected = counts.protected_writes(self.wb.truth, wanted)
        return ReviewStats(
            arrivals=len(rows),
            accepted=count["accepted"],
            dismissed=count["dismissed"],
            expired=count["expired"],
            waiting=count["pending"],
            age_p50=nearest_rank(ages, 0.5),
            age_p95=nearest_rank(ages, 0.95),
            protected_writes=protected.attempted,
            protected_stopped=protected.stopped,
            stopped_share=protected.stopped / protected.attempted if protected.attempted else 0.0,
            by_kind=dict(sorted(Counter(row.kind for row in rows).items())),
            backlog=_backlog(waiting),
        )

    def _space(self, name: str | None) -> str | None:
        match read_scope(self.wb.truth, name):
            case SpaceScope(space_id):
                return space_id
            case UncategorizedScope():
                return ""
            case GlobalScope():
                return None

    def _item(self, row: Review, wanted: str | None = None) -> ReviewItem:
        """An item as it is shown; within one space, the words of what was moved out of it are not."""
        ids = [entry_id for entry_id in (row.before_id, row.after_id) if entry_id]
        found = memories.get_many(self.wb.truth, ids)
        elsewhere = {id for id, memory in found.items() if wanted is not None and (memory.space_id or "") != wanted}
        before, after = found.get(row.before_id or ""), found.get(row.after_id or "")
        shown = [memory for memory in (after, before) if memory is not None and memory.id not in elsewhere]
        space = next((memory.space for memory in shown), None)
        return ReviewItem(
            id=row.id,
            kind=row.kind,
            status=row.status,
            before=_words(before, elsewhere),
            after=_words(after, elsewhere) or _told(row),
            evidence=after.evidence if after is not None and after.id not in elsewhere else (),
            proposed_by=row.proposed_by,
            created=row.created,
            fingerprint=row.fingerprint,
            why=row.why if not elsewhere else MOVED,
            space=space,
            before_id=row.before_id,
            after_id=row.after_id,
            resolved=row.resolved,
            resolved_by=row.resolved_by,
            resolution=row.resolution,
        )


def _words(memory: Memory | None, elsewhere: set[str]) -> str:
    if memory is None:
        return ""
    return MOVED if memory.id in elsewhere else memory.text


def _told(row: Review) -> str:
    """What an item without a held memory would do, in a word."""
    try:
        change = change_codec.decode(row.if_accepted)
    except InvalidRequest:
        return "(written by another version; it can only be dismissed)"
    return change.memory.text if isinstance(change, CaptureMemory) else type(change).__name__


def _days(created: str, resolved: str | None, now: datetime) -> float:
    end = datetime.fromisoformat(resolved) if resolved else now
    return max((end - datetime.fromisoformat(created)).total_seconds() / 86_400, 0.0)


def nearest_rank(ordered: list[float], share: float) -> float:
    """The nearest-rank percentile of an ascending list, 0 for an empty one."""
    return ordered[ceil(share * len(ordered)) - 1] if ordered else 0.0


def _backlog(waiting: list[float]) -> str:
    """A warning when too much waits, or something for too long."""
    if len(waiting) > BACKLOG_ITEMS:
        return f"backlog: {len(waiting)} items wait"
    if waiting and max(waiting) > BACKLOG_DAYS:
        return f"backlog: the oldest item has waited {max(waiting):.0f} days"
    return ""

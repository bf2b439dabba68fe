"""The methods of a workbench that change, doubt or take back what is there: each is one Change and one receipt."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wenlan_lab.engine import capture as capturing
from wenlan_lab.engine import gate
from wenlan_lab.engine.normalise import check_storable
from wenlan_lab.engine.reviews import ReviewsOfWorkbench
from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import (
    Change,
    ConfirmMemory,
    FeedbackVerdict,
    ForgetMemory,
    LiftTombstone,
    MoveMemory,
    PinMemory,
    RecordFeedback,
    RetagMemory,
    RetractMemory,
    RetypeMemory,
    UnconfirmMemory,
    UndoEntry,
    UnpinMemory,
)
from wenlan_lab.model.outcomes import ClaimTombstoned, Receipt, Unchanged, UndoRefused, Written
from wenlan_lab.model.recall import Hit
from wenlan_lab.model.results import Forgetting
from wenlan_lab.model.types import parse_type
from wenlan_lab.store import erasure, memories, tombstones
from wenlan_lab.store.tombstones import Tombstone

if TYPE_CHECKING:
    from wenlan_lab.engine.index import Index
    from wenlan_lab.engine.spaces import SpacesOfWorkbench
    from wenlan_lab.engine.workbench import Workbench


class Corrections:
    """What `Workbench` inherits: everything about one memory, one journal entry, or one review."""

    truth: sqlite3.Connection

    if TYPE_CHECKING:

        @property
        def index(self) -> Index: ...
        @property
        def spaces(self) -> SpacesOfWorkbench: ...
        def apply(self, change: Change, actor: Actor | str | None = None) -> Written: ...

    @cached_property
    def reviews(self: Workbench) -> ReviewsOfWorkbench:  # type: ignore[misc]  # only ever part of a Workbench
        """The queue of changes that wait for a person."""
        return ReviewsOfWorkbench(self)

    def confirm(self, id: str, actor: Actor | str | None = None) -> Receipt:
        """A person stands behind this memory: it is accepted and no longer fades."""
        return self._changed(ConfirmMemory(id), actor, f"{id} is accepted")

    def unconfirm(self, id: str, actor: Actor | str | None = None) -> Receipt:
        """Take the confirmation back."""
        return self._changed(UnconfirmMemory(id), actor, f"{id} is no longer accepted")

    def pin(self, id: str, actor: Actor | str | None = None) -> Receipt:
        """Keep this memory from fading."""
        return self._changed(PinMemory(id), actor, f"{id} is pinned")

    def unpin(self, id: str, actor: Actor | str | None = None) -> Receipt:
        """Take the pin away."""
        return self._changed(UnpinMemory(id), actor, f"{id} is no longer pinned")

    def retype(self, id: str, type: str, actor: Actor | str | None = None) -> Receipt:
        """Change the type of a memory; its cue follows."""
        change = RetypeMemory(id, parse_type(type).type, memories.get(self.truth, id).revision)
        return self._changed(change, actor, f"{id} is a {change.type} now")

    def retag(self, id: str, tags: Sequence[str], actor: Actor | str | None = None) -> Receipt:
        """Replace the tags of a memory."""
        cleaned = capturing.clean_tags(tags)
        for tag in cleaned:
            check_storable(tag)
            leak = gate.judge_credentials(tag)
            if leak is not None:
                raise InvalidRequest(f"that tag is not kept: it {leak.detail}; {leak.next_step}")
        change = RetagMemory(id, cleaned, memories.get(self.truth, id).revision)
        return self._changed(change, actor, f"{id} is tagged {', '.join(change.tags) or 'with nothing'}")

    def move(self, id: str, space: str | None, actor: Actor | str | None = None) -> Receipt:
        """Move a memory to another space; None takes it out of any."""
        target = self.spaces.find(space) if space is not None else None
        change = MoveMemory(id, target.id if target else None, memories.get(self.truth, id).revision)
        return self._changed(change, actor, f"{id} is in {space or 'no space'} now")

    def retract(self, id: str, reason: str, as_false: bool = False, actor: Actor | str | None = None) -> Receipt:
        """No longer held true: gone from recall, kept in history, undoable. `as_false` rejects the claim for good."""
        what = "rejected: it stays out" if as_false else "retracted"
        return self._changed(RetractMemory(id, gate.safe_reason(reason), as_false), actor, f"{id} is {what}")

    def forget(
        self,
        id: str,
        reason: str = "",
        as_false: bool = False,
        actor: Actor | str | None = None,
        *,
        dry_run: bool = False,
    ) -> Receipt | Forgetting:
        """Erase a memory's text from every place. Can't be undone; `dry_run=True` lists the places instead.

        `as_false` keeps a digest of the claim as a tombstone, so that it can't be captured again.
        """
        report = Forgetting(id, erasure.places(self.truth, id))
        if dry_run:
            return report
        words = erasure.words_of(self.truth, id)
        detail = f"{id} is forgotten: {len(report.places)} places erased"
        receipt = self._changed(ForgetMemory(id, gate.safe_reason(reason), as_false), actor, detail)
        if receipt.seq is not None:
            self.index.erase(words)
        return receipt

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every rejected claim's tombstone, lifted ones included, oldest first. Only digests are kept."""
        return tombstones.listed(self.truth)

    def unforget(self, id: str, reason: str, actor: Actor | str | None = None) -> Receipt:
        """Lift a tombstone (its own id, or the id of the memory that left it), so that the claim may be told again."""
        if not reason.strip():
            raise InvalidRequest("lifting a tombstone needs a reason: unforget(id, 'measured again, it was right').")
        stone = tombstones.of_memory(self.truth, id)
        if stone is None and not id.startswith("tmb_"):
            raise NotFound(f"{id} left no tombstone: `tombstones()` lists those there are.")
        change = LiftTombstone(stone.id if stone is not None else id, gate.safe_reason(reason))
        return self._changed(change, actor, f"the claim of {id} may be told again")

    def undo(self, seq: int, actor: Actor | str | None = None) -> Receipt:
        """Take back the journal entry `seq`, unless later entries rest on it; the receipt then says which."""
        if not isinstance(seq, int) or isinstance(seq, bool) or seq < 1:
            raise InvalidRequest(f"seq must be the number of a journal entry, not {seq!r}: `journal` lists them.")
        done = self.apply(UndoEntry(seq), actor)
        if isinstance(done.outcome, UndoRefused):
            blocking = ", ".join(map(str, done.outcome.blocking))
            told = f"entry {seq} can't be undone: {done.outcome.detail}" + (
                f" (entries {blocking})" if blocking else ""
            )
            return Receipt(None, "Unchanged", None, detail=told)
        return Receipt(done.seq, "Applied", None, detail=f"entry {seq} is undone")

    def feedback(self, hit: Hit | str, verdict: FeedbackVerdict, actor: Actor | str | None = None) -> Receipt:
        """Say that a recalled memory was "used", "helpful" or "wrong". Reads themselves record nothing."""
        if verdict not in ("used", "helpful", "wrong"):
            raise InvalidRequest(f"verdict {verdict!r} is unknown: say 'used', 'helpful' or 'wrong'.")
        memory_id = hit.id if isinstance(hit, Hit) else hit
        if not memory_id.startswith("mem_"):
            raise InvalidRequest("feedback is for memories: a passage is a verbatim source and doesn't fade.")
        return self._changed(RecordFeedback(memory_id, verdict), actor, f"{memory_id} was {verdict}")

    def _changed(self, change: Change, actor: Actor | str | None, detail: str) -> Receipt:
        done = self.apply(change, actor)
        subject = getattr(change, "memory_id", None)
        if done.seq is None:
            what = done.outcome.detail if isinstance(done.outcome, Unchanged) else f"{subject} stays as it was"
            if isinstance(done.outcome, ClaimTombstoned):
                what = f"that claim was rejected there: unforget({done.outcome.id!r}, reason) first"
            return Receipt(None, "Unchanged", subject, detail=what)
        return Receipt(done.seq, "Applied", subject, detail=detail)

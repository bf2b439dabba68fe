"""Every mutation there is, as one closed union of frozen values.

A Change says what is asked, completely: whoever applies it decides nothing more than new ids and the time. Changes are
a stored format (journal, review items): fields are only ever added, with defaults.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wenlan_lab.model.memories import NewMemory
from wenlan_lab.model.reviews import ReviewKind
from wenlan_lab.model.sources import NewPassage, SourceKind
from wenlan_lab.model.spaces import DeleteMode
from wenlan_lab.model.types import MemoryType

AgainstAction = Literal["supersede", "review", "dispute"]
FeedbackVerdict = Literal["used", "helpful", "wrong"]


@dataclass(frozen=True, slots=True)
class CreateSpace:
    """Register a space. A taken name is refused."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class EditSpace:
    """Rename a space, describe it, or both. None leaves that part as it is."""

    space_id: str
    name: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteSpace:
    """Delete a space; what is in it is unassigned, moved to `target_id`, or deleted with it."""

    space_id: str
    mode: DeleteMode
    target_id: str | None = None


@dataclass(frozen=True, slots=True)
class Against:
    """The live memory that a capture revises or contradicts, and what to do about it.

    supersede: replace it at once. review: hold the new one and ask a person. dispute: both stand, disputed, and a person
    is asked. `base_revision` is the old memory's revision when the decision was made.
    """

    memory_id: str
    action: AgainstAction
    why: str
    base_revision: int


@dataclass(frozen=True, slots=True)
class CaptureMemory:
    """Store a memory that passed the gate, and settle at once how it stands to the one it is `against`.

    `near_tombstone` names a standing tombstone whose claim it nearly repeats: then it is held for a person to decide.
    """

    memory: NewMemory
    against: Against | None = None
    near_tombstone: str | None = None


@dataclass(frozen=True, slots=True)
class RecordRejection:
    """Log that a capture was refused. `excerpt` is redacted before it gets here; the text itself is not kept."""

    reason: str
    detail: str
    digest: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class ConfirmMemory:
    """A person stands behind it: trust becomes accepted."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class UnconfirmMemory:
    """Take a confirmation back: trust returns to what the evidence gives."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class PinMemory:
    """Keep it from fading and from being superseded without a person."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class UnpinMemory:
    """Take the pin away."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class RetypeMemory:
    """Change the type; the cue and the supersede mode are recomputed."""

    memory_id: str
    type: MemoryType
    base_revision: int


@dataclass(frozen=True, slots=True)
class RetagMemory:
    """Replace the tags."""

    memory_id: str
    tags: tuple[str, ...]
    base_revision: int


@dataclass(frozen=True, slots=True)
class MoveMemory:
    """Move it to another space, or to none."""

    memory_id: str
    space_id: str | None
    base_revision: int


@dataclass(frozen=True, slots=True)
class ForgetMemory:
    """Erase the text from every place. Can't be undone. `as_false` leaves a tombstone: the claim stays out."""

    memory_id: str
    reason: str
    as_false: bool = False


@dataclass(frozen=True, slots=True)
class RetractMemory:
    """No longer held true: gone from recall, kept in history, can be undone. `as_false` leaves a tombstone."""

    memory_id: str
    reason: str
    as_false: bool = False


@dataclass(frozen=True, slots=True)
class LiftTombstone:
    """Let a claim be told again. An explicit act, with its reason."""

    tombstone_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class SupersedeMemory:
    """Replace an old memory by a new one: the new one is live, the old one's time of being true ends."""

    old_id: str
    new_id: str


@dataclass(frozen=True, slots=True)
class ReleaseMemory:
    """A held memory stands by itself after all."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class SettleDispute:
    """Two disputed memories both stand: each gets back the trust its evidence gives."""

    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProposeReview:
    """Put a change into the review queue. A fingerprint that was ever proposed is not proposed again."""

    kind: ReviewKind
    fingerprint: str
    if_accepted: str
    why: str
    if_dismissed: str | None = None
    space_id: str | None = None
    before_id: str | None = None
    after_id: str | None = None


@dataclass(frozen=True, slots=True)
class AcceptReview:
    """Perform the stored change and close the item, in one transaction. `text` replaces the held memory's words."""

    review_id: str
    reason: str = ""
    text: str | None = None
    text_key: str | None = None


@dataclass(frozen=True, slots=True)
class DismissReview:
    """Close the item without its change; it is never proposed again."""

    review_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ExpireReview:
    """Close an item that can't be performed any more."""

    review_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """Take back what a journal entry did to the rows, unless something later rests on it."""

    seq: int


@dataclass(frozen=True, slots=True)
class RecordFeedback:
    """A recalled memory was used, helpful or wrong."""

    memory_id: str
    verdict: FeedbackVerdict


@dataclass(frozen=True, slots=True)
class AddSource:
    """Register something outside. The same kind and ref in the same space is one source."""

    kind: SourceKind
    ref: str
    title: str
    space_id: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class AddPassages:
    """Store verbatim units of a source; those it has already are left alone."""

    source_id: str
    passages: tuple[NewPassage, ...]


@dataclass(frozen=True, slots=True)
class MarkPassagesGone:
    """Passages a re-import no longer found: kept for what rests on them, gone from recall."""

    source_id: str
    passage_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoveSource:
    """Delete a source with its passages; evidence that rested on them keeps its quote and loses its place."""

    source_id: str


Change = (
    CreateSpace
    | EditSpace
    | DeleteSpace
    | CaptureMemory
    | RecordRejection
    | ConfirmMemory
    | UnconfirmMemory
    | PinMemory
    | UnpinMemory
    | RetypeMemory
    | RetagMemory
    | MoveMemory
    | ForgetMemory
    | AddSource
    | AddPassages
    | MarkPassagesGone
    | RemoveSource
    | RetractMemory
    | LiftTombstone
    | SupersedeMemory
    | ReleaseMemory
    | SettleDispute
    | ProposeReview
    | AcceptReview
    | DismissReview
    | ExpireReview
    | UndoEntry
    | RecordFeedback
)

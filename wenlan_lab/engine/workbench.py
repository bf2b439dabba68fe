"""Workbench: the object people hold, and the one place where everything is put together.

A workbench is a folder: `truth.db` (back this up), `pages/`, and `derived/` (delete it whenever you like). Clock, ids,
embedder, index and reranker are given here, as arguments; nothing below looks for its own.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from wenlan_lab.engine import capture as capturing
from wenlan_lab.engine import providers, recall, valid_time
from wenlan_lab.engine.corrections import Corrections
from wenlan_lab.engine.doctor import Diagnosis, diagnose
from wenlan_lab.engine.gate import GateSettings
from wenlan_lab.engine.importing import SourcesOfWorkbench
from wenlan_lab.engine.journals import JournalOfWorkbench
from wenlan_lab.engine.memory_views import History, Why, history_of, why_of
from wenlan_lab.engine.settings import Settings
from wenlan_lab.engine.spaces import SpacesOfWorkbench
from wenlan_lab.engine.status import WorkbenchStatus, status_of
from wenlan_lab.errors import IntegrityBroken, InvalidRequest
from wenlan_lab.model.actors import Actor, parse_actor
from wenlan_lab.model.changes import Change
from wenlan_lab.model.memories import Memory
from wenlan_lab.model.outcomes import Receipt, Written
from wenlan_lab.model.ports import Clock, Embedder, NewId, Progress, Reranker, VectorIndex
from wenlan_lab.model.results import Listing, RecallResult
from wenlan_lab.store import effects, memories, migrate, verify, write
from wenlan_lab.store.connection import open_truth

if TYPE_CHECKING:
    from wenlan_lab.engine.features import Features
    from wenlan_lab.engine.index import Index

_SYSTEM_RANDOM = random.SystemRandom()
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def utc_now() -> datetime:
    """The default clock."""
    return datetime.now(UTC)


def ulid_ids(
    milliseconds: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    randbits: Callable[[int], int] = _SYSTEM_RANDOM.getrandbits,
) -> NewId:
    """The default id source: ULIDs (48 bits of time, 80 random ones), strictly increasing within one source."""
    last = 0

    def new_id(prefix: str) -> str:
        nonlocal last
        last = max((milliseconds() << 80) | randbits(80), last + 1)
        return prefix + "_" + "".join(_CROCKFORD[(last >> shift) & 31] for shift in range(125, -1, -5))

    return new_id


class Workbench(Corrections):
    """An open workbench. Use it as a context manager, or call `close()`; one object belongs to one thread."""

    def __init__(
        self,
        folder: str | Path,
        *,
        embedder: Embedder | str | None = "default",
        reranker: Reranker | None = None,
        clock: Clock = utc_now,
        new_id: NewId | None = None,
        settings: Settings | None = None,
        default_space: str | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """Open `folder`, creating it when missing.

        embedder: a name for `wenlan_lab.open` ("default", "hash", "none", or a sentence-transformers model), or any
        object of the Embedder port. say: called with one line when something slow happens, e.g. a model is loaded.
        """
        self.folder = Path(folder).expanduser()
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidRequest(f"{self.folder} is a file: a workbench is a folder, name another path.")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidRequest(f"{self.folder} can't be made ({error.strerror}): name another folder.") from error
        self.settings = settings if settings is not None else Settings()
        self.clock = clock
        self.new_id = new_id if new_id is not None else ulid_ids()
        self.default_space = default_space
        self.actor = parse_actor(self.settings.actor)
        self.reranker = reranker
        self._say = say or (lambda _message: None)
        self._embedder = embedder
        self.truth = open_truth(self.folder)
        migrate.migrate(self.truth, str(self.folder), clock().isoformat())
        effects.watch(self.truth)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files. Nothing has to be saved: what was receipted is on disk."""
        if "index" in self.__dict__:
            self.index.close()
        self.truth.close()

    def __repr__(self) -> str:
        return f"Workbench({str(self.folder)!r})"

    # Parts ----------------------------------------------------------------------------------------------------------

    @cached_property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors; None when there is none. Its weights load on first need."""
        wanted = self.settings.embedder if self._embedder == "default" else self._embedder
        return providers.embedder_for(wanted, threads=self.settings.threads, say=self._say)

    @cached_property
    def index(self) -> Index:
        """The derived data, opened on first need."""
        from wenlan_lab.engine.index import Index

        return Index(self.folder / "derived", self.truth, self.embedder, self._vector_index)

    def _vector_index(self) -> VectorIndex:
        dimensions = self.embedder.dimensions if self.embedder is not None else 1
        return providers.vector_index_for(dimensions, threads=self.settings.threads)

    @cached_property
    def gate_settings(self) -> GateSettings:
        """How strictly captures are judged."""
        return GateSettings(enabled=self.settings.gate)

    @cached_property
    def spaces(self) -> SpacesOfWorkbench:
        """Named scopes: create, rename, describe, delete."""
        return SpacesOfWorkbench(self)

    @cached_property
    def sources(self) -> SourcesOfWorkbench:
        """What is outside: import, list, remove."""
        return SourcesOfWorkbench(self)

    @cached_property
    def journal(self) -> JournalOfWorkbench:
        """The record of every change."""
        return JournalOfWorkbench(self)

    # Writing --------------------------------------------------------------------------------------------------------

    def apply(self, change: Change, actor: Actor | str | None = None) -> Written:
        """Apply one change through the one write path."""
        return self.apply_all([change], actor)[0]

    def apply_all(self, changes: Sequence[Change], actor: Actor | str | None = None) -> list[Written]:
        """Apply several changes in one transaction."""
        who = self._actor(actor)
        return write.apply_all(self.truth, changes, actor=who, clock=self.clock, new_id=self.new_id)

    def _actor(self, actor: Actor | str | None) -> Actor:
        if actor is None:
            return self.actor
        return actor if isinstance(actor, Actor) else parse_actor(actor)

    def valid_time(self, stated: str | None, fields: Mapping[str, str]) -> tuple[str | None, Any]:
        """From when a claim is true, and the rule that said so."""
        return valid_time.decide(stated, fields, self.clock())

    def capture(
        self,
        text: str,
        type: str | None = None,
        space: str | None = None,
        fields: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        evidence: Sequence[object] = (),
        supersedes: str | None = None,
        valid_from: str | None = None,
        actor: Actor | str | None = None,
        *,
        allow_unembedded: bool | None = None,
    ) -> Receipt:
        """Store one statement, unless the gate refuses it or it is known; the receipt says which.

        text: up to 1,000,000 characters. type: identity, preference, decision, fact, lesson or gotcha (default: an
        unstated fact). space: an existing space. fields: the type's own, e.g. {"claim": …}. evidence: passage ids,
        quotes or {"quote", "passage"}. supersedes: the id of the memory this one replaces. valid_from: ISO date from
        when it is true. actor: "person", "agent:NAME" or "process:NAME". Raises InvalidRequest for arguments that
        can't work; a refusal is a receipt, not an error.
        """
        item = capturing.NewCapture(text, type, space, fields, tags, evidence, valid_from, supersedes)
        return self.capture_many([item], actor, allow_unembedded=allow_unembedded)[0]

    def capture_many(
        self,
        items: Iterable[capturing.NewCapture | Mapping[str, Any] | str],
        actor: Actor | str | None = None,
        *,
        allow_unembedded: bool | None = None,
        progress: Progress | None = None,
    ) -> list[Receipt]:
        """Capture many: embedded in batches, one transaction for each batch, one receipt for each item in order.

        items: texts, mappings with the arguments of `capture`, or NewCapture. progress: called with (done, total).
        """
        allowed = self.settings.allow_unembedded if allow_unembedded is None else allow_unembedded
        listed = items if isinstance(items, Sequence) else list(items)
        if isinstance(listed, str):
            raise InvalidRequest("capture_many takes a list of items; use capture for one text.")
        return capturing.capture_all(
            self, listed, actor=self._actor(actor), allow_unembedded=allowed, progress=progress, total=len(listed)
        )

    # Reading --------------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        k: int = 8,
        space: str | None = None,
        types: Sequence[str] | None = None,
        as_of: str | datetime | None = None,
        known_at: str | datetime | None = None,
        include: Sequence[str] = (),
    ) -> RecallResult:
        """The k things in this workbench that answer `query` best, memories and passages together.

        space: a name, "uncategorized", or None for everything. types: memory types, "memory" or "passage". as_of: what
        was true in the world then. known_at: what this workbench knew then. include: hidden things to show as well, of
        "drafts", "held", "superseded", "retracted", "rejected". Reads write nothing to the truth.
        """
        moments = valid_time.moment(as_of, self.clock(), "as_of"), valid_time.moment(known_at, self.clock(), "known_at")
        return recall.recall(self, recall.Request(query, k, space, tuple(types or ()), tuple(include), *moments))

    def features(self, query: str, space: str | None = None) -> tuple[tuple[str, ...], Features]:
        """What the ranking sees of `query`'s candidates: their ids (n,), and the matrix (n, features) with its names.

        For those who train or study a fusion of their own; `evals/train_fusion.py` does.
        """
        return recall.features_of(self, recall.Request(query, 1, space, (), ()))

    def memory(self, id: str) -> Memory:
        """One memory, whatever its status. Raises NotFound."""
        return memories.get(self.truth, id)

    def memories(self, space: str | None = None, type: str | None = None, most: int = 50) -> Listing[Memory]:
        """Live memories, last changed first."""
        return self.spaces.memories(space, type, most)

    def history(self, id: str) -> History:
        """Every state a memory was in, and the journal entries that made it so."""
        return history_of(self.truth, id)

    def why(self, id: str) -> Why:
        """What a memory rests on: its evidence, or who asserted it."""
        return why_of(self.truth, id)

    def status(self) -> WorkbenchStatus:
        """Counts, sizes and what is waiting."""
        return status_of(self)

    # Upkeep ---------------------------------------------------------------------------------------------------------

    def verify(self, *, strict: bool = False) -> tuple[str, ...]:
        """Check every invariant of the truth. Returns what is broken; with strict=True raises IntegrityBroken."""
        found = tuple(verify.problems(self.truth))
        if found and strict:
            raise IntegrityBroken(found)
        return found

    def rebuild(self, progress: Progress | None = None) -> WorkbenchStatus:
        """Delete the derived index and follow the journal from its beginning; vectors are taken from their cache."""
        self.index.discard()
        self.index.catch_up(embed_at_most=None, progress=progress)
        return self.status()

    def embed(self, progress: Progress | None = None) -> tuple[str, ...]:
        """Embed everything that waits for its vector. Returns notes on what could not be done."""
        return self.index.catch_up(embed_at_most=None, progress=progress)

    def doctor(self) -> Diagnosis:
        """Check the installation and this workbench, and try a whole capture and recall in a folder of its own."""
        return diagnose(self)

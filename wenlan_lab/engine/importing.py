"""wb.sources: bringing in what is outside, verbatim, and taking it out again.

An import is a row of small transactions (a source, then its passages in parts), so an interrupt loses nothing that was
reported; importing again goes on where it stopped, adds what is new, marks what is gone, and touches nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wenlan_lab.engine import faces
from wenlan_lab.engine.importers.batches import ImportBatch, ImportedSource, Skipped
from wenlan_lab.engine.importers.chunks import estimate_tokens
from wenlan_lab.engine.importers.detect import read
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model import shown
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import AddPassages, AddSource, CreateSpace, MarkPassagesGone, RemoveSource
from wenlan_lab.model.outcomes import PassagesAdded, Receipt
from wenlan_lab.model.ports import Progress
from wenlan_lab.model.results import Listing
from wenlan_lab.model.sources import NewPassage, Passage, Source
from wenlan_lab.model.spaces import UNCATEGORIZED
from wenlan_lab.store import sources, spaces

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

PASSAGES_A_CHANGE = 500


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import came to. `known` passages were there already, `gone` ones the outside no longer has."""

    path: str
    format: str
    sources: int
    added: int
    known: int
    gone: int
    redactions: int
    spaces: tuple[str, ...]
    quirks: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return shown.text_table(faces.import_table(self))

    def _repr_html_(self) -> str:
        return shown.html_table(faces.import_table(self))


@dataclass(frozen=True, slots=True)
class Removal:
    """What removing a source takes with it: its passages, and the memories whose evidence loses its place."""

    source: Source
    passages: int
    resting: tuple[str, ...]

    def __repr__(self) -> str:
        return shown.text_table(faces.removal_table(self))

    def _repr_html_(self) -> str:
        return shown.html_table(faces.removal_table(self))


@dataclass(frozen=True, slots=True)
class SourcesOfWorkbench:
    """The sources of one workbench."""

    wb: Workbench

    def list(self) -> Listing[Source]:
        """All sources, first added first."""
        found = sources.listed(self.wb.truth)
        names = {space.id: space.name for space in spaces.listed(self.wb.truth)}
        return Listing(found, shown.sources_table(found, names))

    def get(self, source_id: str) -> Source:
        """One source. Raises NotFound."""
        return sources.get(self.wb.truth, source_id)

    def passages(self, source_id: str) -> tuple[Passage, ...]:
        """The passages of a source in reading order, those that are gone included."""
        return sources.passages_of(self.wb.truth, self.get(source_id).id)

    def import_file(
        self,
        path: str | Path,
        *,
        format: str | None = None,
        conversation: str | None = None,
        space: str | None = None,
        actor: Actor | str | None = None,
        progress: Progress | None = None,
        embed: bool = True,
    ) -> ImportReport:
        """Import a file or folder: LoCoMo, LongMemEval, turns as JSONL, .md, .txt; the format is told by its content.

        space: an existing space for all of it (default: the space each format names, made when it is new).
        conversation: one LoCoMo conversation or LongMemEval question alone. embed=False leaves vectors for later.
        """
        batch = read(Path(path), format=format, conversation=conversation, count_tokens=self._count_tokens)
        return self.import_batch(batch, path=str(path), space=space, actor=actor, progress=progress, embed=embed)

    def import_batch(
        self,
        batch: ImportBatch,
        *,
        path: str = "",
        space: str | None = None,
        actor: Actor | str | None = None,
        progress: Progress | None = None,
        embed: bool = True,
    ) -> ImportReport:
        """Import what a reader of `wenlan_lab.importers` returned."""
        forced = None if space is None else self._space_id(space)
        total = sum(len(source.passages) for source in batch.sources)
        counted: Counter[str] = Counter()
        names: dict[str, None] = {}
        for imported in batch.sources:
            space_id = forced if space is not None else self._ensure_space(imported.space, actor)
            names[space or imported.space or UNCATEGORIZED] = None
            for added, known, gone in self._import_source(imported, space_id, actor):
                counted.update(added=added, known=known, gone=gone)
                if progress is not None:
                    progress(counted["added"] + counted["known"], total)
        notes = self.wb.index.catch_up(embed_at_most=None if embed else 0, progress=progress) if embed else ()
        return ImportReport(
            path,
            batch.format,
            len(batch.sources),
            counted["added"],
            counted["known"],
            counted["gone"],
            sum(passage.redactions for source in batch.sources for passage in source.passages),
            tuple(names),
            batch.quirks,
            batch.skipped,
            notes,
        )

    def _import_source(
        self, imported: ImportedSource, space_id: str | None, actor: Actor | str | None
    ) -> Iterator[tuple[int, int, int]]:
        change = AddSource(imported.kind, imported.ref, imported.title, space_id, imported.digest)
        outcome = self.wb.apply(change, actor).outcome
        source_id = next(iter(getattr(outcome, "ids", ()) or (getattr(outcome, "id", ""),)))
        found = {_identity(passage): passage for passage in sources.passages_of(self.wb.truth, source_id)}
        fresh, wanted = list[NewPassage](), set()
        for passage in imported.passages:
            identity = _identity(passage)
            wanted.add(identity)
            stored = found.get(identity)
            if stored is None or stored.gone:
                fresh.append(passage)
        yield 0, len(imported.passages) - len(fresh), 0
        for at in range(0, len(fresh), PASSAGES_A_CHANGE):
            part = tuple(fresh[at : at + PASSAGES_A_CHANGE])
            done = self.wb.apply(AddPassages(source_id, part), actor).outcome
            added = len(done.ids) if isinstance(done, PassagesAdded) else 0
            yield added, len(part) - added, 0
        gone = tuple(p.id for identity, p in found.items() if identity not in wanted and not p.gone)
        if gone:
            self.wb.apply(MarkPassagesGone(source_id, gone), actor)
            yield 0, 0, len(gone)

    def _ensure_space(self, name: str | None, actor: Actor | str | None) -> str | None:
        if name is None:
            return None
        known = spaces.by_name(self.wb.truth, name)
        if known is None:
            self.wb.apply(CreateSpace(name), actor)
            known = spaces.by_name(self.wb.truth, name)
        return known.id if known else None

    def _space_id(self, name: str) -> str | None:
        return None if name.strip().lower() == UNCATEGORIZED else self.wb.spaces.find(name).id

    def _count_tokens(self, text: str) -> int:
        count = getattr(self.wb.embedder, "count_tokens", None)
        return int(count(text)) if count is not None else estimate_tokens(text)

    def removal(self, source_id: str) -> Removal:
        """What `remove` would take: to be shown before it is done."""
        truth = self.wb.truth
        source = sources.get(truth, source_id)
        return Removal(source, sources.passage_count(truth, source_id), sources.resting_on(truth, source_id))

    def remove(self, source_id: str, *, even_if_resting: bool = False, actor: Actor | str | None = None) -> Receipt:
        """Delete a source and its passages. Memories that rest on it stay, with evidence that says the source is gone.

        When memories rest on it the call is refused and lists them, unless even_if_resting=True.
        """
        report = self.removal(source_id)
        if report.resting and not even_if_resting:
            raise InvalidRequest(
                f"{len(report.resting)} memories rest on {report.source.ref!r} ({', '.join(report.resting[:5])}…): "
                "remove it with even_if_resting=True; they stay and say that their source was removed."
            )
        done = self.wb.apply(RemoveSource(source_id), actor)
        detail = f"source {report.source.ref!r} is removed with {report.passages} passages"
        return Receipt(done.seq, "Applied", source_id, detail=detail)


def _identity(passage: NewPassage | Passage) -> tuple[str, int, str, str]:
    return passage.thread, passage.position, passage.ref, sources.text_digest(passage.text)

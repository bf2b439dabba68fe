"""wb.journal: reading the record of every change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wenlan_lab.engine import faces
from wenlan_lab.errors import NotFound
from wenlan_lab.model.results import Listing
from wenlan_lab.store import journal, rejections
from wenlan_lab.store.journal import Entry
from wenlan_lab.store.rejections import RejectedCapture

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench


@dataclass(frozen=True, slots=True)
class JournalOfWorkbench:
    """Reads the journal of one workbench."""

    wb: Workbench

    def entries(
        self,
        subject: str | None = None,
        *,
        actor: str | None = None,
        since: str | None = None,
        until: str | None = None,
        most: int = 50,
    ) -> Listing[Entry]:
        """Entries, newest first; narrowed by the id they touched, by actor, by time (ISO in UTC, `until` excluded)."""
        found = journal.entries(self.wb.truth, subject=subject, actor=actor, since=since, until=until, most=most)
        notes = (f"the {most} newest: there may be more.",) if len(found) == most else ()
        return Listing(found, faces.entries_table(found, notes=notes))

    def payload(self, seq: int) -> dict[str, Any]:
        """The stored Change and its effects on the rows, as plain values."""
        found = journal.payload(self.wb.truth, seq)
        if found is None:
            raise NotFound(f"there is no journal entry {seq}: the newest is {journal.last_seq(self.wb.truth)}.")
        return found

    def rejections(self, most: int = 50) -> Listing[RejectedCapture]:
        """Refused captures, newest first."""
        found = rejections.newest(self.wb.truth, most)
        return Listing(found, faces.rejections_table(found))

    def __len__(self) -> int:
        return journal.last_seq(self.wb.truth)

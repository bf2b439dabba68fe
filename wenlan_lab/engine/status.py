"""wb.status(): counts, sizes and what is waiting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wenlan_lab.derived import vectors
from wenlan_lab.engine import faces
from wenlan_lab.model import shown
from wenlan_lab.store import counts, journal

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench


@dataclass(frozen=True, slots=True)
class WorkbenchStatus:
    """What is in a workbench. `waiting` entries have no vector yet; `behind` journal entries aren't indexed yet."""

    folder: str
    memories: int
    by_type: Mapping[str, int]
    by_trust: Mapping[str, int]
    spaces: int
    sources: int
    passages: int
    rejections: int
    journal: int
    behind: int
    waiting: int
    embedder: str
    bytes: Mapping[str, int]

    def __repr__(self) -> str:
        return shown.text_table(faces.status_table(self))

    def _repr_html_(self) -> str:
        return shown.html_table(faces.status_table(self))


def status_of(wb: Workbench) -> WorkbenchStatus:
    """Counts from the truth, and how far the derived index is. Writes nothing."""
    found = counts.of(wb.truth)
    last = journal.last_seq(wb.truth)
    index = wb.index
    files = [path for path in wb.folder.rglob("*") if path.is_file()]
    derived = wb.folder / "derived"
    in_derived = sum(path.stat().st_size for path in files if derived in path.parents)
    return WorkbenchStatus(
        folder=str(wb.folder),
        memories=found.memories,
        by_type=found.by_type,
        by_trust=found.by_trust,
        spaces=found.spaces,
        sources=found.sources,
        passages=found.passages,
        rejections=found.rejections,
        journal=last,
        behind=last - index.watermark,
        waiting=vectors.waiting(index.connection),
        embedder=wb.embedder.identity if wb.embedder is not None else "none",
        bytes={"truth": sum(path.stat().st_size for path in files) - in_derived, "derived": in_derived},
    )

"""For tests of wenlan_lab and of what is built on it: a clock that stands still, ids that count, an embedder without
a model. Same inputs then give the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wenlan_lab.derived.hash_embedder import HashEmbedder

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

__all__ = ["FixedClock", "HashEmbedder", "SequentialIds", "seeded_workbench"]


@dataclass(slots=True)
class FixedClock:
    """A clock that only moves when told to."""

    now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **parts: float) -> datetime:
        """Move on by `timedelta(**parts)`."""
        self.now += timedelta(**parts)
        return self.now


@dataclass(slots=True)
class SequentialIds:
    """Ids that count: mem_000001, mem_000002, …, one row of numbers for all prefixes."""

    last: int = field(default=0)

    def __call__(self, prefix: str) -> str:
        self.last += 1
        return f"{prefix}_{self.last:06d}"


def seeded_workbench(folder: str | Path, texts: Iterable[str] = ()) -> Workbench:
    """A workbench with a fixed clock, counting ids and the hash embedder, holding `texts` as memories."""
    from wenlan_lab.engine.workbench import Workbench

    wb = Workbench(folder, embedder=HashEmbedder(), clock=FixedClock(), new_id=SequentialIds())
    wb.capture_many(list(texts))
    return wb

"""A workbench with everything injected, and what tests of correction ask of it again and again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import wenlan_lab
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.testing import FixedClock, HashEmbedder, SequentialIds

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
AGENT = "agent:logbook"
TEA = {"preference": "tea", "applies_when": "mornings"}
COFFEE = {"preference": "coffee", "applies_when": "mornings"}
WISH = "I prefer coffee over tea"


def opened(folder: Path, clock: FixedClock | None = None, first_id: int = 0) -> Workbench:
    """A workbench in `folder`."""
    clock = clock if clock is not None else FixedClock(START)
    return wenlan_lab.open(folder, embedder=HashEmbedder(), clock=clock, new_id=SequentialIds(first_id))


def texts(wb: Workbench, query: str, **options: object) -> list[str]:
    """The texts of a recall."""
    return [hit.text for hit in wb.recall(query, **options)]  # type: ignore[arg-type]


def held(wb: Workbench, space: str | None = None) -> tuple[str, str, str]:
    """A preference, and an agent's wish to change it: ids of the old one, the held one and the review item."""
    old = wb.capture("I prefer tea over coffee", "preference", space, fields=TEA)
    new = wb.capture(WISH, "preference", space, fields=COFFEE, actor=AGENT)
    assert new.outcome == "Held", new
    item = next(item for item in wb.reviews.pending() if item.after_id == new.id)
    return str(old.id), str(new.id), item.id


def buried(wb: Workbench, text: str, space: str | None = None) -> str:
    """A claim that was captured as a fact and rejected for good."""
    receipt = wb.capture(text, "fact", space)
    wb.retract(str(receipt.id), "measured otherwise", as_false=True)
    return str(receipt.id)


def state(wb: Workbench) -> list[str]:
    """Everything in the truth."""
    return list(wb.truth.iterdump())


def on_disk(wb: Workbench) -> bytes:
    """Every byte of the folder, the write-ahead logs included."""
    return b"".join(path.read_bytes() for path in wb.folder.rglob("*") if path.is_file())

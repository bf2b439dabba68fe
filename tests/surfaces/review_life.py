"""A workbench in whose queue something waits."""

from datetime import UTC, datetime

from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.testing import FixedClock, HashEmbedder, SequentialIds

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
AGENT = "agent:logbook"
NAMES = ["amber", "basalt", "cobalt", "dune", "ember", "flint", "granite", "hazel", "indigo", "jade", "kelp", "larch"]


def empty_lab(folder):
    """A workbench whose clock stands still and whose ids count."""
    return Workbench(folder, embedder=HashEmbedder(), clock=FixedClock(START), new_id=SequentialIds())


def proposal(wb, before, after, *, space=None, evidence=(), supersedes=True):
    """A confirmed memory, and an agent that wants to replace it; returns (the memory's id, the review item)."""
    old = wb.capture(before, type="fact", space=space).id
    wb.confirm(old)
    receipt = wb.capture(
        after, type="fact", space=space, evidence=evidence, supersedes=old if supersedes else None, actor=AGENT
    )
    assert receipt.outcome == "Held", receipt
    item = next(item for item in wb.reviews.pending(most=1000) if item.after_id == receipt.id)
    return old, item


def many(wb, count, *, space=None):
    """So many proposals about different things."""
    return [
        proposal(
            wb,
            f"The {NAMES[n % 12]}{n} valve number {n} opens at 4 degrees.",
            f"The {NAMES[n % 12]}{n} valve number {n} opens at 6 degrees.",
            space=space,
        )[1]
        for n in range(count)
    ]


def dispute(wb, before="The intake valve opens at 4 degrees.", after="The intake valve opens at 9 degrees."):
    """Two statements that can't both be true, both of them live."""
    wb.capture(before)
    wb.capture(after)
    return next(item for item in wb.reviews.pending() if item.kind == "contradiction")

"""A scripted life of 500 writes, and what the review queue says of it: evals/results/review_life.json.

    python evals/review_life.py

Four writers (a person, two agents, an import) tell and retell what a station knows, over 250 days, from a fixed seed. A
person looks at the queue once a week and decides up to five items. The figures are counts and simulated days, so they
are the same on every machine; only the seconds are not.
"""

from __future__ import annotations

import dataclasses
import json
import random
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import wenlan_lab
from wenlan_lab.testing import FixedClock, HashEmbedder, SequentialIds

SEED, WRITES = 7, 500
OUT = Path(__file__).parent / "results" / "review_life.json"
SUBJECTS = [
    f"{where} {what}" for where in ("north", "south", "upper", "lower") for what in ("pump", "valve", "gauge", "mast")
]
WRITERS = ["person", "person", "agent:logbook", "agent:logbook", "agent:summary", "process:import"]


def write(wb: wenlan_lab.Workbench, chance: random.Random) -> wenlan_lab.Receipt:
    """One capture: a fact, a preference or an identity about one of the subjects."""
    subject, value, actor = chance.choice(SUBJECTS), chance.randint(1, 9), chance.choice(WRITERS)
    kind = chance.choices(["fact", "preference", "identity", "decision"], [6, 3, 1, 2])[0]
    match kind:
        case "preference":
            text = f"I prefer to open the {subject} at {value} degrees"
            fields = {"preference": f"{value} degrees", "applies_when": f"opening the {subject}"}
        case "decision":
            text = f"We decided to service the {subject} every {value} weeks"
            fields = {"decision": f"every {value} weeks", "context": f"service of the {subject}"}
        case _:
            verb = "is my duty from" if kind == "identity" else "stalls below"
            text = f"The {subject} {verb} {value} degrees"
            fields = {"claim": text}
    return wb.capture(text, kind, fields=fields, actor=actor)


def main() -> None:
    """Live, decide, and write the figures."""
    chance, clock, outcomes = random.Random(SEED), FixedClock(), dict[str, int]()  # noqa: S311 - a seeded script
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        wb = wenlan_lab.open(folder, embedder=HashEmbedder(), clock=clock, new_id=SequentialIds())
        for at in range(WRITES):
            receipt = write(wb, chance)
            outcomes[receipt.outcome] = outcomes.get(receipt.outcome, 0) + 1
            clock.advance(hours=12)
            if at % 14 == 13:
                for item in wb.reviews.pending(most=5):
                    decide = wb.reviews.accept if chance.random() < 0.6 else wb.reviews.dismiss
                    try:
                        decide(item.id, "looked at")
                    except wenlan_lab.InvalidRequest as refused:
                        wb.reviews.dismiss(item.id, str(refused)[:80])
        lived = time.perf_counter()
        problems = wb.verify()
        figures = {
            "seed": SEED,
            "writes": WRITES,
            "simulated_days": (clock.now - FixedClock().now) / timedelta(days=1),
            "outcomes": dict(sorted(outcomes.items())),
            "stats": dataclasses.asdict(wb.reviews.stats()),
            "journal_entries": len(wb.journal),
            "problems": list(problems),
            "seconds": {"life": round(lived - started, 2), "verify": round(time.perf_counter() - lived, 2)},
        }
        wb.close()
    OUT.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()

"""Sixty short lives in which something changes, or only seems to: what must recall, history and the queue say?

The expectations were written by hand as a person would want them, by somebody who knew the rules of the engine; those it
misses stay in the file, and the pass rate is printed and held as measured. (expo-llm-wiki publishes 23 of 25 on its own scenarios of these families.)
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.engine.life import START, opened
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.testing import FixedClock

FILE = Path(__file__).parents[1] / "data" / "supersession_scenarios.jsonl"
SCENARIOS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
PASSED = 58  # of 60; missed: two people with near names who both may do it, and a swapped order without fields


def lived(wb: Workbench, clock: FixedClock, scenario: dict[str, Any]) -> list[str]:
    """Do the steps; returns the outcome of each."""
    outcomes: list[str] = []
    ids: list[str] = []
    for step in scenario["steps"]:
        clock.now = START + timedelta(days=step["day"])
        of = step.get("supersedes")
        receipt = wb.capture(
            step["text"], step["type"], step.get("space"), step.get("fields"), actor=step["by"],
            supersedes=None if of is None else ids[of], valid_from=step.get("valid_from"),
        )  # fmt: skip
        outcomes.append(receipt.outcome)
        ids.append(receipt.id or "")
        if step.get("confirm"):
            wb.confirm(ids[-1])
        if step.get("pin"):
            wb.pin(ids[-1])
        if step.get("undo"):
            wb.undo(receipt.seq or 0)
        if step.get("reject") or step.get("retract"):
            wb.retract(ids[-1], "measured again", as_false=bool(step.get("reject")))
        if step.get("decide"):
            item = next((item.id for item in wb.reviews.pending() if item.after_id == ids[-1]), "")
            if step["decide"] == "accept":
                wb.reviews.accept(item, text=step.get("words"))
            else:
                wb.reviews.dismiss(item, "no")
        if step.get("then_retract"):
            wb.retract(ids[-1], "nobody said so")
    return outcomes


def problems(wb: Workbench, clock: FixedClock, scenario: dict[str, Any]) -> list[str]:
    """What is not as it should be."""
    outcomes, found = lived(wb, clock, scenario), []
    clock.now = START + timedelta(days=200)
    query = " ".join(dict.fromkeys(step["text"] for step in scenario["steps"]))
    seen = {hit.text for hit in wb.recall(query, k=50)}
    found += [f"not recalled: {text}" for text in scenario["current"] if text not in seen]
    found += [f"still recalled: {text}" for text in scenario["gone"] if text in seen]
    waiting = len(wb.reviews.pending())
    if waiting != scenario["waiting"]:
        found.append(f"{waiting} wait, not {scenario['waiting']}")
    if outcomes != scenario.get("outcomes", outcomes):
        found.append(f"outcomes {outcomes}")
    for day, texts in scenario.get("as_of", ()):
        then = [hit.text for hit in wb.recall(query, k=50, as_of=START + timedelta(days=day))]
        if sorted(then) != sorted(texts):
            found.append(f"on day {day}: {then}")
    for row in wb.memories(most=100):
        if not wb.history(row.id).versions:
            found.append(f"{row.id} has no history")
    return [*found, *wb.verify()]


def test_there_are_sixty_in_six_families() -> None:
    assert len({scenario["id"] for scenario in SCENARIOS}) == 60
    assert len({scenario["id"][:3] for scenario in SCENARIOS}) == 6


def test_an_expectation_that_is_turned_round_is_noticed(tmp_path: Path) -> None:
    turned = [
        {**row, "current": row["gone"], "gone": row["current"]} for row in SCENARIOS if row["gone"] and row["current"]
    ]
    assert len(turned) >= 30
    for row in turned:
        clock = FixedClock(START)
        wb = opened(tmp_path / row["id"], clock)
        for name in ("lab", "thesis"):
            wb.spaces.create(name)
        assert problems(wb, clock, row), row["id"]
        wb.close()


def test_as_many_scenarios_as_measured_come_out_as_a_person_would_want(tmp_path: Path) -> None:
    failed = {}
    for scenario in SCENARIOS:
        clock = FixedClock(START)
        wb = opened(tmp_path / scenario["id"], clock)
        for name in ("lab", "thesis"):
            wb.spaces.create(name)
        wrong = problems(wb, clock, scenario)
        wb.close()
        if wrong:
            failed[scenario["id"]] = wrong
    passed = len(SCENARIOS) - len(failed)
    print(f"\nsupersession scenarios: {passed} of {len(SCENARIOS)}")
    for name, wrong in failed.items():
        print(" ", name, "; ".join(wrong))
    assert passed >= PASSED, failed

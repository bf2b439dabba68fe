"""Nothing of one space is seen from another: every read, every pair of spaces, each with its positive control."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import wenlan_lab
from tests.engine.life import AGENT, opened
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.importers import ImportBatch, ImportedSource

SPACES = ("lab", "thesis", "uncategorized")
PAIRS = list(itertools.permutations(SPACES, 2))
MARKS = {"lab": "quartzbeacon", "thesis": "zephyrmarmot", "uncategorized": "cobaltheron"}
SHARED = "pump stalls gauge freezes metres station prefer valve winter"


def place(space: str) -> str | None:
    return None if space == "uncategorized" else space


@pytest.fixture(scope="module")
def wb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    made = opened(tmp_path_factory.mktemp("leak") / "w")
    for space in SPACES[:2]:
        made.spaces.create(space)
    for space in SPACES:
        mark, where = MARKS[space], place(space)
        made.capture(f"The {mark} pump stalls in winter", "gotcha", where, tags=[f"{mark}-tag"])
        made.capture(f"The {mark} gauge freezes in winter", "lesson", where)
        gone = made.capture(f"The {mark} valve was left open", "fact", where)
        made.retract(str(gone.id), f"{mark} closed it", as_false=True)
        for height in (1200, 1250):  # a dispute
            text = f"The {mark} station stands at {height} metres"
            made.capture(text, "fact", where, {"claim": text}, actor=AGENT)
        for drink in ("tea", "coffee"):  # a change that waits
            fields = {"preference": f"{mark} {drink}", "applies_when": "mornings"}
            made.capture(f"I prefer {mark} {drink}", "preference", where, fields, actor=AGENT)
        row = wenlan_lab.NewPassage(
            "D1:0", "s1", 0, f"Ada{mark}", None, f"The {mark} pump stalls again, says Ada", f"{mark} title"
        )
        source = ImportedSource(
            kind="chat", ref=f"chat-{mark}", title=f"A {mark} chat", space=where, digest="x", passages=(row,)
        )
        made.sources.import_batch(ImportBatch(sources=(source,), quirks={}, skipped=(), format="turns"))
    yield made
    assert made.verify() == ()
    made.close()


EVERYTHING = ("drafts", "held", "superseded", "retracted", "rejected")


def recalled(wb: Workbench, space: str, **options: object) -> str:
    found = wb.recall(SHARED, k=50, space=space, **options)  # type: ignore[arg-type]
    dropped = [wb.memory(drop.id).text for drop in found.trace.dropped if drop.id.startswith("mem_")]
    told = [
        repr(found),
        found._repr_html_(),
        repr(found.trace),
        str(found.to_dict()),
        *(repr(hit) for hit in found),
        *dropped,
    ]
    return "\n".join(told)


READS: dict[str, Callable[[Workbench, str], str]] = {
    "recall": recalled,
    "recall include": lambda wb, space: recalled(wb, space, include=EVERYTHING),
    "recall as_of": lambda wb, space: recalled(wb, space, as_of="2026-06-01"),
    "recall known_at": lambda wb, space: recalled(wb, space, known_at="2026-06-01"),
    "recall passages": lambda wb, space: recalled(wb, space, types=["passage"]),
    "memories": lambda wb, space: repr(wb.memories(space=space, most=1000)) + str(wb.memories(space=space).to_list()),
    "reviews.pending": lambda wb, space: repr(wb.reviews.pending(space=space).to_list()) + wb.reviews.pending(space=space)._repr_html_(),
    "reviews.list": lambda wb, space: "".join(map(repr, wb.reviews.list(space=space))),
    "features": lambda wb, space: "".join(
        wb.memory(id).text if id.startswith("mem_") else f"psg of {mark_of_passage(wb, id)}"
        for id in wb.features(SHARED, space=space)[0]
    ),
}  # fmt: skip


def mark_of_passage(wb: Workbench, passage_id: str) -> str:
    return next(p.text for source in wb.sources.list() for p in wb.sources.passages(source.id) if p.id == passage_id)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(("mine", "other"), PAIRS)
def test_a_read_within_one_space_says_nothing_of_another(wb: Workbench, read: str, mine: str, other: str) -> None:
    told = READS[read](wb, mine)
    assert MARKS[mine] in told  # the positive control
    assert MARKS[other] not in told
    assert MARKS[other] in READS[read](wb, other)


@pytest.mark.parametrize("read", [name for name in READS if name != "features"])
def test_a_blank_scope_reads_everything(wb: Workbench, read: str) -> None:
    told = READS[read](wb, "")
    assert all(mark in told for mark in MARKS.values())


@pytest.mark.parametrize(("mine", "other"), PAIRS)
def test_counts_are_of_their_space_alone(tmp_path: Path, mine: str, other: str) -> None:
    wb = opened(tmp_path / "w")
    for space in SPACES[:2]:
        wb.spaces.create(space)
    empty = wb.reviews.stats(space=other)
    for drink in ("tea", "coffee"):
        fields = {"preference": drink, "applies_when": "mornings"}
        wb.capture(f"I prefer {drink} in the mornings", "preference", place(mine), fields, actor=AGENT)
    stats = wb.reviews.stats(space=mine)
    assert (stats.arrivals, stats.waiting, stats.protected_writes, stats.protected_stopped) == (1, 1, 1, 1)
    assert wb.reviews.stats(space=other) == empty
    assert wb.reviews.stats().arrivals == 1
    assert wb.recall("prefer mornings", space=other).trace.candidates == 0
    assert [arm.found for arm in wb.recall("prefer mornings", space=other).trace.arms] == [0, 0]
    wb.close()


@pytest.mark.parametrize(("mine", "other"), PAIRS)
def test_a_receipt_names_no_neighbour_of_another_space(tmp_path: Path, mine: str, other: str) -> None:
    wb = opened(tmp_path / "w")
    for space in SPACES[:2]:
        wb.spaces.create(space)
    wb.capture("The pump in the cellar stalls when it is cold", space=place(mine))
    assert wb.capture("In the cellar the pump stalls when it is cold", space=place(other)).near_duplicate is None
    assert wb.capture("When it is cold the pump in the cellar stalls", space=place(mine)).near_duplicate is not None
    assert wb.capture("The pump in the cellar stalls when it is cold", space=place(other)).outcome == "Captured"
    wb.close()


def test_what_is_disputed_or_waits_and_is_moved_is_not_told_where_it_was(tmp_path: Path) -> None:
    wb = opened(tmp_path / "w")
    for space in SPACES[:2]:
        wb.spaces.create(space)
    ids = []
    for mark, height in (("amber", 1200), ("amber", 1250)):
        text = f"The {mark} station stands at {height} metres"
        ids.append(str(wb.capture(text, "fact", "lab", {"claim": text}, actor=AGENT).id))
    assert "1250" in repr(wb.recall("station metres", space="lab").trace)  # the positive control
    wb.move(ids[1], "thesis")
    told = repr(wb.recall("station metres", space="lab")) + repr(wb.reviews.list(space="lab").to_list())
    told += repr(wb.recall("station metres", space="lab").trace)
    assert "1200" in told
    assert "1250" not in told
    assert "1250" in repr(wb.reviews.list().to_list())
    wb.close()


def test_history_and_why_are_asked_by_id_and_tell_of_that_id_alone(wb: Workbench) -> None:
    for space in SPACES:
        for memory in wb.memories(space=space, most=1000):
            told = repr(wb.history(memory.id)) + repr(wb.why(memory.id)) + str(wb.history(memory.id).versions)
            assert all((mark in told) == (name == space) for name, mark in MARKS.items())

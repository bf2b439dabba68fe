"""Correction: what replaces what, who may, what waits, what stays out, what can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import wenlan_lab
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.testing import FixedClock, HashEmbedder, SequentialIds

TEA = {"preference": "tea", "applies_when": "mornings"}
COFFEE = {"preference": "coffee", "applies_when": "mornings"}


def opened(folder: Path, clock: FixedClock, first_id: int = 0) -> Workbench:
    return wenlan_lab.open(folder, embedder=HashEmbedder(), clock=clock, new_id=SequentialIds(first_id))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 1, 1, 9, tzinfo=UTC))


@pytest.fixture
def wb(tmp_path: Path, clock: FixedClock) -> Iterator[Workbench]:
    made = opened(tmp_path / "w", clock)
    yield made
    assert made.verify() == ()
    made.close()


def texts(wb: Workbench, query: str, **options: object) -> list[str]:
    return [hit.text for hit in wb.recall(query, **options)]  # type: ignore[arg-type]


def held(wb: Workbench) -> tuple[str, str]:
    """A preference, and an agent's wish to change it: (id of the old one, id of the review item)."""
    old = wb.capture("I prefer tea over coffee", "preference", fields=TEA)
    receipt = wb.capture("I prefer coffee over tea", "preference", fields=COFFEE, actor="agent:helper")
    assert (receipt.outcome, old.id is not None) == ("Held", True)
    return str(old.id), wb.reviews.pending()[0].id


def test_an_agents_change_of_a_preference_waits_and_recall_does_not_change(wb: Workbench) -> None:
    before_held = wb.capture("Tea is kept in the kitchen")
    _, item = held(wb)
    assert "I prefer coffee over tea" not in texts(wb, "tea or coffee")
    assert "I prefer coffee over tea" in texts(wb, "tea or coffee", include=["held"])  # the positive control
    wb.reviews.accept(item)
    found = texts(wb, "tea or coffee")
    assert "I prefer coffee over tea" in found
    assert "I prefer tea over coffee" not in found
    assert before_held.outcome == "Captured"


def test_a_person_changes_a_preference_at_once(wb: Workbench, clock: FixedClock) -> None:
    wb.capture("I prefer tea over coffee", "preference", fields=TEA)
    clock.advance(days=1)
    assert wb.capture("I prefer coffee over tea", "preference", fields=COFFEE).outcome == "Captured"
    assert texts(wb, "tea or coffee") == ["I prefer coffee over tea"]


@pytest.mark.parametrize("protect", ["pin", "confirm"])
def test_what_is_pinned_or_accepted_is_protected_whatever_its_type(wb: Workbench, protect: str) -> None:
    old = wb.capture("The station stands at 1200 metres", fields={"claim": "The station stands at 1200 metres"})
    getattr(wb, protect)(old.id)
    new = wb.capture("The station stands at 1250 metres", supersedes=old.id, actor="process:import")
    assert new.outcome == "Held"
    assert texts(wb, "station metres") == ["The station stands at 1200 metres"]


def test_a_tie_opens_a_dispute_that_is_shown_with_both_sides(wb: Workbench) -> None:
    for height in (1200, 1250):
        claim = f"The station stands at {height} metres"
        wb.capture(claim, fields={"claim": claim}, actor="agent:helper")
    result = wb.recall("station metres")
    assert {hit.trust for hit in result} == {"disputed"}
    assert any("is disputed" in note and "1250" in note for note in result.trace.notes)
    (item,) = wb.reviews.pending()
    assert (item.kind, item.before, item.after) == (
        "contradiction",
        "The station stands at 1200 metres",
        "The station stands at 1250 metres",
    )
    wb.reviews.dismiss(item.id, "both heights are right: two datums")
    assert {hit.trust for hit in wb.recall("station metres")} == {"asserted"}


def test_a_dismissed_proposal_made_a_hundred_times_again_adds_nothing(wb: Workbench) -> None:
    _, item = held(wb)
    wb.reviews.dismiss(item, "no")
    released = [memory.id for memory in wb.memories() if memory.text == "I prefer coffee over tea"]
    for memory_id in released:
        wb.retract(memory_id, "said by nobody")
    count = wb.reviews.stats().arrivals
    for _ in range(100):
        wb.capture("I prefer coffee over tea", "preference", fields=COFFEE, actor="agent:helper")
    assert wb.reviews.stats().arrivals == count
    assert wb.reviews.stats().waiting == 0
    assert texts(wb, "tea or coffee") == ["I prefer tea over coffee"]


def test_deciding_twice_changes_nothing_the_second_time(wb: Workbench) -> None:
    _, item = held(wb)
    assert wb.reviews.accept(item).outcome == "Applied"
    before = list(wb.truth.iterdump())
    assert wb.reviews.accept(item).outcome == "Unchanged"
    assert wb.reviews.dismiss(item).outcome == "Unchanged"
    assert list(wb.truth.iterdump()) == before


def test_two_accepts_from_two_workbenches_apply_once(tmp_path: Path, clock: FixedClock) -> None:
    one, two = opened(tmp_path / "w", clock), opened(tmp_path / "w", clock, 10_000)
    _, item = held(one)
    outcomes = sorted([one.reviews.accept(item).outcome, two.reviews.accept(item).outcome])
    assert outcomes == ["Applied", "Unchanged"]
    one.close()
    two.close()


def test_only_a_person_decides(wb: Workbench) -> None:
    _, item = held(wb)
    with pytest.raises(InvalidRequest, match="only a person"):
        wb.reviews.accept(item, actor="agent:helper")
    assert wb.reviews.stats().waiting == 1


def test_edit_then_accept_takes_the_persons_words(wb: Workbench) -> None:
    _, item = held(wb)
    wb.reviews.accept(item, text="I prefer coffee over tea, but only on Mondays")
    assert texts(wb, "tea or coffee") == ["I prefer coffee over tea, but only on Mondays"]


@pytest.mark.parametrize("erase", [False, True])
def test_a_rejected_claim_stays_out_of_every_write_path_until_it_is_lifted(wb: Workbench, erase: bool) -> None:
    claim = "The river froze in November this year"
    first = str(wb.capture(claim).id)
    wb.forget(first, "wrong", as_false=True) if erase else wb.retract(first, "wrong", as_false=True)
    other = "The lake froze in December this year"
    receipts = wb.capture_many([claim, claim.upper() + "!", f"  {claim}. ", other], actor="process:import")
    assert [receipt.outcome for receipt in receipts] == ["Rejected"] * 3 + ["Captured"]
    assert {receipt.reason.reason for receipt in receipts[:3] if receipt.reason} == {"claim_tombstoned"}
    with pytest.raises(InvalidRequest, match="reason"):
        wb.unforget(first, " ")
    wb.unforget(first, "the photo shows it")
    assert wb.capture(claim).outcome == "Captured"


def test_a_near_repetition_of_a_rejected_claim_waits_for_a_person(wb: Workbench) -> None:
    first = str(wb.capture("The river froze over in the middle of November this year").id)
    wb.retract(first, "wrong", as_false=True)
    receipt = wb.capture("In the middle of November the river froze over this year", actor="agent:helper")
    assert receipt.outcome == "Held"
    assert wb.reviews.pending()[0].kind == "near_tombstone"


def test_a_retracted_memory_is_hidden_and_undo_brings_it_back(wb: Workbench) -> None:
    first = str(wb.capture("The dome leaks in heavy rain").id)
    receipt = wb.retract(first, "it was repaired")
    assert texts(wb, "dome rain") == []
    assert texts(wb, "dome rain", include=["retracted"]) == ["The dome leaks in heavy rain"]
    wb.undo(receipt.seq or 0)
    assert texts(wb, "dome rain") == ["The dome leaks in heavy rain"]


def test_undo_of_an_undo_is_as_if_nothing_had_been_undone(wb: Workbench) -> None:
    first = wb.capture("The dome leaks in heavy rain")
    pinned = wb.pin(str(first.id))
    undone = wb.undo(pinned.seq or 0)
    assert not wb.memory(str(first.id)).pinned
    wb.undo(undone.seq or 0)
    assert wb.memory(str(first.id)).pinned


def test_undo_is_refused_with_what_stands_in_its_way(wb: Workbench) -> None:
    first = wb.capture("The dome leaks in heavy rain")
    later = wb.retag(str(first.id), ["roof"])
    before = list(wb.truth.iterdump())
    refused = wb.undo(first.seq or 0)
    assert refused.seq is None
    assert str(later.seq) in refused.detail
    assert list(wb.truth.iterdump()) == before


def test_undo_of_everything_newest_first_leaves_no_state(wb: Workbench) -> None:
    wb.spaces.create("lab")
    first = wb.capture("The dome leaks in heavy rain", space="lab")
    wb.capture("The dome leaks in light rain too", space="lab", supersedes=first.id)
    held(wb)
    wb.spaces.rename("lab", "laboratory")
    for seq in range(len(wb.journal), 0, -1):
        assert wb.undo(seq).outcome == "Applied", seq
    for table in ("memory", "space", "evidence", "review", "source", "passage"):
        assert wb.truth.execute(f"select count(*) from {table}").fetchone()[0] == 0  # noqa: S608 - names above


def test_an_agents_claim_that_was_undone_does_not_come_back_by_itself(wb: Workbench) -> None:
    receipt = wb.capture("The dome leaks in heavy rain", actor="agent:helper")
    wb.undo(receipt.seq or 0)
    again = wb.capture("the dome leaks in heavy rain", actor="agent:helper")
    assert again.outcome == "Rejected"


def test_forgetting_erases_the_bytes_everywhere_and_can_not_be_undone(wb: Workbench) -> None:
    kept, gone = "quartzbeacon seen at noon today", "zephyrmarmot seen at noon today"
    wb.capture(kept)
    first = wb.capture(gone, "fact", fields={"claim": "zephyrmarmot was seen"}, tags=["zephyrmarmot-tag"])
    wb.pin(str(first.id))
    wb.recall("zephyrmarmot")

    def on_disk() -> bytes:
        return b"".join(path.read_bytes() for path in wb.folder.rglob("*") if path.is_file())

    assert b"zephyrmarmot" in on_disk()
    places = wb.forget(str(first.id), "asked to", dry_run=True).places  # type: ignore[union-attr]
    assert {"memory", "version", "journal"} <= {place.kind for place in places}
    assert b"zephyrmarmot" in on_disk()
    receipt = wb.forget(str(first.id), "asked to")
    stored = on_disk()
    assert b"quartzbeacon" in stored  # the scan would see it
    assert b"zephyrmarmot" not in stored
    assert wb.verify() == ()
    assert wb.undo(receipt.seq or 0).outcome == "Unchanged"  # type: ignore[union-attr]
    assert wb.undo(first.seq or 0).outcome == "Unchanged"
    assert texts(wb, "zephyrmarmot", include=["retracted", "superseded", "held"]) in ([], [kept])


def test_the_four_answers_of_a_correction_made_later(wb: Workbench, clock: FixedClock) -> None:
    first = wb.capture("The glacier station stands at 1200 metres", valid_from="2026-01-01")
    clock.advance(days=4)
    wb.capture("The glacier station stands at 1250 metres", valid_from="2026-01-03", supersedes=first.id)
    clock.advance(days=4)
    answers = {
        (as_of, known_at): texts(wb, "glacier station metres", as_of=as_of, known_at=known_at)
        for as_of in ("2026-01-02", "2026-01-04") for known_at in ("2026-01-04", "2026-01-08")
    }  # fmt: skip
    low, high = ["The glacier station stands at 1200 metres"], ["The glacier station stands at 1250 metres"]
    assert answers == {
        ("2026-01-02", "2026-01-04"): low, ("2026-01-04", "2026-01-04"): low,
        ("2026-01-02", "2026-01-08"): low, ("2026-01-04", "2026-01-08"): high,
    }  # fmt: skip


def test_a_to_b_to_a_gives_three_periods_without_overlap_or_gap(wb: Workbench, clock: FixedClock) -> None:
    previous, ids = None, []
    for text in ("We use sensor A for pressure", "We use sensor B for pressure", "We use sensor A for pressure"):
        receipt = wb.capture(text, supersedes=previous)
        previous = receipt.id
        ids.append(str(receipt.id))
        clock.advance(days=10)
    periods = [(wb.memory(memory_id).valid_from, wb.memory(memory_id).valid_to) for memory_id in ids]
    assert [end for _, end in periods[:2]] == [start for start, _ in periods[1:]]
    assert periods[2][1] is None
    for day, text in ((5, "A"), (15, "B"), (25, "A")):
        assert texts(wb, "sensor pressure", as_of=f"2026-01-{day:02d}") == [f"We use sensor {text} for pressure"]


def test_an_archived_decision_is_still_shown_at_half_score(wb: Workbench, clock: FixedClock) -> None:
    old = wb.capture("We chose pandas for the sums", "decision", fields={"decision": "pandas", "context": "sums"})
    clock.advance(days=1)
    wb.capture(
        "We chose polars for the sums",
        "decision",
        fields={"decision": "polars", "context": "sums"},
        actor="agent:helper",
    )
    archived = [hit for hit in wb.recall("what was chosen for the sums?") if hit.id == old.id]
    assert len(archived) == 1
    assert (archived[0].status, archived[0].factors["archive"]) == ("superseded", 0.5)


def test_use_is_recorded_by_feedback_alone(wb: Workbench) -> None:
    first = wb.capture("The dome leaks in heavy rain")
    wb.recall("dome")
    assert wb.memory(str(first.id)).uses == 0
    wb.feedback(wb.recall("dome")[0], "helpful")
    assert wb.memory(str(first.id)).uses == 1
    with pytest.raises(InvalidRequest, match="verdict"):
        wb.feedback(str(first.id), "nice")  # type: ignore[arg-type]


@pytest.mark.parametrize("which", ["itself", "other space", "circle"])
def test_a_link_that_can_not_be_is_refused(wb: Workbench, which: str) -> None:
    wb.spaces.create("lab")
    a = wb.capture("We use sensor A for pressure")
    b = wb.capture("We use sensor B for pressure", supersedes=a.id)
    before = list(wb.truth.iterdump())
    with pytest.raises(InvalidRequest):
        match which:
            case "itself":
                wb.capture("We use sensor C for pressure", supersedes=a.id)  # replaced already
            case "other space":
                wb.capture("We use sensor C for pressure", space="lab", supersedes=b.id)
            case _:
                from wenlan_lab.model.changes import SupersedeMemory

                wb.apply(SupersedeMemory(str(b.id), str(a.id)))
    assert list(wb.truth.iterdump()) == before


def test_the_queue_tells_its_numbers_and_warns_of_a_backlog(wb: Workbench, clock: FixedClock) -> None:
    held(wb)
    stats = wb.reviews.stats()
    assert (stats.arrivals, stats.waiting, stats.protected_stopped, stats.stopped_share, stats.backlog) == (
        1,
        1,
        1,
        1.0,
        "",
    )
    clock.advance(days=30)
    assert "30 days" in wb.reviews.stats().backlog

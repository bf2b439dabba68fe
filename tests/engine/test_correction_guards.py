"""What must never happen while something is corrected, on every path: a rejected claim, a secret, an agent's say, a leak."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.engine.life import AGENT, COFFEE, START, TEA, WISH, buried, held, on_disk, opened, state, texts
from tests.engine.secrets_made_up import EVERY
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest, StaleRevision
from wenlan_lab.model.changes import SupersedeMemory
from wenlan_lab.testing import FixedClock

MOON = "The moon was bright over the glacier"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def wb(tmp_path: Path, clock: FixedClock) -> Iterator[Workbench]:
    made = opened(tmp_path / "w", clock)
    yield made
    assert made.verify() == ()
    made.close()


# A rejected claim -----------------------------------------------------------------------------------------------------


def test_accepting_a_text_that_was_rejected_meanwhile_is_refused_and_it_waits_on(wb: Workbench) -> None:
    old, new, item = held(wb)
    buried(wb, WISH)
    before = state(wb)
    with pytest.raises(InvalidRequest, match="unforget"):
        wb.reviews.accept(item)
    assert state(wb) == before
    wb.unforget(wb.tombstones()[0].id, "the survey was wrong")
    assert wb.reviews.accept(item).outcome == "Applied"  # the positive control
    assert [wb.memory(id).status for id in (old, new)] == ["superseded", "live"]


def test_accepting_with_words_that_were_rejected_or_are_told_already_is_refused(wb: Workbench) -> None:
    buried(wb, MOON)
    wb.capture("The dome leaks in heavy rain")
    _, _, item = held(wb)
    before = state(wb)
    for text in (MOON.upper(), "the dome leaks in heavy rain."):
        with pytest.raises(InvalidRequest):
            wb.reviews.accept(item, text=text)
    assert state(wb) == before
    assert wb.reviews.accept(item, text="I prefer coffee on Mondays").outcome == "Applied"


def test_dismissing_never_sets_a_rejected_text_free(wb: Workbench) -> None:
    _, new, item = held(wb)
    buried(wb, WISH)
    wb.reviews.dismiss(item)
    assert wb.memory(new).status == "retracted"
    assert WISH not in texts(wb, "tea or coffee")


def test_undo_does_not_bring_back_what_was_rejected_since(wb: Workbench) -> None:
    first = wb.capture(MOON)
    gone = wb.retract(str(first.id), "told twice")
    buried(wb, MOON)
    before = state(wb)
    refused = wb.undo(gone.seq or 0)
    assert (refused.outcome, "unforget" in refused.detail) == ("Unchanged", True)
    assert state(wb) == before
    wb.unforget(wb.tombstones()[0].id, "it was right")
    assert wb.undo(gone.seq or 0).outcome == "Applied"


@pytest.mark.parametrize("how", ["move", "unassign", "move all"])
def test_no_move_carries_a_claim_to_where_it_was_rejected(wb: Workbench, how: str) -> None:
    for name in ("lab", "thesis", "hut"):
        wb.spaces.create(name)
    buried(wb, MOON, {"unassign": None}.get(how, "thesis"))
    first = str(wb.capture(MOON, space="lab").id)
    before = state(wb)
    if how == "move":
        assert wb.move(first, "thesis").outcome == "Unchanged"
    else:
        with pytest.raises(InvalidRequest, match="tombstone"):
            wb.spaces.delete(
                "lab", "unassign" if how == "unassign" else "move", None if how == "unassign" else "thesis"
            )
    assert state(wb) == before
    assert wb.move(first, "hut").outcome == "Applied"


@pytest.mark.parametrize("path", ["capture", "capture_many", "agent", "import"])
def test_every_way_in_refuses_a_rejected_claim(wb: Workbench, path: str) -> None:
    buried(wb, MOON)
    match path:
        case "capture":
            receipt = wb.capture(f"  {MOON.upper()}!! ")
        case "capture_many":
            receipt = wb.capture_many(["The dome leaks in heavy rain", MOON])[1]
        case "agent":
            receipt = wb.capture(MOON, actor=AGENT)
        case _:
            receipt = wb.capture(MOON, actor="process:import")
    assert receipt.reason is not None
    assert receipt.reason.reason == "claim_tombstoned"
    assert MOON not in texts(wb, "moon glacier")
    assert MOON in texts(wb, "moon glacier", include=["rejected"])


# A secret -------------------------------------------------------------------------------------------------------------


def test_no_secret_comes_in_by_editing_what_is_accepted(wb: Workbench) -> None:
    _, _, item = held(wb)
    before = state(wb)
    for _, secret in EVERY[::5]:
        with pytest.raises(InvalidRequest, match="credential"):
            wb.reviews.accept(item, text=f"I prefer to use {secret} every day")
        assert secret.splitlines()[-1].encode() not in on_disk(wb)
    assert state(wb) == before


# An agent's say -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["preference", "identity", "pinned fact", "accepted fact"])
def test_nothing_an_agent_does_changes_what_a_protected_memory_recalls(wb: Workbench, kind: str) -> None:
    wb.spaces.create("lab")
    first = wb.capture("I live in Oslo by the sea", kind if " " not in kind else "fact")
    id = str(first.id)
    if " " in kind:
        (wb.pin if kind.startswith("pinned") else wb.confirm)(id)
    newest = len(wb.journal)
    asked = "where do I live"
    other = wb.capture("The dome leaks in heavy rain").id
    before = [(hit.id, hit.text, hit.trust, hit.status) for hit in wb.recall(asked)]
    rows = state(wb)
    acts = [
        lambda: wb.retract(id, "no", actor=AGENT), lambda: wb.retract(id, "no", as_false=True, actor=AGENT),
        lambda: wb.forget(id, "no", actor=AGENT), lambda: wb.move(id, "lab", actor=AGENT),
        lambda: wb.retype(id, "lesson", actor=AGENT), lambda: wb.confirm(str(other), actor=AGENT),
        lambda: wb.apply(SupersedeMemory(id, str(other)), AGENT),
    ]  # fmt: skip
    if " " in kind:
        acts.append(lambda: wb.undo(newest, actor=AGENT))
        acts.append(lambda: (wb.unpin if kind.startswith("pinned") else wb.unconfirm)(id, actor=AGENT))
    for act in acts:
        with pytest.raises(InvalidRequest, match="only a person"):
            act()
    wb.capture("I live in Bergen by the sea", supersedes=id, actor=AGENT)
    assert [(hit.id, hit.text, hit.trust, hit.status) for hit in wb.recall(asked)] == before
    assert len(rows) < len(state(wb))  # the control: a capture did go in, and waits
    wb.retract(id, "moved away")  # and a person may


# Two at once ----------------------------------------------------------------------------------------------------------


def test_of_two_accepts_at_the_same_moment_exactly_one_applies(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    with opened(folder) as wb:
        _, _, item = held(wb)

    def accept(number: int) -> str:
        with opened(folder, first_id=10_000 * (number + 1)) as mine:
            return mine.reviews.accept(item).outcome

    with ThreadPoolExecutor(6) as pool:
        outcomes = sorted(pool.map(accept, range(6)))
    assert outcomes == ["Applied"] + ["Unchanged"] * 5
    with opened(folder, first_id=900_000) as wb:
        assert [entry.change for entry in wb.journal.entries()].count("AcceptReview") == 1
        assert wb.verify() == ()


def test_of_two_candidates_for_one_place_the_last_accepted_stands_alone(wb: Workbench, clock: FixedClock) -> None:
    old, coffee, first = held(wb)
    mate = wb.capture("I prefer mate over tea", "preference", fields={**TEA, "preference": "mate"}, actor=AGENT)
    second = next(item.id for item in wb.reviews.pending() if item.after_id == mate.id)
    for item in (first, second):
        clock.advance(days=1)
        wb.reviews.accept(item)
    assert texts(wb, "tea coffee mate") == ["I prefer mate over tea"]
    assert [wb.memory(id).supersedes for id in (old, coffee, str(mate.id))] == [None, old, coffee]


def test_a_held_text_whose_old_one_is_gone_still_waits_for_its_decision(wb: Workbench) -> None:
    old, new, item = held(wb)
    wb.retract(old, "no longer")
    assert (wb.memory(new).status, [row.id for row in wb.reviews.pending()]) == ("held", [item])
    wb.reviews.accept(item)
    assert texts(wb, "tea or coffee") == [WISH]


def test_a_lost_race_is_a_stale_revision(wb: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    from wenlan_lab.engine import revision

    first = str(wb.capture("We use sensor A for pressure").id)
    decide = revision.decide

    def late(*arguments: object) -> object:
        change = decide(*arguments)  # type: ignore[arg-type]
        wb.pin(first)
        return change

    monkeypatch.setattr(revision, "decide", late)
    with pytest.raises(StaleRevision):
        wb.capture("We use sensor B for pressure", supersedes=first)
    assert wb.memory(first).status == "live"


# Forgetting -----------------------------------------------------------------------------------------------------------


def test_forgetting_reaches_what_others_quoted_of_it(wb: Workbench) -> None:
    mark = "zephyrmarmot"
    wb.capture("quartzbeacon stays where it is")
    old = wb.capture(f"I like {mark} tea", "preference", fields={"preference": mark, "applies_when": "mornings"}).id
    new = wb.capture(WISH, "preference", fields=COFFEE, actor=AGENT)
    item = wb.reviews.pending()[0]
    assert mark in item.why  # the control: the queue quotes it
    wb.reviews.dismiss(item.id, f"{mark} stays")
    wb.recall(mark)
    assert mark.encode() in on_disk(wb)
    wb.forget(str(old), "asked to")
    left = on_disk(wb)
    assert b"quartzbeacon" in left
    assert mark.encode() not in left
    assert wb.memory(str(new.id)).text == WISH


def test_a_space_goes_with_its_reviews_and_feedback(wb: Workbench) -> None:
    for contents in ("delete", "unassign"):
        wb.spaces.create("lab")
        old, _, _ = held(wb, "lab")
        wb.feedback(old, "used")
        assert wb.spaces.delete("lab", contents).outcome == "Applied"
        assert len(wb.reviews.pending()) == (1 if contents == "unassign" else 0)
        assert wb.verify() == ()


# Decay ----------------------------------------------------------------------------------------------------------------


def test_a_hundred_reads_leave_the_truth_and_the_order_as_they_were(wb: Workbench, clock: FixedClock) -> None:
    ids = [str(wb.capture(f"The {name} gauge freezes in winter").id) for name in ("north", "south", "east")]
    wb.confirm(ids[0])
    wb.pin(ids[1])
    clock.advance(days=400)
    first, before = [(hit.id, hit.score) for hit in wb.recall("gauge winter")], state(wb)
    for _ in range(100):
        assert [(hit.id, hit.score) for hit in wb.recall("gauge winter")] == first
    assert state(wb) == before
    fresh = {hit.id: hit.factors["freshness"] for hit in wb.recall("gauge winter")}
    assert [fresh[ids[0]], fresh[ids[1]]] == [1.0, 1.0]
    assert fresh[ids[2]] == pytest.approx(1 / (1 + 0.01 * 400))

"""Every change commits with its journal row, or leaves nothing: one case for each member of the union."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest

from tests.store.truth import STATE, Truth, dump, furnished, memory, open_at, passages
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import (
    AcceptReview,
    AddSource,
    Against,
    AgainstAction,
    CaptureMemory,
    Change,
    ConfirmMemory,
    CreateSpace,
    DeleteSpace,
    DismissReview,
    EditSpace,
    ExpireReview,
    ForgetMemory,
    LiftTombstone,
    MarkPassagesGone,
    MoveMemory,
    PinMemory,
    ProposeReview,
    RecordFeedback,
    RecordRejection,
    ReleaseMemory,
    RemoveSource,
    RetagMemory,
    RetractMemory,
    RetypeMemory,
    SettleDispute,
    SupersedeMemory,
    UnconfirmMemory,
    UndoEntry,
    UnpinMemory,
)
from wenlan_lab.model.outcomes import AlreadyKnown, Captured, Held
from wenlan_lab.store import change_codec, journal, tombstones, verify, versions, write

Made = dict[str, str]

# For each change: how to make it effective in a furnished truth.
CASES: dict[str, Callable[[Truth, Made], Change]] = {
    "CreateSpace": lambda t, m: CreateSpace("new"),
    "EditSpace": lambda t, m: EditSpace(m["space"], name="laboratory"),
    "DeleteSpace": lambda t, m: DeleteSpace(m["space"], "unassign"),
    "CaptureMemory": lambda t, m: memory("A new thing is known"),
    "RecordRejection": lambda t, m: RecordRejection("too_short", "2 words", "sha256:3", "ok"),
    "ConfirmMemory": lambda t, m: ConfirmMemory(m["memory"]),
    "UnconfirmMemory": lambda t, m: (t.apply(ConfirmMemory(m["memory"])), UnconfirmMemory(m["memory"]))[1],
    "PinMemory": lambda t, m: PinMemory(m["memory"]),
    "UnpinMemory": lambda t, m: (t.apply(PinMemory(m["memory"])), UnpinMemory(m["memory"]))[1],
    "RetypeMemory": lambda t, m: RetypeMemory(m["memory"], "gotcha", 1),
    "RetagMemory": lambda t, m: RetagMemory(m["memory"], ("a", "b"), 1),
    "MoveMemory": lambda t, m: MoveMemory(m["memory"], m["other"], 1),
    "ForgetMemory": lambda t, m: ForgetMemory(m["memory"], "asked to"),
    "AddSource": lambda t, m: AddSource("file", "notes.md", "Notes", None, "sha256:4"),
    "AddPassages": lambda t, m: passages(m["source"], "A third turn", start=2),
    "MarkPassagesGone": lambda t, m: MarkPassagesGone(m["source"], (m["passage"],)),
    "RemoveSource": lambda t, m: RemoveSource(m["source"]),
    "RetractMemory": lambda t, m: RetractMemory(m["memory"], "wrong after all", as_false=True),
    "LiftTombstone": lambda t, m: LiftTombstone(_rejected(t, m), "it was right"),
    "SupersedeMemory": lambda t, m: SupersedeMemory(
        m["memory"], t.made(memory("It stalls below two", space_id=m["space"]))
    ),
    "ReleaseMemory": lambda t, m: ReleaseMemory(_held(t, m).id),
    "SettleDispute": lambda t, m: SettleDispute((m["memory"], _disputed(t, m))),
    "ProposeReview": lambda t, m: ProposeReview("stale_evidence", "f1", _pin(m), "the cell changed"),
    "AcceptReview": lambda t, m: AcceptReview(_held(t, m).review_id, "yes"),
    "DismissReview": lambda t, m: DismissReview(_held(t, m).review_id, "no"),
    "ExpireReview": lambda t, m: ExpireReview(_held(t, m).review_id, "its page is gone"),
    "UndoEntry": lambda t, m: UndoEntry(t.apply(PinMemory(m["memory"])).seq or 0),
    "RecordFeedback": lambda t, m: RecordFeedback(m["memory"], "used"),
}


def _against(m: Made, action: AgainstAction) -> CaptureMemory:
    new = memory("The pump stalls below two degrees", space_id=m["space"])
    return CaptureMemory(new.memory, Against(m["memory"], action, "another number", 1))


def _held(t: Truth, m: Made) -> Held:
    outcome = t.apply(_against(m, "review"), Actor("agent", "tester")).outcome
    assert isinstance(outcome, Held)
    return outcome


def _disputed(t: Truth, m: Made) -> str:
    return t.made(_against(m, "dispute"))


def _rejected(t: Truth, m: Made) -> str:
    t.apply(RetractMemory(m["memory"], "wrong", as_false=True))
    stone = tombstones.of_memory(t.connection, m["memory"])
    assert stone is not None
    return stone.id


def _pin(m: Made) -> str:
    return change_codec.encode(PinMemory(m["memory"]))


PERSONS_ALONE = {
    "AcceptReview", "DismissReview", "ConfirmMemory", "UnconfirmMemory", "UnpinMemory", "LiftTombstone", "UndoEntry",
}  # fmt: skip


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    opened = open_at(tmp_path)
    yield opened
    opened.connection.close()


def test_every_change_has_its_case() -> None:
    assert set(CASES) == {kind.__name__ for kind in get_args(Change)}


@pytest.mark.parametrize("name", CASES)
def test_a_change_commits_together_with_its_journal_row(truth: Truth, name: str) -> None:
    change = CASES[name](truth, furnished(truth))
    before = journal.last_seq(truth.connection)
    actor = Actor("person", "ada") if name in PERSONS_ALONE else Actor("agent", "tester")
    done = truth.apply(change, actor)
    assert done.seq == before + 1
    entry = journal.entries(truth.connection, most=1)[0]
    assert (entry.seq, entry.change, entry.actor) == (done.seq, name, str(actor))
    assert journal.subjects_of(truth.connection, done.seq)
    assert list(verify.problems(truth.connection)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_failure_before_the_commit_leaves_no_trace(truth: Truth, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = CASES[name](truth, furnished(truth))
    before = dump(truth)

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(versions, "record", fails)
    with pytest.raises(KeyboardInterrupt):
        truth.apply(change)
    assert dump(truth) == before
    assert not truth.connection.in_transaction
    monkeypatch.undo()
    assert truth.apply(change).seq == len(before["journal"]) + 1
    assert list(verify.problems(truth.connection)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_change_survives_its_stored_form(truth: Truth, name: str) -> None:
    change = CASES[name](truth, furnished(truth))
    assert change_codec.decode(change_codec.encode(change)) == change


def test_a_batch_is_applied_whole_or_not_at_all(truth: Truth) -> None:
    before = dump(truth)
    changes: list[Change] = [memory("One thing is known"), RemoveSource("src_nowhere")]
    with pytest.raises(LookupError):
        write.apply_all(truth.connection, changes, actor=Actor("person"), clock=truth.clock, new_id=truth.new_id)
    assert dump(truth) == before


def test_what_changes_nothing_gets_no_journal_row(truth: Truth) -> None:
    made = furnished(truth)
    before = dump(truth)
    again = memory("The pump stalls below four degrees", space_id=made["space"])
    for change in (
        again,
        UnpinMemory(made["memory"]),
        CreateSpace("lab"),
        passages(made["source"], "I saw the pump stall"),
    ):
        assert truth.apply(change).seq is None
    assert dump(truth) == before


def test_the_same_words_are_one_memory_in_a_space_and_two_in_two(truth: Truth) -> None:
    made = furnished(truth)
    words = "The pump stalls below four degrees"
    assert truth.apply(memory(words, space_id=made["space"])).outcome == AlreadyKnown(made["memory"])
    assert isinstance(truth.apply(memory(words, space_id=made["other"])).outcome, Captured)
    assert isinstance(truth.apply(memory(words)).outcome, Captured)


def test_nothing_can_write_around_the_one_path(truth: Truth) -> None:
    furnished(truth)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        truth.connection.execute("delete from memory")
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        truth.connection.execute("update journal set actor = 'nobody'")


def test_a_clock_that_goes_back_never_makes_versions_overlap(truth: Truth) -> None:
    made = furnished(truth)
    truth.now = truth.now.replace(year=2001)
    truth.apply(PinMemory(made["memory"]))
    assert list(verify.problems(truth.connection)) == []


def test_same_inputs_give_the_same_rows(tmp_path: Path) -> None:
    dumps = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        truth = open_at(tmp_path / name)
        made = furnished(truth)
        truth.apply(ForgetMemory(made["memory"], "x"))
        dumps.append(dump(truth))
        truth.connection.close()
    assert dumps[0] == dumps[1]


def test_the_effects_of_a_change_are_the_difference_it_made(truth: Truth) -> None:
    made = furnished(truth)
    before = dump(truth, STATE)
    done = truth.apply(RetagMemory(made["memory"], ("x",), 1))
    assert done.seq is not None
    told = journal.payload(truth.connection, done.seq)
    assert told is not None
    ((table, old, new),) = told["effects"]
    assert table == "memory"
    assert old["tags"] == '["tag"]'
    assert new["tags"] == '["x"]'
    assert dump(truth, STATE) != before

"""Spaces: a rename erases nothing, a deletion leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.truth import Truth, furnished, memory, open_at
from wenlan_lab.errors import InvalidRequest, NotFound, StaleRevision
from wenlan_lab.model.changes import (
    AddSource,
    ConfirmMemory,
    CreateSpace,
    DeleteSpace,
    EditSpace,
    ForgetMemory,
    MoveMemory,
    RemoveSource,
    RetypeMemory,
)
from wenlan_lab.model.outcomes import AlreadyKnown
from wenlan_lab.store import memories, sources, spaces, verify


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    opened = open_at(tmp_path)
    yield opened
    opened.connection.close()


def test_a_rename_keeps_the_description_and_what_is_in_it(truth: Truth) -> None:
    made = furnished(truth)
    truth.apply(EditSpace(made["space"], name="laboratory"))
    space = spaces.by_name(truth.connection, "laboratory")
    assert space is not None
    assert (space.id, space.description, space.memories, space.passages) == (made["space"], "where we measure", 1, 2)
    assert memories.get(truth.connection, made["memory"]).space == "laboratory"


def test_a_rename_to_a_taken_name_is_refused_and_moves_nothing(truth: Truth) -> None:
    made = furnished(truth)
    with pytest.raises(InvalidRequest, match="already"):
        truth.apply(EditSpace(made["space"], name="thesis"))
    assert spaces.names(truth.connection) == ("lab", "thesis")


@pytest.mark.parametrize("name", ["", "   ", "\t\n", "Uncategorized", "x" * 201])
def test_a_name_that_cannot_be_one_is_refused(truth: Truth, name: str) -> None:
    with pytest.raises(InvalidRequest):
        truth.apply(CreateSpace(name))


def test_unassigning_keeps_everything_in_no_space(truth: Truth) -> None:
    made = furnished(truth)
    truth.apply(DeleteSpace(made["space"], "unassign"))
    assert memories.get(truth.connection, made["memory"]).space_id is None
    assert sources.get(truth.connection, made["source"]).space_id is None
    assert spaces.by_name(truth.connection, "lab") is None


def test_moving_takes_everything_along(truth: Truth) -> None:
    made = furnished(truth)
    truth.apply(DeleteSpace(made["space"], "move", made["other"]))
    assert memories.get(truth.connection, made["memory"]).space == "thesis"
    assert sources.get(truth.connection, made["source"]).space_id == made["other"]


def test_moving_onto_the_same_statement_leaves_one_of_them_live(truth: Truth) -> None:
    made = furnished(truth)
    twin = truth.made(memory("The pump stalls below four degrees", space_id=made["other"]))
    truth.apply(DeleteSpace(made["space"], "move", made["other"]))
    assert memories.get(truth.connection, twin).status == "live"
    assert memories.get(truth.connection, made["memory"]).status == "superseded"
    assert list(verify.problems(truth.connection)) == []


def test_deleting_with_the_contents_leaves_no_row_of_it(truth: Truth) -> None:
    made = furnished(truth)
    truth.apply(DeleteSpace(made["space"], "delete"))
    with pytest.raises(NotFound):
        memories.get(truth.connection, made["memory"])
    assert sources.listed(truth.connection) == ()
    # What rested on the source stays, and its evidence says that the place is gone.
    (evidence,) = memories.get(truth.connection, made["resting"]).evidence
    assert (evidence.quote, evidence.passage_id, evidence.source_id) == ("I saw the pump stall", None, None)
    assert list(verify.problems(truth.connection)) == []


@pytest.mark.parametrize("target", [None, "itself", "spc_nowhere"])
def test_moving_nowhere_is_refused_and_changes_nothing(truth: Truth, target: str | None) -> None:
    made = furnished(truth)
    with pytest.raises((InvalidRequest, NotFound)):
        truth.apply(DeleteSpace(made["space"], "move", made["space"] if target == "itself" else target))
    assert spaces.by_name(truth.connection, "lab") is not None


def test_a_memory_written_into_a_space_that_was_deleted_meanwhile_is_refused(truth: Truth) -> None:
    made = furnished(truth)
    truth.apply(DeleteSpace(made["space"], "unassign"))
    with pytest.raises(NotFound, match="deleted meanwhile"):
        truth.apply(memory("Too late for that space", space_id=made["space"]))
    with pytest.raises(NotFound):
        truth.apply(AddSource("file", "late.md", "Late", made["space"], "x"))


def test_a_replacement_on_an_old_revision_is_stale(truth: Truth) -> None:
    made = furnished(truth)
    truth.apply(RetypeMemory(made["memory"], "gotcha", 1))
    with pytest.raises(StaleRevision) as caught:
        truth.apply(RetypeMemory(made["memory"], "lesson", 1))
    assert caught.value.current == 2
    with pytest.raises(StaleRevision):
        truth.apply(MoveMemory(made["memory"], made["other"], 1))


def test_a_move_onto_the_same_statement_changes_nothing(truth: Truth) -> None:
    made = furnished(truth)
    twin = truth.made(memory("The pump stalls below four degrees", space_id=made["other"]))
    done = truth.apply(MoveMemory(made["memory"], made["other"], 1))
    assert done.seq is None
    assert done.outcome == AlreadyKnown(twin)


def test_a_forgotten_memory_can_not_be_changed(truth: Truth) -> None:
    made = furnished(truth)
    truth.apply(ForgetMemory(made["memory"], "asked to"))
    with pytest.raises(InvalidRequest, match="forgotten"):
        truth.apply(ConfirmMemory(made["memory"]))


def test_removing_a_source_keeps_the_quote_of_what_rested_on_it(truth: Truth) -> None:
    made = furnished(truth)
    assert sources.resting_on(truth.connection, made["source"]) == (made["resting"],)
    truth.apply(RemoveSource(made["source"]))
    (evidence,) = memories.get(truth.connection, made["resting"]).evidence
    assert evidence.quote == "I saw the pump stall"
    assert evidence.passage_id is None
    assert sources.passages_of(truth.connection, made["source"]) == ()

"""Derived data follows the journal: it converges, heals, and touches nothing when there is nothing new."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.truth import Truth, furnished, memory, open_at, passages
from wenlan_lab.derived import catalog, catch_up, embeddings, vectors
from wenlan_lab.derived.exact_index import ExactIndex
from wenlan_lab.derived.hash_embedder import HashEmbedder
from wenlan_lab.derived.snapshot import Snapshot
from wenlan_lab.model.changes import (
    DeleteSpace,
    EditSpace,
    ForgetMemory,
    MarkPassagesGone,
    MoveMemory,
    RemoveSource,
    RetractMemory,
)

ENTRIES = """select id, kind, alive, space_id, type, status, hidden, archived, thread, position, speaker, dense
    from entry where alive = 1 order by id"""
WORDS = """select e.id, l.text, l.context, l.scope from lexical l join entry e on e.number = l.rowid order by e.id"""


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    opened = open_at(tmp_path)
    yield opened
    opened.connection.close()


def opened_index(folder: Path) -> sqlite3.Connection:
    return catalog.open_index(folder)[0]


def state(index: sqlite3.Connection) -> list[list[tuple[Any, ...]]]:
    return [index.execute(ENTRIES).fetchall(), index.execute(WORDS).fetchall()]


def changes(truth: Truth) -> None:
    """A life with everything that an index can get wrong."""
    made = furnished(truth)
    truth.apply(passages(made["source"], "Then it rained", start=2))
    truth.apply(EditSpace(made["space"], name="laboratory"))
    truth.apply(MoveMemory(made["loose"], made["other"], 1))
    truth.apply(ForgetMemory(made["resting"], "asked to"))
    truth.apply(MarkPassagesGone(made["source"], (made["passage"],)))
    truth.apply(RetractMemory(truth.made(memory("The dome is made of glass")), "it is not"))
    truth.apply(DeleteSpace(made["other"], "unassign"))


def test_following_step_by_step_equals_following_from_zero(truth: Truth, tmp_path: Path) -> None:
    index = opened_index(tmp_path / "steps")
    truth.then = lambda: catch_up.follow(truth.connection, index)
    changes(truth)
    whole = opened_index(tmp_path / "whole")
    catch_up.follow(truth.connection, whole)
    assert state(index) == state(whole)
    assert state(whole)[0]


def test_nothing_new_touches_nothing(truth: Truth, tmp_path: Path) -> None:
    changes(truth)
    index = opened_index(tmp_path / "d")
    first = catch_up.follow(truth.connection, index)
    assert first.replaced > 0
    before = index.total_changes
    again = catch_up.follow(truth.connection, index)
    assert (again.replaced, again.removed, index.total_changes) == (0, 0, before)


def test_two_catch_ups_at_once_agree(truth: Truth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow process read a memory; another forgot it and followed. The slow one must not write it back."""
    made = furnished(truth)
    slow, quick = opened_index(tmp_path / "d"), opened_index(tmp_path / "d")
    other = open_at(tmp_path)
    other.last = 1000
    read = catch_up._read

    def read_then_be_overtaken(*arguments: object) -> object:
        monkeypatch.setattr(catch_up, "_read", read)
        told = read(*arguments)  # type: ignore[arg-type]
        other.apply(ForgetMemory(made["memory"], "asked to"))
        catch_up.follow(other.connection, quick)
        return told

    monkeypatch.setattr(catch_up, "_read", read_then_be_overtaken)
    catch_up.follow(truth.connection, slow)
    other.connection.close()
    assert made["memory"] not in {row[0] for row in state(slow)[0]}
    assert state(slow) == state(quick)


def test_an_interrupted_catch_up_leaves_the_index_as_it_was(
    truth: Truth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes(truth)
    index = opened_index(tmp_path / "d")
    before = state(index)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(catch_up, "_remove", interrupted)
    with pytest.raises(KeyboardInterrupt):
        catch_up.follow(truth.connection, index)
    assert state(index) == before
    monkeypatch.undo()
    catch_up.follow(truth.connection, index)
    assert state(index) != before


def test_a_passage_knows_its_neighbours_and_forgets_those_that_are_gone(truth: Truth, tmp_path: Path) -> None:
    made = furnished(truth)
    index = opened_index(tmp_path / "d")
    catch_up.follow(truth.connection, index)
    context = {row[0]: row[2] for row in state(index)[1]}
    assert "so did i" in context[made["passage"]]
    truth.apply(MarkPassagesGone(made["source"], (made["passage"],)))
    catch_up.follow(truth.connection, index)
    context = {row[0]: row[2] for row in state(index)[1]}
    assert made["passage"] not in context
    assert not any("pump stall" in words for words in context.values())


def test_removing_a_source_removes_its_passages_from_the_index(truth: Truth, tmp_path: Path) -> None:
    made = furnished(truth)
    index = opened_index(tmp_path / "d")
    catch_up.follow(truth.connection, index)
    truth.apply(RemoveSource(made["source"]))
    catch_up.follow(truth.connection, index)
    assert {row[1] for row in state(index)[0]} == {"memory"}


def test_an_index_of_another_layout_or_a_broken_one_is_made_anew(tmp_path: Path) -> None:
    index = opened_index(tmp_path)
    with catalog.transaction(index):
        catalog.put(index, "layout", "from another age")
    index.close()
    again, notes = catalog.open_index(tmp_path)
    assert "layout" in notes[0]
    again.close()
    catalog.discard(tmp_path)
    (tmp_path / catalog.INDEX_FILE).write_bytes(b"no database" * 200)
    again, notes = catalog.open_index(tmp_path)
    assert notes
    again.close()


def test_vectors_follow_in_a_step_of_their_own_and_only_once(truth: Truth, tmp_path: Path) -> None:
    changes(truth)
    index, cache = opened_index(tmp_path / "d"), embeddings.open_vectors(tmp_path / "d")[0]
    catch_up.follow(truth.connection, index)
    alive = len(state(index)[0])
    assert vectors.waiting(index) == alive
    assert vectors.embed_waiting(index, cache, HashEmbedder()) == alive
    before = index.total_changes, cache.total_changes
    assert vectors.embed_waiting(index, cache, HashEmbedder()) == 0
    assert (index.total_changes, cache.total_changes) == before


def test_another_embedder_makes_everything_wait_again_and_mixes_nothing(truth: Truth, tmp_path: Path) -> None:
    changes(truth)
    index, cache = opened_index(tmp_path / "d"), embeddings.open_vectors(tmp_path / "d")[0]
    catch_up.follow(truth.connection, index)
    vectors.embed_waiting(index, cache, HashEmbedder(64))
    view = Snapshot(lambda: ExactIndex(64))
    view.refresh(index, cache)
    first = len(view.keys)
    assert first == len(state(index)[0])
    assert vectors.use_identity(index, "hash-32")
    assert vectors.waiting(index) == first
    view = Snapshot(lambda: ExactIndex(32))
    view.refresh(index, cache)
    assert len(view.keys) == 0
    vectors.embed_waiting(index, cache, HashEmbedder(32))
    view.refresh(index, cache)
    assert len(view.keys) == first
    assert view.vectors_of(view.keys >> vectors.WINDOW_BITS)[1].shape == (first, 32)


def test_a_snapshot_that_follows_equals_one_that_starts_anew(truth: Truth, tmp_path: Path) -> None:
    index, cache = opened_index(tmp_path / "d"), embeddings.open_vectors(tmp_path / "d")[0]
    following = Snapshot(lambda: ExactIndex(64))

    def follow() -> None:
        catch_up.follow(truth.connection, index)
        vectors.embed_waiting(index, cache, HashEmbedder(64))
        following.refresh(index, cache)

    truth.then = follow
    changes(truth)
    fresh = Snapshot(lambda: ExactIndex(64))
    fresh.refresh(index, cache)
    most = len(fresh.ids)
    assert following.ids == fresh.ids
    assert following.alive[:most].tolist() == fresh.alive[:most].tolist()
    assert following.keys.tolist() == fresh.keys.tolist()
    assert +following.document_counts == +fresh.document_counts
    assert following.total_words == fresh.total_words
    numbers = fresh.alive.nonzero()[0]
    assert [a.tolist() for a in following.neighbours(numbers)] == [a.tolist() for a in fresh.neighbours(numbers)]

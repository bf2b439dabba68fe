"""Random histories of changes: replay gives the same rows, undo of everything gives none, nothing hidden is read."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.life import AGENT, opened, texts
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest, StaleRevision
from wenlan_lab.store import effects, migrate, replay
from wenlan_lab.store.connection import open_truth

NAMES = ["north", "south", "east", "west", "upper", "lower"]
THINGS = ["pump", "valve", "gauge", "mast", "hut", "logger"]
SPACES = [None, "lab", "thesis"]
EVENTS = 60
FINAL = ("ForgetMemory", "RecordRejection")


def claim(chance: random.Random) -> str:
    return f"The {chance.choice(NAMES)} {chance.choice(THINGS)} opens at {chance.randint(1, 9)} degrees"


def step(wb: Workbench, chance: random.Random, *, forget: bool) -> None:
    """One thing that somebody does; what is refused in words is part of life."""
    actor = chance.choice([None, None, AGENT, "process:sweep"])
    ids = [row[0] for row in wb.truth.execute("select id from memory order by id")]
    queue = [item.id for item in wb.reviews.pending()]
    some = chance.choice(ids) if ids else ""
    kind = chance.choice(["fact", "fact", "preference", "identity", "decision", "lesson"])
    text, space = claim(chance), chance.choice(SPACES)
    fields = {"claim": text} if kind in ("fact", "identity") else {}
    captures: list[Callable[[], object]] = [
        lambda: wb.capture(text, kind, space, fields, actor=actor),
        lambda: wb.capture(text, kind, space, supersedes=some or None, actor=actor),
    ]
    changes: list[Callable[[], object]] = [
        lambda: wb.confirm(some, actor), lambda: wb.unconfirm(some, actor), lambda: wb.pin(some, actor),
        lambda: wb.unpin(some, actor), lambda: wb.retract(some, "old", chance.random() < 0.4, actor),
        lambda: wb.move(some, space, actor), lambda: wb.retype(some, kind, actor),
        lambda: wb.retag(some, [chance.choice(NAMES)], actor), lambda: wb.feedback(some, "used", actor),
        lambda: wb.unforget(some, "after all"), lambda: wb.undo(chance.randint(1, len(wb.journal)), actor),
    ]  # fmt: skip
    decisions: list[Callable[[], object]] = [
        lambda: wb.reviews.accept(chance.choice(queue)), lambda: wb.reviews.dismiss(chance.choice(queue)),
        lambda: wb.reviews.accept(chance.choice(queue), text=claim(chance)),
    ]  # fmt: skip
    acts = captures * 3 + (changes if ids else []) + (decisions * 2 if queue else [])
    if forget and ids:
        acts.append(lambda: wb.forget(some, "asked to", chance.random() < 0.4))
    try:
        chance.choice(acts)()
    except (InvalidRequest, StaleRevision, LookupError) as refused:
        assert str(refused)


def lived(folder: Path, seed: int, *, forget: bool) -> Workbench:
    chance, wb = random.Random(seed), opened(folder)
    for name in SPACES[1:]:
        wb.spaces.create(str(name))
    for _ in range(EVENTS):
        wb.clock.advance(hours=chance.randint(0, 30))  # type: ignore[attr-defined]
        step(wb, chance, forget=forget)
    return wb


def rows(connection: object) -> dict[str, list[tuple[object, ...]]]:
    execute = connection.execute  # type: ignore[attr-defined]
    return {name: [tuple(row) for row in execute(f"select * from {name} order by 1")] for name in effects.STATE_TABLES}  # noqa: S608


@pytest.mark.parametrize("seed", range(20))
def test_replaying_the_journal_gives_the_rows_there_are(tmp_path: Path, seed: int) -> None:
    wb = lived(tmp_path / "w", seed, forget=True)
    assert wb.verify() == ()
    target = open_truth(tmp_path)
    migrate.migrate(target, str(tmp_path), "2026-01-01T00:00:00+00:00")
    effects.watch(target)
    assert replay.replay(wb.truth, target) == len(wb.journal) > 10
    assert rows(target) == rows(wb.truth)
    with pytest.raises(InvalidRequest, match="empty"):
        replay.replay(target, wb.truth)
    target.close()
    wb.close()


@pytest.mark.parametrize("seed", range(100, 120))
def test_undoing_everything_newest_first_leaves_no_state(tmp_path: Path, seed: int) -> None:
    wb = lived(tmp_path / "w", seed, forget=False)
    logged = {entry.seq for entry in wb.journal.entries(most=10_000) if entry.change in FINAL}
    for seq in range(len(wb.journal), 0, -1):
        if seq not in logged:
            receipt = wb.undo(seq)
            assert receipt.outcome == "Applied", (seq, receipt.detail)
    left = rows(wb.truth)
    # What an agent had told and a person took back stays out: those tombstones are the undo's own.
    assert {row[5] for row in left.pop("tombstone")} <= {"undone"}
    left.pop("rejection")
    assert all(found == [] for found in left.values()), left
    assert wb.verify() == ()
    wb.close()


@pytest.mark.parametrize("seed", range(200, 215))
def test_nothing_hidden_is_read_unless_it_is_asked_for(tmp_path: Path, seed: int) -> None:
    wb = lived(tmp_path / "w", seed, forget=True)
    found = wb.truth.execute("select id, text, status, trust, supersede_mode from memory").fetchall()
    archived = {
        row[0] for row in wb.truth.execute(
            "select supersedes from memory where supersedes is not null and status = 'live' and supersede_mode = 'archive'"
        )
    }  # fmt: skip
    hidden = {
        row["id"]: row for row in found
        if (row["status"] != "live" and row["id"] not in archived) or row["trust"] in ("draft", "rejected")
    }  # fmt: skip
    assert hidden
    query = " ".join(NAMES + THINGS) + " opens at degrees"
    seen = {hit.id for hit in wb.recall(query, k=1000)} | {memory.id for memory in wb.memories(most=1000)}
    assert seen
    assert seen.isdisjoint(hidden)
    for row in hidden.values():
        asked = "rejected" if row["trust"] == "rejected" else row["status"]
        if row["status"] == "forgotten":
            assert row["id"] not in {
                hit.id for hit in wb.recall(query, k=1000, include=["superseded", "held", "retracted"])
            }
            continue
        hits = wb.recall(row["text"], k=1000, include=[asked])
        assert row["id"] in {id for hit in hits for id in (hit.id, *hit.folded)}, (row["id"], asked)
    wb.close()


@pytest.mark.parametrize("seed", range(300, 315))
def test_versions_never_overlap_and_a_claim_never_ends_before_it_begins(tmp_path: Path, seed: int) -> None:
    wb = lived(tmp_path / "w", seed, forget=True)
    ids = [row[0] for row in wb.truth.execute("select distinct memory_id from memory_version")]
    assert ids
    for memory_id in ids:
        versions = wb.history(memory_id).versions
        for one, after in itertools.pairwise(versions):
            assert one.recorded_to is not None
            assert one.recorded_from <= one.recorded_to <= after.recorded_from
        assert all(row.valid_to is None or row.valid_from <= row.valid_to for row in versions)
    replaced = "select o.valid_to, n.valid_from, o.valid_from from memory n join memory o on o.id = n.supersedes where n.status = 'live'"
    for ends, begins, started in wb.truth.execute(replaced):
        assert ends == max(begins, started)
    assert wb.verify() == ()
    wb.close()


def test_a_draft_is_read_by_nobody_but_who_asks(tmp_path: Path) -> None:
    from dataclasses import replace

    from tests.store.truth import memory
    from wenlan_lab.model.changes import CaptureMemory

    wb = opened(tmp_path / "w")
    new = memory("The north pump was derived by a model")
    wb.apply(CaptureMemory(replace(new.memory, trust="draft")))
    assert texts(wb, "north pump derived") == []
    assert texts(wb, "north pump derived", include=["drafts"]) == ["The north pump was derived by a model"]
    assert [item.text for item in wb.memories()] == []
    wb.close()

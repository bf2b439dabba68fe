"""verify() finds what was altered behind its back, and names it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.truth import Truth, furnished, open_at
from wenlan_lab.model.changes import ForgetMemory, PinMemory
from wenlan_lab.store import verify


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    opened = open_at(tmp_path)
    furnished(opened)
    yield opened
    opened.connection.close()


def tampered(truth: Truth, folder: Path, *statements: str) -> list[str]:
    """Run statements on the file from outside, as somebody with an editor would, and verify."""
    other = sqlite3.connect(folder / "truth.db")
    other.execute("pragma foreign_keys = off")
    for statement in statements:
        other.execute(statement)
    other.commit()
    other.close()
    return list(verify.problems(truth.connection))


def test_a_sound_truth_has_no_problems(truth: Truth) -> None:
    assert list(verify.problems(truth.connection)) == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("update journal set actor = 'person:eve' where seq = 3", "entry 3 was altered"),
        ("update journal set at = '2020' where seq = 3", "entry 3 was altered"),
        ("delete from touched where seq = 3", "entry 3 was altered"),
        ("update journal_payload set body = cast(body || ' ' as blob) where seq = 3", "payload of journal entry 3"),
        ("delete from journal_payload where seq = 3", "entry 3 has lost its payload"),
        ("delete from journal where seq = 3", "entry 3 is missing"),
        ("update memory set text = 'The pump never stalls' where text like 'The pump%'", "isn't what the journal"),
        ("delete from memory where text = 'The dome leaks'", "is missing though the journal"),
        ("update passage set text = 'So did nobody' where text = 'So did I'", "isn't what was imported"),
        ("update memory_version set recorded_to = recorded_from", "has no open version"),
        ("delete from source", "points to a source that isn't there"),
    ],
)
def test_each_tampering_is_named(truth: Truth, tmp_path: Path, statement: str, told: str) -> None:
    assert any(told in problem for problem in tampered(truth, tmp_path, statement))


def test_a_reordered_pair_is_found(truth: Truth, tmp_path: Path) -> None:
    problems = tampered(
        truth,
        tmp_path,
        "update journal set seq = 99 where seq = 3",
        "update journal set seq = 3 where seq = 4",
        "update journal set seq = 4 where seq = 99",
    )
    assert any("entry 3 was altered" in problem for problem in problems)


def test_an_erased_text_leaves_a_chain_that_verifies(truth: Truth, tmp_path: Path) -> None:
    memory_id = truth.seen[2].outcome.id  # type: ignore[union-attr]
    truth.apply(PinMemory(memory_id))
    truth.apply(ForgetMemory(memory_id, "asked to"))
    assert list(verify.problems(truth.connection)) == []
    truth.connection.execute("pragma wal_checkpoint(truncate)")
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"dome leaks" in stored  # the scan would see it
    assert b"stalls below four" not in stored

"""Evidence: located or not, supporting or not, and what a memory is then worth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import wenlan_lab
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.testing import FixedClock, HashEmbedder, SequentialIds

TURNS = ["The pump stalls below four degrees, I saw it.", "It rained. It rained.", "Ben did not open the north valve."]


@pytest.fixture
def wb(tmp_path: Path) -> Iterator[Workbench]:
    made = wenlan_lab.open(tmp_path / "w", embedder=HashEmbedder(), clock=FixedClock(), new_id=SequentialIds())
    path = tmp_path / "chat.jsonl"
    rows = (json.dumps({"speaker": "Ada", "content": text}) for text in TURNS)
    path.write_text("\n".join(rows), encoding="utf-8")
    made.sources.import_file(path)
    yield made
    assert made.verify() == ()
    made.close()


def passage(wb: Workbench, at: int = 0) -> str:
    return wb.sources.passages(wb.sources.list()[0].id)[at].id


def captured(wb: Workbench, text: str, *evidence: object) -> str:
    receipt = wb.capture(text, evidence=evidence)
    assert receipt.id is not None, receipt
    return receipt.id


def test_a_located_quote_that_supports_the_claim_grounds_it_with_its_place(wb: Workbench) -> None:
    psg = passage(wb)
    memory = captured(
        wb, "Below four degrees the pump stalls", {"quote": "The pump stalls  below four degrees", "passage": psg}
    )
    assert wb.memory(memory).trust == "grounded"
    (row,) = wb.why(memory).evidence
    assert (row.located, row.supports, row.passage_id) == (True, True, psg)
    assert TURNS[0][row.start : row.end] == row.quote == "The pump stalls below four degrees"
    assert row.source_id == wb.sources.list()[0].id
    assert row.source_digest == wb.sources.passages(row.source_id)[0].digest
    assert "1 located quote(s), 1 of which support" in wb.why(memory).answer


@pytest.mark.parametrize(
    ("claim", "quote", "at", "located", "supports"),
    [
        ("The pump stalls below nine degrees", "The pump stalls below four degrees", 0, True, False),
        ("The pump never stalls below four degrees", "The pump stalls below four degrees", 0, True, False),
        ("The pump stalls below four degrees", "The pump stalled below four degrees", 0, False, True),
        ("It rained at the hut", "It rained.", 1, False, True),  # twice in the passage: in no one place
        ("Ben did open the north valve", "Ben did not open the north valve.", 2, True, False),
        ("Lunch costs a fortune everywhere", "The pump stalls below four degrees", 0, True, False),
    ],
)
def test_locating_and_supporting_are_recorded_apart(
    wb: Workbench, claim: str, quote: str, at: int, *, located: bool, supports: bool
) -> None:
    memory = captured(wb, claim, {"quote": quote, "passage": passage(wb, at)})
    (row,) = wb.why(memory).evidence
    assert (row.located, row.supports) == (located, supports)
    assert wb.memory(memory).trust == "asserted"
    if not located:
        assert (row.start, row.end) == (-1, -1)
        assert "could not be located" in wb.why(memory).answer


def test_a_passage_id_alone_rests_on_the_whole_passage(wb: Workbench) -> None:
    memory = captured(wb, "The pump stalls below four degrees", passage(wb))
    (row,) = wb.why(memory).evidence
    assert (row.quote, row.start, row.end, row.located) == (TURNS[0], 0, len(TURNS[0]), True)


def test_a_quote_from_nowhere_is_kept_and_grounds_nothing(wb: Workbench) -> None:
    memory = captured(wb, "The pump stalls below four degrees", "The pump stalls below four degrees")
    assert wb.memory(memory).trust == "asserted"
    assert not wb.why(memory).evidence[0].located


def test_without_evidence_why_says_who_asserted_it(wb: Workbench) -> None:
    receipt = wb.capture("The dome leaks in heavy rain", actor="agent:logbook")
    assert "asserted by agent:logbook" in wb.why(str(receipt.id)).answer
    repr(wb.why(str(receipt.id)))
    wb.why(str(receipt.id))._repr_html_()


@pytest.mark.parametrize(
    "evidence", [[1], [{"passage": 3}], [{}], ["psg_nowhere"], [{"quote": "a b", "source": "src_nowhere"}], [None]]
)
def test_evidence_that_is_none_is_refused_and_nothing_is_written(wb: Workbench, evidence: list[object]) -> None:
    before = list(wb.truth.iterdump())
    with pytest.raises((InvalidRequest, NotFound)):
        wb.capture("The dome leaks in heavy rain", evidence=evidence)
    assert list(wb.truth.iterdump()) == before


def test_a_confirmation_taken_back_leaves_what_the_evidence_gives(wb: Workbench) -> None:
    grounded = captured(wb, "The pump stalls below four degrees", passage(wb))
    asserted = captured(wb, "The dome leaks in heavy rain")
    for memory, trust in ((grounded, "grounded"), (asserted, "asserted")):
        wb.confirm(memory)
        assert wb.memory(memory).trust == "accepted"
        wb.unconfirm(memory)
        assert wb.memory(memory).trust == trust


def test_why_of_an_id_that_never_was_says_so(wb: Workbench) -> None:
    with pytest.raises(NotFound):
        wb.why("mem_nowhere")

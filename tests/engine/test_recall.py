"""Recall: explained, scoped before the best are taken, pure, and alive on any text."""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wenlan_lab
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest, ProviderUnavailable
from wenlan_lab.importers import ImportBatch, ImportedSource
from wenlan_lab.testing import FixedClock, HashEmbedder, SequentialIds

DIARY = [
    ("The pump stalls below four degrees.", "gotcha", "lab"),
    ("We chose polars over pandas for the daily sums.", "decision", "thesis"),
    ("The dome above the station leaks in heavy rain.", "fact", "lab"),
    ("Always calibrate the gauge before the melt season.", "lesson", None),
    ("机器学习很有趣，我们每天都用它。", "fact", "thesis"),
]


def opened(folder: Path, **options: object) -> Workbench:
    given_: dict[str, object] = {
        "embedder": HashEmbedder(),
        "clock": FixedClock(),
        "new_id": SequentialIds(),
        **options,
    }
    return wenlan_lab.open(folder, **given_)


def furnished(folder: Path) -> Workbench:
    wb = opened(folder)
    for name in ("lab", "thesis", "empty"):
        wb.spaces.create(name)
    for text, kind, space in DIARY:
        wb.capture(text, kind, space)
    turns = [
        "Did the pump start?",
        "No, it was too cold: four degrees.",
        "Then we wait for noon.",
        "Thanks!",
        "Thanks!",
    ]
    rows = tuple(
        wenlan_lab.NewPassage(f"D1:{at}", "session_1", at, ("Ada", "Ben")[at % 2], "2026-05-08T12:00:00+00:00", text)
        for at, text in enumerate(turns)
    )
    source = ImportedSource(kind="chat", ref="chat-1", title="A chat", space="lab", digest="x", passages=rows)
    wb.sources.import_batch(ImportBatch(sources=(source,), quirks={}, skipped=(), format="turns"))
    return wb


@pytest.fixture
def wb(tmp_path: Path) -> Iterator[Workbench]:
    made = furnished(tmp_path / "w")
    yield made
    made.close()


def rows_of(wb: Workbench) -> list[str]:
    return list(wb.truth.iterdump())


def ranking(wb: Workbench, query: str, **options: object) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in wb.recall(query, **options)]  # type: ignore[arg-type]


def test_memories_and_passages_are_recalled_together_and_told_apart(wb: Workbench) -> None:
    hits = wb.recall("why did the pump stop in the cold?", k=5).hits
    assert {"memory", "passage"} <= {hit.kind for hit in hits}
    passage = next(hit for hit in hits if hit.kind == "passage")
    assert (passage.source.kind, passage.source.thread, passage.trust) == ("chat", "session_1", "grounded")


def test_the_factors_multiply_to_the_score_and_the_parts_make_the_relevance(wb: Workbench) -> None:
    for hit in wb.recall("pump degrees rain", k=10):
        assert math.isclose(math.prod(hit.factors.values()), hit.score, rel_tol=0, abs_tol=1e-9)
        total = sum(hit.parts.values())
        logistic = 1 / (1 + math.exp(-total))
        assert math.isclose(logistic, hit.factors["relevance"], abs_tol=1e-6)


def test_the_weighted_fusion_explains_itself_by_a_sum(tmp_path: Path) -> None:
    furnished(tmp_path / "w").close()
    wb = opened(tmp_path / "w", settings=wenlan_lab.Settings(fusion="weighted"))
    for hit in wb.recall("pump degrees rain", k=10):
        assert math.isclose(sum(hit.parts.values()), hit.factors["relevance"], abs_tol=1e-9)
    wb.close()


def test_a_neighbour_that_no_arm_found_can_come_in_by_its_context(wb: Workbench) -> None:
    by_name = {hit.id: hit.found_by for hit in wb.recall("Did the pump start?", k=10)}
    assert by_name
    assert all(by_name.values())


@pytest.mark.parametrize(
    ("space", "words"), [("lab", {"pump", "dome"}), ("thesis", {"polars"}), ("uncategorized", {"gauge"})]
)
def test_the_scope_holds_and_has_its_positive_control(wb: Workbench, space: str, words: set[str]) -> None:
    query = "pump dome polars gauge degrees station season sums"
    everywhere = " ".join(hit.text for hit in wb.recall(query, k=20))
    assert all(word in everywhere for word in ("pump", "dome", "polars", "gauge"))
    found = wb.recall(query, k=20, space=space)
    inside = " ".join(hit.text for hit in found)
    assert all(word in inside for word in words)
    assert not any(word in inside for word in {"pump", "dome", "polars", "gauge"} - words)
    known = {hit.id for hit in found} | {drop.id for drop in found.trace.dropped}
    assert all(wb.recall(query, k=20, space=space).trace.scope == space for _ in (0,))
    assert known.isdisjoint(
        {
            hit.id
            for other in {"lab", "thesis", "uncategorized"} - {space}
            for hit in wb.recall(query, k=20, space=other)
        }
    )


def test_the_best_of_a_small_space_are_not_crowded_out_by_a_large_one(tmp_path: Path) -> None:
    wb = opened(tmp_path / "w", settings=wenlan_lab.Settings(candidates=5))
    wb.spaces.create("small")
    wb.capture_many([f"The pump number {at} stalls below {at} degrees in the hall" for at in range(200)])
    wb.capture("A pump here stalls now and then", space="small")
    assert len(wb.recall("pump stalls degrees", k=8, space="small")) == 1
    wb.close()


@pytest.mark.parametrize(
    ("types", "kinds"),
    [
        (["gotcha"], {"gotcha"}),
        (["passage"], {"passage"}),
        (["memory"], {"gotcha", "fact", "lesson", "decision"}),
        (["fact", "lesson"], {"fact", "lesson"}),
    ],
)
def test_types_narrow_what_comes_back(wb: Workbench, types: list[str], kinds: set[str]) -> None:
    found = {hit.type for hit in wb.recall("pump dome polars gauge degrees rain season", k=20, types=types)}
    assert found
    assert found <= kinds


def test_a_misspelt_space_an_empty_space_and_nothing_relevant_are_three_things(wb: Workbench) -> None:
    with pytest.raises(InvalidRequest, match="did you mean 'lab'"):
        wb.recall("pump", space="lap")
    assert wb.recall("pump", space="empty").emptiness == "empty_space"
    nothing = wb.recall("!?…")
    assert nothing.nothing_relevant or nothing.hits
    with wenlan_lab.open(wb.folder.parent / "other", embedder="hash") as fresh:
        assert fresh.recall("pump").emptiness == "empty_workbench"


@pytest.mark.parametrize("k", [0, -1, 1001, True, "8", 2.0])
def test_a_k_that_can_not_be_is_refused(wb: Workbench, k: object) -> None:
    with pytest.raises(InvalidRequest, match="k must be"):
        wb.recall("pump", k=k)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["nonsense", "profile"])
def test_unknown_types_and_includes_are_refused(wb: Workbench, name: str) -> None:
    with pytest.raises(InvalidRequest):
        wb.recall("pump", types=[name])
    with pytest.raises(InvalidRequest):
        wb.recall("pump", include=[name])


def test_near_identical_hits_are_folded_into_one(wb: Workbench) -> None:
    found = wb.recall("Thanks!", k=10, types=["passage"])
    thanks = [hit for hit in found if hit.text == "Thanks!"]
    assert len(thanks) == 1
    assert len(thanks[0].folded) == 1
    assert any(drop.reason == "folded" for drop in found.trace.dropped)


def test_reading_writes_nothing_and_always_gives_the_same(wb: Workbench) -> None:
    first, before = ranking(wb, "why did the pump stop?"), rows_of(wb)
    for _ in range(100):
        assert ranking(wb, "why did the pump stop?") == first
    assert rows_of(wb) == before


def test_derived_deleted_gives_the_same_recall(tmp_path: Path) -> None:
    wb = furnished(tmp_path / "w")
    queries = ["why did the pump stop?", "what did Ben say about the cold?", "学习", "who chose polars in May 2026?"]
    before = [ranking(wb, query) for query in queries]
    wb.close()
    shutil.rmtree(tmp_path / "w" / "derived")
    again = opened(tmp_path / "w")
    assert [ranking(again, query) for query in queries] == before
    again.rebuild()
    assert [ranking(again, query) for query in queries] == before
    again.close()


def test_what_was_written_is_recalled_at_once_two_hundred_times(tmp_path: Path) -> None:
    wb = opened(tmp_path / "w")
    for at in range(200):
        receipt = wb.capture(f"The reading number {at} of gauge {at * 7} was taken at noon")
        assert receipt.id in {hit.id for hit in wb.recall(f"reading number {at} of gauge {at * 7}", k=5)}
    wb.close()


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=300)
def test_any_text_is_a_question(text: str) -> None:
    result = HOSTILE[0].recall(text, k=3)
    assert len(result) <= 3
    repr(result)
    result._repr_html_()


HOSTILE: list[Workbench] = []


@pytest.fixture(autouse=True, scope="module")
def one_workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    HOSTILE.append(furnished(tmp_path_factory.mktemp("hostile") / "w"))
    yield
    HOSTILE.pop().close()


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "\0",
        "\ud800",
        "pump" * 250_000,
        '"; drop table memory; --',
        "<script>alert(1)</script>",
        "{x} $y",
        "AND OR NOT",
        "‮pump",
        "(((((",
        "pump*",
    ],
)
def test_hostile_questions_are_only_words(wb: Workbench, query: str) -> None:
    before = rows_of(wb)
    wb.recall(query)
    assert rows_of(wb) == before


def test_chinese_is_found_by_any_two_characters(wb: Workbench) -> None:
    assert wb.recall("学习", k=1)[0].text.startswith("机器学习")


class Broken(HashEmbedder):
    """An embedder that worked once and now doesn't."""

    def embed_query(self, text: str) -> np.ndarray:
        raise ProviderUnavailable("the endpoint is down: start it again")


def test_an_embedder_that_is_down_leaves_keyword_recall_and_says_so(tmp_path: Path) -> None:
    furnished(tmp_path / "w").close()
    wb = opened(tmp_path / "w", embedder=Broken())
    result = wb.recall("pump degrees")
    assert result.hits
    assert any("keyword search only" in note for note in result.trace.notes)
    wb.close()


def test_without_an_embedder_keyword_recall_works(tmp_path: Path) -> None:
    furnished(tmp_path / "w").close()
    wb = opened(tmp_path / "w", embedder=None)
    result = wb.recall("pump degrees")
    assert result.hits
    assert [arm.status for arm in result.trace.arms][1] == "no embedder"
    wb.close()


def test_another_embedder_is_followed_while_keyword_recall_goes_on(tmp_path: Path) -> None:
    furnished(tmp_path / "w").close()
    wb = opened(tmp_path / "w", embedder=HashEmbedder(64), settings=wenlan_lab.Settings(embed_on_read=0))
    waiting = wb.recall("pump degrees")
    assert waiting.hits
    assert any("wait for their vectors" in note for note in waiting.trace.notes)
    wb.embed()
    assert not wb.recall("pump degrees").trace.notes
    wb.close()


def test_two_processes_worth_of_workbenches_see_each_other(tmp_path: Path) -> None:
    one, two = opened(tmp_path / "w"), opened(tmp_path / "w", new_id=SequentialIds(10_000))
    receipt = one.capture("The pump stalls below four degrees.")
    assert receipt.id in {hit.id for hit in two.recall("pump stalls")}
    assert receipt.id is not None
    two.forget(receipt.id, "asked to")
    assert receipt.id not in {hit.id for hit in one.recall("pump stalls")}
    one.close()
    two.close()


def test_a_long_text_is_found_by_its_end(tmp_path: Path) -> None:
    wb = opened(tmp_path / "w")
    chance = random.Random(3)
    filler = " ".join(chance.choice(["grey", "rain", "walked", "slowly", "again", "north"]) for _ in range(900))
    long = wb.capture(f"{filler} and at last the turquoise helicopter landed")
    wb.capture_many(
        [f"a note about the {word} garden of the institute" for word in ("red", "blue", "green", "old", "new")]
    )
    assert wb.recall("turquoise helicopter", k=1)[0].id == long.id
    wb.close()


def test_old_unconfirmed_memories_fade_and_confirmed_ones_do_not(tmp_path: Path) -> None:
    clock = FixedClock()
    wb = opened(tmp_path / "w", clock=clock)
    plain, kept = wb.capture("The pump stalls below four degrees"), wb.capture("The dome leaks in heavy rain")
    assert kept.id is not None
    wb.confirm(kept.id)
    clock.advance(days=365)
    factors = {hit.id: hit.factors for hit in wb.recall("pump dome rain degrees", k=5)}
    assert math.isclose(factors[str(plain.id)]["freshness"], 1 / (1 + 0.01 * 365))
    assert factors[str(kept.id)]["freshness"] == 1.0
    wb.close()

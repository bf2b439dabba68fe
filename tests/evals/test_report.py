"""The summary of a run and its faces: what they say, and that hostile words stay words."""

import json
from dataclasses import replace

import polars as pl
import pytest

from tests.evals.small_sets import small_locomo, small_longmemeval
from wenlan_lab import Settings
from wenlan_lab.evals import locomo, longmemeval, report, run, summary
from wenlan_lab.evals.faces import Table, plain
from wenlan_lab.testing import HashEmbedder

SHA = "ab" * 32
HOSTILE = "<script>alert(1)</script> \x1b[2J \u202e&amp; \ud800"


@pytest.fixture(scope="module")
def benchmark():
    return locomo.parse(small_locomo(), SHA, "turns", "locomo_small")


@pytest.fixture(scope="module")
def measured(benchmark, tmp_path_factory):
    return run.run_benchmark(
        benchmark, out=tmp_path_factory.mktemp("run"), embedder=HashEmbedder(), progress=False, settings=Settings()
    )


@pytest.fixture(scope="module")
def haystacks(tmp_path_factory):
    of = longmemeval.parse(small_longmemeval(), SHA, "turns", "longmemeval_small")
    return run.run_benchmark(
        of, out=tmp_path_factory.mktemp("lme"), embedder=HashEmbedder(), progress=False, settings=Settings()
    )


def altered(measured, **columns):
    return replace(
        measured, rows=measured.rows.with_columns(**{name: pl.lit(value) for name, value in columns.items()})
    )


def test_the_summary_has_the_shape_that_the_command_prints(measured):
    found = summary.summary(measured, resamples=100)
    fixed = {"dataset", "protocol", "n", "metrics", "by_type", "latency_ms", "receipt"}
    assert fixed <= set(found)
    assert {"recall@5", "recall@10", "recall_any@5", "mrr", "ndcg@10", "ndcg_retrieved@10"} <= set(found["metrics"])
    assert {"p50", "p95"} <= set(found["latency_ms"])
    assert found["n"] == 12  # category 5 stands apart
    assert found["receipt"] == str(measured.folder)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_summary_is_the_mean_of_the_rows(measured):
    found = summary.summary(measured, resamples=100)
    graded = measured.rows.filter(pl.col("graded"))
    for name, value in found["metrics"].items():
        assert value == pytest.approx(graded[name].mean())
        low, high = found["intervals"][name]
        assert low <= value <= high
    assert sum(part["n"] for part in found["by_type"].values()) == 12
    for part in ("dev", "report"):
        of = graded.filter(pl.col("case").str.starts_with("conv-26" if part == "dev" else "conv-44"))
        assert found["by_split"][part]["metrics"]["mrr"] == pytest.approx(of["mrr"].mean())


def test_conversations_are_drawn_whole_where_they_hold_several_questions(measured, haystacks):
    assert summary.summary(measured, resamples=100)["clusters"] == 2
    assert "clustered" not in summary.summary(haystacks, resamples=100)


def test_the_same_run_gives_the_same_summary(measured):
    assert summary.summary(measured, resamples=300) == summary.summary(measured, resamples=300)


def test_what_was_fitted_on_is_said(measured):
    notes = " ".join(summary.summary(measured, resamples=10)["notes"])
    assert "fitted on the dev split" in notes
    dev = replace(measured, rows=measured.rows.filter(pl.col("case").str.starts_with("conv-26")))
    assert "no figure to quote" in " ".join(summary.summary(dev, resamples=10)["notes"])
    other = replace(measured, rows=measured.rows.filter(pl.col("case").str.starts_with("conv-44")))
    assert summary.summary(other, resamples=10)["notes"] == []


def test_a_protocol_that_leaks_labels_says_so(haystacks):
    leaking = replace(haystacks, header=replace(haystacks.header, protocol="wenlan"))
    assert any("leaks" in note for note in summary.summary(leaking, resamples=10)["notes"])


def test_abstention_is_reported_where_it_can_be_due(measured, haystacks):
    assert summary.abstention(measured) == {}
    found = summary.abstention(altered(haystacks, nothing_relevant=True))
    assert found["due"] == 1
    assert found["said"] == len(haystacks.rows)
    assert found["recall"] == 1.0
    assert found["precision"] == pytest.approx(1 / len(haystacks.rows))


def test_captures_a_second_are_not_claimed_when_vectors_came_from_the_cache(measured):
    assert (summary.filling(measured)["passages_a_second"] or 0) > 0
    counts = {**measured.header.counts, "windows_from_cache": 1}
    cached = replace(measured, header=replace(measured.header, counts=counts))
    assert summary.filling(cached)["passages_a_second"] is None


def test_a_run_of_nothing_but_failures_is_summed_up_and_drawn(measured, benchmark):
    broken = altered(measured, error="ValueError: x", latency_ms=None, search_ms=None, top_score=None)
    found = summary.summary(broken, resamples=10)
    assert found["errors"] == 14
    assert found["latency_ms"]["p50"] is None
    for face in (report.figures, report.by_type, report.type_bars, report.recall_curve, report.latency_histogram,
                 report.costs, report.receipt, report.what_was_run):  # fmt: skip
        assert repr(face(broken))
    assert repr(report.worst(broken, benchmark))


def test_an_unfinished_run_without_a_row_is_summed_up_and_drawn(measured, benchmark):
    empty = replace(measured, rows=measured.rows.head(0), header=replace(measured.header, ended=None))
    assert summary.summary(empty, resamples=10)["n"] == 0
    assert any("isn't finished" in note for note in summary.summary(empty, resamples=10)["notes"])
    for face in (report.figures, report.by_type, report.type_bars, report.recall_curve, report.latency_histogram):
        assert repr(face(empty))
    assert report.worst(empty, benchmark).rows == ()


def test_the_recall_curve_rises_to_the_recall_of_the_summary(measured):
    curve = report.recall_by_k(measured)
    assert len(curve) == 10
    assert curve == sorted(curve)
    figures = summary.summary(measured, resamples=10)["metrics"]
    assert curve[4] == pytest.approx(figures["recall@5"])
    assert curve[9] == pytest.approx(figures["recall@10"])


def test_drawings_are_images_and_say_in_words_what_they_show(measured):
    for drawing in (report.type_bars(measured), report.recall_curve(measured), report.latency_histogram(measured)):
        assert drawing._repr_png_().startswith(b"\x89PNG")
        assert any(sign.isdigit() for sign in repr(drawing))


def test_the_same_figures_give_the_same_image(measured):
    assert report.recall_curve(measured)._repr_png_() == report.recall_curve(measured)._repr_png_()


def test_the_worst_questions_show_what_was_missed_and_what_came_instead(measured, benchmark):
    rows = measured.rows
    wrong = rows.with_columns(
        pl.when(pl.col("question") == "conv-26/q0").then(0.0).otherwise(pl.col("ndcg@10")).alias("ndcg@10"),
        pl.when(pl.col("question") == "conv-26/q0").then(["D2:2"]).otherwise(pl.col("retrieved")).alias("retrieved"),
    )
    table = report.worst(replace(measured, rows=wrong), benchmark, most=1)
    (row,) = table.rows
    assert row[0] == "conv-26/q0"
    assert row[3] == "What did Ann buy in Oslo?"
    assert str(row[4]).startswith("D1:1 Ann: I bought a red bicycle")
    assert str(row[5]).startswith("D2:2 Bo: More about the garden")


def test_a_hostile_cell_stays_text_in_both_faces():
    table = Table("T<b>", ("c<i>", "n"), ((HOSTILE, 1), (None, 0.5)), ("note <u>",))
    html = table._repr_html_()
    for tag in ("<script", "<b>", "<i>", "<u>"):
        assert tag not in html
    assert not any(sign in repr(table) for sign in "\x1b\u202e\ud800")
    assert "\n" not in plain("a\nb")
    repr(table).encode()
    html.encode()


def test_a_table_is_a_polars_frame_too(measured):
    frame = report.by_type(measured).to_polars()
    assert frame["n"].sum() == 12


def test_the_most_moved_questions_are_shown_with_both_rankings(measured):
    changed = measured.rows.with_columns(
        pl.when(pl.col("question") == "conv-44/q2").then(-1.0).otherwise(pl.col("mrr")).alias("mrr")
    )
    table = report.moved(measured, replace(measured, rows=changed), "mrr")
    assert [row[0] for row in table.rows] == ["conv-44/q2"]
    assert report.moved(measured, measured, "mrr").rows == ()

"""Paired comparison: refusals, exact zeros, figures by hand, and what it shows."""

from dataclasses import replace

import numpy as np
import pytest

from tests.evals.samples import SHA, real_file
from tests.evals.test_receipts import header, row, whole_run
from wenlan_lab import InvalidRequest
from wenlan_lab.evals.compare import ALL_KINDS, compare
from wenlan_lab.evals.receipts import Run, published_run, rows_frame
from wenlan_lab.evals.statistics import wilcoxon_signed_rank


def run_of(figures, kinds=None, cases=None, **changes):
    """A finished run with one MRR a question."""
    rows = [
        row(
            n,
            metrics={"mrr": float(figure)},
            kind=kinds[n] if kinds else "temporal",
            case=cases[n] if cases else f"c{n}@abab",
        )
        for n, figure in enumerate(figures)
    ]
    return Run(header(ended="2026-01-02T04:00:00+00:00", **changes), rows_frame(rows))


def only(comparison, kind=ALL_KINDS):
    return next(found for found in comparison.rows if found.kind == kind)


def test_a_run_against_itself_is_exactly_nought():
    run = run_of(np.random.default_rng(1).random(60), kinds=["a", "b", "c"] * 20)
    for clustered in (False, True):
        comparison = compare(run, run, clustered=clustered)
        assert {found.kind for found in comparison.rows} == {"all", "a", "b", "c"}
        for found in comparison.rows:
            assert (found.difference, found.low, found.high, found.p, found.adjusted) == (0.0, 0.0, 0.0, 1.0, 1.0)
            assert (found.wins, found.losses, found.ties) == (0, 0, found.n)
            assert not found.significant
    assert comparison.notes == ()


def test_a_difference_is_b_less_a():
    found = only(compare(run_of([0.0, 0.5, 1.0, 0.2]), run_of([0.5, 0.5, 0.5, 0.4])))
    assert found.mean_a == pytest.approx(0.425)
    assert found.mean_b == pytest.approx(0.475)
    assert found.difference == pytest.approx(0.05)
    assert (found.wins, found.ties, found.losses) == (2, 1, 1)
    assert found.low <= found.difference <= found.high


def test_questions_are_paired_by_id_whatever_their_order():
    a = run_of([0.1, 0.2, 0.3])
    b = Run(a.header, a.rows.reverse())
    assert only(compare(a, b)).ties == 3


def test_types_are_compared_apart_and_the_whole_table_is_one_family():
    rng = np.random.default_rng(2)
    base = rng.random(80)
    better = base + np.where(np.arange(80) % 2 == 0, 0.2, 0.0)
    comparison = compare(run_of(base, ["x", "y"] * 40), run_of(better, ["x", "y"] * 40))
    assert (only(comparison, "x").n, only(comparison, "y").n, only(comparison).n) == (40, 40, 80)
    assert only(comparison, "x").significant
    assert only(comparison, "y").p == 1.0
    assert only(comparison, "x").p == wilcoxon_signed_rank([0] * 40, [0.2] * 40).p
    assert only(comparison, "x").adjusted == pytest.approx(
        min(3 * sorted(found.p for found in comparison.rows)[0], 1.5 * sorted(found.p for found in comparison.rows)[1])
    )


def test_another_protocol_is_refused_by_name():
    with pytest.raises(InvalidRequest, match=r"protocol.*turns and wenlan"):
        compare(run_of([1.0]), run_of([1.0], protocol="wenlan"))


def test_another_dataset_is_refused_even_under_the_same_name():
    with pytest.raises(InvalidRequest, match="dataset"):
        compare(run_of([1.0]), run_of([1.0], sha256="cd" * 32))


def test_runs_without_a_question_in_common_are_refused():
    a, b = run_of([1.0]), run_of([1.0, 0.5])
    b = Run(b.header, b.rows.slice(1))
    with pytest.raises(InvalidRequest, match="no graded question in common"):
        compare(a, b)


def test_a_figure_that_one_run_lacks_is_refused_with_what_both_have():
    with pytest.raises(InvalidRequest, match=r"ndcg@10. Both have mrr"):
        compare(run_of([1.0]), run_of([1.0]), metrics=["ndcg@10"])


def test_questions_without_a_partner_are_left_out_and_counted():
    comparison = compare(run_of([0.5, 0.5, 0.5]), run_of([0.5, 0.5]))
    assert comparison.n == 2
    assert "1 graded questions of a have no partner and are left out" in comparison.notes


def test_ungraded_questions_are_no_pairs():
    run = run_of([0.5, 0.5])
    rows = [row(0, metrics={"mrr": 0.5}), row(1, metrics={}, graded=False, abstention=True)]
    assert compare(run, Run(run.header, rows_frame(rows))).n == 1


def test_failures_and_other_settings_are_noted():
    a = run_of([0.5, 0.5])
    rows = [row(0, metrics={"mrr": 0.5}), row(1, metrics={"mrr": 0.0}, error="RuntimeError: x")]
    b = Run(replace(a.header, settings={"fusion": "rrf"}, ended=None), rows_frame(rows))
    notes = compare(a, b).notes
    assert "1 questions of b failed and count as if nothing had been found" in notes
    assert "differs: settings.fusion: minmax and rrf" in notes
    assert any(note.startswith("b isn't finished") for note in notes)


def test_conversations_are_drawn_whole_when_cases_hold_several_questions():
    cases = [f"conv-{n // 10}@abab" for n in range(40)]
    rng = np.random.default_rng(3)
    a = rng.random(40)
    b = a + np.repeat([0.3, -0.3, 0.3, -0.3], 10)
    together = compare(run_of(a, cases=cases), run_of(b, cases=cases))
    alone = compare(run_of(a, cases=cases), run_of(b, cases=cases), clustered=False)
    assert (together.clusters, alone.clusters) == (4, None)
    assert only(together).high - only(together).low > only(alone).high - only(alone).low
    assert compare(run_of(a), run_of(b)).clusters is None


def test_one_conversation_alone_gets_no_interval_of_no_width():
    a, b = run_of([0.1, 0.9, 0.3], cases=["c"] * 3), run_of([0.5, 0.1, 0.7], cases=["c"] * 3)
    found = only(compare(a, b, clustered=True))
    assert found.low < found.high


def test_folders_are_compared_as_their_runs(tmp_path):
    run = whole_run(tmp_path / "a", [row(1), row(2)])
    whole_run(tmp_path / "b", [row(1), row(2)])
    comparison = compare(tmp_path / "a", str(tmp_path / "b"))
    assert comparison.n == 2
    assert {found.metric for found in comparison.rows} == {"mrr", "ndcg@10"}
    assert compare(run, tmp_path / "b").rows == comparison.rows


def test_a_comparison_shows_itself_as_text_table_and_frame():
    comparison = compare(run_of([0.0, 0.5], dataset="<b>x</b>"), run_of([1.0, 0.5], dataset="<b>x</b>"))
    assert "+0.5000" in repr(comparison)
    assert "1/1/0" in repr(comparison)
    html = comparison._repr_html_()
    assert "<b>x" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    frame = comparison.to_polars()
    assert frame["difference"].to_list() == [0.5, 0.5]
    assert frame.columns[:3] == ["metric", "kind", "n"]


def test_a_question_type_can_hold_no_markup():
    run = run_of([0.5], kinds=["<img src=x onerror=alert(1)>"])
    assert "<img" not in compare(run, run)._repr_html_()


def test_the_same_seed_gives_the_same_table():
    rng = np.random.default_rng(4)
    a, b = run_of(rng.random(30)), run_of(rng.random(30))
    assert compare(a, b).rows == compare(a, b).rows


def test_wenlans_published_rows_have_the_published_means():
    run = published_run(
        real_file("wenlan_lme_s_90_rows.jsonl"), dataset="s", sha256=SHA, protocol="wenlan", by="wenlan"
    )
    assert len(run.rows) == 84
    means = [run.rows[name].mean() for name in ("recall@5", "mrr", "ndcg@10")]
    assert means == [pytest.approx(0.877, abs=5e-4), pytest.approx(0.815, abs=5e-4), pytest.approx(0.822, abs=5e-4)]
    ours = Run(replace(run.header, ended="x"), run.rows.with_columns(case=run.rows["question"]))
    comparison = compare(run, ours)
    assert (comparison.n, only(comparison).ties, comparison.clusters) == (84, 84, None)

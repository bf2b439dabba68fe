"""What is committed of a run, and the README's tables that are made of it."""

import json
from dataclasses import replace

import polars as pl
import pytest

from evals import readme_tables, report_sets
from tests.evals.small_sets import small_locomo
from wenlan_lab import InvalidRequest, NotFound, Settings
from wenlan_lab.evals import datasets, locomo, receipts, results, run
from wenlan_lab.testing import HashEmbedder

SHA = "ab" * 32


def measured(folder, protocol="turns", **more):
    of = locomo.parse(small_locomo(), SHA, protocol, "locomo10")
    return run.run_benchmark(of, out=folder, embedder=HashEmbedder(), progress=False, settings=Settings(), **more)


@pytest.fixture
def published(tmp_path):
    """Two results below one root, made of runs that lie elsewhere."""
    root = tmp_path / "results"
    for protocol in ("turns", "official", "wenlan"):
        done = measured(tmp_path / "work" / protocol, protocol)
        results.publish(done, root / f"locomo10-{protocol}", named=f"evals/results/locomo10-{protocol}")
    return root


def test_a_result_is_three_files_that_agree(published):
    for name, folder in results.result_folders(published).items():
        assert sorted(path.name for path in folder.iterdir()) == ["header.json", "rows.jsonl", "summary.json"]
        summary = results.read_summary(folder)
        assert summary["receipt"] == f"evals/results/{name}"
        assert results.checked(folder) == pytest.approx(summary["metrics"], abs=1e-6)
        assert len(receipts.read_run(folder).rows) == 14


def test_a_result_names_no_folder_and_holds_no_word_of_the_dataset(published, tmp_path):
    for path in published.rglob("*.json*"):
        text = path.read_text(encoding="utf-8")
        assert str(tmp_path) not in text
        assert "bicycle" not in text
        assert "Oslo" not in text


def test_what_failed_or_is_not_finished_is_no_result(tmp_path):
    done = measured(tmp_path / "work")
    failed = replace(done, rows=done.rows.with_columns(pl.lit("ValueError").alias("error")))
    unfinished = replace(done, header=replace(done.header, ended=None))
    for broken, said in ((failed, "failed"), (unfinished, "isn't finished"), (replace(done, folder=None), "no folder")):
        with pytest.raises(InvalidRequest, match=said):
            results.publish(broken, tmp_path / "results" / "x", named="x")
    assert not (tmp_path / "results").exists()
    with pytest.raises(NotFound, match="make evals"):
        results.read_summary(tmp_path)


def test_the_tables_say_what_the_summaries_say(published):
    text = readme_tables.tables(published)
    turns = results.read_summary(published / "locomo10-turns")
    assert f"| {results.figure(turns, 'recall@5')} |" in text
    assert f"| {results.figure(turns['by_split']['report'], 'mrr')} |" in text
    assert "the five report conversations" in text
    assert "official, k = 10" in text
    assert "ConvMemory" in text
    assert "| LoCoMo | wenlan | recall@5 | .700 |" in text


def test_a_changed_result_changes_the_tables(published):
    before = readme_tables.tables(published)
    path = published / "locomo10-turns" / "summary.json"
    summary = json.loads(path.read_text(encoding="utf-8"))
    summary["metrics"]["mrr"] -= 0.01
    path.write_text(json.dumps(summary), encoding="utf-8")
    assert readme_tables.tables(published) != before


def test_a_comparison_is_written_with_both_latencies(tmp_path):
    ours = measured(tmp_path / "a")
    theirs = replace(
        ours, rows=ours.rows.with_columns((pl.col("mrr") - 0.25).alias("mrr"), pl.lit(500.0).alias("latency_ms"))
    )
    results.compared(theirs, ours, tmp_path / "compare-wenlan-s84.json", metrics=["mrr"])
    stored = json.loads((tmp_path / "compare-wenlan-s84.json").read_text(encoding="utf-8"))
    assert stored["rows"][0]["difference"] == pytest.approx(0.25)
    assert stored["latency_p50_ms"]["a"] == 500.0
    assert stored["latency_p50_ms"]["a over b"] > 1
    shown = readme_tables._paired(tmp_path / "compare-wenlan-s84.json")
    assert "| mrr | all | 12 |" in shown
    assert "+.250" in shown or "+0.250" in shown


def test_every_reported_set_is_a_registered_one_under_a_protocol_that_it_has():
    names = [one.name for one in report_sets.SETS]
    assert len(set(names)) == len(names)
    for one in report_sets.SETS:
        known = datasets.dataset(one.dataset)
        assert known.use == "report"
        assert one.protocol in datasets.protocols_of(known)
    assert ("locomo10", "official", 50) in {(one.dataset, one.protocol, one.k) for one in report_sets.SETS}


def test_reported_sets_are_measured_under_the_shipped_defaults(monkeypatch):
    monkeypatch.setenv("WENLAN_FUSION", "weighted")
    assert Settings().fusion == "weighted"
    assert report_sets.defaults().fusion == "learned"


def test_the_committed_results_agree_with_their_own_rows():
    folders = results.result_folders(report_sets.RESULTS)
    if not folders:
        pytest.skip("no results are committed yet: `make evals` makes them")
    for folder in folders.values():
        assert results.checked(folder) == pytest.approx(results.read_summary(folder)["metrics"], abs=1e-5), folder.name

"""What a run leaves behind, and how it goes on after it was killed."""

import json
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from tests.evals.samples import SHA
from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.evals.receipts import (
    EvalRow,
    Header,
    begin_run,
    differing,
    published_run,
    read_header,
    read_run,
    rows_frame,
)


def header(**changes):
    base = Header(
        dataset="locomo10", sha256=SHA, protocol="turns", k=10, settings={"fusion": "minmax", "weights": [0.4, 0.6]},
        embedder="hash-64", reranker=None, engine_version="0.1.0", code="f00d", seed=7,
        started="2026-01-02T03:04:05+00:00", git_commit="abc", git_dirty=True, versions={"numpy": "2.4"},
        machine={"system": "Linux"},
    )  # fmt: skip
    return replace(base, **changes)


def row(number, **changes):
    base = EvalRow(
        case="conv-1@abab", question=f"conv-1/q{number}", kind="temporal", graded=True, abstention=False,
        retrieved=("D1:1", "D1:2"), gold=("D1:2",), metrics={"mrr": 1 / 3, "ndcg@10": 0.1 * number},
        latency_ms=12.5, search_ms=3.25, top_score=0.7, nothing_relevant=False,
    )  # fmt: skip
    return replace(base, **changes)


def whole_run(folder, rows):
    with begin_run(folder, header()) as log:
        for one in rows:
            if (one.case, one.question) not in log.done:
                log.append(one)
        return log.finish("2026-01-02T04:00:00+00:00", {"questions": len(rows)})


def test_a_run_is_read_back_as_it_was_written(tmp_path):
    written = whole_run(tmp_path, [row(1), row(2, error=None, latency_ms=None)])
    read = read_run(tmp_path)
    assert read.header == written.header
    assert read.rows.equals(written.rows)
    assert read.metrics == ("mrr", "ndcg@10")
    assert read.rows["mrr"].to_list() == [1 / 3, 1 / 3]
    assert read.header.counts == {"questions": 2}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["header.json", "rows.jsonl", "rows.parquet"]


def test_the_header_stands_before_the_first_row(tmp_path):
    with begin_run(tmp_path, header()):
        assert read_header(tmp_path).ended is None
        shown = json.loads((tmp_path / "header.json").read_text(encoding="utf-8"))
        assert shown["comparable"] == header().comparable


def test_a_row_is_on_disk_as_soon_as_it_is_appended(tmp_path):
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
        assert len((tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()) == 1
        assert read_run(tmp_path).rows["question"].to_list() == ["conv-1/q1"]


def test_a_killed_run_goes_on_to_the_same_table(tmp_path):
    rows = [row(n) for n in range(6)]
    undisturbed = whole_run(tmp_path / "a", rows)
    with begin_run(tmp_path / "b", header()) as log:
        for one in rows[:3]:
            log.append(one)
    resumed = whole_run(tmp_path / "b", rows)
    assert resumed.rows.equals(undisturbed.rows)
    assert (resumed.header.resumed, undisturbed.header.resumed) == (1, 0)
    assert resumed.header.started == header().started


def test_a_line_that_was_cut_off_is_dropped_and_said_so(tmp_path):
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
        log.append(row(2))
    path = tmp_path / "rows.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    with begin_run(tmp_path, header()) as log:
        assert log.dropped is not None
        assert log.dropped.startswith('{"case"')
        assert log.done == {("conv-1@abab", "conv-1/q1")}
        log.append(row(2))
        run = log.finish("x", {})
    assert run.rows["question"].to_list() == ["conv-1/q1", "conv-1/q2"]
    assert read_run(tmp_path).rows.equals(run.rows)
    with begin_run(tmp_path, header()) as log:  # the row written after the cut starts a line of its own
        assert (len(log.done), log.dropped) == (2, None)


def test_a_line_that_lost_only_its_end_is_asked_again(tmp_path):
    """Whole JSON without a line break: whether a later byte was lost can't be known."""
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
    path = tmp_path / "rows.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    with begin_run(tmp_path, header()) as log:
        assert log.done == frozenset()
        assert log.dropped is not None


def test_a_clean_stop_drops_nothing(tmp_path):
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
    with begin_run(tmp_path, header()) as log:
        assert log.dropped is None


def test_a_line_broken_in_the_middle_is_no_accident_and_is_refused(tmp_path):
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
        log.append(row(2))
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"{\n" + path.read_bytes())
    with pytest.raises(InvalidRequest, match="line 1"):
        begin_run(tmp_path, header())
    with pytest.raises(InvalidRequest, match="line 1"):
        read_run(tmp_path)


def test_a_question_has_one_row(tmp_path):
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
        with pytest.raises(InvalidRequest, match="has a row already"):
            log.append(row(1))
        log.append(row(1, case="conv-1@cdcd"))  # the same question of another file is another
    path = tmp_path / "rows.jsonl"
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(InvalidRequest, match="repeats conv-1/q1"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sha256": "cd" * 32}, "sha256"),
        ({"protocol": "wenlan"}, "protocol: turns and wenlan"),
        ({"k": 50}, "k: 10 and 50"),
        ({"settings": {"fusion": "rrf", "weights": [0.4, 0.6]}}, "settings.fusion: minmax and rrf"),
        ({"embedder": "other"}, "embedder"),
        ({"reranker": "cross"}, "reranker"),
        ({"engine_version": "0.2.0"}, "engine_version"),
        ({"code": "beef"}, "code"),
        ({"seed": 8}, "seed"),
        ({"versions": {"numpy": "3"}}, "versions.numpy"),
    ],
)
def test_a_run_under_other_conditions_is_refused_and_they_are_named(tmp_path, changes, named):
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
    with pytest.raises(InvalidRequest, match=named):
        begin_run(tmp_path, header(**changes))
    assert len(read_run(tmp_path).rows) == 1


def test_another_start_or_machine_does_not_stop_a_run_from_going_on(tmp_path):
    with begin_run(tmp_path, header()) as log:
        log.append(row(1))
    later = header(started="2026-02-02T00:00:00+00:00", machine={"system": "Darwin"}, git_dirty=False, git_commit="x")
    with begin_run(tmp_path, later) as log:
        assert len(log.done) == 1


def test_the_comparable_key_is_of_what_was_measured_not_of_when_or_where():
    key = header().comparable
    assert key == header(started="later", seed=9, code="x", machine={}, versions={}, git_commit=None).comparable
    assert key == header(settings={"weights": [0.4, 0.6], "fusion": "minmax"}).comparable
    others: list[dict[str, Any]] = [
        {"sha256": "x"},
        {"protocol": "x"},
        {"k": 5},
        {"settings": {}},
        {"embedder": "x"},
        {"engine_version": "x"},
    ]
    assert len({header(**change).comparable for change in others} | {key}) == 7
    assert differing(header(), header()) == ()


def test_rows_without_a_header_are_refused(tmp_path):
    (tmp_path / "rows.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(InvalidRequest, match="without a header"):
        begin_run(tmp_path, header())


def test_a_folder_without_a_run_says_so(tmp_path):
    with pytest.raises(NotFound, match="holds no run"):
        read_run(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"dataset": 1, "surprise": 2}', "{"])
def test_a_header_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "header.json").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidRequest, match="can't be read"):
        read_run(tmp_path)


def test_a_figure_that_is_no_number_is_never_written(tmp_path):
    with begin_run(tmp_path, header()) as log:
        with pytest.raises(ValueError, match="JSON compliant"):
            log.append(row(1, metrics={"mrr": float("nan")}))
        log.append(row(1))
    assert len(read_run(tmp_path).rows) == 1


def test_a_frame_has_its_columns_whether_or_not_there_are_rows():
    empty, full = rows_frame([]), rows_frame([row(1, metrics={})])
    assert empty.columns == full.columns
    assert empty.schema == full.schema
    assert full.schema["retrieved"] == pl.List(pl.String)


def test_a_figure_that_a_row_lacks_is_null():
    frame = rows_frame([row(1), row(2, graded=False, metrics={}, error="ValueError: no")])
    assert frame["mrr"].to_list() == [1 / 3, None]
    assert frame["error"].to_list() == [None, "ValueError: no"]


@pytest.mark.parametrize(
    "text", ["<script>", "a\x00b", "\ud800 half", "line\nbreak\u2028", "שלום 你好", "x" * 100_000, ""]
)
def test_hostile_text_in_an_error_or_an_id_survives(tmp_path, text):
    whole_run(tmp_path, [row(1, error=text, retrieved=(text,))])
    read = read_run(tmp_path)
    assert read.rows["error"][0] == text.replace("\ud800", "?")
    with begin_run(tmp_path, header()) as log:  # the line file still parses, one line a row
        assert len(log.done) == 1


def test_published_rows_become_a_run_of_the_figures_they_hold(tmp_path):
    shipped = {
        "query_id": "q_abs",
        "category": "temporal",
        "ndcg10": 0.5,
        "recall5": 1.0,
        "mrr": 0.25,
        "latency_ms": 9.0,
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(shipped) + "\n", encoding="utf-8")
    run = published_run(path, dataset="longmemeval_s_published84", sha256=SHA, protocol="wenlan", by="wenlan")
    assert run.metrics == ("recall@5", "mrr", "ndcg@10")
    assert run.rows.select("question", "kind", "ndcg@10", "latency_ms").row(0) == ("q_abs", "temporal", 0.5, 9.0)
    assert (run.header.dataset, run.header.protocol) == ("longmemeval_s_published84", "wenlan")


@pytest.mark.parametrize("line", ["{}", "nonsense", "[1]", '{"query_id": "a", "category": "b", "ndcg10": null}'])
def test_rows_of_another_format_are_refused_with_the_line(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InvalidRequest, match="line 1"):
        published_run(path, dataset="x", sha256=SHA, protocol="wenlan", by="wenlan")

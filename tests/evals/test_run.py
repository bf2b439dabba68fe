"""Whole runs over small datasets: isolated, interruptible, resumable, and what a failed question leaves."""

import json
from dataclasses import replace

import polars as pl
import pytest

from tests.evals.small_sets import small_locomo, small_longmemeval, written
from wenlan_lab import InvalidRequest, ProviderUnavailable, Settings
from wenlan_lab.evals import asking, compare, locomo, longmemeval, run, splits, summary
from wenlan_lab.testing import HashEmbedder

SHA = "ab" * 32
TIMES = ("latency_ms", "search_ms")


def benchmark(protocol="turns"):
    return locomo.parse(small_locomo(), SHA, protocol, "locomo_small")


def haystacks(protocol="turns"):
    return longmemeval.parse(small_longmemeval(), SHA, protocol, "longmemeval_small")


def ran(out, of=None, **more):
    arguments = {"embedder": HashEmbedder(), "progress": False, "settings": Settings(), **more}
    return run.run_benchmark(of or benchmark(), out=out, **arguments)


class Interrupting(HashEmbedder):
    """Raises what it is given after so many questions, as Ctrl-C or a broken provider would."""

    def __init__(self, after, error):
        super().__init__()
        self.left, self.error = after, error

    def embed_query(self, text):
        if "said" not in text:  # the throwaway recall that comes before the first question isn't counted
            self.left -= 1
            if self.left < 0:
                raise self.error
        return super().embed_query(text)

    def embed_documents(self, texts, progress=None):
        return HashEmbedder().embed_documents(texts, progress)


def test_a_run_has_a_row_for_every_question_and_finds_what_is_there(tmp_path):
    done = ran(tmp_path)
    assert len(done.rows) == 14
    assert done.rows["error"].count() == 0
    assert done.rows["recall@5"].drop_nulls().mean() > 0.8
    assert done.rows.filter(pl.col("kind") == "adversarial")["recall@5"].null_count() == 2
    assert done.header.counts["filled_passages"] == 36
    assert done.header.ended is not None
    assert (done.rows["search_ms"] <= done.rows["latency_ms"]).all()


def test_cases_do_not_see_each_other(tmp_path):
    together = ran(tmp_path / "a")
    for at in (0, 1):
        alone = ran(tmp_path / f"b{at}", replace(benchmark(), cases=benchmark().cases[at : at + 1]))
        mine = together.rows.filter(pl.col("case") == alone.rows["case"][0])
        assert alone.rows.drop(TIMES).equals(mine.drop(TIMES))


@pytest.mark.parametrize("after", [0, 3, 9])
def test_a_run_that_was_interrupted_is_resumed_to_the_same_figures(tmp_path, after):
    whole = ran(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "killed", embedder=Interrupting(after, KeyboardInterrupt()))
    resumed = ran(tmp_path / "killed")
    assert resumed.header.resumed == 1
    assert resumed.rows.drop(TIMES).equals(whole.rows.drop(TIMES))
    assert summary.summary(resumed, resamples=50)["metrics"] == summary.summary(whole, resamples=50)["metrics"]


def test_a_row_that_was_cut_off_is_asked_again(tmp_path):
    whole = ran(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "killed", embedder=Interrupting(5, KeyboardInterrupt()))
    rows = tmp_path / "killed" / "rows.jsonl"
    rows.write_bytes(rows.read_bytes()[:-30])
    assert ran(tmp_path / "killed").rows.drop(TIMES).equals(whole.rows.drop(TIMES))


def test_a_finished_run_is_not_asked_again(tmp_path):
    first = ran(tmp_path)
    before = (tmp_path / "header.json").read_bytes()
    again = ran(tmp_path, embedder=Interrupting(0, AssertionError("a question was asked again")))
    assert again.rows.equals(first.rows)
    assert (tmp_path / "header.json").read_bytes() == before


def test_two_runs_under_the_same_conditions_differ_by_exactly_nothing(tmp_path):
    a, b = ran(tmp_path / "a"), ran(tmp_path / "b")
    found = compare.compare(a, b, resamples=200)
    assert {(row.difference, row.low, row.high, row.wins, row.losses, row.p) for row in found.rows} == {
        (0, 0, 0, 0, 0, 1)
    }
    assert a.header.comparable == b.header.comparable


def test_runs_under_two_protocols_are_not_compared(tmp_path):
    with pytest.raises(InvalidRequest, match="protocol"):
        compare.compare(ran(tmp_path / "a"), ran(tmp_path / "b", benchmark("wenlan")))


def test_a_folder_of_another_run_is_refused(tmp_path):
    ran(tmp_path, limit=2)
    for changed in (
        {"limit": 3},
        {"k": 5, "limit": 2},
        {"limit": 2, "settings": Settings(fusion="weighted")},
        {"questions": "dev", "limit": 2},
    ):
        with pytest.raises(InvalidRequest, match="other conditions"):
            ran(tmp_path, **changed)


def test_a_question_that_fails_is_a_row_and_the_run_goes_on(tmp_path):
    done = ran(tmp_path, embedder=Interrupting(4, ValueError("<b>broken</b>")))
    assert len(done.rows) == 14
    assert done.rows["error"].count() == 10
    assert done.rows["error"][13] == "ValueError: <b>broken</b>"
    assert done.header.counts["errors"] == 10
    found = summary.summary(done, resamples=50)
    assert found["errors"] == 10
    assert any("10 questions failed" in note for note in found["notes"])
    failed = done.rows.filter(pl.col("error").is_not_null() & pl.col("graded"))
    assert failed["recall@5"].to_list() == [0.0] * len(failed)


def test_an_embedder_that_is_unavailable_degrades_instead_of_failing(tmp_path):
    done = ran(tmp_path, embedder=Interrupting(0, ProviderUnavailable("gone")))
    assert done.rows["error"].count() == 0
    assert done.rows["recall@5"].drop_nulls().mean() > 0.5


def test_a_case_that_cannot_be_filled_fails_its_own_questions_only(tmp_path):
    broken = benchmark()
    cases = (replace(broken.cases[0], turns=(*broken.cases[0].turns, None)), broken.cases[1])
    done = ran(tmp_path, replace(broken, cases=cases))
    by_case = done.rows.group_by("case", maintain_order=True).agg(pl.col("error").count())["error"].to_list()
    assert by_case == [7, 0]


def test_each_question_is_asked_at_its_own_time_with_the_k_that_is_reported(tmp_path, monkeypatch):
    seen = []
    real = asking.ask

    def watched(wb, question, k, clock):
        seen.append((question.id, question.at, k))
        answer = real(wb, question, k, clock)
        assert wb.clock() == question.at
        return answer

    monkeypatch.setattr(asking, "ask", watched)
    of = haystacks()
    done = ran(tmp_path, of, k=7)
    assert seen == [(q.id, q.at, 7) for case in of.cases for q in case.questions]
    assert max(done.rows["retrieved"].list.len()) == 7
    assert "recall@10" not in done.metrics
    assert "recall@5" in done.metrics


def test_the_official_figures_at_fifty_come_from_a_run_that_asks_for_fifty(tmp_path):
    ten, fifty = (ran(tmp_path / str(k), benchmark("official"), k=k) for k in (10, 50))
    assert ten.metrics == ("recall_official@5", "recall_official@10")
    assert fifty.metrics[-1] == "recall_official@50"
    assert len(fifty.rows.filter(pl.col("graded"))) == 14


def test_a_split_and_a_limit_choose_questions_and_keep_whole_cases(tmp_path):
    of = benchmark()
    assert [case.id for case in splits.chosen(of, "dev").cases] == [of.cases[0].id]
    assert [case.id for case in splits.chosen(of, "report").cases] == [of.cases[1].id]
    some = splits.chosen(of, "all", 9)
    assert [len(case.questions) for case in some.cases] == [7, 2]
    assert some.cases[1].turns == of.cases[1].turns
    for wrong in ({"questions": "test"}, {"limit": -1}, {"limit": True}):
        with pytest.raises(InvalidRequest):
            splits.chosen(of, **wrong)


def test_a_question_of_the_dev_set_is_dev_over_any_haystack():
    assert splits.split_of("6a1eabeb@0123", "6a1eabeb") == "dev"
    assert splits.split_of("001be529@0123", "001be529") == "report"
    assert splits.split_of("conv-26@0123", "conv-26/q0") == "dev"
    assert splits.split_of("conv-44@0123", "conv-44/q0") == "report"


def test_a_run_by_name_reads_the_registered_file(tmp_path):
    registry = written(tmp_path)
    done = run.run("longmemeval_small", "turns", data=tmp_path, registry=registry, out=tmp_path / "out", embedder="hash",
                   progress=False, limit=4)  # fmt: skip
    assert done.header.dataset == "longmemeval_small"
    assert done.header.settings["limit"] == 4
    (tmp_path / "longmemeval_small.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InvalidRequest, match="sha256"):
        run.run("longmemeval_small", data=tmp_path, registry=registry, out=tmp_path / "x", embedder="hash")


def test_a_receipt_names_no_folder_of_this_machine(tmp_path):
    ran(tmp_path, settings=Settings(data=tmp_path, workbench=tmp_path / "lab"))
    assert str(tmp_path) not in (tmp_path / "header.json").read_text(encoding="utf-8")
    assert "data" not in json.loads((tmp_path / "header.json").read_text(encoding="utf-8"))["settings"]


def test_the_rows_hold_no_word_of_the_dataset(tmp_path):
    ran(tmp_path)
    text = (tmp_path / "rows.jsonl").read_text(encoding="utf-8")
    assert "bicycle" not in text
    assert "Oslo" not in text

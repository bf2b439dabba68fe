"""Which figures a protocol gives a question, and what a failure is worth."""

import pytest

from tests.evals.samples import SHA, locomo_sample, longmemeval_sample
from wenlan_lab import InvalidRequest
from wenlan_lab.evals import locomo, longmemeval
from wenlan_lab.evals.grading import answered, failed, measure


def first(protocol, family=locomo, sample=locomo_sample, number=0):
    case = family.parse(sample(), SHA, protocol).cases[0]
    return case, case.questions[number]


def test_turns_gives_the_figures_under_their_public_names():
    _, question = first("turns")
    assert set(measure(question, ["D2:2"], 10, "turns")) == {
        "hit@1", "mrr", "recall@5", "recall@10", "recall_any@5", "recall_any@10", "recall_all@5", "recall_all@10",
        "ndcg@5", "ndcg@10", "ndcg_retrieved@5", "ndcg_retrieved@10",
    }  # fmt: skip


def test_no_figure_goes_beyond_what_was_asked_for():
    _, question = first("turns")
    assert "recall@10" not in measure(question, ["D2:2"] * 9, 8, "turns")
    assert measure(question, ["D1:1", "D2:2"], 1, "turns", cutoffs=(1,))["recall@1"] == 0.0


def test_only_the_first_k_count_for_the_reciprocal_rank():
    _, question = first("turns")
    assert measure(question, ["x", "y", "D2:2"], 2, "turns")["mrr"] == 0.0
    assert measure(question, ["x", "y", "D2:2"], 3, "turns")["mrr"] == 1 / 3


def test_gold_below_k_is_not_retrieved_gold():
    _, question = first("turns", number=1)
    ranked = ["D1:1", "x", "y", "z", "w", "D2:1"]
    assert measure(question, ranked, 5, "turns")["ndcg_retrieved@5"] == 1.0
    assert measure(question, ranked, 6, "turns")["ndcg_retrieved@5"] < 1.0


def test_locomos_official_protocol_gives_its_own_recall_alone():
    _, question = first("official", number=1)
    assert measure(question, ["D1:1", "D2:1", "D1:2"], 50, "official") == {
        f"recall_official@{n}": 0.0 for n in (5, 10, 25, 50)
    }
    _, without = first("official", number=3)
    assert set(measure(without, [], 25, "official").values()) == {1.0}


def test_longmemevals_official_protocols_add_the_authors_ndcg():
    _, question = first("official-turn", longmemeval, longmemeval_sample)
    figures = measure(question, ["x", "answer_1#0", "answer_1#2"], 10, "official-turn")
    assert figures["ndcg_any_official@5"] == pytest.approx((1 + 1 / 1.584962500721156) / 2)
    assert figures["recall_all@5"] == 1.0


def test_an_ungraded_question_has_no_figures():
    case, question = first("turns", number=6)
    assert measure(question, ["D2:2"], 10, "turns") == {}
    row = answered(case, question, ["D2:2"], k=10, protocol="turns", top_score=0.7)
    assert (row.graded, row.abstention, row.kind, row.metrics) == (False, True, "adversarial", {})


def test_a_failure_scores_as_an_empty_ranking():
    case, question = first("turns")
    row = failed(case, question, "ProviderUnavailable: no weights", k=10, protocol="turns")
    assert row.error == "ProviderUnavailable: no weights"
    assert row.retrieved == ()
    assert row.metrics == answered(case, question, [], k=10, protocol="turns").metrics
    assert set(row.metrics.values()) == {0.0}


def test_a_row_keeps_what_was_retrieved_and_its_gold_in_order():
    case, question = first("turns", number=1)
    row = answered(case, question, ["D1:2", "D10:1"], k=10, protocol="turns", latency_ms=3.5, search_ms=1.0)
    assert row.retrieved == ("D1:2", "D10:1")
    assert row.gold == ("D1:1", "D1:2", "D2:1")
    assert (row.case, row.question, row.latency_ms, row.search_ms) == (case.id, "conv-1/q1", 3.5, 1.0)


@pytest.mark.parametrize("k", [0, -3, True, 2.5])
def test_asking_for_nothing_is_refused_even_where_nothing_is_graded(k):
    _, question = first("turns", number=6)
    with pytest.raises(InvalidRequest, match="k must be"):
        measure(question, [], k, "turns")

"""Every figure by hand, with the traps: repetitions, no gold, k beyond the list, text for a list."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab import InvalidRequest
from wenlan_lab.evals.metrics import (
    Abstention,
    abstention,
    abstention_at,
    best_threshold,
    hit_at_1,
    mrr,
    ndcg_any_official_at,
    ndcg_at,
    ndcg_retrieved_at,
    rank_biased_overlap,
    recall_all,
    recall_any,
    recall_at,
    recall_official_locomo_at,
    score_separation,
)

AT_K = (recall_at, recall_any, recall_all, mrr, ndcg_at, ndcg_retrieved_at, ndcg_any_official_at)
ids = st.sampled_from("abcdefghij")
rankings = st.lists(ids, max_size=14)
golds = st.frozensets(ids, min_size=1)
cutoffs = st.integers(1, 15)


def test_recall_is_the_share_of_gold_in_the_first_k():
    ranked = ["a", "x", "b", "y"]
    assert recall_at(ranked, {"a", "b", "c"}, 2) == 1 / 3
    assert recall_at(ranked, {"a", "b", "c"}, 3) == 2 / 3
    assert recall_at(ranked, {"a", "b", "c"}, 50) == 2 / 3


def test_any_and_all_are_nought_or_one():
    ranked = ["a", "x", "b"]
    assert (recall_any(ranked, {"a", "b"}, 1), recall_all(ranked, {"a", "b"}, 1)) == (1.0, 0.0)
    assert (recall_any(ranked, {"a", "b"}, 3), recall_all(ranked, {"a", "b"}, 3)) == (1.0, 1.0)
    assert (recall_any(ranked, {"c"}, 3), recall_all(ranked, {"c"}, 3)) == (0.0, 0.0)


def test_hit_at_1_looks_at_the_first_alone():
    assert hit_at_1(["a", "b"], {"a"}) == 1.0
    assert hit_at_1(["b", "a"], {"a"}) == 0.0
    assert hit_at_1([], {"a"}) == 0.0


def test_the_reciprocal_rank_is_nought_below_the_depth():
    ranked = ["x", "y", "a", "b"]
    assert mrr(ranked, {"a", "b"}, 10) == 1 / 3
    assert mrr(ranked, {"a", "b"}, 3) == 1 / 3
    assert mrr(ranked, {"a", "b"}, 2) == 0.0


def test_ndcg_by_hand():
    # Gold at ranks 1 and 3, a third never found: (1 + 1/log2(4)) / (1 + 1/log2(3) + 1/log2(4))
    ranked = ["a", "x", "b"]
    assert ndcg_at(ranked, {"a", "b", "c"}, 10) == pytest.approx(1.5 / (1 + 1 / log2(3) + 0.5))
    assert ndcg_at(ranked, {"a", "b", "c"}, 1) == 1.0  # the ideal is cut to k as well
    assert ndcg_at(["x", "a"], {"a"}, 10) == pytest.approx(1 / log2(3))


def test_the_ideal_of_ndcg_counts_gold_that_a_short_ranking_left_out():
    assert ndcg_at(["a"], {"a", "b"}, 10) == pytest.approx(1 / (1 + 1 / log2(3)))


def test_ndcg_over_retrieved_gold_forgives_what_was_never_found():
    assert ndcg_retrieved_at(["a", "x"], {"a", "b", "c", "d", "e"}, 10) == 1.0
    assert ndcg_retrieved_at(["x", "a"], {"a", "b"}, 10) == pytest.approx(1 / log2(3))
    assert ndcg_retrieved_at(["x", "y"], {"a"}, 10) == 0.0


def test_ndcg_over_retrieved_gold_knows_what_was_returned_below_the_cut():
    assert ndcg_retrieved_at(["a", "x", "b"], {"a", "b"}, 2) == pytest.approx(1 / (1 + 1 / log2(3)))


def test_the_official_ndcg_counts_ranks_one_and_two_alike():
    assert ndcg_any_official_at(["x", "a"], {"a"}, 5) == 1.0
    assert ndcg_any_official_at(["x", "y", "a"], {"a"}, 5) == pytest.approx(1 / log2(3))
    # Gold at ranks 2 and 4 of three: (1 + 1/2) / (1 + 1 + 1/log2(3))
    assert ndcg_any_official_at(["x", "a", "y", "b"], {"a", "b", "c"}, 5) == pytest.approx(1.5 / (2 + 1 / log2(3)))


def test_a_repeated_id_counts_once_and_takes_no_place():
    assert recall_at(["a", "a", "a", "b"], {"a", "b"}, 2) == 1.0
    assert mrr(["x", "x", "x", "a"], {"a"}, 2) == 1 / 2
    assert ndcg_at(["a", "a"], {"a", "b"}, 2) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert recall_at(["a"], ["a", "a", "b"], 1) == 1 / 2  # gold is a set, however it is given


@pytest.mark.parametrize("metric", AT_K)
def test_a_question_without_gold_is_refused_rather_than_scored(metric):
    with pytest.raises(InvalidRequest, match="without gold"):
        metric(["a"], frozenset(), 5)


@pytest.mark.parametrize("metric", AT_K)
@pytest.mark.parametrize("k", [0, -1, True, 2.0, "5", None])
def test_a_cut_off_that_counts_nothing_is_refused(metric, k):
    with pytest.raises(InvalidRequest, match="cut-off"):
        metric(["a"], {"a"}, k)


@pytest.mark.parametrize("metric", AT_K)
def test_a_text_is_neither_a_ranking_nor_a_gold_set(metric):
    with pytest.raises(InvalidRequest, match="sequence of ids"):
        metric("abc", {"a"}, 1)
    with pytest.raises(InvalidRequest, match="collection of ids"):
        metric(["a"], "a", 1)


@given(rankings, golds, cutoffs)
def test_every_figure_lies_between_nought_and_one(ranked, gold, k):
    for metric in AT_K:
        assert 0.0 <= metric(ranked, gold, k) <= 1.0 + 1e-12


@given(rankings, golds, cutoffs)
def test_the_figures_keep_their_order(ranked, gold, k):
    assert recall_all(ranked, gold, k) <= recall_at(ranked, gold, k) <= recall_any(ranked, gold, k)
    assert ndcg_at(ranked, gold, k) <= ndcg_retrieved_at(ranked, gold, k) + 1e-12
    assert recall_at(ranked, gold, k) <= recall_at(ranked, gold, k + 1)
    assert mrr(ranked, gold, k) <= mrr(ranked, gold, k + 1)


@given(golds, cutoffs)
def test_gold_alone_on_top_is_perfect(gold, k):
    ranked = [*sorted(gold), *(f"x{n}" for n in range(20))]
    for metric in (mrr, ndcg_at, ndcg_retrieved_at, ndcg_any_official_at, recall_any):
        assert metric(ranked, gold, k) == pytest.approx(1.0)
    assert recall_at(ranked, gold, k) == min(k, len(gold)) / len(gold)


@given(rankings, golds, cutoffs)
def test_repetitions_and_the_order_of_gold_change_nothing(ranked, gold, k):
    for metric in AT_K:
        assert metric([x for x in ranked for _ in (0, 1)], gold, k) == metric(ranked, gold, k)
        assert metric(ranked, sorted(gold, reverse=True), k) == metric(ranked, gold, k)


def test_locomos_own_recall_counts_strings_and_takes_no_evidence_for_found():
    assert recall_official_locomo_at(["D1:1"], [], 5) == 1.0
    assert recall_official_locomo_at([], [], 5) == 1.0
    assert recall_official_locomo_at(["D8:6", "D9:17"], ["D8:6; D9:17"], 5) == 0.0
    assert recall_official_locomo_at(["D1:1"], ["D1:1", "D1:1", "D1:2"], 5) == 2 / 3


def test_rank_biased_overlap_has_the_reference_values_at_depth_ten():
    golden = list("abcdefghij")
    swapped = ["b", "a", *golden[2:]]
    late = [*golden[:7], "i", "h", "j"]
    assert rank_biased_overlap(golden, golden) == 1.0
    assert rank_biased_overlap(golden, swapped) == pytest.approx(0.8465, abs=5e-5)
    assert rank_biased_overlap(golden, [*golden[1:], "z"]) == pytest.approx(0.6386, abs=5e-5)
    assert rank_biased_overlap(golden, golden[::-1]) == pytest.approx(0.2502, abs=5e-5)
    assert rank_biased_overlap(golden, late) == pytest.approx(0.9908, abs=5e-5)


def test_rank_biased_overlap_by_hand():
    # Depth 2: agreements 1 and 1/2; weights 1 and 0.5.
    assert rank_biased_overlap(["a", "b"], ["a", "c"], p=0.5) == pytest.approx((1 + 0.5 * 0.5) / 1.5)
    assert rank_biased_overlap(["a", "a", "b"], ["a", "c"], p=0.5) == pytest.approx((1 + 0.5 * 0.5) / 1.5)


def test_rank_biased_overlap_of_empty_and_disjoint_lists():
    assert rank_biased_overlap([], []) == 1.0
    assert rank_biased_overlap(["a"], []) == 0.0
    assert rank_biased_overlap(["a", "b"], ["c", "d"]) == 0.0


@given(rankings, rankings)
def test_rank_biased_overlap_is_symmetric(left, right):
    assert rank_biased_overlap(left, right) == pytest.approx(rank_biased_overlap(right, left))
    assert 0.0 <= rank_biased_overlap(left, right) <= 1.0 + 1e-12


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, float("nan")])
def test_rank_biased_overlap_refuses_a_persistence_that_is_none(p):
    with pytest.raises(InvalidRequest, match="between 0 and 1"):
        rank_biased_overlap(["a"], ["a"], p)


def test_abstention_by_hand():
    found = abstention(said=[True, True, False, False, True], due=[True, False, True, False, True])
    assert found == Abstention(n=5, said=3, due=3, right=2)
    assert (found.precision, found.recall) == (2 / 3, 2 / 3)
    assert found.f1 == pytest.approx(2 / 3)


def test_abstention_that_was_never_said_has_no_precision_and_never_due_no_recall():
    assert abstention([False], [True]).precision is None
    assert abstention([True], [False]).recall is None
    assert abstention([False], [False]).f1 == 0.0


def test_nothing_relevant_is_said_under_the_threshold_not_at_it():
    assert abstention_at([0.2, 0.5, 0.9], [True, True, False], 0.5).said == 1


def test_the_best_threshold_parts_what_can_be_parted():
    assert best_threshold([0.1, 0.2, 0.8, 0.9], [True, True, False, False]) == 0.5
    everything = best_threshold([0.1, 0.2], [True, True])
    assert abstention_at([0.1, 0.2], [True, True], everything).f1 == 1.0


def test_with_nothing_due_the_best_threshold_holds_nothing_back():
    scores = [0.3, 0.1, 0.2]
    assert abstention_at(scores, [False] * 3, best_threshold(scores, [False] * 3)).said == 0


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=1, max_size=12))
def test_no_threshold_is_better_than_the_best(pairs):
    scores, due = zip(*pairs, strict=True)
    best = abstention_at(scores, due, best_threshold(scores, due)).f1
    assert all(abstention_at(scores, due, score).f1 <= best + 1e-12 for score in scores)


def test_separation_is_one_when_parted_and_a_half_by_chance():
    assert score_separation([0.8, 0.9], [0.1, 0.2]) == 1.0
    assert score_separation([0.5], [0.5]) == 0.5
    assert score_separation([0.1, 0.9], [0.5]) == 0.5


def test_abstention_refuses_what_it_cannot_pair_or_order():
    with pytest.raises(InvalidRequest, match="there are 1 and 2"):
        abstention([True], [True, False])
    with pytest.raises(InvalidRequest, match="finite"):
        best_threshold([float("nan")], [True])
    with pytest.raises(InvalidRequest, match="no questions"):
        best_threshold([], [])
    with pytest.raises(InvalidRequest, match="each side"):
        score_separation([], [0.1])

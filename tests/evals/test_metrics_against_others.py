"""The same figures from well-kept implementations and from formulations that share no line with ours."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wenlan_lab.evals.metrics import (
    mrr,
    ndcg_any_official_at,
    ndcg_at,
    rank_biased_overlap,
    recall_any,
    recall_at,
    score_separation,
)

ids = st.sampled_from([f"d{n:02d}" for n in range(24)])
rankings = st.lists(ids, min_size=1, max_size=20, unique=True)
golds = st.frozensets(ids, min_size=1, max_size=8)


def test_trec_eval_agrees():
    """trec_eval's own C code (pytrec_eval-terrier, in the dev extra)."""
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pip install pytrec-eval-terrier to compare with trec_eval")
    rng = np.random.default_rng(7)
    runs, qrels, wanted = {}, {}, {}
    for n in range(400):
        ranked = [f"d{x:02d}" for x in rng.permutation(24)[: rng.integers(1, 21)]]
        gold = {f"d{x:02d}" for x in rng.permutation(30)[: rng.integers(1, 9)]}
        wanted[f"q{n}"] = (ranked, gold)
        runs[f"q{n}"] = {ref: float(len(ranked) - place) for place, ref in enumerate(ranked)}
        qrels[f"q{n}"] = dict.fromkeys(gold, 1)
    measures = {"recall.5,10", "ndcg_cut.5,10", "recip_rank", "success.5"}
    found = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(runs)
    assert len(found) == 400
    for query, (ranked, gold) in wanted.items():
        theirs = found[query]
        assert recall_at(ranked, gold, 5) == pytest.approx(theirs["recall_5"])
        assert recall_at(ranked, gold, 10) == pytest.approx(theirs["recall_10"])
        assert recall_any(ranked, gold, 5) == theirs["success_5"]
        assert ndcg_at(ranked, gold, 5) == pytest.approx(theirs["ndcg_cut_5"])
        assert ndcg_at(ranked, gold, 10) == pytest.approx(theirs["ndcg_cut_10"])
        assert mrr(ranked, gold, len(ranked)) == pytest.approx(theirs["recip_rank"])


@settings(max_examples=60)
@given(rankings, golds, st.integers(1, 20))
def test_scikit_learn_agrees_on_ndcg(ranked, gold, k):
    """`sklearn.metrics.ndcg_score` over the whole collection: what wasn't retrieved ranks behind, below every gain."""
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score
    padding = [
        f"x{n}" for n in range(k + 2)
    ]  # between the retrieved and the missed, so that no missed gold is in reach
    collection = [*ranked, *padding, *sorted(gold - set(ranked))]
    relevance = [[float(ref in gold) for ref in collection]]
    scores = [[-float(place) for place in range(len(collection))]]
    assert ndcg_at(ranked, gold, k) == pytest.approx(ndcg_score(relevance, scores, k=k))


@given(rankings, golds, st.integers(1, 20))
def test_a_brute_force_ideal_agrees_on_both_ndcgs(ranked, gold, k):
    """The ideal as the best over all places that the gold could take, instead of a formula for it."""

    def gain(places, discount):
        return sum(discount(place) for place in places if place <= k)

    for metric, discount in (
        (ndcg_at, lambda place: log(2) / log(place + 1)),
        (ndcg_any_official_at, lambda place: 1.0 if place == 1 else log(2) / log(place)),
    ):
        actual = gain([place for place, ref in enumerate(ranked, 1) if ref in gold], discount)
        room = range(1, min(len(gold), k) + 2)
        ideal = max(gain(places, discount) for places in combinations(room, min(len(gold), k)))
        assert metric(ranked, gold, k) == pytest.approx(actual / ideal)


def official_dcg(relevances):
    """LongMemEval's discount, written with numpy over a relevance vector as its authors describe it."""
    vector = np.asarray(relevances, dtype=float)
    if not vector.size:
        return 0.0
    divisors = np.concatenate([[1.0], np.log2(np.arange(2, vector.size + 1))])
    return float((vector / divisors).sum())


@given(st.permutations([f"d{n:02d}" for n in range(12)]), golds, st.integers(1, 12))
def test_the_official_ndcg_agrees_with_a_vector_over_the_whole_corpus(ranked, gold, k):
    gold = gold & set(ranked)
    if not gold:
        return
    relevances = [float(ref in gold) for ref in ranked]
    ideal = official_dcg(sorted(relevances, reverse=True)[:k])
    assert ndcg_any_official_at(ranked, gold, k) == pytest.approx(official_dcg(relevances[:k]) / ideal)


@given(st.lists(ids, max_size=8, unique=True), st.lists(ids, max_size=8, unique=True))
def test_rank_biased_overlap_agrees_with_the_sum_over_single_documents(left, right):
    """Summed by document instead of by depth: a document shared at ranks i and j adds to every depth from max(i, j)."""
    depth = max(len(left), len(right))
    if not depth:
        return
    weights = [0.9 ** (d - 1) for d in range(1, depth + 1)]
    total = 0.0
    for ref in set(left) & set(right):
        start = max(left.index(ref), right.index(ref))
        total += sum(weights[d] / (d + 1) for d in range(start, depth))
    assert rank_biased_overlap(left, right) == pytest.approx(total / sum(weights))


def test_scikit_learn_agrees_on_separation():
    roc_auc_score = pytest.importorskip("sklearn.metrics").roc_auc_score
    rng = np.random.default_rng(3)
    high, low = rng.normal(1, 1, 40).round(1), rng.normal(0, 1, 30).round(1)
    area = roc_auc_score([1] * 40 + [0] * 30, [*high, *low])
    assert score_separation(high.tolist(), low.tolist()) == pytest.approx(area)

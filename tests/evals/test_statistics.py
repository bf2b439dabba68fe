"""Intervals and tests by hand, by their properties, and against scipy."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wenlan_lab import InvalidRequest
from wenlan_lab.evals.statistics import (
    WinTieLoss,
    benjamini_hochberg,
    bootstrap_interval,
    paired_bootstrap,
    percentile,
    wilcoxon_signed_rank,
    win_tie_loss,
)

figures = st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 0.63, 1.0])
pairs = st.lists(st.tuples(figures, figures), min_size=1, max_size=40)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    values = np.random.default_rng(1).random(50).tolist()
    first = bootstrap_interval(values, seed=5, resamples=500)
    assert bootstrap_interval(values, seed=5, resamples=500) == first
    assert bootstrap_interval(values, seed=6, resamples=500) != first


def test_equal_values_have_an_interval_of_no_width():
    found = bootstrap_interval([0.1] * 7, resamples=200)
    assert (found.mean, found.low, found.high) == (0.1, 0.1, 0.1)


def test_the_interval_of_a_coin_is_the_normal_one():
    values = [0.0, 1.0] * 200
    found = bootstrap_interval(values)
    half = 1.96 * 0.5 / 400**0.5
    assert found.mean == 0.5
    assert found.low == pytest.approx(0.5 - half, abs=0.006)
    assert found.high == pytest.approx(0.5 + half, abs=0.006)


def test_a_wider_confidence_gives_a_wider_interval():
    values = np.random.default_rng(2).random(30).tolist()
    narrow, wide = (bootstrap_interval(values, confidence=c, resamples=2000) for c in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_clusters_of_alike_questions_widen_the_interval():
    values = [float(conversation % 2) for conversation in range(10) for _ in range(30)]
    clusters = [conversation for conversation in range(10) for _ in range(30)]
    alone = bootstrap_interval(values, resamples=2000)
    together = bootstrap_interval(values, clusters=clusters, resamples=2000)
    assert together.mean == alone.mean == 0.5
    assert together.high - together.low > 3 * (alone.high - alone.low)
    assert (alone.clusters, together.clusters) == (None, 10)


def test_a_cluster_of_one_question_each_is_no_cluster():
    values = np.random.default_rng(3).random(20).tolist()
    alone = bootstrap_interval(values, resamples=300)
    single = bootstrap_interval(values, clusters=list(range(20)), resamples=300)
    assert (single.mean, single.low, single.high) == (alone.mean, alone.low, alone.high)


def test_a_large_cluster_weighs_by_its_questions():
    found = bootstrap_interval([1.0] * 9 + [0.0], clusters=["a"] * 9 + ["b"], resamples=4000)
    assert found.mean == pytest.approx(0.9)
    assert (found.low, found.high) == (0.0, 1.0)


def test_one_value_is_its_own_interval():
    found = bootstrap_interval([0.4], resamples=10)
    assert (found.low, found.high, found.n) == (0.4, 0.4, 1)


def test_scipy_agrees_on_the_percentile_interval():
    bootstrap = pytest.importorskip("scipy.stats").bootstrap
    values = np.random.default_rng(4).random(60)
    ours = bootstrap_interval(values.tolist(), resamples=20_000)
    theirs = bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.004)
    assert ours.high == pytest.approx(theirs.high, abs=0.004)


@pytest.mark.parametrize(
    ("values", "more"),
    [
        ([], {}),
        ([0.1, float("nan")], {}),
        ([0.1, float("inf")], {}),
        ([[0.1], [0.2]], {}),
        ([0.1], {"confidence": 1.0}),
        ([0.1], {"resamples": 0}),
        ([0.1, 0.2], {"clusters": ["a"]}),
    ],
)
def test_what_has_no_interval_is_refused(values, more):
    with pytest.raises(InvalidRequest):
        bootstrap_interval(values, **more)


def test_a_run_against_itself_differs_by_exactly_nothing():
    values = np.random.default_rng(5).random(100).tolist()
    difference = paired_bootstrap(values, values, resamples=500)
    test = wilcoxon_signed_rank(values, values)
    assert (difference.mean, difference.low, difference.high) == (0.0, 0.0, 0.0)
    assert (test.moved, test.z, test.p) == (0, 0.0, 1.0)
    assert win_tie_loss(values, values) == WinTieLoss(0, 100, 0)


def test_a_paired_difference_is_b_less_a():
    assert paired_bootstrap([0.0, 0.5], [1.0, 0.5], resamples=10).mean == 0.5


def test_wilcoxon_by_hand():
    # Differences +1 +2 +3 -4 and a nought: ranks 1 2 3 4; rises 6, falls 4; mean 5, variance 4·5·9/24 = 7.5.
    found = wilcoxon_signed_rank([0, 0, 0, 4, 7], [1, 2, 3, 0, 7])
    assert (found.n, found.moved, found.rises, found.falls) == (5, 4, 6.0, 4.0)
    assert found.z == pytest.approx(0.5 / 7.5**0.5)


def test_wilcoxon_shares_ranks_among_ties_and_corrects_the_variance():
    # Differences +1 +1 -1 +2: the three share rank 2; variance 7.5 - (27 - 3)/48 = 7.
    found = wilcoxon_signed_rank([0, 0, 1, 0], [1, 1, 0, 2])
    assert (found.rises, found.falls) == (8.0, 2.0)
    assert found.z == pytest.approx(2.5 / 7**0.5)


def test_wilcoxon_takes_differences_that_rounding_parts_for_ties():
    exact = wilcoxon_signed_rank([0.3, 0.0, 0.0], [0.5, 0.2, 0.4])
    assert exact.rises == 1.5 + 1.5 + 3
    assert wilcoxon_signed_rank([0.1 + 0.2], [0.3]).moved == 0


@given(pairs)
def test_scipy_agrees_on_wilcoxon(found):
    wilcoxon = pytest.importorskip("scipy.stats").wilcoxon
    a, b = np.asarray(found).T
    difference = np.round(b - a, 12)
    assume(np.any(difference))
    theirs = wilcoxon(difference, zero_method="wilcox", correction=True, method="asymptotic")
    assert wilcoxon_signed_rank(a, b).p == pytest.approx(theirs.pvalue)


@given(pairs)
def test_turning_the_pair_round_turns_the_signs_and_keeps_p(found):
    a, b = ([pair[side] for pair in found] for side in (0, 1))
    there, back = wilcoxon_signed_rank(a, b), wilcoxon_signed_rank(b, a)
    assert there.z == pytest.approx(-back.z)
    assert there.p == pytest.approx(back.p)
    forward, backward = win_tie_loss(a, b), win_tie_loss(b, a)
    assert (forward.wins, forward.ties, forward.losses) == (backward.losses, backward.ties, backward.wins)


def test_wins_ties_and_losses_are_counted_for_b():
    assert win_tie_loss([0, 1, 0.5, 0.1 + 0.2], [1, 0, 0.5, 0.3]) == WinTieLoss(1, 2, 1)


def test_pairs_must_be_pairs():
    for test in (win_tie_loss, wilcoxon_signed_rank, paired_bootstrap):
        with pytest.raises(InvalidRequest, match="pairs"):
            test([0.1], [0.1, 0.2])


def test_benjamini_hochberg_by_hand():
    # Sorted 0.01 0.02 0.03 0.5 times 4/1 4/2 4/3 4/4: 0.04 0.04 0.04 0.5.
    found = benjamini_hochberg([0.5, 0.01, 0.03, 0.02], q=0.05)
    assert [x.adjusted for x in found] == pytest.approx([0.5, 0.04, 0.04, 0.04])
    assert [x.significant for x in found] == [False, True, True, True]
    assert [x.p for x in found] == [0.5, 0.01, 0.03, 0.02]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_scipy_agrees_on_benjamini_hochberg(p_values):
    control = pytest.importorskip("scipy.stats").false_discovery_control
    assert [x.adjusted for x in benjamini_hochberg(p_values)] == pytest.approx(control(p_values).tolist())


def test_no_tests_are_no_family():
    assert benjamini_hochberg([]) == ()


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_a_p_value_out_of_range_is_refused(p):
    with pytest.raises(InvalidRequest, match="p-value"):
        benjamini_hochberg([0.5, p])


def test_the_nearest_rank_is_always_one_of_the_values():
    values = [15, 20, 35, 40, 50]
    assert [percentile(values, p) for p in (5, 30, 40, 50, 95, 100)] == [15, 20, 20, 35, 50, 50]
    assert percentile([3.0], 0.1) == 3.0
    assert percentile(range(1, 251), 64.4) == 161  # 250 · 64.4 / 100 comes out a hair above 161


@given(st.lists(st.integers(0, 50), min_size=1, max_size=120), st.integers(1, 100))
def test_the_nearest_rank_is_the_least_value_that_enough_do_not_exceed(values, percent):
    found = percentile(values, percent)
    enough = [v for v in values if 100 * sum(w <= v for w in values) >= percent * len(values)]
    assert found == min(enough)


@pytest.mark.parametrize("percent", [0, -1, 101, float("nan")])
def test_a_percentile_out_of_range_is_refused(percent):
    with pytest.raises(InvalidRequest, match="percent"):
        percentile([1.0], percent)

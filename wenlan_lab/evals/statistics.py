"""Whether a difference is one: intervals, paired tests and corrections over per-question figures.

Differences are always b - a, so that a positive one says that b is better. Everything is a pure function of its numbers
and its seed: the same call gives the same figures. Questions of one conversation are not independent, so an
interval over several conversations draws whole conversations when it is given them as clusters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil, copysign, erfc, sqrt
from typing import TYPE_CHECKING

import numpy as np

from wenlan_lab import InvalidRequest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 10_000
SEED = 1234
_DIGITS = 12  # two differences closer than this are one: 0.5 - 0.3 and 0.2 are a tie
_DRAWS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bootstrap interval around it. `clusters` is None when single questions were drawn."""

    mean: float
    low: float
    high: float
    n: int
    confidence: float
    resamples: int
    clusters: int | None = None

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class Wilcoxon:
    """A signed-rank test. `n` pairs of which `moved` differ; the ranks of rises and falls; z and two-sided p."""

    n: int
    moved: int
    rises: float
    falls: float
    z: float
    p: float


@dataclass(frozen=True, slots=True)
class WinTieLoss:
    """How often b was better, equal, worse."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A p-value, corrected over its family, and whether it survives."""

    p: float
    adjusted: float
    significant: bool


def bootstrap_interval(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The mean and its percentile bootstrap interval (Efron and Tibshirani 1993, chapter 13).

    Without `clusters`, questions are drawn with replacement. With them (one label a value), whole clusters are drawn,
    as many as there are, and the mean is over all their values (the cluster bootstrap of Davison and Hinkley 1997,
    section 3.8); with a handful of clusters it is coarse, and still less flattering than pretending independence.

    Args:
        values: One finite figure a question, at least one.
        clusters: The conversation of each, for example.
        confidence: Between 0 and 1 exclusive; 0.95.
        resamples: How many times to draw, 10,000.
        seed: Of numpy's PCG64.

    Raises:
        InvalidRequest: no values, one that isn't finite, or an argument out of its range.
    """
    numbers = _numbers(values)
    if not 0 < confidence < 1:
        raise InvalidRequest(f"confidence must lie between 0 and 1 exclusive, not {confidence!r}: use 0.95.")
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 1:
        raise InvalidRequest(f"resamples must be a whole number from 1, not {resamples!r}: use 10000.")
    # A question is a cluster of one. Sums start from the first value, so that equal ones give exactly their own mean.
    groups = range(len(numbers)) if clusters is None else _group_numbers(clusters, len(numbers))
    sums = np.bincount(np.asarray(groups), weights=numbers - numbers[0]).astype(np.float64)
    sizes = np.bincount(np.asarray(groups)).astype(np.float64)
    means = _resampled_means(sums, sizes, resamples, np.random.default_rng(seed)) + numbers[0]
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    mean = float(np.mean(numbers - numbers[0]) + numbers[0])
    number = None if clusters is None else len(sums)
    return Interval(mean, float(low), float(high), len(numbers), confidence, resamples, number)


def paired_bootstrap(
    a: Sequence[float],
    b: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The mean of b - a over pairs, ties included, with its bootstrap interval: see `bootstrap_interval`."""
    difference = _differences(a, b).tolist()
    return bootstrap_interval(difference, clusters=clusters, confidence=confidence, resamples=resamples, seed=seed)


def wilcoxon_signed_rank(a: Sequence[float], b: Sequence[float]) -> Wilcoxon:
    """Wilcoxon's signed-rank test of paired values, two-sided, by the normal approximation (Wilcoxon 1945).

    Zero differences are dropped, equal ones share the average of their ranks. With m left and groups of t ties,
    W the rank sum of the rises: mean m(m+1)/4, variance m(m+1)(2m+1)/24 - Σ(t³-t)/48, z = (W - mean ∓ ½) / σ towards
    the mean, p = 2(1 - Φ(|z|)). Nothing moved: z = 0, p = 1. The approximation is rough under ten moved pairs.
    """
    difference = np.round(_differences(a, b), _DIGITS)
    moved = difference[difference != 0]
    m = len(moved)
    if m == 0:
        return Wilcoxon(len(difference), 0, 0.0, 0.0, 0.0, 1.0)
    _, place, size = np.unique(np.abs(moved), return_inverse=True, return_counts=True)
    rank = (np.cumsum(size) - (size - 1) / 2)[place]
    rises, falls = float(rank[moved > 0].sum()), float(rank[moved < 0].sum())
    ties = size.astype(np.float64)
    variance = m * (m + 1) * (2 * m + 1) / 24 - float((ties**3 - ties).sum()) / 48
    excess = rises - m * (m + 1) / 4
    z = copysign(max(0.0, abs(excess) - 0.5), excess) / sqrt(variance) + 0.0  # + 0.0: never minus nought
    return Wilcoxon(len(difference), m, rises, falls, z, min(1.0, erfc(abs(z) / sqrt(2))))


def win_tie_loss(a: Sequence[float], b: Sequence[float]) -> WinTieLoss:
    """How often b is above, equal to and below a."""
    difference = np.round(_differences(a, b), _DIGITS)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    return WinTieLoss(wins, len(difference) - wins - losses, losses)


def benjamini_hochberg(p_values: Sequence[float], q: float = 0.05) -> tuple[Adjusted, ...]:
    """The family's p-values corrected for the false discovery rate, in the order they came (Benjamini-Hochberg 1995).

    With p_(1) ≤ … ≤ p_(m), adjusted_(i) = min over j ≥ i of min(1, p_(j) · m / j); it is significant when ≤ q.
    """
    if not 0 < q < 1:
        raise InvalidRequest(f"q must lie between 0 and 1 exclusive, not {q!r}: use 0.05.")
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not bool(((p >= 0) & (p <= 1)).all()):
        raise InvalidRequest("every p-value must lie between 0 and 1.")
    m = len(p)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * m / np.arange(1, m + 1)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return tuple(Adjusted(float(x), float(y), bool(y <= q)) for x, y in zip(p, adjusted, strict=True))


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile: the smallest value that at least `percent` % of the values don't exceed.

    Always one of the values: ordered from the least, that at place ⌈n · percent / 100⌉. `percent` in (0, 100].
    """
    if not 0 < percent <= 100:
        raise InvalidRequest(f"percent must lie in (0, 100], not {percent!r}: 50 is the median.")
    ordered = np.sort(_numbers(values))
    # Rounded first: 64.4 % of 250 values is place 161, though the product comes out a hair above it.
    return float(ordered[ceil(round(len(ordered) * percent / 100, 9)) - 1])


def _resampled_means(sums: Floats, sizes: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """`resamples` means, each over as many groups as there are, drawn with replacement; in blocks to bound memory."""
    groups = len(sums)
    block = max(1, _DRAWS_AT_ONCE // groups)
    means = []
    for start in range(0, resamples, block):
        drawn = rng.integers(0, groups, size=(min(block, resamples - start), groups))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return np.concatenate(means)


def _group_numbers(clusters: Sequence[Hashable], n: int) -> list[int]:
    if len(clusters) != n:
        raise InvalidRequest(f"one cluster a value is needed, but there are {len(clusters)} for {n} values.")
    numbers = {name: number for number, name in enumerate(Counter(clusters))}
    return [numbers[name] for name in clusters]


def _numbers(values: Sequence[float]) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers):
        raise InvalidRequest("at least one value is needed, in a flat sequence.")
    if not bool(np.isfinite(numbers).all()):
        raise InvalidRequest("a value is no finite number: a question that failed scores 0, one ungraded is left out.")
    return numbers


def _differences(a: Sequence[float], b: Sequence[float]) -> Floats:
    left, right = _numbers(a), _numbers(b)
    if len(left) != len(right):
        raise InvalidRequest(f"pairs are needed, but there are {len(left)} and {len(right)} values: join them first.")
    return right - left

"""What a ranking is worth: pure functions of a ranked list of ids and a set of gold ids.

Throughout, L is the ranked list with repetitions dropped (the first place counts), G the gold set, k a cut-off counted
from 1. A question without gold has no recall, no rank and no gain: asking for one raises, because a 0 or a 1 in its
place would move every mean. The only exception is `recall_official_locomo_at`, whose authors count it 1.

Ask the ranking with the k that is reported. Nothing here knows a dataset, a store or a run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, isfinite, log2

from wenlan_lab import InvalidRequest


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Fractional recall: |L[:k] ∩ G| / |G|. In [0, 1]; the usual definition (Manning et al. 2008, section 8.4)."""
    found, wanted = _cut(ranked, gold, k)
    return len(wanted.intersection(found)) / len(wanted)


def recall_any(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if L[:k] holds any gold id, else 0 (LongMemEval's `recall_any`; elsewhere called hit rate or success@k)."""
    found, wanted = _cut(ranked, gold, k)
    return float(not wanted.isdisjoint(found))


def recall_all(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if L[:k] holds every gold id, else 0 (LongMemEval's `recall_all`). Always 0 when |G| > k."""
    found, wanted = _cut(ranked, gold, k)
    return float(wanted.issubset(found))


def hit_at_1(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 if the first id is gold, else 0."""
    return recall_any(ranked, gold, 1)


def mrr(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Reciprocal rank: 1 / (rank of the first gold id within L[:depth]), 0 if there is none (Voorhees 1999).

    Its mean over questions is MRR@depth. `depth` is not optional: MRR over ten ids and over fifty are two figures.
    """
    found, wanted = _cut(ranked, gold, depth)
    return next((1 / rank for rank, ref in enumerate(found, 1) if ref in wanted), 0.0)


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """NDCG with binary gain and the ideal over all gold: the primary figure.

    DCG = Σ rel_i / log2(i + 2) over i = 0 … k-1; IDCG = the same sum over min(|G|, k) ones; NDCG = DCG / IDCG
    (Järvelin and Kekäläinen 2002, with the discount of Burges et al. 2005). A ranking shorter than k is not excused:
    what it left out stays in the ideal.
    """
    found, wanted = _cut(ranked, gold, k)
    return _gain(found, wanted) / _ideal(min(len(wanted), k))


def ndcg_retrieved_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """NDCG whose ideal knows only the gold ids that were returned at all: biased upward, for comparison only.

    IDCG = Σ 1 / log2(i + 2) over min(|L ∩ G|, k) ones, L uncut; 0 when nothing was found. One gold id of five found at
    rank 1 scores 1.0. Wenlan's LoCoMo and oracle figures are these.
    """
    found, wanted = _cut(ranked, gold, k)
    returned = len(wanted.intersection(ranked))
    return _gain(found, wanted) / _ideal(min(returned, k)) if returned else 0.0


def ndcg_any_official_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """LongMemEval's own `ndcg_any`: DCG = rel_1 + Σ rel_i / log2(i) for i ≥ 2, so ranks 1 and 2 count the same.

    The ideal runs over all gold, cut to k (src/retrieval/eval_utils.py of xiaowu0162/LongMemEval; Järvelin and
    Kekäläinen's discount with base 2).
    """
    found, wanted = _cut(ranked, gold, k)
    ideal = _official_gain([True] * min(len(wanted), k))
    return _official_gain([ref in wanted for ref in found]) / ideal


def recall_official_locomo_at(ranked: Sequence[str], evidence: Sequence[str], k: int) -> float:
    """LoCoMo's own recall: the share of the evidence *strings* found in L[:k], repetitions counted, 1 for no evidence.

    (`eval_question_answering` in task_eval/evaluation.py of snap-research/locomo.) The strings are compared as they
    are: a malformed one is never found.
    """
    if not evidence:
        _checked(ranked, k)
        return 1.0
    found = frozenset(_cut(ranked, evidence, k)[0])
    return sum(ref in found for ref in evidence) / len(evidence)


def rank_biased_overlap(left: Sequence[str], right: Sequence[str], p: float = 0.9) -> float:
    """How alike two rankings are, the top weighing most; in [0, 1], 1 for equal lists, 0 for disjoint ones.

    Σ p^(d-1) · |A[:d] ∩ B[:d]| / d over d = 1 … max(|A|, |B|), divided by Σ p^(d-1) (Webber et al. 2010, normalised to
    the depth that was seen). Two empty lists are equal.

    Raises:
        InvalidRequest: p isn't strictly between 0 and 1.
    """
    if not 0 < p < 1:
        raise InvalidRequest(f"p must lie between 0 and 1 exclusive, not {p!r}: 0.9 looks at about the first ten.")
    a, b = _distinct(left), _distinct(right)
    depth = max(len(a), len(b))
    if depth == 0:
        return 1.0
    weights = [p ** (d - 1) for d in range(1, depth + 1)]
    agreement = [len(set(a[:d]) & set(b[:d])) / d for d in range(1, depth + 1)]
    return fsum(w * share for w, share in zip(weights, agreement, strict=True)) / fsum(weights)


@dataclass(frozen=True, slots=True)
class Abstention:
    """How well "nothing relevant" was said. `precision` is None when it was never said, `recall` when never due."""

    n: int
    said: int
    due: int
    right: int

    @property
    def precision(self) -> float | None:
        """Of the times it was said, the share in which it was due."""
        return self.right / self.said if self.said else None

    @property
    def recall(self) -> float | None:
        """Of the times it was due, the share in which it was said."""
        return self.right / self.due if self.due else None

    @property
    def f1(self) -> float:
        """2 · right / (said + due), the harmonic mean of the two; 0 when it was neither said nor due."""
        return 2 * self.right / (self.said + self.due) if self.said + self.due else 0.0


def abstention(said: Sequence[bool], due: Sequence[bool]) -> Abstention:
    """Precision and recall of "nothing relevant", a pair a question."""
    _same_length(said, due)
    right = sum(bool(a and b) for a, b in zip(said, due, strict=True))
    return Abstention(len(said), sum(map(bool, said)), sum(map(bool, due)), right)


def abstention_at(scores: Sequence[float], due: Sequence[bool], threshold: float) -> Abstention:
    """The same, where "nothing relevant" is said when the best score of a question is under `threshold`."""
    return abstention([score < threshold for score in _finite(scores)], due)


def best_threshold(scores: Sequence[float], due: Sequence[bool]) -> float:
    """The threshold with the best F1 of "nothing relevant": fit it on dev questions only.

    Candidates lie midway between neighbouring scores. Of equally good ones the lowest is taken, which stays silent
    less often. With no question due, it lies at the lowest score, so that nothing is ever held back.
    """
    _same_length(scores, due)
    ordered = sorted(set(_finite(scores)))
    if not ordered:
        raise InvalidRequest("a threshold can't be fitted on no questions: give the scores of the dev questions.")
    middles = [(low + high) / 2 for low, high in pairwise(ordered)]
    above_all = ordered[-1] + max(1.0, abs(ordered[-1])) * 1e-9
    candidates = [ordered[0], *middles, above_all]
    return max(candidates, key=lambda threshold: (abstention_at(scores, due, threshold).f1, -threshold))


def score_separation(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """The chance that an answerable question's best score beats an unanswerable one's, ties counting half.

    The area under the ROC curve, as the Mann-Whitney U statistic divided by the number of pairs: 0.5 is chance.
    """
    high, low = _finite(answerable), _finite(unanswerable)
    if not high or not low:
        raise InvalidRequest("separation needs at least one score on each side.")
    won = sum((a > b) + 0.5 * (a == b) for a in high for b in low)
    return won / (len(high) * len(low))


def _gain(found: Sequence[str], wanted: frozenset[str]) -> float:
    return fsum(1 / log2(i + 2) for i, ref in enumerate(found) if ref in wanted)


def _ideal(ones: int) -> float:
    return fsum(1 / log2(i + 2) for i in range(ones))


def _official_gain(relevant: Sequence[bool]) -> float:
    return fsum(1 / max(1.0, log2(rank)) for rank, is_gold in enumerate(relevant, 1) if is_gold)


def _cut(ranked: Sequence[str], gold: Collection[str], k: int) -> tuple[list[str], frozenset[str]]:
    """L[:k] and G, checked."""
    found = _checked(ranked, k)
    if isinstance(gold, str):
        raise InvalidRequest(f"gold must be a collection of ids, not the text {gold!r}: write {{{gold!r}}}.")
    if not gold:
        raise InvalidRequest("a question without gold can't be scored: leave it out, or measure abstention on it.")
    return found, frozenset(gold)


def _checked(ranked: Sequence[str], k: int) -> list[str]:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidRequest(f"the cut-off must be a whole number from 1, not {k!r}.")
    return _distinct(ranked)[:k]


def _distinct(ranked: Sequence[str]) -> list[str]:
    if isinstance(ranked, str):
        raise InvalidRequest(f"a ranking must be a sequence of ids, not the text {ranked!r}: write [{ranked!r}].")
    return list(dict.fromkeys(ranked))


def _finite(scores: Sequence[float]) -> list[float]:
    values = [float(score) for score in scores]
    if not all(map(isfinite, values)):
        raise InvalidRequest("a score is no finite number: give a question without a hit the lowest score there is.")
    return values


def _same_length(left: Sequence[object], right: Sequence[object]) -> None:
    if len(left) != len(right):
        raise InvalidRequest(f"two values a question are needed, but there are {len(left)} and {len(right)}.")

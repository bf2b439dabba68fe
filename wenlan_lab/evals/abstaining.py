"""When to say "nothing relevant": what a recall shows of it, and the threshold under which it should be said.

An observable is a number of one recall that is higher when something relevant is there: the best hit's score, how far it
stands out, the nearest cosine, the words that were found. Each is judged alone, by how well it separates questions that
have an answer in the store from those that have none, and by the threshold that is best on dev. Precision and recall are
of the saying, not of the hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wenlan_lab import InvalidRequest, RecallResult
from wenlan_lab.evals.metrics import Abstention, abstention_at, best_threshold, score_separation

PARTS = 10  # of a cross-validation, at most
FALSE_ALARMS = 0.05  # the share of answerable questions that the careful threshold may call unanswerable


@dataclass(frozen=True, slots=True)
class Observed:
    """One question: what its recall showed, and whether "nothing relevant" was the right answer.

    `fold` keeps together what must not be split: the questions of one store.
    """

    question: str
    fold: str
    due: bool
    shown: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """An observable: its separation (0.5 is chance) and two thresholds.

    `best` and `careful` are what they do on the questions that they were fitted on, `held_out` what the first one does
    on folds that it never saw.
    """

    name: str
    separation: float
    threshold: float
    best: Abstention
    held_out: Abstention
    careful_threshold: float
    careful: Abstention


def observe(result: RecallResult, features: Any = None) -> dict[str, float]:
    """The observables of one recall; `features` is what `Workbench.features` returned for the same question."""
    scores = [hit.score for hit in result.hits] or [0.0]
    top = result.hits[0] if result.hits else None
    shown = {
        "top score": scores[0],
        "top relevance": float(top.factors.get("relevance", 0.0)) if top else 0.0,
        "mean of the first three": sum(scores[:3]) / len(scores[:3]),
        "lead over the second": scores[0] - (scores[1] if len(scores) > 1 else 0.0),
        "lead over the last": scores[0] - scores[-1],
        "top found by both arms": float({"lexical", "dense"} <= set(top.found_by)) if top else 0.0,
    }
    if features is not None:
        shown |= _of_features(features)
    return shown


def judge(observed: Sequence[Observed]) -> tuple[Judged, ...]:
    """Every observable that all questions have, the best separating first.

    Raises:
        InvalidRequest: no question, or only one kind of them.
    """
    due = [one.due for one in observed]
    if not any(due) or all(due):
        raise InvalidRequest("a threshold needs questions of both kinds: with an answer in the store, and without.")
    names = [name for name in observed[0].shown if all(name in one.shown for one in observed)]
    found = [_judged(name, observed, due) for name in names]
    return tuple(sorted(found, key=lambda one: -one.separation))


def _judged(name: str, observed: Sequence[Observed], due: Sequence[bool]) -> Judged:
    values = [one.shown[name] for one in observed]
    high = [value for value, nothing in zip(values, due, strict=True) if not nothing]
    low = [value for value, nothing in zip(values, due, strict=True) if nothing]
    threshold = best_threshold(values, due)
    careful = sorted(high)[int(FALSE_ALARMS * len(high))]  # fewer than this share of them lie below it
    return Judged(
        name, score_separation(high, low), threshold, abstention_at(values, due, threshold),
        _held_out(values, due, [one.fold for one in observed]), careful, abstention_at(values, due, careful),
    )  # fmt: skip


def _held_out(values: Sequence[float], due: Sequence[bool], folds: Sequence[str]) -> Abstention:
    """Each part judged under the threshold that is best on the others; counts are summed. Folds are never split."""
    total = [0, 0, 0, 0]
    part_of = {fold: number % PARTS for number, fold in enumerate(dict.fromkeys(folds))}
    for number in range(min(PARTS, len(part_of))):
        here = [at for at, fold in enumerate(folds) if part_of[fold] == number]
        others = [at for at, fold in enumerate(folds) if part_of[fold] != number]
        if not others:
            continue
        threshold = best_threshold([values[at] for at in others], [due[at] for at in others])
        part = abstention_at([values[at] for at in here], [due[at] for at in here], threshold)
        total = [a + b for a, b in zip(total, (part.n, part.said, part.due, part.right), strict=True)]
    return Abstention(*total)


def _of_features(features: Any) -> dict[str, float]:
    import numpy as np

    cosine, words = np.asarray(features.dense, dtype=float), np.asarray(features.lexical, dtype=float)
    if len(cosine) == 0:
        return dict.fromkeys(_FROM_FEATURES, 0.0)
    names = features.names
    covered = float(features.column("cov").max()) if "cov" in names else 0.0
    rare = float(features.column("rare").max()) if "rare" in names else 0.0
    return dict(zip(_FROM_FEATURES, (
        float(cosine.max()), _stands_out(cosine), float(np.sort(cosine)[-3:].mean()), float(words.max()), _stands_out(words),
        covered, rare, float(cosine.max()) * covered, float(cosine.max()) + covered,
    ), strict=True))  # fmt: skip


_FROM_FEATURES = (
    "nearest cosine", "nearest cosine, deviations over the mean", "three nearest cosines", "best BM25",
    "best BM25, deviations over the mean", "words covered", "rarest word covered", "cosine times words covered",
    "cosine plus words covered",
)  # fmt: skip


def _stands_out(values: Any) -> float:
    spread = float(values.std())
    return float((values.max() - values.mean()) / spread) if spread > 0 else 0.0


def at(observed: Sequence[Observed], name: str, threshold: float) -> Abstention:
    """What a threshold on one observable does on these questions."""
    return abstention_at([one.shown[name] for one in observed], [one.due for one in observed], threshold)

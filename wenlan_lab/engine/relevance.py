"""The candidates of both arms and their scores: relevance times trust, freshness and the archive factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.derived.snapshot import Snapshot
from wenlan_lab.engine import decay, features, ranking
from wenlan_lab.engine.features import Features

if TYPE_CHECKING:
    from wenlan_lab.engine.question import Query
    from wenlan_lab.engine.recall import Found
    from wenlan_lab.engine.workbench import Workbench

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

NEIGHBOURS_OF = 40


@dataclass(frozen=True, slots=True)
class Candidates:
    """Entry numbers (n,), ascending, and which of them each arm found (n,)."""

    numbers: IntArray
    found_by: Mapping[str, BoolArray]


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores (n,) with the factors that multiply to them and the parts that the relevance is made of."""

    score: FloatArray
    factors: Mapping[str, FloatArray]
    parts: Mapping[str, FloatArray]
    nothing_relevant: bool
    model: str


def gather(view: Snapshot, keyword: Found, dense: Found, mask: BoolArray | None) -> Candidates:
    """The union of both arms, and the neighbours in the thread of the best of each, within the read scope."""
    best = np.concatenate([keyword.numbers[:NEIGHBOURS_OF], dense.numbers[:NEIGHBOURS_OF]])
    before, after = view.neighbours(best[best < len(view.alive)])
    numbers = np.unique(np.concatenate([keyword.numbers, dense.numbers, before, after]))
    numbers = numbers[(numbers > 0) & (numbers < len(view.alive))]
    numbers = numbers[view.alive[numbers]]
    if mask is not None:
        numbers = numbers[mask[numbers]]
    by_word, by_vector = np.isin(numbers, keyword.numbers), np.isin(numbers, dense.numbers)
    return Candidates(numbers, {"lexical": by_word, "dense": by_vector, "context": ~(by_word | by_vector)})


def look(view: Snapshot, query: Query, candidates: Candidates, vector: NDArray[np.float32] | None) -> Features:
    """The features of the candidates."""
    return features.compute(view, query, candidates.numbers, vector)


def score(wb: Workbench, view: Snapshot, seen: Features, *, has_dense: bool) -> Scored:
    """Relevance times trust, freshness and the archive factor."""
    fusion = wb.settings.fusion if has_dense else "weighted"
    relevance = ranking.weigh(seen, fusion=fusion, off=wb.settings.levers_off)
    factors = {"relevance": relevance.values, **decay.factors(wb, view, seen.numbers)}
    total = np.ones(len(seen.numbers))
    for values in factors.values():
        total = total * values
    return Scored(total, factors, relevance.parts, False, relevance.model)

"""From one question and what came back for it to one row: which figures a protocol reports.

`turns` and `wenlan` share one set of columns; the official protocols add their authors' own. A figure whose cut-off is
beyond the k that was asked for isn't computed: a ranking of ten says nothing about rank fifty. A question that failed
scores as an empty ranking would, so that a crash can never raise a mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from wenlan_lab import InvalidRequest
from wenlan_lab.evals import metrics
from wenlan_lab.evals.cases import EvalCase, EvalQuestion
from wenlan_lab.evals.receipts import EvalRow

CUTOFFS = (5, 10)
DEEP_CUTOFFS = (5, 10, 25, 50)  # LoCoMo's own, and the recall curve


def measure(
    question: EvalQuestion, ranked: Sequence[str], k: int, protocol: str, cutoffs: Sequence[int] = CUTOFFS
) -> dict[str, float]:
    """Every figure that the protocol reports for this question, by name; empty when it isn't graded.

    Names are `recall@5`, `recall_any@5`, `recall_all@5`, `hit@1`, `mrr` (depth k), `ndcg@10`, `ndcg_retrieved@10`; in
    LongMemEval's official protocols also `ndcg_any_official@10`; in LoCoMo's `official` only `recall_official@5` to 50.

    Args:
        question: With its gold.
        ranked: What was retrieved, best first; only the first k count.
        k: How many were asked for.
        protocol: As in the benchmark.
        cutoffs: Those above k are left out. LoCoMo's `official` has its own.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidRequest(f"k must be a whole number from 1, not {k!r}.")
    if not question.graded:
        return {}
    found = list(ranked)[:k]
    if protocol == "official":
        deep = [n for n in DEEP_CUTOFFS if n <= k]
        return {f"recall_official@{n}": metrics.recall_official_locomo_at(found, question.evidence, n) for n in deep}
    gold = question.gold
    figures = {"hit@1": metrics.hit_at_1(found, gold), "mrr": metrics.mrr(found, gold, k)}
    for n in (n for n in sorted(set(cutoffs)) if n <= k):
        figures[f"recall@{n}"] = metrics.recall_at(found, gold, n)
        figures[f"recall_any@{n}"] = metrics.recall_any(found, gold, n)
        figures[f"recall_all@{n}"] = metrics.recall_all(found, gold, n)
        figures[f"ndcg@{n}"] = metrics.ndcg_at(found, gold, n)
        figures[f"ndcg_retrieved@{n}"] = metrics.ndcg_retrieved_at(found, gold, n)
        if protocol.startswith("official-"):
            figures[f"ndcg_any_official@{n}"] = metrics.ndcg_any_official_at(found, gold, n)
    return figures


def answered(
    case: EvalCase,
    question: EvalQuestion,
    retrieved: Sequence[str],
    *,
    k: int,
    protocol: str,
    latency_ms: float | None = None,
    search_ms: float | None = None,
    top_score: float | None = None,
    nothing_relevant: bool | None = None,
    cutoffs: Sequence[int] = CUTOFFS,
) -> EvalRow:
    """The row of a question that recall answered. `search_ms` is `latency_ms` without embedding the query."""
    return EvalRow(
        case=case.id,
        question=question.id,
        kind=question.kind,
        graded=question.graded,
        abstention=question.abstention,
        retrieved=tuple(retrieved),
        gold=tuple(sorted(question.gold)),
        metrics=measure(question, retrieved, k, protocol, cutoffs),
        latency_ms=latency_ms,
        search_ms=search_ms,
        top_score=top_score,
        nothing_relevant=nothing_relevant,
        error=None,
    )


def failed(
    case: EvalCase, question: EvalQuestion, error: str, *, k: int, protocol: str, cutoffs: Sequence[int] = CUTOFFS
) -> EvalRow:
    """The row of a question that recall failed on: nothing retrieved, every figure as for an empty ranking."""
    return EvalRow(
        case=case.id,
        question=question.id,
        kind=question.kind,
        graded=question.graded,
        abstention=question.abstention,
        retrieved=(),
        gold=tuple(sorted(question.gold)),
        metrics=measure(question, (), k, protocol, cutoffs),
        error=error,
    )

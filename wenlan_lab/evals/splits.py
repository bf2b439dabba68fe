"""Which questions something was fitted on, and which it never saw.

LoCoMo is split by conversation. LongMemEval is split by question id: the 64 questions of `longmemeval_s_dev64` are dev
wherever they occur. The oracle file holds the same questions over other haystacks, so its report split is what is left
without them: an answer that was trained on is no fair answer, however small its haystack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Literal

from wenlan_lab import InvalidRequest
from wenlan_lab.evals import datasets, diary, locomo
from wenlan_lab.evals.cases import Benchmark, EvalCase, EvalQuestion

Split = Literal["dev", "report"]
DEV, REPORT, ALL = "dev", "report", "all"
CHOICES = (ALL, DEV, REPORT)
DEV_SET = "longmemeval_s_dev64"


def split_of(case: str, question: str) -> Split:
    """Whether a question was fitted on (`dev`) or not (`report`), by the id of its case and its own."""
    name = case.partition("@")[0]
    if name in locomo.DEV_CONVERSATIONS or name == diary.NAME or question in _dev_questions():
        return "dev"
    return "report"


def chosen(benchmark: Benchmark, questions: str = ALL, limit: int = 0) -> Benchmark:
    """The benchmark with the questions of one split only, and of those the first `limit` (0: all of them).

    Cases without a question left are left out; a case keeps all its turns.

    Raises:
        InvalidRequest: an unknown split, a negative limit, or no question left.
    """
    if questions not in CHOICES:
        raise InvalidRequest(f"questions must be one of {', '.join(CHOICES)}, not {questions!r}.")
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise InvalidRequest(f"limit must be a whole number from 0 (all), not {limit!r}.")
    cases = tuple(_narrowed(benchmark, questions, limit))
    if not cases:
        raise InvalidRequest(f"{benchmark.dataset} has no question in the split {questions!r}.")
    return replace(benchmark, cases=cases)


def _narrowed(benchmark: Benchmark, questions: str, limit: int) -> Iterator[EvalCase]:
    left = limit or sum(len(case.questions) for case in benchmark.cases)
    for case in benchmark.cases:
        kept = [q for q in case.questions if questions in (ALL, _split(case, q))][:left]
        left -= len(kept)
        if kept:
            yield replace(case, questions=tuple(kept))


def _split(case: EvalCase, question: EvalQuestion) -> Split:
    return split_of(case.id, question.id)


@cache
def _dev_questions() -> frozenset[str]:
    return frozenset(datasets.dataset(DEV_SET).question_ids)

"""One case: a workbench of its own is filled with the turns, and its questions are asked under their own clock.

Nothing but turns and label-free questions goes in; a label comes into play only when a ranking is graded. The folder is
temporary and holds one case, so no case can help or harm another. A question that fails is a row with its error, and so
is every question of a case that couldn't be filled.

Latency is the wall time of `recall` in an open workbench: one throwaway recall comes first, as in a notebook where the
workbench was opened long before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from time import perf_counter

import wenlan_lab
from wenlan_lab import Embedder, NewPassage, RecallResult, Settings, Workbench
from wenlan_lab.evals import grading
from wenlan_lab.evals.cases import Asked, EvalCase, EvalQuestion, EvalTurn
from wenlan_lab.evals.receipts import EvalRow
from wenlan_lab.importers import ImportBatch, ImportedSource
from wenlan_lab.testing import FixedClock, SequentialIds

Progress = Callable[[int, int], None]
WARM_UP = "what was said first?"


@dataclass(frozen=True, slots=True)
class HowAsked:
    """What all cases of a run share. `cutoffs` above k are left out of the rows."""

    protocol: str
    k: int
    embedder: Embedder | None
    settings: Settings
    cutoffs: tuple[int, ...] = grading.CUTOFFS
    reranker: wenlan_lab.Reranker | None = None


@dataclass(slots=True)
class Filling:
    """How long it took to fill stores, in milliseconds, and with how many passages; grows with each case."""

    milliseconds: float = 0.0
    passages: int = 0


def batch_of(case: EvalCase) -> ImportBatch:
    """The turns as one source: a passage a turn, its ref, thread, place, speaker and time as the dataset has them."""
    source = ImportedSource(
        kind="chat", ref=case.id, title="", space=None, digest=case.id, passages=tuple(map(_passage, case.turns))
    )
    return ImportBatch(sources=(source,), quirks={}, skipped=(), format="turns")


def _passage(turn: EvalTurn) -> NewPassage:
    return NewPassage(turn.ref, turn.thread, turn.position, turn.speaker, turn.time.isoformat(), turn.text)


def refs_of(result: RecallResult) -> tuple[str, ...]:
    """What came back, as the dataset names it, best first."""
    return tuple(hit.source.ref for hit in result.hits)


def rows_of(
    case: EvalCase,
    how: HowAsked,
    *,
    skip: Collection[str] = (),
    filling: Filling | None = None,
    progress: Progress | None = None,
) -> Iterator[EvalRow]:
    """A row for each question of the case, in its order, as soon as it is answered.

    Args:
        case: With at least one question that isn't skipped, or nothing is filled.
        how: What all cases share.
        skip: Ids of the questions that have a row already.
        filling: Where the cost of filling is added.
        progress: Called with (done, total) while turns are stored and embedded.
    """
    waiting = [question for question in case.questions if question.id not in skip]
    if not waiting:
        return
    with tempfile.TemporaryDirectory(prefix="wenlan-lab-eval-", ignore_cleanup_errors=True) as folder:
        clock = FixedClock(waiting[0].at)
        try:
            wb = _filled(folder, case, how, clock, filling, progress)
        except Exception as problem:  # whatever it was: it is evidence, and the other cases go on
            yield from (_failed(case, question, how, problem) for question in waiting)
            return
        with wb:
            for question in waiting:
                yield _row(wb, case, question, how, clock)


def ask(wb: Workbench, question: Asked, k: int, clock: FixedClock) -> tuple[RecallResult, float]:
    """Recall under the question's own clock, and how many milliseconds it took."""
    clock.now = question.at
    began = perf_counter()
    result = wb.recall(question.text, k=k)
    return result, 1e3 * (perf_counter() - began)


def _filled(
    folder: str, case: EvalCase, how: HowAsked, clock: FixedClock, filling: Filling | None, progress: Progress | None
) -> Workbench:
    wb = wenlan_lab.open(
        folder, embedder=how.embedder, reranker=how.reranker, settings=how.settings, clock=clock, new_id=SequentialIds()
    )
    try:
        began = perf_counter()
        wb.sources.import_batch(batch_of(case), progress=progress)
        if filling is not None:
            filling.milliseconds += 1e3 * (perf_counter() - began)
            filling.passages += len(case.turns)
        wb.recall(WARM_UP, k=how.k)
    except BaseException:
        wb.close()
        raise
    return wb


def _row(wb: Workbench, case: EvalCase, question: EvalQuestion, how: HowAsked, clock: FixedClock) -> EvalRow:
    try:
        result, latency = ask(wb, question.label_free, how.k, clock)
    except Exception as problem:
        return _failed(case, question, how, problem)
    return grading.answered(
        case,
        question,
        refs_of(result),
        k=how.k,
        protocol=how.protocol,
        latency_ms=latency,
        search_ms=latency - result.trace.milliseconds.get("embed_query", 0.0),
        top_score=result.hits[0].score if result.hits else 0.0,
        nothing_relevant=result.nothing_relevant,
        cutoffs=how.cutoffs,
    )


def _failed(case: EvalCase, question: EvalQuestion, how: HowAsked, problem: Exception) -> EvalRow:
    told = f"{type(problem).__name__}: {problem}"
    return grading.failed(case, question, told, k=how.k, protocol=how.protocol, cutoffs=how.cutoffs)

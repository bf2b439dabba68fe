"""A run: every question of a dataset asked under one protocol, and what came back written down before any figure.

    from wenlan_lab.evals import run
    run.run("locomo10", "turns", data="../shared/data", out="build/evals/locomo")

Each case has a workbench of its own (see `asking`). A run can be interrupted or killed at any moment and is taken up
where it stopped by the same call; the figures are then the same as if it had never stopped. All runs share one cache of
document vectors, so only the first one over a dataset is slow. Nothing here judges a figure or draws one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import wenlan_lab
from wenlan_lab import Embedder, Reranker, Settings
from wenlan_lab.evals import asking, datasets, grading, provenance, splits
from wenlan_lab.evals.cached_embedder import CachedEmbedder, named_embedder
from wenlan_lab.evals.cases import Benchmark, EvalCase
from wenlan_lab.evals.receipts import Header, Run, RunLog, begin_run, read_run

DEFAULT_K = 10
UNCACHED = ("hash", "none")
# They name a place or a person, or decide how fast something goes: no figure depends on them.
BESIDE_THE_POINT = frozenset({"workbench", "data", "actor", "embedder", "reranker", "threads", "batch"})


def run(
    dataset: str,
    protocol: str = "turns",
    *,
    out: Path | str,
    data: Path | str | None = None,
    registry: Path | str | None = None,
    limit: int = 0,
    k: int = DEFAULT_K,
    embedder: str | Embedder | None = "default",
    settings: Settings | None = None,
    reranker: Reranker | None = None,
    seed: int = 0,
    questions: str = splits.ALL,
    cache: Path | str | None = None,
    progress: bool = True,
) -> Run:
    """Ask a registered dataset's questions and leave the rows in the folder `out`.

    Args:
        dataset: As registered: `locomo10`, `longmemeval_oracle`, …
        protocol: One of the dataset's; `turns` is the primary one.
        out: The run's folder. One that holds the same run, unfinished, is taken up.
        data: The folder that holds the datasets; by default the setting WENLAN_DATA.
        registry: Another registry file than the package's, for datasets of your own.
        limit: Only the first questions of the split; 0 is all of them.
        k: How many hits each question asks for, and the depth of every figure.
        embedder: A name as for `wenlan_lab.open`, or an object of the port (then nothing is cached).
        settings: Of every workbench; by default those of the environment. They go into the receipt.
        reranker: An object of the port, off by default.
        seed: Written down, and used for intervals; a run itself has no chance in it.
        questions: `all`, or only `dev` or `report` (see `splits`).
        cache: Where vectors of documents are kept; by default in the user's cache folder.
        progress: Whether a bar is drawn on stderr.

    Raises:
        InvalidRequest: an unknown name, or a folder that was begun under other conditions.
        NotFound: the dataset's file isn't there.
    """
    chosen = settings if settings is not None else Settings()
    known = datasets.registry(Path(registry)) if registry is not None else None
    benchmark = datasets.load(dataset, data if data is not None else chosen.data, protocol, known)
    return run_benchmark(
        benchmark, out=out, limit=limit, k=k, embedder=embedder, settings=chosen, reranker=reranker, seed=seed,
        questions=questions, cache=cache, progress=progress,
    )  # fmt: skip


def run_benchmark(
    benchmark: Benchmark,
    *,
    out: Path | str,
    limit: int = 0,
    k: int = DEFAULT_K,
    embedder: str | Embedder | None = "default",
    settings: Settings | None = None,
    reranker: Reranker | None = None,
    seed: int = 0,
    questions: str = splits.ALL,
    cache: Path | str | None = None,
    progress: bool = True,
) -> Run:
    """The same over a benchmark that is loaded already. Arguments and errors as in `run`."""
    chosen = settings if settings is not None else Settings()
    part = splits.chosen(benchmark, questions, limit)
    vectors = embedder_of(embedder, cache, chosen)
    header = header_of(
        part, k=k, embedder=vectors, settings=chosen, reranker=reranker, seed=seed, questions=questions, limit=limit
    )
    how = asking.HowAsked(part.protocol, k, vectors, chosen, cutoffs_for(part.protocol, k), reranker)
    with begin_run(out, header) as log:
        if log.header.ended is not None and not _left(part, log):
            return read_run(out)  # finished: nothing to do, and nothing of what it cost is to be forgotten
        return _through(part, how, log, progress=progress)


def header_of(
    benchmark: Benchmark,
    *,
    k: int,
    embedder: Embedder | None,
    settings: Settings,
    reranker: Reranker | None,
    seed: int,
    questions: str,
    limit: int,
) -> Header:
    """The receipt's header: everything that a figure depends on, and where it was made."""
    state = provenance.git_state()
    plain = {name: value for name, value in settings.model_dump(mode="json").items() if name not in BESIDE_THE_POINT}
    named = settings.reranker if settings.reranker != "none" else None
    return Header(
        dataset=benchmark.dataset,
        sha256=benchmark.sha256,
        protocol=benchmark.protocol,
        k=k,
        settings={**plain, "questions": questions, "limit": limit},
        embedder="none" if embedder is None else embedder.identity,
        reranker=named if reranker is None else reranker.identity,
        engine_version=wenlan_lab.__version__,
        code=provenance.code_digest(),
        seed=seed,
        started=now().isoformat(),
        git_commit=state.commit,
        git_dirty=state.dirty,
        versions=provenance.library_versions(),
        machine=provenance.machine(),
    )


def cutoffs_for(protocol: str, k: int) -> tuple[int, ...]:
    """5 and 10, and those of the recall curve when more was asked for."""
    return grading.DEEP_CUTOFFS if k > DEFAULT_K and protocol != "official" else grading.CUTOFFS


def now() -> datetime:
    """What a workbench takes for now: its own default clock, since nothing here reads another."""
    with tempfile.TemporaryDirectory(prefix="wenlan-lab-") as folder, wenlan_lab.open(folder, embedder=None) as wb:
        return wb.clock()


def embedder_of(wanted: str | Embedder | None, cache: Path | str | None, settings: Settings) -> Embedder | None:
    """The embedder of a run: a name gets the shared cache around it, an object stays as it is."""
    if wanted is None or not isinstance(wanted, str):
        return wanted
    if wanted in UNCACHED:
        return named_embedder(wanted, settings)
    return CachedEmbedder.named(wanted, cache, settings)


def _left(part: Benchmark, log: RunLog) -> bool:
    return any((case.id, question.id) not in log.done for case in part.cases for question in case.questions)


def _through(part: Benchmark, how: asking.HowAsked, log: RunLog, *, progress: bool) -> Run:
    from tqdm import tqdm

    filling = asking.Filling()
    with tqdm(total=part.counts["questions"], desc=f"{part.dataset} {part.protocol}", unit="q", disable=not progress,
              mininterval=1.0) as bar:  # fmt: skip
        for case in part.cases:
            have = {question for name, question in log.done if name == case.id}
            bar.update(sum(question.id in have for question in case.questions))
            say = partial(_say_filling, bar, case)
            for row in asking.rows_of(case, how, skip=have, filling=filling, progress=say):
                log.append(row)
                bar.set_postfix_str(f"{log.errors} failed" if log.errors else "", refresh=False)
                bar.update()
    return log.finish(now().isoformat(), _counts(part, how.embedder, filling, log))


def _say_filling(bar: Any, case: EvalCase, at: int, of: int) -> None:
    bar.set_postfix_str(f"{case.id.partition('@')[0]}: {at} of {of} stored or embedded", refresh=False)
    bar.update(0)


def _counts(part: Benchmark, embedder: Embedder | None, filling: asking.Filling, log: RunLog) -> Mapping[str, int]:
    """What the dataset holds, what failed, and what filling cost in this sitting (a resumed run has had others)."""
    counts = {**part.counts, "errors": log.errors, "filled_passages": filling.passages}
    counts["filling_ms"] = round(filling.milliseconds)
    if isinstance(embedder, CachedEmbedder):
        counts |= {"windows_embedded": embedder.computed, "windows_from_cache": embedder.taken}
    return counts

"""A run in one JSON object: figures with their intervals, by type and by split, latency, and where the receipt is.

Every figure is a mean over graded questions, failed ones counted as empty rankings. `by_split` says apart what was
fitted on (dev) and what never was (report): only the latter may be quoted as a result of a fitted ranking, and `notes`
says so. Nothing here holds a word of a dataset.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wenlan_lab.evals import metrics, splits
from wenlan_lab.evals.receipts import Run
from wenlan_lab.evals.statistics import RESAMPLES, bootstrap_interval, percentile

if TYPE_CHECKING:
    import polars as pl

FILE = "summary.json"
HEADLINE = ("recall@5", "recall@10", "mrr", "ndcg@10", "ndcg_retrieved@10")


def summary(run: Run, *, resamples: int = RESAMPLES, seed: int | None = None) -> dict[str, Any]:
    """Plain values, as `eval run --json` prints them.

    Keys: dataset, protocol, k, n (graded questions), metrics, intervals (95 %, questions drawn), clustered (95 %,
    conversations drawn; only where cases hold several questions), by_type, by_split, latency_ms (p50 and p95 of recall,
    and `search` the same without embedding the question), abstention, filling, errors, receipt, notes.

    Args:
        run: Finished or not.
        resamples: Of each bootstrap.
        seed: Of each bootstrap; the run's own by default.
    """
    drawn = run.header.seed if seed is None else seed
    graded = _with_split(run)
    figures = _Figures(run.metrics, resamples, drawn)
    parts = {name: graded.filter(graded["split"] == name) for name in (splits.DEV, splits.REPORT)}
    kinds = sorted(set(graded["kind"].to_list()))
    header = run.header
    return {
        "dataset": header.dataset,
        "protocol": header.protocol,
        "k": header.k,
        **figures.of(graded),
        "by_type": {kind: figures.of(graded.filter(graded["kind"] == kind), spread=False) for kind in kinds},
        "by_split": {name: figures.of(part) for name, part in parts.items() if len(part)},
        "latency_ms": latency(run),
        "abstention": abstention(run),
        "filling": filling(run),
        "errors": int(run.rows["error"].count()),
        "finished": header.ended is not None,
        "receipt": "" if run.folder is None else str(run.folder),
        "notes": notes(run, {name: len(part) for name, part in parts.items()}),
    }


def write_summary(run: Run, folder: Path | str | None = None) -> dict[str, Any]:
    """The summary, also written as summary.json into the run's folder (or the one given)."""
    found = summary(run)
    place = Path(folder) if folder is not None else run.folder
    if place is not None:
        text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        (place / FILE).write_text(text, encoding="utf-8")
    return found


def latency(run: Run) -> dict[str, float | dict[str, float | None] | None]:
    """p50 and p95 in milliseconds, of what was timed: with the question's embedding, and under `search` without."""
    spans = {name: run.rows[name].drop_nulls().to_list() for name in ("latency_ms", "search_ms")}
    whole, search = ({f"p{p}": _rounded(values, p) for p in (50, 95)} for values in spans.values())
    return {**whole, "search": search}


def abstention(run: Run) -> dict[str, Any]:
    """How well "nothing relevant" was said, and how far the best scores of both kinds lie apart; {} when never due.

    LoCoMo's category 5 is left out: its questions are unanswerable, and yet there are turns that they are about.
    """
    rows = run.rows.drop_nulls(["nothing_relevant", "top_score"])
    if run.header.dataset.startswith("locomo") or not rows["abstention"].any():
        return {}
    due, said = rows["abstention"].to_list(), rows["nothing_relevant"].to_list()
    scores = rows["top_score"].to_list()
    judged = metrics.abstention(said, due)
    high = [score for score, unanswerable in zip(scores, due, strict=True) if not unanswerable]
    low = [score for score, unanswerable in zip(scores, due, strict=True) if unanswerable]
    return {
        "n": judged.n, "due": judged.due, "said": judged.said, "right": judged.right, "precision": judged.precision,
        "recall": judged.recall, "score_separation": metrics.score_separation(high, low) if high and low else None,
    }  # fmt: skip


def filling(run: Run) -> dict[str, float | int | None]:
    """What storing the turns cost; passages a second only where every vector was made in this run."""
    counts = run.header.counts
    passages, spent = counts.get("filled_passages", 0), counts.get("filling_ms", 0)
    embedded_here = not counts.get("windows_from_cache", 0)
    rate = round(1e3 * passages / spent, 1) if embedded_here and spent else None
    return {
        "passages": passages,
        "seconds": round(spent / 1e3, 1),
        "passages_a_second": rate,
        "windows_embedded": counts.get("windows_embedded"),
        "windows_from_cache": counts.get("windows_from_cache"),
    }


def notes(run: Run, sizes: Mapping[str, int]) -> list[str]:
    """What a reader of the figures has to know."""
    found = []
    errors = int(run.rows["error"].count())
    if errors:
        found.append(f"{errors} questions failed and count as if nothing had been found")
    if run.header.ended is None:
        found.append("the run isn't finished: figures are of the questions so far")
    if run.header.settings.get("limit"):
        found.append(f"only the first {run.header.settings['limit']} questions: no figure to quote")
    if sizes.get(splits.DEV) and sizes.get(splits.REPORT):
        found.append("the ranking was fitted on the dev split: quote by_split.report for what it never saw")
        if run.header.dataset == "longmemeval_oracle":
            found.append(
                f"dev here: the {sizes[splits.DEV]} graded questions of {splits.DEV_SET}, over other haystacks"
            )
    elif sizes.get(splits.DEV):
        found.append("every question is of the dev split, which the ranking was fitted on: no figure to quote")
    if run.header.dataset.startswith("longmemeval") and run.header.protocol == "wenlan":
        found.append("this protocol chooses its corpus by the labels and so leaks them: for comparison only")
    return found


class _Figures:
    """Means and intervals over rows, all under one seed."""

    def __init__(self, names: Sequence[str], resamples: int, seed: int) -> None:
        self.names, self.resamples, self.seed = names, resamples, seed

    def of(self, rows: pl.DataFrame, *, spread: bool = True) -> dict[str, Any]:
        values = {name: rows[name].drop_nulls().to_list() for name in self.names}
        values = {name: figures for name, figures in values.items() if figures}
        means = {name: sum(figures) / len(figures) for name, figures in values.items()}
        found: dict[str, Any] = {"n": len(rows), "metrics": means}
        if not spread:
            return found
        found["intervals"] = {name: self._interval(figures, None) for name, figures in values.items()}
        cases = rows["case"].to_list()
        if 1 < len(set(cases)) < len(cases):
            found["clusters"] = len(set(cases))
            found["clustered"] = {
                name: self._interval(figures, rows.drop_nulls(name)["case"].to_list())
                for name, figures in values.items()
            }
        return found

    def _interval(self, values: Sequence[float], clusters: Sequence[str] | None) -> list[float]:
        drawn = bootstrap_interval(values, clusters=clusters, resamples=self.resamples, seed=self.seed)
        return [drawn.low, drawn.high]


def _with_split(run: Run) -> pl.DataFrame:
    """The graded rows with a column `split`."""
    import polars as pl

    graded = run.rows.filter(pl.col("graded"))
    pairs = zip(graded["case"].to_list(), graded["question"].to_list(), strict=True)
    return graded.with_columns(pl.Series("split", [splits.split_of(*pair) for pair in pairs], dtype=pl.String))


def _rounded(values: Sequence[float], percent: int) -> float | None:
    return round(percentile(values, percent), 3) if values else None

"""Two runs, question by question: is b better than a, by how much, and could it be chance?

Runs are paired by question and compared on the same dataset under the same protocol only; anything else is refused.
Differences are b - a. A run against itself gives exact zeros, p = 1 and no win. What one run asked and the other didn't
is left out and counted. What else differs between the two (settings, embedder, k, code) is stated, not judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from wenlan_lab import InvalidRequest
from wenlan_lab.evals.receipts import Run, differing, read_run
from wenlan_lab.evals.statistics import (
    RESAMPLES,
    SEED,
    benjamini_hochberg,
    paired_bootstrap,
    wilcoxon_signed_rank,
    win_tie_loss,
)

if TYPE_CHECKING:
    import polars as pl

PRIMARY = ("recall@5", "recall@10", "mrr", "ndcg@10")
ALL_KINDS = "all"


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure over one type of question (`kind` is "all" for every one): means, b - a with its interval, and tests.

    `adjusted` is p corrected over the whole table (Benjamini-Hochberg); `significant` says whether it is at most q.
    """

    metric: str
    kind: str
    n: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    p: float
    adjusted: float = 1.0
    significant: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """A table of paired differences. `notes` say what was left out and what else differs between the two runs."""

    dataset: str
    protocol: str
    n: int
    clusters: int | None
    q: float
    rows: tuple[Compared, ...]
    notes: tuple[str, ...]

    def to_polars(self) -> pl.DataFrame:
        """One row a figure and type, columns as in `Compared`."""
        import polars as pl

        return pl.DataFrame([asdict(row) for row in self.rows])

    def __repr__(self) -> str:
        lines = [self._title, _line(_COLUMNS)]
        lines += [_line(_cells(row)) for row in self.rows]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in _COLUMNS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) + "</tr>" for row in self.rows
        )
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return f"<table><caption>{escape(self._title)}</caption><tr>{head}</tr>{body}</table><ul>{notes}</ul>"

    @property
    def _title(self) -> str:
        drawn = "questions" if self.clusters is None else f"{self.clusters} conversations"
        return (
            f"{self.dataset}, protocol {self.protocol}, {self.n} paired questions; b - a with 95 % bootstrap interval "
            f"over {drawn}, Wilcoxon p, Benjamini-Hochberg at q = {self.q:g}"
        )


def compare(
    a: Run | Path | str,
    b: Run | Path | str,
    *,
    metrics: Sequence[str] | None = None,
    clustered: bool | None = None,
    q: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Comparison:
    """Compare two runs, or the folders that hold them.

    Args:
        a: The one to be beaten.
        b: The one that may beat it.
        metrics: Which figures; by default recall@5, recall@10, MRR and NDCG@10, as far as both have them (all that both
            have when they have none of those). All figures and types asked for are one family of tests.
        clustered: Draw whole cases in the bootstrap; by default when cases hold several questions (conversations).
        q: False discovery rate, 0.05.
        resamples: Of each bootstrap.
        seed: Of each bootstrap.

    Raises:
        InvalidRequest: another dataset or protocol, no question in common, or an unknown figure.
    """
    left, right = (run if isinstance(run, Run) else read_run(run) for run in (a, b))
    _refuse_others(left, right)
    names = _chosen(left, right, metrics)
    pairs = _paired(left, right, names)
    cases = pairs["case"].to_list()
    if clustered is None:
        clustered = 1 < len(set(cases)) < len(cases)
    rows = [
        _compared(part, name, kind, clustered=clustered, resamples=resamples, seed=seed)
        for name in names
        for kind in (ALL_KINDS, *sorted(set(pairs["kind"].to_list())))
        if len(part := _part(pairs, name, kind))
    ]
    family = benjamini_hochberg([row.p for row in rows], q)
    rows = [replace(row, adjusted=x.adjusted, significant=x.significant) for row, x in zip(rows, family, strict=True)]
    header = right.header
    return Comparison(
        header.dataset, header.protocol, len(pairs), len(set(cases)) if clustered else None, q, tuple(rows),
        _notes(left, right, len(pairs)),
    )  # fmt: skip


def _refuse_others(a: Run, b: Run) -> None:
    for what, left, right in (
        ("dataset", f"{a.header.dataset} {a.header.sha256[:12]}", f"{b.header.dataset} {b.header.sha256[:12]}"),
        ("protocol", a.header.protocol, b.header.protocol),
    ):
        same = a.header.sha256 == b.header.sha256 if what == "dataset" else left == right
        if not same:
            raise InvalidRequest(
                f"the two runs differ in their {what} ({left} and {right}): such figures can't be compared. "
                f"Run both on one {what}."
            )


def _chosen(a: Run, b: Run, metrics: Sequence[str] | None) -> tuple[str, ...]:
    shared = [name for name in a.metrics if name in b.metrics]
    if metrics is not None:
        unknown = [name for name in metrics if name not in shared]
        if unknown:
            raise InvalidRequest(f"not in both runs: {', '.join(unknown)}. Both have {', '.join(shared) or 'none'}.")
        return tuple(dict.fromkeys(metrics))
    return tuple(name for name in PRIMARY if name in shared) or tuple(shared)


def _paired(a: Run, b: Run, names: Sequence[str]) -> pl.DataFrame:
    """The graded questions of both, joined: question, case, kind, and each figure as `name` (a) and `name_b`."""
    import polars as pl

    graded = [run.rows.filter(pl.col("graded")) for run in (a, b)]
    left, right = (frame.select("question", "case", "kind", *names) for frame in graded)
    for frame in (left, right):
        if frame["question"].n_unique() != len(frame):
            raise InvalidRequest("a run holds one question twice: it can't be paired.")
    # Published rows name no case: the case of whichever run has one.
    case = pl.when(pl.col("case") == "").then(pl.col("case_b")).otherwise(pl.col("case")).alias("case")
    pairs = left.join(right, on="question", how="inner", suffix="_b", maintain_order="left").with_columns(case)
    if not len(pairs):
        raise InvalidRequest("the two runs have no graded question in common: nothing can be compared.")
    return pairs


def _part(pairs: pl.DataFrame, name: str, kind: str) -> pl.DataFrame:
    import polars as pl

    part = pairs if kind == ALL_KINDS else pairs.filter(pl.col("kind") == kind)
    return part.drop_nulls([name, f"{name}_b"])


def _compared(part: pl.DataFrame, name: str, kind: str, *, clustered: bool, resamples: int, seed: int) -> Compared:
    a, b, cases = part[name].to_list(), part[f"{name}_b"].to_list(), part["case"].to_list()
    clusters = cases if clustered and len(set(cases)) > 1 else None  # one conversation alone can't be drawn from
    interval = paired_bootstrap(a, b, clusters=clusters, resamples=resamples, seed=seed)
    counted = win_tie_loss(a, b)
    n = len(a)
    return Compared(
        name, kind, n, sum(a) / n, sum(b) / n, interval.mean, interval.low, interval.high,
        counted.wins, counted.ties, counted.losses, wilcoxon_signed_rank(a, b).p,
    )  # fmt: skip


def _notes(a: Run, b: Run, paired: int) -> tuple[str, ...]:
    notes = []
    for name, run in (("a", a), ("b", b)):
        alone = int(run.rows["graded"].sum()) - paired
        errors = run.rows["error"].count()
        if alone:
            notes.append(f"{alone} graded questions of {name} have no partner and are left out")
        if errors:
            notes.append(f"{errors} questions of {name} failed and count as if nothing had been found")
        if run.header.ended is None:
            notes.append(f"{name} isn't finished, or its rows were published elsewhere")
    notes += [f"differs: {what}" for what in differing(a.header, b.header)]
    return tuple(notes)


_COLUMNS = ("figure", "type", "n", "a", "b", "b - a", "95 % interval", "win/tie/loss", "p", "p adjusted", "")


def _cells(row: Compared) -> tuple[str, ...]:
    return (
        row.metric, row.kind, str(row.n), f"{row.mean_a:.3f}", f"{row.mean_b:.3f}", f"{row.difference:+.4f}",
        f"[{row.low:+.4f}, {row.high:+.4f}]", f"{row.wins}/{row.ties}/{row.losses}", f"{row.p:.3g}",
        f"{row.adjusted:.3g}", "*" if row.significant else "",
    )  # fmt: skip


def _line(cells: Sequence[str]) -> str:
    widths = (18, 26, 5, 6, 6, 8, 20, 14, 9, 10, 1)
    return "  ".join(f"{cell:<{wide}}" for cell, wide in zip(cells, widths, strict=True)).rstrip()

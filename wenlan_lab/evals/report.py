"""A run as a lab report: what was run, the figures with their intervals, where they come from, and what went wrong.

Each function returns a value that shows itself, in a notebook and in a terminal. Only `worst` shows words of a dataset;
it takes them from the benchmark that the caller loaded, and nothing is written anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wenlan_lab.evals.cases import Benchmark, EvalTurn
from wenlan_lab.evals.faces import Cell, Drawing, Table, blank_figure
from wenlan_lab.evals.metrics import recall_at
from wenlan_lab.evals.receipts import Run
from wenlan_lab.evals.statistics import percentile
from wenlan_lab.evals.summary import HEADLINE, abstention, filling, latency, summary

if TYPE_CHECKING:
    import polars as pl

BLUE, GREY, RED = "#2b6cb0", "#718096", "#c05621"
WORST = 10
EXCERPT = 240  # characters of a turn that `worst` shows


def what_was_run(run: Run) -> Table:
    """The conditions: dataset and digest, protocol, k, models, settings, seed, code, machine."""
    header = run.header
    rows: list[tuple[Cell, ...]] = [
        ("dataset", header.dataset), ("sha256", header.sha256[:16]), ("protocol", header.protocol), ("k", header.k),
        ("embedder", header.embedder), ("reranker", header.reranker or "none"),
        *((f"setting {name}", str(value)) for name, value in sorted(header.settings.items())),
        ("seed", header.seed), ("wenlan_lab", header.engine_version), ("code", header.code[:16]),
        ("commit", _commit(run)), ("machine", ", ".join(header.machine.values())), ("started", header.started),
        ("ended", header.ended or "not yet"), ("taken up", header.resumed),
    ]  # fmt: skip
    rows += [(f"counted: {name}", value) for name, value in header.counts.items()]
    return Table("What was run", ("", "value"), tuple(rows))


def figures(run: Run, shown: Mapping[str, Any] | None = None) -> Table:
    """The means with 95 % intervals: over all graded questions, and over dev and report apart.

    Where cases hold several questions, the second interval draws whole conversations: that is the one to believe.
    """
    found = dict(shown) if shown is not None else summary(run)
    parts = {"all": found, **(found["by_split"] if len(found["by_split"]) > 1 else {})}
    rows: list[tuple[Cell, ...]] = []
    for name, part in parts.items():
        for metric in _ordered(part["metrics"]):
            clustered = part.get("clustered", {}).get(metric)
            value = part["metrics"][metric]
            rows.append(
                (metric, name, part["n"], value, _interval(part["intervals"].get(metric)), _interval(clustered))
            )
    columns: tuple[str, ...] = ("figure", "questions", "n", "mean", "95 % interval", "by conversation")
    title = f"{found['dataset']}, protocol {found['protocol']}, k = {found['k']}"
    if all(row[-1] is None for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(title, columns, tuple(rows), tuple(found["notes"]))


def by_type(run: Run, shown: Mapping[str, Any] | None = None) -> Table:
    """The headline figures of each question type."""
    found = dict(shown) if shown is not None else summary(run, resamples=1)
    names = [name for name in _ordered(found["metrics"]) if name in HEADLINE] or _ordered(found["metrics"])[:5]
    rows = tuple(
        (kind, part["n"], *(part["metrics"].get(name) for name in names)) for kind, part in found["by_type"].items()
    )
    return Table("By question type", ("type", "n", *names), rows)


def type_bars(run: Run, metric: str | None = None) -> Drawing:
    """A bar for each question type: the mean of NDCG@10 (or of `metric`), with the number of questions."""
    found = summary(run, resamples=1)
    name = metric or ("ndcg@10" if "ndcg@10" in found["metrics"] else next(iter(_ordered(found["metrics"])), ""))
    kinds = {
        f"{kind} ({part['n']})": part["metrics"][name]
        for kind, part in found["by_type"].items()
        if name in part["metrics"]
    }
    drawing = blank_figure(height=0.6 + 0.4 * max(1, len(kinds)))
    axes = drawing.subplots()
    bars = axes.barh(list(kinds), list(kinds.values()), color=BLUE)
    axes.bar_label(bars, fmt="%.3f", padding=3)
    axes.set(xlim=(0, 1.12), title=f"{name} by question type", xlabel=name)
    axes.invert_yaxis()
    return Drawing(drawing, "; ".join(f"{kind}: {value:.3f}" for kind, value in kinds.items()) or "nothing is graded")


def recall_curve(run: Run) -> Drawing:
    """Mean fractional recall over k = 1 to the k that was asked: cut from that one ranking, never from a deeper one."""
    curve = recall_by_k(run)
    drawing = blank_figure()
    axes = drawing.subplots()
    axes.plot(range(1, len(curve) + 1), curve, marker="o", markersize=3, color=BLUE)
    for k in (k for k in (5, 10, 25, 50) if k <= len(curve)):
        axes.annotate(
            f"{curve[k - 1]:.3f}", (k, curve[k - 1]), textcoords="offset points", xytext=(0, -14), ha="center"
        )
    axes.set(title="Recall at k", xlabel="k", ylabel="recall", ylim=(0, 1), xlim=(0.5, max(1, len(curve)) + 0.5))
    axes.grid(visible=True, alpha=0.3)
    return Drawing(drawing, "  ".join(f"@{k} {value:.3f}" for k, value in enumerate(curve, 1)) or "nothing is graded")


def recall_by_k(run: Run) -> list[float]:
    """The points of the curve: mean recall@1 … recall@k; empty when nothing is graded."""
    graded = _scorable(run)
    pairs = list(zip(graded["retrieved"].to_list(), graded["gold"].to_list(), strict=True))
    if not pairs:
        return []
    return [sum(recall_at(found, gold, k) for found, gold in pairs) / len(pairs) for k in range(1, run.header.k + 1)]


def latency_histogram(run: Run) -> Drawing:
    """How long recall took, with and without embedding the question; p50 and p95 are marked."""
    spans = {
        "recall": run.rows["latency_ms"].drop_nulls().to_list(),
        "without embedding": run.rows["search_ms"].drop_nulls().to_list(),
    }
    drawing = blank_figure()
    axes = drawing.subplots()
    said = []
    for (name, values), colour in zip(spans.items(), (BLUE, GREY), strict=True):
        if not values:
            continue
        # One very slow question would squeeze all others into one bar: the last bar holds what lies beyond the 99th.
        edge = percentile(values, 99)
        axes.hist([min(value, edge) for value in values], bins=30, alpha=0.6, color=colour, label=name)
        for percent, line in ((50, "-"), (95, "--")):
            axes.axvline(percentile(values, percent), color=colour, linestyle=line, linewidth=1)
        said.append(
            f"{name}: p50 {percentile(values, 50):.1f} ms, p95 {percentile(values, 95):.1f} ms, n {len(values)}"
        )
    axes.set(title="Latency of recall (solid p50, dashed p95)", xlabel="milliseconds", ylabel="questions")
    if said:
        axes.legend()
    return Drawing(drawing, "; ".join(said) or "nothing was timed")


def costs(run: Run) -> Table:
    """What recall and storing cost, and how well "nothing relevant" was said."""
    spans, stored, held = latency(run), filling(run), abstention(run)
    without = spans["search"]
    rows: list[tuple[Cell, ...]] = [
        ("recall p50, ms", _number(spans["p50"])), ("recall p95, ms", _number(spans["p95"])),
        *((f"without embedding the question {name}, ms", value) for name, value in without.items()),
        *((f"storing: {name}", value) for name, value in stored.items() if value is not None),
        *((f"nothing relevant: {name}", value) for name, value in held.items()),
    ] if isinstance(without, dict) else []  # fmt: skip
    return Table("Costs and abstention", ("", "value"), tuple(rows))


def worst(run: Run, benchmark: Benchmark, most: int = WORST) -> Table:
    """The questions that came out worst, with the gold that was missed and what stood first instead.

    Worst by NDCG@10 (or the first figure of the protocol); among equals, those answered with the highest score come
    first: wrong and sure of it. Shows the dataset's words: never write this into a result file.
    """
    import polars as pl

    graded = _scorable(run)
    name = "ndcg@10" if "ndcg@10" in run.metrics else next(iter(run.metrics), None)
    if name is None or not len(graded):
        return Table("The worst questions", ("question",), ())
    order = graded.with_columns(pl.col("top_score").fill_null(0.0)).sort(
        [name, "top_score", "question"], descending=[False, True, False], nulls_last=True
    )
    texts = {(case.id, turn.ref): turn for case in benchmark.cases for turn in case.turns}
    asked = {(case.id, question.id): question.text for case in benchmark.cases for question in case.questions}
    rows = []
    for row in order.head(most).iter_rows(named=True):
        missed = [ref for ref in row["gold"] if ref not in row["retrieved"]]
        instead = [ref for ref in row["retrieved"] if ref not in row["gold"]][:3]
        rows.append((
            row["question"], row["kind"], row[name], asked.get((row["case"], row["question"]), "?"),
            " ⏐ ".join(_excerpt(ref, texts.get((row["case"], ref))) for ref in missed) or "none: ranked low",
            " ⏐ ".join(_excerpt(ref, texts.get((row["case"], ref))) for ref in instead) or "nothing",
            row["error"] or "",
        ))  # fmt: skip
    columns = ("id", "type", name, "question", "gold that was missed", "retrieved instead (first three)", "error")
    return Table(f"The {len(rows)} worst questions by {name}", columns, tuple(rows))


def moved(a: Run, b: Run, metric: str, most: int = WORST) -> Table:
    """The questions whose figure differs most between two runs, gains and losses alike, with what stood first."""
    import polars as pl

    columns = ("question", "kind", metric, "retrieved")
    left, right = (run.rows.filter(pl.col("graded")).select(columns) for run in (a, b))
    pairs = left.join(right, on="question", how="inner", suffix="_b", maintain_order="left")
    pairs = pairs.with_columns((pl.col(f"{metric}_b") - pl.col(metric)).alias("change"))
    changed = pairs.filter(pl.col("change") != 0)
    order = changed.sort([pl.col("change").abs(), pl.col("question")], descending=[True, False])
    rows = tuple(
        (row["question"], row["kind"], row[metric], row[f"{metric}_b"], row["change"],
         " ".join(row["retrieved"][:3]) or None, " ".join(row["retrieved_b"][:3]) or None)
        for row in order.head(most).iter_rows(named=True)
    )  # fmt: skip
    heads = ("id", "type", "a", "b", "b - a", "first of a", "first of b")
    return Table(f"The most moved questions by {metric}: {len(changed)} of {len(pairs)} moved", heads, rows)


def receipt(run: Run) -> Table:
    """Where the rows are, and the key that two runs share when they measured the same thing in the same way."""
    files = () if run.folder is None else sorted(path.name for path in run.folder.iterdir() if path.is_file())
    rows: list[tuple[Cell, ...]] = [
        ("folder", str(run.folder or "none")), ("files", ", ".join(files)), ("comparable", run.header.comparable),
        ("rows", len(run.rows)), ("failed", int(run.rows["error"].count())),
    ]  # fmt: skip
    rows += [(f"version of {name}", version) for name, version in run.header.versions.items()]
    return Table("Receipt", ("", "value"), tuple(rows))


def _scorable(run: Run) -> pl.DataFrame:
    import polars as pl

    return run.rows.filter(pl.col("graded") & (pl.col("gold").list.len() > 0))


def _ordered(names: Mapping[str, float]) -> list[str]:
    """The headline figures first, the others as they come."""
    return [name for name in HEADLINE if name in names] + [name for name in names if name not in HEADLINE]


def _interval(bounds: Sequence[float] | None) -> str | None:
    return None if bounds is None else f"[{bounds[0]:.3f}, {bounds[1]:.3f}]"


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _commit(run: Run) -> str:
    if run.header.git_commit is None:
        return "none"
    return run.header.git_commit[:12] + (", with uncommitted changes" if run.header.git_dirty else "")


def _excerpt(ref: str, turn: EvalTurn | None) -> str:
    if turn is None:
        return f"{ref} (not in this corpus)"
    text = " ".join(turn.text.split())
    cut = text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"
    return f"{ref} {turn.speaker}: {cut}"

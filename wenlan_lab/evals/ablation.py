"""What each lever of recall gives: the ranking as it is against the same ranking without that lever, in pairs.

A lever that is switched off is not replaced: the learned weights stay as they were trained with it. What is lost is
thus what the product loses when somebody switches it off, an upper bound for what the lever is worth; what it is worth
to a ranking that was trained without it is for `evals/train_fusion.py --ablate` to say. Runs on dev questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wenlan_lab import InvalidRequest
from wenlan_lab.evals.compare import ALL_KINDS, Compared, compare
from wenlan_lab.evals.faces import Cell, Table
from wenlan_lab.evals.fan_out import FanOut
from wenlan_lab.evals.receipts import read_run
from wenlan_lab.evals.statistics import benjamini_hochberg
from wenlan_lab.evals.summary import summary
from wenlan_lab.evals.sweep import Planned, Swept, sweep

FIGURES = ("recall@5", "recall@10", "mrr", "ndcg@10")
WHOLE = "as it is"
BY_HAND = "weighted by hand"


@dataclass(frozen=True, slots=True)
class Ablated:
    """One row: the ranking without something, its figures, and the paired difference to the whole one."""

    name: str
    swept: Swept
    differences: tuple[Compared, ...] = ()


def plans(base: Planned, levers: Sequence[str], out: Path | str) -> tuple[Planned, ...]:
    """The whole ranking, the one weighted by hand, and one without each lever."""
    if not levers:
        raise InvalidRequest("name at least one lever, e.g. context.")
    variants: dict[str, dict[str, Any]] = {
        WHOLE: {},
        BY_HAND: {"fusion": "weighted"},
        **{f"without {x}": {"levers_off": [x]} for x in levers},
    }
    return tuple(
        replace(base, name=name, out=str(Path(out) / name.replace(" ", "-")), settings={**base.settings, **changed})
        for name, changed in variants.items()
    )


def ablate(
    base: Planned,
    levers: Sequence[str],
    out: Path | str,
    fan_out: FanOut | None = None,
    say: Callable[[int, int], None] | None = None,
) -> tuple[Ablated, ...]:
    """Run all variants and pair each with the whole ranking. The first of the result is the whole ranking itself.

    Raises:
        InvalidRequest: the whole ranking couldn't be measured; a variant that fails is a row with its error.
    """
    results = sweep(plans(base, levers, out), fan_out, say)
    whole = results[0]
    if whole.error:
        raise InvalidRequest(f"the ranking as it is couldn't be measured, so nothing can be compared: {whole.error}")
    pairs = [() if result.error else _paired(whole, result) for result in results]
    family = iter(benjamini_hochberg([row.p for rows in pairs[1:] for row in rows]))
    rows = [Ablated(WHOLE, whole)]
    for result, compared in zip(results[1:], pairs[1:], strict=True):
        told = tuple(
            replace(row, adjusted=x.adjusted, significant=x.significant)
            for row, x in ((row, next(family)) for row in compared)
        )
        rows.append(Ablated(result.plan.name, result, told))
    return tuple(rows)


def table(rows: Sequence[Ablated]) -> Table:
    """One line a variant: its figures, and by how much it is worse (-) or better (+) than the whole ranking."""
    names = [name for name in FIGURES if name in rows[0].swept.metrics]
    columns = ("ranking", *(cell for name in names for cell in (name, f"{name}: difference, 95 %")), "error")
    lines: list[tuple[Cell, ...]] = []
    for row in rows:
        told = {compared.metric: compared for compared in row.differences}
        cells: list[Cell] = [row.name]
        for name in names:
            cells += [row.swept.metrics.get(name), _difference(told.get(name))]
        lines.append((*cells, row.swept.error or None))
    plan = rows[0].swept.plan
    notes = (
        "a star: the difference survives Benjamini-Hochberg at q = 0.05 over the whole table",
        "weights are not trained anew without the lever: see evals/train_fusion.py --ablate for that",
    )
    title = f"Ablation on {plan.dataset}, protocol {plan.protocol}, {plan.questions} questions, n = {rows[0].swept.n}"
    return Table(title, columns, tuple(lines), notes)


def by_type(rows: Sequence[Ablated], metric: str = "ndcg@10") -> Table:
    """One line a variant: its figure over each question type."""
    parts = {
        row.name: summary(read_run(row.swept.plan.out), resamples=1)["by_type"] for row in rows if not row.swept.error
    }
    kinds = list(dict.fromkeys(kind for part in parts.values() for kind in part))
    lines = tuple(
        (name, *(part.get(kind, {}).get("metrics", {}).get(metric) for kind in kinds)) for name, part in parts.items()
    )
    return Table(f"{metric} by question type", ("ranking", *kinds), lines)


def _paired(whole: Swept, other: Swept) -> tuple[Compared, ...]:
    names = [name for name in FIGURES if name in whole.metrics and name in other.metrics]
    found = compare(whole.plan.out, other.plan.out, metrics=names, seed=whole.plan.seed)
    return tuple(row for row in found.rows if row.kind == ALL_KINDS)


def _difference(row: Compared | None) -> str | None:
    if row is None:
        return None
    return f"{row.difference:+.4f} [{row.low:+.4f}, {row.high:+.4f}]{'*' if row.significant else ''}"

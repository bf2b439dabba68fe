"""Many runs of one dataset, each under other settings: a grid, spread over processes, in one table.

A grid file names what all runs share and, under `grid`, the values to be combined:

    dataset: locomo10
    protocol: turns
    questions: dev
    grid:
      fusion: [learned, weighted]
      levers_off: [[], [speaker]]

The first combination runs alone and fills the cache of vectors; the others then only rank. A combination whose run is
in its folder already, finished, isn't run again. One that fails is a line with its error; the others go on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

from wenlan_lab import InvalidRequest, NotFound, Settings
from wenlan_lab.evals import splits
from wenlan_lab.evals.faces import Table
from wenlan_lab.evals.fan_out import FanOut, ProcessPool
from wenlan_lab.evals.run import BESIDE_THE_POINT, DEFAULT_K, run
from wenlan_lab.evals.summary import HEADLINE, summary, write_summary

_OF_A_RUN = ("k", "embedder")
_SWEEPABLE = tuple(sorted((set(Settings.model_fields) - BESIDE_THE_POINT) | set(_OF_A_RUN)))


@dataclass(frozen=True, slots=True)
class Planned:
    """One run of a sweep, as plain values: it can be sent to another process."""

    name: str
    dataset: str
    protocol: str
    out: str
    data: str | None = None
    registry: str | None = None
    limit: int = 0
    k: int = DEFAULT_K
    embedder: str = "default"
    questions: str = splits.DEV
    seed: int = 0
    cache: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Swept:
    """What became of a planned run: its figures, and what went wrong; without figures when the run itself failed."""

    plan: Planned
    n: int = 0
    metrics: Mapping[str, float] = field(default_factory=dict)
    error: str = ""


def read_grid(path: Path | str) -> dict[str, Any]:
    """The grid file's content. Raises NotFound when it isn't there, InvalidRequest when it is no grid."""
    import yaml

    place = Path(path)
    if not place.is_file():
        raise NotFound(f"there is no grid file at {path}.")
    try:
        content = yaml.safe_load(place.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise InvalidRequest(f"{path} is no YAML file: {problem}") from problem
    if not isinstance(content, dict):
        raise InvalidRequest(f"{path} must be a mapping with `dataset` and `grid`.")
    return {str(name): value for name, value in content.items()}


def planned(grid: Mapping[str, Any], out: Path | str, **common: Any) -> tuple[Planned, ...]:
    """Every combination of the grid, in the order of the file.

    Args:
        grid: As in a grid file.
        out: Each run gets a folder below, named by its values.
        common: Fields of `Planned` that the file doesn't name (data, cache).

    Raises:
        InvalidRequest: a name that can't be varied or isn't a field, a value that doesn't fit, or an empty grid.
    """
    shared = {name: value for name, value in grid.items() if name != "grid"}
    varied = grid.get("grid")
    if not isinstance(varied, Mapping) or not varied:
        raise InvalidRequest("a grid needs `grid`: names of settings, each with a list of values.")
    unknown = [name for name in varied if name not in _SWEEPABLE]
    if unknown:
        raise InvalidRequest(f"{', '.join(map(str, unknown))} can't be varied: choose from {', '.join(_SWEEPABLE)}.")
    fields = set(Planned.__dataclass_fields__) - {"name", "out", "settings"}
    odd = [name for name in shared if name not in fields]
    if odd or "dataset" not in shared:
        wrong = f"it doesn't know {', '.join(odd)}" if odd else "`dataset` is missing"
        raise InvalidRequest(f"{wrong}: beside `grid`, a grid file names {', '.join(sorted(fields))}.")
    lists = {name: values if isinstance(values, list) else [values] for name, values in varied.items()}
    base = Planned(name="", out="", **{"protocol": "turns", **common, **shared})
    combined = (dict(zip(lists, values, strict=True)) for values in product(*lists.values()))
    return tuple(_combination(base, values, Path(out)) for values in combined)


def sweep(
    plans: tuple[Planned, ...], fan_out: FanOut | None = None, say: Callable[[int, int], None] | None = None
) -> tuple[Swept, ...]:
    """Run all of them; the results are in the order of the plans. `say` is called with (done, total)."""
    found: dict[int, Swept] = {}
    for number, result in _spread(plans, fan_out or ProcessPool()):
        found[number] = result
        if say is not None:
            say(len(found), len(plans))
    return tuple(found[number] for number in sorted(found))


def run_planned(plan: Planned) -> Swept:
    """One run of a sweep. Whatever goes wrong is in the result."""
    try:
        done = run(
            plan.dataset, plan.protocol, out=plan.out, data=plan.data, registry=plan.registry, limit=plan.limit, k=plan.k,
            embedder=plan.embedder, settings=Settings(**plan.settings), seed=plan.seed, questions=plan.questions,
            cache=plan.cache, progress=False,
        )  # fmt: skip
        write_summary(done)
    except Exception as problem:  # it is a line of the table; the other combinations go on
        return Swept(plan, error=f"{type(problem).__name__}: {problem}")
    figures = summary(done, resamples=1)
    failures = done.rows["error"].drop_nulls().to_list()
    # Figures of a run in which questions failed look like any others: what failed must stand beside them.
    told = f"{len(failures)} questions failed, the first with {failures[0]}" if failures else ""
    return Swept(plan, figures["n"], figures["metrics"], told)


def table(results: tuple[Swept, ...]) -> Table:
    """One line a combination, with the headline figures; the best of each is what the sweep was for."""
    names = [name for name in HEADLINE if any(name in result.metrics for result in results)]
    names = names or list(dict.fromkeys(name for result in results for name in result.metrics))[:5]
    rows = tuple((r.plan.name, r.n, *(r.metrics.get(name) for name in names), r.error or None) for r in results)
    first = results[0].plan if results else None
    title = f"{first.dataset}, protocol {first.protocol}, {first.questions} questions" if first else "An empty sweep"
    return Table(title, ("combination", "n", *names, "error"), rows)


def _spread(plans: tuple[Planned, ...], fan_out: FanOut) -> Iterator[tuple[int, Swept]]:
    if not plans:
        return
    yield 0, run_planned(plans[0])  # alone: it fills the cache of vectors that the others share
    for number, result in fan_out.results(run_planned, plans[1:]):
        yield number + 1, result


def _combination(base: Planned, values: Mapping[str, Any], out: Path) -> Planned:
    of_run = {name: value for name, value in values.items() if name in _OF_A_RUN}
    settings = {name: value for name, value in values.items() if name not in _OF_A_RUN}
    try:
        Settings(**settings)
    except ValueError as problem:
        raise InvalidRequest(f"{values} doesn't fit: {problem}") from problem
    name = " ".join(f"{key}={_said(value)}" for key, value in values.items())
    digest = sha256(json.dumps(dict(values), sort_keys=True, default=str).encode()).hexdigest()[:8]
    return replace(base, name=name, out=str(out / f"run-{digest}"), settings=settings, **of_run)


def _said(value: object) -> str:
    return "+".join(map(str, value)) or "nothing" if isinstance(value, list) else str(value)

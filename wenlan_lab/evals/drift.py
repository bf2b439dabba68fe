"""Drift: whether the diary's questions still bring back what they brought back when somebody last looked.

The goldens are committed: for each question the ten entries that came back, best first. A change that moves them isn't
wrong by that; it is a change that somebody has to have meant. So the test that reads them says which ranks moved, and
they are written anew by one command, never by a test.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wenlan_lab import Embedder, InvalidRequest, NotFound, Settings
from wenlan_lab.evals.asking import HowAsked, rows_of
from wenlan_lab.evals.cases import Benchmark
from wenlan_lab.evals.metrics import rank_biased_overlap

DEPTH = 10
P = 0.9
LEAST = 0.95
REFRESH = "python evals/refresh_goldens.py"


@dataclass(frozen=True, slots=True)
class Goldens:
    """The committed lists, and what they were made with: another embedder or another diary has other ones."""

    embedder: str
    diary: str
    lists: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, repr=False)
class Drifted:
    """A question whose list moved too far: both lists, and how alike they are (rank-biased overlap, p = 0.9)."""

    question: str
    overlap: float
    before: tuple[str, ...]
    now: tuple[str, ...]

    def __repr__(self) -> str:
        ranks = {ref: rank for rank, ref in enumerate(self.before, 1)}
        moved = [
            f"{ref} {ranks.get(ref, 'new')}→{rank}" for rank, ref in enumerate(self.now, 1) if ranks.get(ref) != rank
        ]
        gone = [f"{ref} {rank}→gone" for ref, rank in ranks.items() if ref not in self.now]
        return f"{self.question}: overlap {self.overlap:.3f}; {', '.join(moved + gone)}"


def rankings(benchmark: Benchmark, embedder: Embedder | None, settings: Settings | None = None) -> Goldens:
    """The lists as they are now, under the settings' own defaults (the environment's, when none are given).

    Raises:
        InvalidRequest: a question failed; a list of nothing would become a golden.
    """
    how = HowAsked(benchmark.protocol, DEPTH, embedder, settings if settings is not None else Settings())
    lists = {}
    for case in benchmark.cases:
        for row in rows_of(case, how):
            if row.error is not None:
                raise InvalidRequest(f"{row.question} failed, so there is nothing to compare: {row.error}")
            lists[row.question] = row.retrieved
    return Goldens("none" if embedder is None else embedder.identity, benchmark.sha256, lists)


def drifted(goldens: Goldens, now: Goldens, least: float = LEAST) -> tuple[Drifted, ...]:
    """The questions whose overlap is under `least`, worst first.

    Raises:
        InvalidRequest: the two were made with different embedders or diaries, or ask different questions.
    """
    for what, before, after in (
        ("embedders", goldens.embedder, now.embedder),
        ("diaries", goldens.diary[:12], now.diary[:12]),
        ("questions", sorted(goldens.lists), sorted(now.lists)),
    ):
        if before != after:
            raise InvalidRequest(
                f"the goldens are of other {what} ({before} and {after}): refresh them with `{REFRESH}`."
            )
    found = [
        Drifted(
            question, rank_biased_overlap(before, now.lists[question], P), tuple(before), tuple(now.lists[question])
        )
        for question, before in goldens.lists.items()
    ]
    return tuple(sorted((one for one in found if one.overlap < least), key=lambda one: (one.overlap, one.question)))


def read_goldens(path: Path | str) -> Goldens:
    """The committed lists. Raises NotFound when there are none."""
    place = Path(path)
    if not place.is_file():
        raise NotFound(f"no goldens committed yet: write them with `{REFRESH}`.")
    stored = json.loads(place.read_text(encoding="utf-8"))
    return Goldens(stored["embedder"], stored["diary"], {name: tuple(refs) for name, refs in stored["lists"].items()})


def write_goldens(path: Path | str, goldens: Goldens) -> None:
    """Write the lists, a question a line, so that a change reads well in a diff."""
    lists = ",\n".join(f"    {json.dumps(name)}: {json.dumps(list(refs))}" for name, refs in goldens.lists.items())
    head = f'  "embedder": {json.dumps(goldens.embedder)},\n  "diary": {json.dumps(goldens.diary)},\n'
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f'{{\n{head}  "lists": {{\n{lists}\n  }}\n}}\n', encoding="utf-8")

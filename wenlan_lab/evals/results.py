"""Committed results: the receipt of a run in a form that can be published, and what is said about it in a table.

A result is a folder of three files: `header.json`, `rows.jsonl`, `summary.json`. It holds ids and figures and not a word
of a dataset, and it names no folder of the machine that made it. Only a finished run without a failed question becomes a
result. Whatever is written anywhere about our figures is made from these files, so that it can't say something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.evals.compare import Comparison, compare
from wenlan_lab.evals.receipts import HEADER, ROWS, Run, read_run
from wenlan_lab.evals.summary import FILE, latency, write_summary

DECIMALS = 6  # of a row's figures: a mean over two thousand of them moves by less than it is quoted with
_TIMES = ("latency_ms", "search_ms", "top_score")


def publish(run: Run, folder: Path | str, *, named: str) -> dict[str, Any]:
    """Write the run's receipt into `folder`; `named` is what the receipt calls itself. Returns the summary.

    Raises:
        InvalidRequest: the run isn't finished, or a question failed: that is no result.
    """
    failed = int(run.rows["error"].count())
    if run.header.ended is None or failed:
        what = f"{failed} of its questions failed" if failed else "it isn't finished"
        raise InvalidRequest(f"{named} is no result: {what}. Mend what its rows name, and run it again.")
    if run.folder is None:
        raise InvalidRequest(f"{named} has no folder, so nobody could check it: read it back with read_run.")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / HEADER).write_bytes((run.folder / HEADER).read_bytes())
    lines = (run.folder / ROWS).read_text(encoding="utf-8").splitlines()
    (place / ROWS).write_text("".join(_rounded(json.loads(line)) for line in lines), encoding="utf-8")
    found = write_summary(run, place)
    found["receipt"] = named
    _write(place / FILE, found)
    return found


def read_summary(folder: Path | str) -> dict[str, Any]:
    """The summary of a result. Raises NotFound when there is none."""
    path = Path(folder) / FILE
    if not path.is_file():
        raise NotFound(f"{folder} holds no result: there is no {FILE}. `make evals` writes it.")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def compared(theirs: Run, ours: Run, path: Path | str, **more: Any) -> Comparison:
    """Pair two runs and write the table as JSON, with both latencies; `more` goes to `compare`."""
    found = compare(theirs, ours, **more)
    spans = {"a": latency(theirs)["p50"], "b": latency(ours)["p50"]}
    times = spans["a"] / spans["b"] if _numbers(spans) and spans["b"] else None  # type: ignore[operator]
    content = {
        "a": theirs.header.engine_version, "b": f"wenlan_lab {ours.header.engine_version}", **asdict(found),
        "latency_p50_ms": {**spans, "a over b": times},
    }  # fmt: skip
    _write(Path(path), content)
    return found


def markdown(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown; the first two columns to the left, the others to the right."""
    sides = ["---", "---", *(["---:"] * (len(columns) - 2))][: len(columns)]
    lines = [columns, sides, *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def figure(part: Mapping[str, Any], name: str) -> str:
    """A mean with its interval; over conversations where there are several, since that is the honest one."""
    value = part["metrics"].get(name)
    if value is None:
        return "–"
    bounds = part.get("clustered", {}).get(name) or part.get("intervals", {}).get(name)
    return _three(value) + (f" [{_three(bounds[0])}, {_three(bounds[1])}]" if bounds else "")


def between(text: str, begin: str, end: str, inner: str) -> str:
    """The text with what stands between two marks replaced. Raises InvalidRequest when a mark isn't there once."""
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise InvalidRequest(f"the text must hold {begin} once, and {end} once after it.")
    head, rest = text.split(begin)
    return f"{head}{begin}\n{inner}\n{end}{rest.split(end)[1]}"


def result_folders(root: Path | str) -> dict[str, Path]:
    """The results below `root` by name, in the order of their names."""
    return {path.parent.name: path.parent for path in sorted(Path(root).glob(f"*/{FILE}"))}


def checked(folder: Path | str) -> dict[str, float]:
    """The means of a result's own rows: what its summary has to say, to six decimals."""
    run = read_run(folder)
    graded = run.rows.filter(run.rows["graded"])
    means = {name: graded[name].drop_nulls().to_list() for name in run.metrics}
    return {name: sum(values) / len(values) for name, values in means.items() if values}


def _rounded(row: dict[str, Any]) -> str:
    row["metrics"] = {name: round(value, DECIMALS) for name, value in row["metrics"].items()}
    for name in _TIMES:
        if row[name] is not None:
            row[name] = round(row[name], DECIMALS)
    return json.dumps(row, separators=(",", ":"), allow_nan=False) + "\n"


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def _cell(value: object) -> str:
    text = _three(value) if isinstance(value, float) else "–" if value is None else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _three(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if 0 <= value < 1 else f"{value:.3f}"


def _numbers(values: Mapping[str, object]) -> bool:
    return all(isinstance(value, int | float) for value in values.values())

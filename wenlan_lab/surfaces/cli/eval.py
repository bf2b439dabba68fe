"""`wenlan-lab eval`: run the eval notebooks, list what there is, compare two runs, sweep a grid.

Data goes to stdout (`--json` for programs), everything else, progress bars included, to stderr. The laboratory itself is
in `wenlan_lab.evals`; nothing is measured or decided here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from wenlan_lab import InvalidRequest, Settings
from wenlan_lab.surfaces.cli.output import STORE_FAILURE, USER_ERROR, AsJson, note, told

app = typer.Typer(name="eval", help="Measure recall on benchmarks: run, list, compare, sweep.", no_args_is_help=True)

USER_ERRORS = ("InvalidRequest", "NotFound", "MissingExtra")
RESULTS = (Path("evals") / "results", Path("build") / "evals")


class TakesPairs(typer.core.TyperCommand):
    """A command whose `-p NAME VALUE` means `-p NAME=VALUE`, as papermill users write it: typer has no such option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Join the two words before typer sees them."""
        return super().parse_args(ctx, joined(args))


@app.command("run", cls=TakesPairs)
def run(
    name: Annotated[str, typer.Argument(help="The notebook: locomo, longmemeval, compare or ablation.")],
    given: Annotated[
        list[str] | None,
        typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="-p limit 20, or -p limit=20; repeat it."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A folder for the rows and the executed notebook.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run an eval notebook with parameters; the same command takes up a run that was interrupted."""
    with told():
        from wenlan_lab.evals import notebooks, receipts, report

        path = notebooks.path_of(name)
        values = notebooks.typed(pairs(given or ()), notebooks.parameters(path))
        if "out" in values and out is None:
            out = Path(str(values.pop("out"))) if values["out"] else None
        place = out if out is not None else notebooks.default_out(name, values)
        takes_out = "out" in notebooks.parameters(path)
        done = notebooks.run_notebook(
            path, place / "report.ipynb", {**values, **({"out": str(place)} if takes_out else {})}, progress=not quiet
        )
        if done.error:
            note(done.message)
            raise typer.Exit(USER_ERROR if done.error in USER_ERRORS else STORE_FAILURE)
        note(f"the executed notebook: {done.notebook}")
        summary = place / "summary.json"
        if not summary.is_file():
            _print({"notebook": str(done.notebook)}, str(done.notebook), as_json=as_json)
            return
        figures = json.loads(summary.read_text(encoding="utf-8"))
        _print(figures, repr(report.figures(receipts.read_run(place), figures)), as_json=as_json)
        if figures["errors"]:
            note(f"{figures['errors']} questions failed: their rows in {place} say why")
            raise typer.Exit(STORE_FAILURE)


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """The notebooks with their parameters, the datasets and whether they are here, and the runs so far."""
    with told():
        from wenlan_lab.evals import datasets, notebooks

        data = Settings().data
        found: dict[str, Any] = {
            "notebooks": {name: _parameters_of(name) for name in notebooks.NAMES},
            "datasets": [
                {
                    "name": one.name, "use": one.use, "protocols": list(datasets.protocols_of(one)), "licence": one.licence,
                    "here": data is not None and (data / one.file).is_file(),
                }
                for one in datasets.registry().values()
            ],
            "runs": [_run_line(folder) for folder in run_folders(RESULTS)],
        }  # fmt: skip
        _print(found, _listing(found), as_json=as_json)


@app.command("compare")
def compare(
    a: Annotated[str, typer.Argument(help="The folder of the run to be beaten, or: published.")],
    b: Annotated[str, typer.Argument(help="The folder of the run that may beat it.")],
    metric: Annotated[
        list[str] | None, typer.Option("-m", "--metric", help="A figure; repeat it. Default: the primary ones.")
    ] = None,
    q: Annotated[float, typer.Option(help="The false discovery rate.")] = 0.05,
    data: Annotated[Path | None, typer.Option(help="The folder with the published rows; default WENLAN_DATA.")] = None,
    as_json: AsJson = False,
) -> None:
    """Pair two runs question by question; other datasets or protocols are refused."""
    with told():
        from wenlan_lab.evals import compare as comparing
        from wenlan_lab.evals import published

        left, right = published.sides(a, b, data if data is not None else Settings().data)
        found = comparing.compare(left, right, metrics=metric or None, q=q)
        _print(asdict(found), repr(found), as_json=as_json)


@app.command("sweep")
def sweep(
    grid: Annotated[
        Path, typer.Argument(help="A YAML file: dataset, protocol, and under `grid` the values to combine.")
    ],
    out: Annotated[Path, typer.Option(help="Each run gets a folder below.")] = Path("build") / "evals" / "sweep",
    workers: Annotated[int, typer.Option(min=1, help="Processes; 1 stays in this one.")] = 2,
    data: Annotated[Path | None, typer.Option(help="The folder with the datasets; default WENLAN_DATA.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run every combination of a grid, and print one line for each."""
    with told():
        from tqdm import tqdm

        from wenlan_lab.evals import fan_out
        from wenlan_lab.evals import sweep as sweeping

        folder = data if data is not None else Settings().data
        plans = sweeping.planned(sweeping.read_grid(grid), out, data=str(folder) if folder is not None else None)
        pool = fan_out.ProcessPool(workers) if workers > 1 else fan_out.OneByOne()
        with tqdm(total=len(plans), desc="combinations", disable=quiet) as bar:
            results = sweeping.sweep(plans, pool, lambda done, _: bar.update(done - bar.n))
        _print([asdict(result) for result in results], repr(sweeping.table(results)), as_json=as_json)
        if any(result.error for result in results):
            raise typer.Exit(STORE_FAILURE)


def joined(args: Sequence[str]) -> list[str]:
    """The arguments with every `-p NAME VALUE` written as `-p NAME=VALUE`."""
    found: list[str] = []
    left = list(args)
    while left:
        word = left.pop(0)
        found.append(word)
        if word == "--":
            return found + left
        if word in ("-p", "--parameter") and left:
            name = left.pop(0)
            found.append(name if "=" in name or not left else f"{name}={left.pop(0)}")
    return found


def pairs(given: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` texts as a mapping; the last of a name counts."""
    found = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise InvalidRequest(f"{text!r} is no parameter: write -p NAME VALUE or -p NAME=VALUE.")
        found[name.strip()] = value
    return found


def run_folders(places: Iterable[Path]) -> Iterator[Path]:
    """The run folders below these places, by name."""
    for place in places:
        yield from sorted(path.parent for path in place.glob("**/header.json"))


def _parameters_of(name: str) -> dict[str, dict[str, Any]]:
    from wenlan_lab.evals import notebooks

    known = notebooks.parameters(notebooks.path_of(name))
    return {key: {"default": one.default, "help": one.help} for key, one in known.items()}


def _run_line(folder: Path) -> dict[str, Any]:
    from wenlan_lab.evals import receipts

    header = receipts.read_header(folder)
    return {
        "folder": str(folder), "dataset": header.dataset, "protocol": header.protocol, "k": header.k,
        "embedder": header.embedder, "questions": header.counts.get("questions"), "started": header.started,
        "finished": header.ended is not None,
    }  # fmt: skip


def _listing(found: dict[str, Any]) -> str:
    from wenlan_lab.evals.faces import Table

    parameters = [
        (name, key, str(one["default"]), one["help"])
        for name, known in found["notebooks"].items()
        for key, one in known.items()
    ]
    data = [
        (one["name"], one["use"], ", ".join(one["protocols"]), one["licence"], "yes" if one["here"] else "no")
        for one in found["datasets"]
    ]
    runs = [
        (one["folder"], one["dataset"], one["protocol"], one["questions"], "yes" if one["finished"] else "no")
        for one in found["runs"]
    ]
    tables = (
        Table("Notebooks", ("notebook", "parameter", "default", "meaning"), tuple(parameters)),
        Table("Datasets", ("dataset", "use", "protocols", "licence", "here"), tuple(data)),
        Table("Runs", ("folder", "dataset", "protocol", "questions", "finished"), tuple(runs)),
    )
    return "\n\n".join(repr(table) for table in tables)


def _print(plain: object, text: str, *, as_json: bool) -> None:
    typer.echo(json.dumps(plain, ensure_ascii=False, indent=2, default=str) if as_json else text)

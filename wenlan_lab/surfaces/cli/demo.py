"""`wenlan-lab demo`: execute the tour, keep it as a notebook and as a page, and say what it showed.

The executed copy is written as it goes, so that a cell that fails leaves it as evidence. The page needs no network: what
nbconvert would load from elsewhere is left out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.surfaces.cli.output import STORE_FAILURE, AsJson, note, show

TOUR = Path("notebooks") / "tour.ipynb"
BUILD = Path("build")
CELL_SECONDS, START_SECONDS = 900, 180
LINES_OF_AN_OUTPUT, LINES_OF_A_SECTION, WIDTH = 5, 24, 110
FRAME = "┌"  # a polars frame is told whole: the questions and the places of their answers are one
QUIET_KERNEL = "--IPKernelApp.log_level=40"  # or it warns of TCP on its own machine
OFFLINE_PAGE = """{%- extends 'lab/index.html.j2' -%}
{%- block html_head_js_requirejs -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}"""


def demo(
    notebook: Annotated[Path, typer.Option("--notebook", help="The notebook to execute.")] = TOUR,
    out: Annotated[Path, typer.Option("--out", help="The folder for the executed copy and the page.")] = BUILD,
    as_json: AsJson = False,
) -> None:
    """Execute the tour notebook, write it and a page of it, and print what it showed."""
    if not notebook.is_file():
        raise NotFound(
            f"there is no {notebook} here: run this in a clone of the repository, or name one with --notebook."
        )
    executed, page = out / notebook.name, out / notebook.with_suffix(".html").name
    if executed.resolve() == notebook.resolve():
        raise InvalidRequest(f"{executed} is the notebook itself: name another folder with --out.")
    out.mkdir(parents=True, exist_ok=True)
    note(f"executing {notebook}")
    failure = _execute(notebook, executed)
    if failure:
        note(f"{failure} {executed} is kept and shows where.")
        raise typer.Exit(STORE_FAILURE)
    page.write_text(_page(executed), encoding="utf-8")
    lines = list(_told(executed))
    if as_json:
        show({"notebook": str(executed), "page": str(page), "shown": lines}, as_json=True)
        return
    for line in (*lines, "", f"The whole tour is in {executed}, and as a page in {page}.", _how_to_open(executed)):
        show(line, as_json=False)


def _how_to_open(executed: Path) -> str:
    if executed.parent == BUILD and Path("Makefile").is_file():
        return "Open it in JupyterLab: make lab"
    return f"Open it in JupyterLab: jupyter lab {executed}"


def _execute(notebook: Path, executed: Path) -> str:
    """Run all cells; returns what went wrong and in which cell, "" when nothing did."""
    import papermill

    executed.unlink(missing_ok=True)  # a copy that is older would speak for this run
    try:
        papermill.execute_notebook(
            str(notebook), str(executed), cwd=str(notebook.parent), kernel_name="python3", progress_bar=True,
            execution_timeout=CELL_SECONDS, start_timeout=START_SECONDS, extra_arguments=[QUIET_KERNEL],
        )  # fmt: skip
    except papermill.PapermillExecutionError as error:
        return f"cell [{error.exec_count}] of {notebook.name} failed: {error.ename}: {_first_line(error.evalue)}."
    except Exception as error:  # the kernel died, never started, or a cell took too long: papermill lets each through
        if not executed.exists():
            raise
        return f"cell [{_last_run(executed)}] of {notebook.name} failed: {type(error).__name__}: {_first_line(str(error))}."
    return ""


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no message").rstrip(".")


def _last_run(executed: Path) -> str:
    """The number of the last code cell that was begun, as JupyterLab shows it."""
    begun = [
        cell for cell in _cells(executed) if cell.cell_type == "code" and cell.metadata["papermill"].get("start_time")
    ]
    return str(len(begun))


def _page(executed: Path) -> str:
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(raw_template=OFFLINE_PAGE)  # type: ignore[no-untyped-call]  # nbconvert leaves it untyped
    body, _ = exporter.from_filename(str(executed))
    return str(body)


def _cells(executed: Path) -> list[Any]:
    import nbformat

    return list(nbformat.read(executed, as_version=4).cells)  # type: ignore[no-untyped-call]  # as nbformat leaves it


def _told(executed: Path) -> Iterator[str]:
    """The headings of the executed notebook, and below each the beginnings of what its cells showed."""
    heading, left = "", 0
    for cell in _cells(executed):
        if cell.cell_type == "markdown" and cell.source.startswith("#"):
            heading, left = cell.source.splitlines()[0].lstrip("# "), LINES_OF_A_SECTION
        for output in cell.get("outputs", ()):
            lines = _plain(output).rstrip().splitlines()
            if not any(line.startswith(FRAME) for line in lines[:2]):  # polars may say its shape first
                lines = lines[: min(LINES_OF_AN_OUTPUT, left)]
                left -= len(lines)
            if lines and heading:
                yield from ("", heading)
                heading = ""
            yield from (f"  {line}"[:WIDTH] for line in lines)


def _plain(output: Any) -> str:
    """The text of a result or of what was printed; progress and figures are none."""
    match output.output_type:
        case "stream" if output.name == "stdout":
            return str(output.text)
        case "execute_result":
            return str(output.data.get("text/plain", ""))
        case _:
            return ""


COMMANDS: dict[str, Callable[..., None]] = {"demo": demo}

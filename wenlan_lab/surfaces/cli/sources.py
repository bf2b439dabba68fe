"""`wenlan-lab import` and `wenlan-lab source`: what is outside, brought in verbatim and taken out again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from wenlan_lab.surfaces.cli.options import At, By, InSpace, With, opened
from wenlan_lab.surfaces.cli.output import AsJson, progress, receipt, show

app = typer.Typer(name="source", help="Sources: list, remove.")


def import_(
    path: Annotated[Path, typer.Argument(help="A file or folder.", show_default=False)],
    format: Annotated[
        str | None,
        typer.Option("--format", help="locomo, longmemeval, turns, document or folder; else its content tells."),
    ] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="One LoCoMo conversation or LongMemEval question alone.")
    ] = None,
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="Leave the vectors for later; `embed` makes them.")
    ] = False,
    space: InSpace = None,
    workbench: At = None,
    actor: By = None,
    embedder: With = None,
    as_json: AsJson = False,
) -> None:
    """Bring in a file or folder, verbatim; again, it adds only what is new."""
    with opened(workbench, embedder, create=True) as wb:
        with progress("importing", "embedding") as advance:
            report = wb.sources.import_file(
                path, format=format, conversation=conversation, space=space, actor=actor, progress=advance,
                embed=not no_embed,
            )  # fmt: skip
        show(report, as_json=as_json)


@app.command("list")
def list_sources(workbench: At = None, as_json: AsJson = False) -> None:
    """List what was imported, first added first."""
    with opened(workbench, "none") as wb:
        show(wb.sources.list(), as_json=as_json)


@app.command()
def remove(
    source: Annotated[str, typer.Argument(help="The id of a source.", show_default=False)],
    even_if_resting: Annotated[
        bool, typer.Option("--even-if-resting", help="Although memories rest on it; they stay.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go and what rests on it.")] = False,
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Delete a source with its passages; refused while memories rest on it."""
    with opened(workbench, "none") as wb:
        if dry_run:
            show(wb.sources.removal(source), as_json=as_json)
            return
        receipt(wb.sources.remove(source, even_if_resting=even_if_resting, actor=actor), as_json=as_json)


COMMANDS: dict[str, Callable[..., None]] = {"import": import_}

"""`wenlan-lab space`: named scopes."""

from __future__ import annotations

from typing import Annotated

import typer

from wenlan_lab.surfaces.cli.options import At, By, opened
from wenlan_lab.surfaces.cli.output import AsJson, receipt, show

app = typer.Typer(name="space", help="Spaces: list, create, rename, describe, delete.")
Name = Annotated[str, typer.Argument(help="The space's name.", show_default=False)]


@app.command("list")
def list_spaces(workbench: At = None, as_json: AsJson = False) -> None:
    """List the spaces with what is in them."""
    with opened(workbench, "none") as wb:
        show(wb.spaces.list(), as_json=as_json)


@app.command()
def create(
    name: Name,
    description: Annotated[str, typer.Option("--description", help="What it is for.")] = "",
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Register a space."""
    with opened(workbench, "none", create=True) as wb:
        receipt(wb.spaces.create(name, description, actor), as_json=as_json)


@app.command()
def rename(
    name: Name,
    new_name: Annotated[str, typer.Argument(help="The new name.", show_default=False)],
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Rename a space; its description and all that is in it stay."""
    with opened(workbench, "none") as wb:
        receipt(wb.spaces.rename(name, new_name, actor), as_json=as_json)


@app.command()
def describe(
    name: Name,
    description: Annotated[str, typer.Argument(help="What it is for.", show_default=False)],
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Replace the description of a space."""
    with opened(workbench, "none") as wb:
        receipt(wb.spaces.describe(name, description, actor), as_json=as_json)


@app.command()
def delete(
    name: Name,
    contents: Annotated[
        str | None, typer.Option("--contents", help="What becomes of what is in it: unassign, move or delete.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="With --contents move: the space to move it to.")] = None,
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Delete a space; one that holds something is left alone and counted unless --contents is given."""
    with opened(workbench, "none") as wb:
        receipt(wb.spaces.delete(name, contents, to, actor), as_json=as_json)  # type: ignore[arg-type]  # checked there

"""`wenlan-lab review`: the queue of changes that wait for a person."""

from __future__ import annotations

from typing import Annotated

import typer

from wenlan_lab.surfaces.cli.options import At, By, InSpace, Most, opened
from wenlan_lab.surfaces.cli.output import AsJson, receipt, show

app = typer.Typer(name="review", help="Review: list, show, accept, dismiss, stats.")
Item = Annotated[str, typer.Argument(help="The id of a review item.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it is kept with the item.")]


@app.command("list")
def list_items(
    kind: Annotated[str | None, typer.Option("--kind", help="Only items of this kind.")] = None,
    status: Annotated[str, typer.Option("--status", help="pending, accepted, dismissed, expired or all.")] = "pending",
    most: Most = 100,
    space: InSpace = None,
    workbench: At = None,
    as_json: AsJson = False,
) -> None:
    """List what waits, oldest first."""
    with opened(workbench, "none") as wb:
        wanted = None if status == "all" else status
        show(wb.reviews.list(status=wanted, kind=kind, space=space, most=most), as_json=as_json)


@app.command("show")
def show_item(id: Item, workbench: At = None, as_json: AsJson = False) -> None:
    """Show one item with before, after and evidence."""
    with opened(workbench, "none") as wb:
        show(wb.reviews.get(id), as_json=as_json)


@app.command()
def accept(
    id: Item,
    reason: Reason = "",
    text: Annotated[str | None, typer.Option("--text", help="Accept with these words instead.")] = None,
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Perform the waiting change."""
    with opened(workbench, "none") as wb:
        receipt(wb.reviews.accept(id, reason, text=text, actor=actor), as_json=as_json)


@app.command()
def dismiss(id: Item, reason: Reason = "", workbench: At = None, actor: By = None, as_json: AsJson = False) -> None:
    """Say no; the same proposal never comes back."""
    with opened(workbench, "none") as wb:
        receipt(wb.reviews.dismiss(id, reason, actor), as_json=as_json)


@app.command()
def stats(space: InSpace = None, workbench: At = None, as_json: AsJson = False) -> None:
    """Show the queue in numbers."""
    with opened(workbench, "none") as wb:
        show(wb.reviews.stats(space=space), as_json=as_json)

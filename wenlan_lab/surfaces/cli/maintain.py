"""Commands that look after a workbench: status, journal, undo, verify, rebuild, embed, doctor."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from wenlan_lab.surfaces.cli.options import At, By, Most, With, opened, place_of, read_settings
from wenlan_lab.surfaces.cli.output import STORE_FAILURE, AsJson, note, progress, receipt, show


def status(workbench: At = None, embedder: With = None, as_json: AsJson = False) -> None:
    """Show what is in the workbench, its size, and what is waiting."""
    with opened(workbench, embedder) as wb:
        show(wb.status(), as_json=as_json)


def journal(
    id: Annotated[str | None, typer.Option("--id", help="Only what touched this memory, space or source.")] = None,
    actor: Annotated[str | None, typer.Option("--actor", help="Only what this actor did.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="From this ISO date or time on, in UTC.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Before this ISO date or time, in UTC.")] = None,
    rejections: Annotated[bool, typer.Option("--rejections", help="The captures that were refused instead.")] = False,
    most: Most = 50,
    workbench: At = None,
    as_json: AsJson = False,
) -> None:
    """Show the record of every change, newest first."""
    with opened(workbench, "none") as wb:
        if rejections:
            show(wb.journal.rejections(most), as_json=as_json)
        else:
            show(wb.journal.entries(id, actor=actor, since=since, until=until, most=most), as_json=as_json)


def undo(
    seq: Annotated[int, typer.Argument(help="The number of a journal entry.", show_default=False)],
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Take a journal entry back, unless later ones rest on it."""
    with opened(workbench, "none") as wb:
        receipt(wb.undo(seq, actor), as_json=as_json)


def verify(workbench: At = None, as_json: AsJson = False) -> None:
    """Check every invariant of the truth; what is broken is listed, and ends in exit code 2."""
    with opened(workbench, "none") as wb:
        problems = wb.verify()
        if as_json:
            show(problems, as_json=True)
        elif problems:
            show("\n".join(problems), as_json=False)
        if problems:
            note(f"{len(problems)} broken: restore truth.db from a backup.")
            raise typer.Exit(STORE_FAILURE)
        note(f"all is sound: {len(wb.journal):,} journal entries, the chain and the rows agree.")


def rebuild(workbench: At = None, embedder: With = None, as_json: AsJson = False) -> None:
    """Delete the derived index and make it anew from the truth; vectors come from their cache."""
    with opened(workbench, embedder) as wb:
        with progress("embedding") as advance:
            done = wb.rebuild(advance)
        show(done, as_json=as_json)


def embed(workbench: At = None, embedder: With = None, as_json: AsJson = False) -> None:
    """Make every vector that waits; ends in exit code 2 when the embedder can't."""
    with opened(workbench, embedder) as wb:
        with progress("embedding") as advance:
            notes = wb.embed(advance)
        for line in notes:
            note(f"note: {line}")
        found = wb.status()
        show(found, as_json=as_json)
        if found.waiting and wb.embedder is not None:
            raise typer.Exit(STORE_FAILURE)


def doctor(workbench: At = None, embedder: With = None, as_json: AsJson = False) -> None:
    """Check the installation and the workbench, and try a round trip; a failed check ends in exit code 2."""
    named = place_of(workbench, read_settings())
    with tempfile.TemporaryDirectory() as folder:
        if named is None:
            note("no workbench is named: only the installation is looked at.")
        with opened(named or Path(folder), embedder, create=named is None) as wb:
            found = wb.doctor()
            show(found, as_json=as_json)
            if not found.ok:
                raise typer.Exit(STORE_FAILURE)


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command for command in (status, journal, undo, verify, rebuild, embed, doctor)
}

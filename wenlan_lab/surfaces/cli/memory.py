"""Commands about memories: recall, look, and what is done to one of them. `capture` has a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from wenlan_lab.surfaces.cli.options import At, By, InSpace, Most, With, opened, target_space
from wenlan_lab.surfaces.cli.output import AsJson, receipt, show, text_of

Id = Annotated[str, typer.Argument(help="The id of a memory.", show_default=False)]
Reason = Annotated[str, typer.Option("--reason", help="Why; the journal keeps it, so don't repeat the text here.")]


def recall(
    query: Annotated[list[str], typer.Argument(help="The question; '-' reads it from stdin.", show_default=False)],
    k: Annotated[int, typer.Option("-k", "--k", help="How many hits at most.")] = 8,
    type: Annotated[
        list[str] | None, typer.Option("--type", "-t", help="Only this: a type, 'memory' or 'passage'; repeat it.")
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            "--include", help="Show what is hidden: drafts, held, superseded, retracted, rejected; repeat it."
        ),
    ] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="What was true in the world then.")] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", help="What this workbench knew then.")] = None,
    space: InSpace = None,
    workbench: At = None,
    embedder: With = None,
    as_json: AsJson = False,
) -> None:
    """Bring back what answers a question, memories and passages together, and why each is there."""
    with opened(workbench, embedder) as wb:
        show(wb.recall(text_of(query), k, space, type, as_of, known_at, include or ()), as_json=as_json)


def memories(
    type: Annotated[str | None, typer.Option("--type", "-t", help="Only this type.")] = None,
    most: Most = 50,
    space: InSpace = None,
    workbench: At = None,
    as_json: AsJson = False,
) -> None:
    """List live memories, last changed first."""
    with opened(workbench, "none") as wb:
        show(wb.memories(space, type, most), as_json=as_json)


def memory(id: Id, workbench: At = None, as_json: AsJson = False) -> None:
    """Show one memory whole."""
    with opened(workbench, "none") as wb:
        show(wb.memory(id), as_json=as_json)


def confirm(id: Id, workbench: At = None, actor: By = None, as_json: AsJson = False) -> None:
    """Stand behind a memory: it is accepted and no longer fades."""
    with opened(workbench, "none") as wb:
        receipt(wb.confirm(id, actor), as_json=as_json)


def unconfirm(id: Id, workbench: At = None, actor: By = None, as_json: AsJson = False) -> None:
    """Take a confirmation back."""
    with opened(workbench, "none") as wb:
        receipt(wb.unconfirm(id, actor), as_json=as_json)


def pin(id: Id, workbench: At = None, actor: By = None, as_json: AsJson = False) -> None:
    """Keep a memory from fading."""
    with opened(workbench, "none") as wb:
        receipt(wb.pin(id, actor), as_json=as_json)


def unpin(id: Id, workbench: At = None, actor: By = None, as_json: AsJson = False) -> None:
    """Take the pin away."""
    with opened(workbench, "none") as wb:
        receipt(wb.unpin(id, actor), as_json=as_json)


def retype(
    id: Id,
    type: Annotated[str, typer.Argument(help="The new type.", show_default=False)],
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Change the type of a memory; its cue follows."""
    with opened(workbench, "none") as wb:
        receipt(wb.retype(id, type, actor), as_json=as_json)


def retag(
    id: Id,
    tags: Annotated[list[str] | None, typer.Argument(help="The new tags; none takes all away.")] = None,
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Replace the tags of a memory."""
    with opened(workbench, "none") as wb:
        receipt(wb.retag(id, tags or [], actor), as_json=as_json)


def move(
    id: Id,
    space: Annotated[str, typer.Argument(help="The space, or 'uncategorized' for none.", show_default=False)],
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Move a memory to another space."""
    with opened(workbench, "none") as wb:
        receipt(wb.move(id, target_space(space), actor), as_json=as_json)


def retract(
    id: Id,
    reason: Reason = "",
    as_false: Annotated[bool, typer.Option("--as-false", help="Reject the claim: it can't be captured again.")] = False,
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Take a memory out of recall: no longer held true, kept in history, undoable."""
    with opened(workbench, "none") as wb:
        receipt(wb.retract(id, reason, as_false, actor), as_json=as_json)


def forget(
    id: Id,
    reason: Reason = "",
    as_false: Annotated[bool, typer.Option("--as-false", help="Reject the claim: it can't be captured again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be erased, erase nothing.")] = False,
    workbench: At = None,
    actor: By = None,
    embedder: With = None,
    as_json: AsJson = False,
) -> None:
    """Erase a memory's text from every place. Can't be undone."""
    with opened(workbench, "none" if dry_run else embedder) as wb:
        receipt(wb.forget(id, reason, as_false, actor, dry_run=dry_run), as_json=as_json)


def unforget(id: Id, reason: Reason = "", workbench: At = None, actor: By = None, as_json: AsJson = False) -> None:
    """Lift a tombstone, so that its claim may be told again; needs a reason."""
    with opened(workbench, "none") as wb:
        receipt(wb.unforget(id, reason, actor), as_json=as_json)


def feedback(
    id: Id,
    verdict: Annotated[str, typer.Argument(help="used, helpful or wrong.", show_default=False)],
    workbench: At = None,
    actor: By = None,
    as_json: AsJson = False,
) -> None:
    """Say how a recalled memory served. Reads themselves record nothing."""
    with opened(workbench, "none") as wb:
        receipt(wb.feedback(id, verdict, actor), as_json=as_json)  # type: ignore[arg-type]  # checked by feedback itself


def history(id: Id, workbench: At = None, as_json: AsJson = False) -> None:
    """Show every state a memory was in, and what made it so."""
    with opened(workbench, "none") as wb:
        show(wb.history(id), as_json=as_json)


def why(id: Id, workbench: At = None, as_json: AsJson = False) -> None:
    """Show what a memory rests on."""
    with opened(workbench, "none") as wb:
        show(wb.why(id), as_json=as_json)


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command
    for command in (
        recall, memories, memory, confirm, unconfirm, pin, unpin, retype, retag, move, retract, forget,
        unforget, feedback, history, why,
    )
}  # fmt: skip

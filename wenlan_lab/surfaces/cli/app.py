"""All commands of `wenlan-lab`, and what an error in any of them comes to.

Every command prints what the Workbench returned. Importing this loads no model, no index and no store.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
import typer.core

from wenlan_lab.surfaces.cli import capture, demo, eval, maintain, memory, review, sources, spaces
from wenlan_lab.surfaces.cli.output import HALTED, INTERRUPTED, OK, note, show_tracebacks, told

TRACEBACK = "--traceback"


class Group(typer.core.TyperGroup):
    """Commands behind one word; the word alone shows its help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Nothing at all is a request for help."""
        return super().parse_args(ctx, args or ["--help"])


class CommandLine(Group):
    """All commands: `--traceback` counts wherever it stands, and what goes wrong is a line and an exit code."""

    def main(self, *given: Any, standalone_mode: bool = True, **more: Any) -> Any:
        """Run, and exit with 0, 1, 2 or 130; with standalone_mode=False the code is returned."""
        args: Sequence[str] | None = given[0] if given else more.pop("args", None)
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if "--" in words else len(words)
        show_tracebacks(TRACEBACK in words[:end])
        words = [word for at, word in enumerate(words) if at >= end or word != TRACEBACK]
        try:
            with told():
                code = super().main(words, **{**more, "standalone_mode": False}) or OK
        except typer.Exit as ended:
            code = ended.exit_code
        except SystemExit:
            code = OK  # typer ends so when the reader of a help text has gone
        if code == INTERRUPTED:
            note(HALTED)
        if standalone_mode:
            sys.exit(code)
        return code


app = typer.Typer(
    name="wenlan-lab",
    cls=CommandLine,
    help="Capture what you learn, recall it, correct it, measure it.",
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def shared(
    traceback: Annotated[
        bool, typer.Option(TRACEBACK, help="Show the whole traceback of an error; may stand anywhere.")
    ] = False,
) -> None:
    """Capture what you learn, recall it, correct it, measure it."""


for commands in ({"capture": capture.capture}, memory.COMMANDS, sources.COMMANDS, maintain.COMMANDS, demo.COMMANDS):
    for name, command in commands.items():
        app.command(name)(command)
for group in (spaces.app, sources.app, review.app, eval.app):
    app.add_typer(group, cls=Group)

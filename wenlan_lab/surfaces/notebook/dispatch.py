"""From a command line to what comes of it: find the command, read its arguments, call it, bind its result.

This is the notebook's edge: errors of the engine become one line here and nowhere else.
"""

from __future__ import annotations

import argparse
import difflib
import keyword
from collections.abc import Mapping

from IPython.core.error import UsageError

from wenlan_lab.errors import WenlanError
from wenlan_lab.model.shown import one_line
from wenlan_lab.surfaces.notebook import memory_commands, review_commands, workbench_commands
from wenlan_lab.surfaces.notebook.arguments import CommandParser, late_option, next_word, parse
from wenlan_lab.surfaces.notebook.commands import Command
from wenlan_lab.surfaces.notebook.interpolation import interpolate
from wenlan_lab.surfaces.notebook.session import Session
from wenlan_lab.surfaces.notebook.workbench_commands import HelpText

LONGEST_ERROR = 600


def _help_takes(parser: CommandParser) -> None:
    parser.word("command", "the command to explain; all of them when not stated", required=False)


def help_(session: Session, args: argparse.Namespace) -> object:
    """All commands, or one of them."""
    del session
    return explained(args.command) if args.command else overview()


HELP = Command("help", "This list, or how one command is used.", _help_takes, help_)
COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        *workbench_commands.COMMANDS[:1],
        *memory_commands.COMMANDS,
        *review_commands.COMMANDS,
        *workbench_commands.COMMANDS[1:],
        HELP,
    )
}


def command_named(name: str) -> Command:
    """The command of that name; UsageError with the nearest one when there is none."""
    if name in COMMANDS:
        return COMMANDS[name]
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(f"there is no command {one_line(name, 40)!r}: {hint}`%wenlan help` lists them.")


def explained(name: str) -> HelpText:
    """How one command is used."""
    command = command_named(name)
    cell = f"\nIts text may stand in a cell, verbatim: %%wenlan {name} [options]\n" if command.cell else ""
    return HelpText(command.parser().format_help() + cell)


def overview() -> HelpText:
    """All commands with what they do."""
    rows = "\n".join(f"  %wenlan {command.name:<11} {command.summary}" for command in COMMANDS.values())
    return HelpText(
        f"{rows}\n\n"
        "%wl is short for %wenlan. `%wenlan COMMAND --help` shows a command's options; they come before its text.\n"
        "`x = %wenlan recall …` and `--into x` bind the result, a semicolon at the end silences it, {{name}} puts a\n"
        "variable in. `%%wenlan capture` and `%%wenlan recall` take the cell below them, verbatim."
    )


def run(session: Session, line: str, body: str | None, local: Mapping[str, object] | None) -> object:
    """Run one command. Raises UsageError with one line, or with --traceback whatever went wrong."""
    name, rest = next_word(line.strip())
    if not name and body is not None:
        raise UsageError(
            "which command? `%%wenlan capture` stores the text of the cell, `%%wenlan recall` asks with it."
        )
    if name in ("", "-h", "--help"):
        return overview()
    command = command_named(name)
    if body is not None and not command.cell:
        raise UsageError(f"{name} takes no cell: write `%wenlan {name} …` on one line.")
    parser = command.parser()
    names = session.names(local)
    args = parse(parser, rest, body=body, expand=lambda text: interpolate(text, names))
    if args.help:
        return explained(name)
    if args.into is not None and (not args.into.isidentifier() or keyword.iskeyword(args.into)):
        parser.error(f"--into needs a variable's name, not {args.into!r}")
    result = _called(session, command, args)
    if body is None and parser.rest is not None:
        _tell_late_option(session, parser, getattr(args, parser.rest[0]))
    if args.into is not None:
        session.shell.user_ns[args.into] = result
    return result


def _called(session: Session, command: Command, args: argparse.Namespace) -> object:
    try:
        return command.run(session, args)
    except UsageError:
        raise
    except WenlanError as error:
        if args.traceback:
            raise
        raise UsageError(one_line(str(error), LONGEST_ERROR)) from error
    except Exception as error:
        if args.traceback:
            raise
        told = one_line(f"{type(error).__name__}: {error}", LONGEST_ERROR)
        raise UsageError(f"{told} (the same with --traceback shows where it came from)") from error


def _tell_late_option(session: Session, parser: CommandParser, text: str | None) -> None:
    late = late_option(parser, text or "")
    if late is not None:
        session.say(f"note: {late} was read as part of the text: options come before it, or put the text in quotes.")

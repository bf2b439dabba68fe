"""The table of commands: each is a name, one sentence, what it takes, and a function of the session and its arguments.

A command makes one call to the Workbench and returns the value it got; whoever shows it does not know which command it
was. Errors are not caught here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from wenlan_lab.surfaces.notebook.arguments import CommandParser
from wenlan_lab.surfaces.notebook.session import Session

Declare = Callable[[CommandParser], None]
Run = Callable[[Session, argparse.Namespace], object]


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand of %wenlan. `cell`: its text may stand in the cell below."""

    name: str
    summary: str
    declare: Declare
    run: Run
    cell: bool = False

    def parser(self) -> CommandParser:
        """A fresh parser for it."""
        parser = CommandParser(self.name, self.summary)
        self.declare(parser)
        return parser


def nothing(parser: CommandParser) -> None:
    """Declares no words and no options beyond those that every command has."""
    del parser


def written_by(parser: CommandParser) -> None:
    """The option of every command that writes."""
    parser.option("--actor", metavar="WHO", help="who does it: person, agent:NAME or process:NAME")


def within(parser: CommandParser, told: str) -> None:
    """The option that names a space."""
    parser.option("-s", "--space", metavar="SPACE", help=told)

"""A question may end in a question mark.

IPython takes `?` at the end of any line for a request for help, so `%wenlan recall why did it stop?` would look for
help on `stop` and never reach us. These two transformers come first for lines that run %wenlan, and leave all others,
`%wenlan?` among them, to IPython.
"""

from __future__ import annotations

import tokenize
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from IPython.core.inputtransformer2 import EscapedCommand, MagicAssign

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

NAMES = ("wenlan", "wl")

Line = Sequence[tokenize.TokenInfo]


def _runs_us(line: Line, at: int) -> bool:
    """Whether %wenlan and something after a blank stand at that token."""
    name, after = line[at + 1], line[at + 2]
    return line[at].string == "%" and name.string in NAMES and after.start != name.end


def _first(line: Line) -> int:
    return next((n for n, token in enumerate(line) if token.type not in (tokenize.INDENT, tokenize.DEDENT)), 0)


class CommandLine(EscapedCommand):
    """A line that is a command of ours, to its end."""

    priority = 0  # on the same line, before the request for help

    @classmethod
    def find(cls, tokens_by_line: Sequence[Line]) -> Self | None:
        """The first such line of a cell."""
        for line in tokens_by_line:
            at = _first(line)
            if len(line) > at + 2 and _runs_us(line, at):
                return cls(line[at].start)
        return None


class AssignedCommandLine(MagicAssign):
    """A line that assigns what a command of ours returns."""

    priority = 0

    def __init__(self, line_start: tuple[int, int], magic_start: tuple[int, int]) -> None:
        # What IPython finds on a line is sorted by where it starts: the request for help at the line's first token.
        super().__init__(line_start)  # type: ignore[no-untyped-call]  # IPython's
        self.magic_line, self.magic_col = magic_start[0] - 1, magic_start[1]

    @classmethod
    def find(cls, tokens_by_line: Sequence[Line]) -> Self | None:
        """The first such line of a cell."""
        for line in tokens_by_line:
            for at in range(1, len(line) - 2):
                if line[at - 1].string == "=" and _runs_us(line, at):
                    return cls(line[_first(line)].start, line[at].start)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """The lines with this one as a call."""
        self.start_line, self.start_col = self.magic_line, self.magic_col
        called: list[str] = super().transform(lines)
        return called


def add(shell: InteractiveShell) -> None:
    """Let questions through."""
    shell.input_transformer_manager.token_transformers += [CommandLine, AssignedCommandLine]


def remove(shell: InteractiveShell) -> None:
    """Undo `add`; also for classes of an earlier loading, which are others by identity."""
    manager = shell.input_transformer_manager
    ours = {CommandLine.__qualname__, AssignedCommandLine.__qualname__}
    manager.token_transformers = [kind for kind in manager.token_transformers if kind.__qualname__ not in ours]

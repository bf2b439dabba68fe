"""Reading a command line: options first, then the words a command asks for, then the rest of the line, verbatim.

A text is never taken apart: apostrophes, quotes, braces and runs of blanks in it stay. A text that stands in one pair
of quotes as a whole may have options behind it (`recall "why did it stop" -k 3`); the quotes are not part of it then.
The reading is the same on every system, which is why backslashes mean nothing here.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from IPython.core.error import UsageError

from wenlan_lab.model.shown import visible

QUOTES = ("'", '"')


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=100)


class CommandParser(argparse.ArgumentParser):
    """The options of one command, and the names of its words and of its rest."""

    def __init__(self, command: str, summary: str) -> None:
        super().__init__(
            f"%wenlan {command}",
            description=summary,
            add_help=False,
            allow_abbrev=False,
            formatter_class=_formatter,
        )
        self.command = command
        self.flags: dict[str, tuple[str, bool]] = {}
        self.choices: dict[str, Sequence[str]] = {}
        self.words: list[tuple[str, bool]] = []
        self.rest: tuple[str, bool] | None = None
        self._about: list[tuple[str, str]] = []
        self.option("--into", metavar="NAME", help="bind the result to this variable")
        self.option("--traceback", action="store_true", help="on an error, show where it came from")
        self.option("-h", "--help", action="store_true", help="show this")

    def option(self, *flags: str, **how: Any) -> None:
        """An option, as `add_argument` takes it; the last flag is its long name."""
        self.add_argument(*flags, **how)
        takes_value = how.get("action") not in ("store_true", "store_false")
        self.flags.update(dict.fromkeys(flags, (flags[-1], takes_value)))
        self.choices.update({flag: tuple(how["choices"]) for flag in flags if "choices" in how})

    def word(self, name: str, help: str, *, required: bool = True) -> None:
        """One word of the line; in quotes it may hold blanks."""
        self.words.append((name, required))
        self._about.append((name, help))

    def text(self, name: str, help: str, *, required: bool = True) -> None:
        """All that follows, verbatim."""
        self.rest = (name, required)
        self._about.append((name, help))

    def error(self, message: str) -> NoReturn:
        """One line that says where to look, instead of leaving the process."""
        raise UsageError(f"{self.command}: {visible(message)}. `%wenlan {self.command} --help` shows how it is used.")

    def format_help(self) -> str:
        """How the command is written, its words, its options."""
        asked = [*self.words, *([self.rest] if self.rest else [])]
        names = [name.upper() if required else f"[{name.upper()}]" for name, required in asked]
        self.usage = " ".join([f"%%wenlan {self.command}", "[options]", *names])
        about = "".join(f"\n  {name.upper():<23}  {told}" for name, told in self._about)
        summary, self.description = self.description, f"{self.description}\n{about}".rstrip()
        told = super().format_help()
        self.description = summary
        return told


@dataclass(slots=True)
class _Line:
    """What was read so far: options in the form `--name=value`, words, and what is left of the line."""

    left: str
    options: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def parse(
    parser: CommandParser, line: str, *, body: str | None = None, expand: Callable[[str], str] = str
) -> argparse.Namespace:
    """The values of one command.

    body: the text of a cell; it takes the place of the rest. expand: applied to each value once it has been told apart,
    so a value can't become an option. Raises UsageError.
    """
    read = _Line(line.strip())
    closed = False
    while True:
        closed = closed or _take_options(parser, read, expand)
        if not read.left or len(read.words) == len(parser.words):
            break
        word, read.left = next_word(read.left)
        read.words.append(expand(word))
    rest = expand(_rest(parser, read, expand, closed=closed))
    found = parser.parse_args(read.options)
    if found.help:
        return found
    for at, (name, required) in enumerate(parser.words):
        if at < len(read.words):
            setattr(found, name, read.words[at])
        elif required:
            parser.error(f"it needs {name.upper()}")
        else:
            setattr(found, name, None)
    _set_rest(parser, found, rest, body)
    return found


def _set_rest(parser: CommandParser, found: argparse.Namespace, rest: str, body: str | None) -> None:
    if body is not None:
        if rest:
            parser.error(
                f"what to {parser.command} stands in the cell below: leave {rest[:40]!r} out of the first line"
            )
        rest = body
    if parser.rest is None:
        if rest:
            parser.error(f"it takes nothing more, but {rest[:40]!r} was left over")
        return
    name, required = parser.rest
    if required and not rest.strip():
        parser.error(f"it needs {name.upper()}")
    setattr(found, name, rest or None)


def _take_options(parser: CommandParser, read: _Line, expand: Callable[[str], str]) -> bool:
    """Move the options at the front of what is left to the options. True when `--` ended them."""
    while read.left.startswith("-"):
        word, after = next_word(read.left)
        if word == "--":
            read.left = after
            return True
        flag, value, after = _split_flag(parser, read.left, word, after)
        if flag is None:
            return False
        name, takes_value = parser.flags[flag]
        if not takes_value:
            if value is not None:
                parser.error(f"{flag} takes no value")
            read.options.append(name)
        else:
            if value is None:
                if not after:
                    parser.error(f"{flag} needs a value")
                value, after = next_word(after)
            read.options.append(f"{name}={expand(value)}")
        read.left = after
    return False


def _split_flag(parser: CommandParser, left: str, word: str, after: str) -> tuple[str | None, str | None, str]:
    """The flag that `left` begins with, the value attached to it, and what follows; no flag when it is a text."""
    if word in parser.flags:
        return word, None, after
    head, equals, _ = word.partition("=")
    if equals and head in parser.flags:
        value, after = next_word(left[len(head) + 1 :])
        return head, value, after
    if word[:2] in parser.flags and not word.startswith("--") and parser.flags[word[:2]][1]:
        return word[:2], word[2:], after
    if len(word) > 1 and (word[1].isalpha() or word.startswith("--")):
        near = difflib.get_close_matches(head, parser.flags, n=1)
        hint = f"did you mean {near[0]}?" if near else "write -- before a text that begins with a dash"
        parser.error(f"there is no option {head}: {hint}")
    return None, None, after


def _rest(parser: CommandParser, read: _Line, expand: Callable[[str], str], *, closed: bool) -> str:
    """What is left, verbatim; without the quotes around the whole of it, and with the options behind those taken."""
    left = read.left
    end = left.find(left[0], 1) if left[:1] in QUOTES and not closed else -1
    if end < 0:
        return left
    tail = _Line(left[end + 1 :].strip())
    if tail.left and (not left[end + 1].isspace() or not tail.left.startswith("-")):
        return left
    _take_options(parser, tail, expand)
    if tail.left:
        return left
    read.options += tail.options
    return left[1:end]


def next_word(text: str) -> tuple[str, str]:
    """The first word and what follows it; a word in quotes may hold blanks, an apostrophe inside a word is a letter."""
    if text[:1] in QUOTES:
        end = text.find(text[0], 1)
        if end > 0 and (end + 1 == len(text) or text[end + 1].isspace()):
            return text[1:end], text[end + 1 :].lstrip()
    word, _, after = _partition_blank(text)
    return word, after.lstrip()


def _partition_blank(text: str) -> tuple[str, str, str]:
    for at, char in enumerate(text):
        if char.isspace():
            return text[:at], char, text[at + 1 :]
    return text, "", ""


def late_option(parser: CommandParser, text: str) -> str | None:
    """The option that stands at the end of a text, where it is part of the text: worth telling the writer."""
    words = text.split()[-2:]
    return next((word for word in words if word.partition("=")[0] in parser.flags), None)

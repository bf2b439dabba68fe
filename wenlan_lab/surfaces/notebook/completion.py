"""What Tab offers after %wenlan: commands, options, spaces, types, ids. Never an error, never anything slow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wenlan_lab.errors import WenlanError
from wenlan_lab.model.types import MEMORY_TYPES
from wenlan_lab.surfaces.notebook.arguments import CommandParser
from wenlan_lab.surfaces.notebook.dispatch import COMMANDS
from wenlan_lab.surfaces.notebook.review_commands import VERDICTS
from wenlan_lab.surfaces.notebook.workbench_commands import SOURCE_ACTIONS, SPACE_ACTIONS

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

IDS_OFFERED = 30
HIDDEN = ("drafts", "held", "superseded", "retracted", "rejected")
OF_ONE_MEMORY = (
    "memory", "confirm", "pin", "retype", "retag", "move", "forget", "history", "why", "retract", "feedback",
)  # fmt: skip
OF_ONE_ITEM = ("review", "accept", "dismiss")


def completions(workbench: Workbench | None, before: str, symbol: str) -> list[str]:
    """What may stand at the cursor. before: the line up to it; symbol: the word that was begun, empty after a blank."""
    words = before[: len(before) - len(symbol)].split()[1:] if before.endswith(symbol) else before.split()[1:]
    if not words:
        return _beginning(symbol, COMMANDS)
    command = COMMANDS.get(words[0])
    if command is None:
        return []
    parser = command.parser()
    flag = words[-1] if words[-1] in parser.flags else ""
    if flag and parser.flags[flag][1]:
        return _beginning(symbol, _values(workbench, parser, flag))
    if symbol.startswith("-"):
        return _beginning(symbol, parser.flags)
    return _beginning(symbol, _words(workbench, command.name, words[1:]))


def _beginning(symbol: str, offered: Iterable[str]) -> list[str]:
    return [name for name in offered if name.startswith(symbol)]


def _values(workbench: Workbench | None, parser: CommandParser, flag: str) -> Sequence[str]:
    if flag in parser.choices:
        return parser.choices[flag]
    match parser.flags[flag][0]:
        case "--type":
            return (*MEMORY_TYPES, "memory", "passage") if parser.command == "recall" else MEMORY_TYPES
        case "--include":
            return HIDDEN
        case "--space" | "--to":
            return _spaces(workbench)
        case "--embedder":
            return ("default", "hash", "none")
        case "--id" | "--supersedes":
            return _ids(workbench)
        case _:
            return ()


def _words(workbench: Workbench | None, command: str, words: Sequence[str]) -> Sequence[str]:
    told = [word for word in words if not word.startswith("-")]
    if command in OF_ONE_MEMORY and not told:
        return _ids(workbench)
    if command in OF_ONE_ITEM and not told:
        return _waiting(workbench)
    match command, len(told):
        case "feedback", 1:
            return VERDICTS
        case "unforget", 0:
            return [stone.id for stone in workbench.tombstones() if not stone.lifted] if workbench is not None else ()
        case "help", 0:
            return tuple(COMMANDS)
        case "spaces", 0:
            return SPACE_ACTIONS
        case "spaces", 1:
            return _spaces(workbench)
        case "sources", 0:
            return SOURCE_ACTIONS
        case "sources", 1:
            return [source.id for source in workbench.sources.list()] if workbench is not None else ()
        case "retype", 1:
            return MEMORY_TYPES
        case "move", 1:
            return _spaces(workbench)
        case _:
            return ()


def _spaces(workbench: Workbench | None) -> Sequence[str]:
    if workbench is None:
        return ()
    try:
        names = [space.name for space in workbench.spaces.list()]
    except WenlanError:
        return ()
    return [f'"{name}"' if " " in name else name for name in names]


def _ids(workbench: Workbench | None) -> Sequence[str]:
    if workbench is None:
        return ()
    try:
        return [memory.id for memory in workbench.memories(most=IDS_OFFERED)]
    except WenlanError:
        return ()


def _waiting(workbench: Workbench | None) -> Sequence[str]:
    return [item.id for item in workbench.reviews.pending(most=IDS_OFFERED)] if workbench is not None else ()

"""docs/cli.md tells of every command and every option, and of none that isn't there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from wenlan_lab.surfaces.cli.app import app

DOC = Path(__file__).parents[2] / "docs" / "cli.md"


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, set[str]]]:
    """Each command's whole name and its options."""
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from commands(inner, (*path, name))
        return
    options = {
        option for parameter in command.params if parameter.param_type_name == "option" for option in parameter.opts
    }
    yield " ".join(("wenlan-lab", *path)), options - {"--help"}


def documented() -> dict[str, set[str]]:
    """What the document tells."""
    found: dict[str, set[str]] = {}
    for part in re.split(r"^## ", DOC.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        listed = "\n".join(line for line in body.splitlines() if line.startswith("- "))
        found[title.strip("` ")] = set(re.findall(r"`(-[\w-]*)`", listed))
    return found


def test_every_command_and_option_is_documented_and_nothing_else() -> None:
    assert documented() == dict(commands(get_command(app)))

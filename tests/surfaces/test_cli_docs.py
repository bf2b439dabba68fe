"""docs/cli.md tells of every command, argument and option, and of none that isn't there; so does each `--help`."""

import re

import pytest
import typer.main

from tests.surfaces.command_lines import ROOT, run
from wenlan_lab.surfaces.cli.app import app

DOCS = ROOT / "docs" / "cli.md"


def commands():
    """Every command by its words, `space list` say."""

    def below(group, words):
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from below(command, (*words, name))
            else:
                yield " ".join((*words, name)), command

    return dict(below(typer.main.get_command(app), ()))


def documented():
    """Each command of docs/cli.md with its heading and all that is said of it."""
    parts = re.split(r"^#{2,3} ", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for part in parts:
        if heading := re.match(r"`wenlan-lab ([a-z ]*[a-z])[^`]*`", part):
            found[heading[1]] = part
    return found


def test_every_command_is_documented_and_no_other():
    assert set(documented()) == set(commands())


@pytest.mark.parametrize("name", commands())
def test_every_option_and_argument_is_documented_and_no_other(name):
    told = documented()[name]
    parameters = [parameter for parameter in commands()[name].params if parameter.name != "help"]
    flags = {flag for parameter in parameters if parameter.param_type_name == "option" for flag in parameter.opts}
    assert set(re.findall(r"(?<=`)--?[a-z][a-z-]*", told)) == flags - {"-w", "-s"}  # these two stand under "everywhere"
    heading = told.splitlines()[0]
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            assert (parameter.name or "").rstrip("_").upper() in heading, parameter.name


@pytest.mark.parametrize("name", commands())
def test_every_command_shows_its_help(name):
    ended = run(*name.split(), "--help")
    assert ended.exit_code == 0
    assert commands()[name].help.split()[0] in ended.stdout
    assert ended.stderr == ""

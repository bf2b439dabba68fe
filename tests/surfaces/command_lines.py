"""Short ways to run `wenlan-lab` in a test: in this process, or in one of its own where that is the point."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wenlan_lab.surfaces.cli.app import app

ROOT = Path(__file__).parents[2]
PUMP = "The pump stalls below 4 °C, so the intake is heated."
PROGRAM = (sys.executable, "-m", "wenlan_lab.surfaces.cli.main")


@pytest.fixture
def command_line(tmp_path, monkeypatch):
    """A folder to be in, and the path of a workbench that needs no model; none of the caller's settings hold."""
    for name in [name for name in os.environ if name.startswith("WENLAN_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WENLAN_EMBEDDER", "hash")
    monkeypatch.setenv("WENLAN_WORKBENCH", str(tmp_path / "lab.wenlan"))
    return tmp_path / "lab.wenlan"


def run(*words, input=None):
    """One command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words], input=input)


def done(*words, input=None):
    """One command that has to end well: what it printed, as a value when `--json` was asked for."""
    ended = run(*words, input=input)
    assert ended.exit_code == 0, (words, ended.stdout, ended.stderr)
    return json.loads(ended.stdout) if "--json" in words else ended.stdout


def captured(text=PUMP, *options):
    """Capture one text and return its id."""
    return done("capture", *options, "--json", "--", text)["id"]


def refused(*words, code=1, input=None):
    """One command that has to fail: the one line that says why."""
    ended = run(*words, input=input)
    assert ended.exit_code == code, (words, ended.stdout, ended.stderr)
    lines = ended.stderr.strip().splitlines()
    assert len(lines) == 1, ended.stderr
    assert ended.stdout == ""
    return lines[0]


def environment(**changes):
    """The variables of a process of its own: nothing of the caller's settings, and this tree's package."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("WENLAN_", "PYTHON", "LC_", "LANG"))
    }
    return {**kept, "PYTHONPATH": str(ROOT), "WENLAN_EMBEDDER": "hash", "OMP_NUM_THREADS": "1", **changes}


def started(*words, folder, env=None, **streams):
    """A `wenlan-lab` process that runs in `folder`; stdout and stderr are pipes unless said otherwise."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([*PROGRAM, *words], cwd=folder, env=environment(**(env or {})), **pipes)


def finished(*words, folder, input=None, env=None, **streams):
    """The same, waited for: its exit code, stdout and stderr, the last two as bytes."""
    process = started(*words, folder=folder, env=env, stdin=subprocess.PIPE, **streams)
    out, err = process.communicate(input, timeout=120)
    return process.returncode, out, err

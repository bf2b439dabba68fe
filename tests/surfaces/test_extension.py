"""%load_ext wenlan_lab: quick, quiet, once, and gone without a trace when unloaded."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from IPython.core.error import UsageError

from wenlan_lab.surfaces.notebook.dispatch import COMMANDS
from wenlan_lab.surfaces.notebook.extension import HOOK, KEYS, load, unload
from wenlan_lab.surfaces.notebook.question_lines import NAMES

DOCS = Path(__file__).parents[2] / "docs" / "magics.md"
SLOW = ("torch", "faiss", "networkx", "polars", "pandas", "numpy", "ipywidgets", "matplotlib", "sentence_transformers",
        "dateparser", "pydantic", "tqdm")  # fmt: skip


def magics_of(shell):
    return {kind: dict(found) for kind, found in shell.magics_manager.magics.items()}


def completers_of(shell):
    return dict(shell.strdispatchers[HOOK].strs)


def state_of(shell):
    transformers = list(shell.input_transformer_manager.token_transformers)
    return magics_of(shell), completers_of(shell), set(shell.magics_manager.registry), transformers


def test_loading_prints_nothing_and_imports_nothing_slow():
    code = (
        "from IPython.testing.globalipapp import start_ipython\n"
        "shell = start_ipython()\n"
        "import sys, io, contextlib\n"
        "before, told = set(sys.modules), io.StringIO()\n"
        "with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):\n"
        "    shell.run_line_magic('load_ext', 'wenlan_lab')\n"
        "print(repr(told.getvalue()), *{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    told, *loaded = done.stdout.split()
    assert told == "''"
    assert "wenlan_lab" in loaded
    assert set(loaded) & set(SLOW) == set()


def test_ipythons_own_capture_and_recall_stay(ipython):
    before = magics_of(ipython)
    load(ipython)
    after = magics_of(ipython)
    unload(ipython)
    assert after["cell"]["capture"] is before["cell"]["capture"]
    assert after["line"]["recall"] is before["line"]["recall"]
    assert set(after["line"]) - set(before["line"]) == set(NAMES)
    assert set(after["cell"]) - set(before["cell"]) == set(NAMES)


def test_the_built_in_capture_still_captures_our_output(lab):
    assert lab.run_cell("%%capture out\n%wenlan help").success
    (output,) = lab.user_ns["out"].outputs
    assert "%wenlan recall" in output.data["text/plain"]


def test_loading_twice_keeps_the_open_workbench(lab):
    held = lab.magics_manager.registry["WenlanMagics"]
    workbench = held.workbench
    load(lab)
    lab.run_line_magic("load_ext", "wenlan_lab")
    assert lab.magics_manager.registry["WenlanMagics"] is held
    assert held.workbench is workbench


def test_unloading_leaves_nothing_behind(ipython, tmp_path):
    before = state_of(ipython)
    ipython.run_line_magic("load_ext", "wenlan_lab")
    ipython.run_line_magic("wenlan", f"open --embedder hash {tmp_path / 'lab'}")
    assert set(completers_of(ipython)) - set(before[1]) == set(KEYS)
    assert len(state_of(ipython)[3]) == len(before[3]) + 2
    ipython.run_line_magic("unload_ext", "wenlan_lab")
    assert state_of(ipython) == before
    with pytest.raises(UsageError, match="not found"):
        ipython.run_line_magic("wenlan", "help")
    unload(ipython)


def test_reloading_works_and_starts_without_a_workbench(lab):
    lab.run_line_magic("reload_ext", "wenlan_lab")
    assert lab.magics_manager.registry["WenlanMagics"].workbench is None
    assert "recall" in repr(lab.run_line_magic("wenlan", "help"))


# The documentation ----------------------------------------------------------------------------------------------------


def documented():
    """Each command of docs/magics.md with all that is said of it."""
    rows = re.findall(r"^\| `(\w+)[^`]*` \| (.*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(rows)


def test_every_command_is_documented_and_no_other():
    assert set(documented()) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name):
    common = ("--into", "--traceback", "--help", "--actor")
    text = DOCS.read_text(encoding="utf-8")
    for flag, _ in COMMANDS[name].parser().flags.values():
        assert flag in (text if flag in common else documented()[name]), flag


def test_the_options_that_are_documented_are_there():
    for name, told in documented().items():
        flags = COMMANDS[name].parser().flags
        for flag in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", told):
            assert flag in flags, (name, flag)


def test_every_command_says_in_a_sentence_what_it_does():
    for command in COMMANDS.values():
        assert re.fullmatch(r"[A-Z][^\n]{10,}\.", command.summary), command.name

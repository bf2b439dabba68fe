"""What only a process of its own can show: pipes, signals, encodings, what is loaded."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.surfaces.command_lines import PROGRAM, PUMP, ROOT, environment, finished, started
from wenlan_lab.surfaces.cli.output import HALTED

SLOW = {"torch", "faiss", "numpy", "polars", "networkx", "IPython", "papermill", "sqlite3", "nbconvert", "tqdm"}


@pytest.fixture
def many(tmp_path):
    """A file of statements that have little in common."""
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefghiklmnoprstu", k=6)) for _ in range(2000)]
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(json.dumps(" ".join(chance.sample(words, 10))) for _ in range(2000)), encoding="utf-8")
    return path


@pytest.fixture
def lab(tmp_path):
    """A workbench `lab.wenlan` in the folder where the commands run, with one memory."""
    assert finished("capture", "-w", "lab.wenlan", "-t", "gotcha", PUMP, folder=tmp_path)[0] == 0
    return tmp_path


def stored(folder, name):
    truth = sqlite3.connect(f"file:{folder / name}/truth.db?mode=ro", uri=True)
    found = {row[0] for row in truth.execute("select id from memory")}
    truth.close()
    return found


def test_loading_the_commands_loads_nothing_slow(tmp_path):
    code = "import sys, wenlan_lab.surfaces.cli.app; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment()
    )
    assert {name.partition(".")[0] for name in done.stdout.split()} & SLOW == set()


def test_the_program_that_is_installed_is_the_one_that_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"wenlan-lab": f"{PROGRAM[-1]}:main"}


def test_data_goes_to_stdout_and_nothing_else_does(lab):
    code, out, err = finished("recall", "why does the pump stall?", "--json", folder=lab)
    assert (code, err) == (0, b"")
    assert json.loads(out)["hits"][0]["text"] == PUMP
    code, out, err = finished("verify", folder=lab)
    assert (code, out) == (0, b"")
    assert b"all is sound" in err
    code, out, err = finished("memory", "mem_0", folder=lab)
    assert (code, out) == (1, b"")
    assert err.startswith(b"wenlan-lab: there is no memory 'mem_0'")


@pytest.mark.parametrize("words", [("memories",), ("memories", "--json"), ("--help",)])
def test_a_reader_that_goes_away_is_no_error(lab, words):
    reading, writing = os.pipe()
    os.close(reading)
    process = started(*words, folder=lab, stdout=writing)
    os.close(writing)
    assert process.communicate(timeout=120)[1] == b""
    assert process.returncode == 0


def test_work_goes_on_when_the_reader_of_its_receipts_goes_away(tmp_path, many):
    process = started("capture", "-w", "w", "--file", many, "--json", folder=tmp_path, env={"WENLAN_BATCH": "200"})
    assert process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    err = process.communicate(timeout=120)[1]  # a slow machine sees a progress bar here
    assert b"Traceback" not in err
    assert process.returncode == 0
    assert len(stored(tmp_path, "w")) == 2000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line_and_ends_in_two(lab):
    with Path("/dev/full").open("wb") as full:
        code, _, err = finished("memories", folder=lab, stdout=full)
    assert code == 2
    assert err.decode().splitlines() == [
        "wenlan-lab: No space left on device: check the disk and who may read and write there"
    ]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_every_receipt_that_was_printed_outlives_its_process(tmp_path, many, how):
    process = started("capture", "-w", "w", "--file", many, "--json", folder=tmp_path, env={"WENLAN_BATCH": "50"})
    first = process.stdout.readline()
    process.send_signal(how)
    out, err = process.communicate(timeout=120)
    printed = {json.loads(line)["id"] for line in (first + out).splitlines(keepends=True) if line.endswith(b"\n")}
    assert printed
    assert printed <= stored(tmp_path, "w")
    assert finished("verify", "-w", "w", folder=tmp_path)[0] == 0
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert err.decode().splitlines()[-1] == HALTED
        assert b"Traceback" not in err


INTERRUPTED_LOADING = """
import sys
class CtrlC:
    def find_spec(self, name, path, target=None):
        if name == "wenlan_lab.surfaces.cli.app":
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
from wenlan_lab.surfaces.cli.main import main
main()
"""


def test_ctrl_c_while_the_commands_are_loading_gives_no_traceback(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_LOADING], cwd=tmp_path, env=environment(), capture_output=True, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_bytes_that_are_no_text_are_refused_or_shown(lab):
    code, out, err = finished("capture", b"a caf\xe9 with nine tables", folder=lab)
    assert (code, out) == (1, b"")
    assert b"lone surrogate" in err
    code, out, err = finished("recall", b"caf\xe9 pump", folder=lab)
    assert (code, err) == (0, b"")
    assert "⟨U+DCE9⟩" in out.decode()
    code, out, err = finished("recall", "--json", b"caf\xe9 pump", folder=lab)
    assert (code, json.loads(out)["query"]) == (0, "caf\ufffd pump")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16-le"])
def test_an_output_in_another_encoding_loses_nothing(lab, encoding):
    text = "Der Pegel fiel auf 4 °C — 水位計 says “no”."
    env = {"PYTHONIOENCODING": encoding}
    code, out, err = finished("capture", "--json", text, folder=lab, env=env)
    assert (code, err) == (0, b"")
    made = json.loads(out.decode(encoding))["id"]
    code, out, err = finished("memory", made, "--json", folder=lab, env=env)
    assert json.loads(out.decode(encoding))["text"] == text
    code, out, err = finished("memory", made, folder=lab, env=env)
    assert (code, err) == (0, b"")
    # Where Python thinks of ASCII, typer writes UTF-8 all the same: hardly anyone means it.
    assert "Der Pegel fiel auf 4" in out.decode("utf-8" if encoding == "ascii" else encoding)


def test_a_locale_without_utf_8_is_no_error(lab):
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (("memories",), ("--help",), ("recall", "pump"), ("recal",)):
        code, _, err = finished(*words, folder=lab, env=env)
        assert code in (0, 1)
        assert b"Traceback" not in err
    assert (
        finished("capture", "-", folder=lab, env=env, input="Der Pegel ist fünf Zentimeter zu hoch.".encode())[0] == 0
    )


def test_missing_streams_are_no_error(lab):
    code = "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"
    for stream, words, ending in ((0, ("capture", "-"), 1), (1, ("memories",), 0), (2, ("memory", "mem_0"), 1)):
        done = subprocess.run(
            [sys.executable, "-c", code, str(stream), *PROGRAM, *words], cwd=lab, env=environment(), capture_output=True
        )
        assert done.returncode == ending, (stream, done.stderr)
        assert b"Traceback" not in done.stderr

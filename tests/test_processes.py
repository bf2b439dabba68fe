"""Several processes on one workbench, and processes that are killed: nothing is lost, nothing is half-written."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import wenlan_lab
from wenlan_lab.testing import HashEmbedder

PROCESSES, CAPTURES = 8, 200
KILLS = 30

WRITER = """
import sys, wenlan_lab
from wenlan_lab.testing import HashEmbedder
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with wenlan_lab.open(folder, embedder=HashEmbedder(64)) as wb:
    for at in range(count):
        receipt = wb.capture(f"writer {name} noted the reading {at * 7919} of gauge {name}", actor=f"process:{name}")
        assert receipt.outcome == "Captured", receipt
        print(receipt.id, flush=True)
"""

READER = """
import sys, wenlan_lab
from wenlan_lab.testing import HashEmbedder
with wenlan_lab.open(sys.argv[1], embedder=HashEmbedder(64)) as wb:
    seen = 0
    while not sys.stdin.closed and seen < 60:
        found = wb.recall("which reading did the writer note?", k=5)
        assert all(hit.text.startswith("writer") for hit in found), found
        seen += 1
print(seen)
"""

IMPORTER = """
import sys, wenlan_lab
from wenlan_lab.testing import HashEmbedder
from wenlan_lab.importers import read_turns
with wenlan_lab.open(sys.argv[1], embedder=HashEmbedder(64)) as wb:
    def told(done, total):
        print(done, flush=True)
    for path in sys.argv[2:]:
        wb.sources.import_file(path, progress=told)
        print("done", path, flush=True)
    for at in range(500):
        print("receipt", wb.capture(f"the importer saw passage {at} go by quickly").id, flush=True)
"""


def started(script: str, *arguments: str) -> subprocess.Popen[str]:
    """A Python process of its own, running `script`."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def opened(folder: Path) -> wenlan_lab.Workbench:
    return wenlan_lab.open(folder, embedder=HashEmbedder(64))


def test_eight_writers_and_a_reader_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    opened(folder).close()
    writers = [started(WRITER, str(folder), f"w{number}", str(CAPTURES)) for number in range(PROCESSES)]
    reader = started(READER, str(folder))
    told = []
    for writer in writers:
        output, error = writer.communicate(timeout=600)
        assert writer.returncode == 0, error
        told.extend(output.split())
    output, error = reader.communicate(timeout=600)
    assert reader.returncode == 0, error
    with opened(folder) as wb:
        assert len(set(told)) == PROCESSES * CAPTURES == wb.status().memories
        assert wb.verify() == ()
        wb.embed()
        assert wb.status().waiting == 0
        assert len(wb.recall("writer w3 noted the reading 7919 of gauge w3", k=5)) == 5


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Six files of four hundred turns each."""
    folder = tmp_path_factory.mktemp("turns")
    paths = []
    for number in range(6):
        path = folder / f"chat{number}.jsonl"
        lines = (
            json.dumps(
                {
                    "speaker": "Ada",
                    "content": f"turn {at} of chat {number}: the level was {at * 31} mm",
                    "thread": f"t{at // 40}",
                }
            )
            for at in range(400)
        )
        path.write_text("\n".join(lines), encoding="utf-8")
        paths.append(str(path))
    return paths


def test_an_import_that_is_killed_thirty_times_keeps_what_it_told_and_goes_on(tmp_path: Path, turns: list[str]) -> None:
    folder = tmp_path / "killed"
    chance = random.Random(11)  # when to kill; any moment will do
    receipts: set[str] = set()
    finished: set[str] = set()
    for _ in range(KILLS):
        process = started(IMPORTER, str(folder), *turns)
        assert process.stdout is not None
        for _ in range(chance.randint(1, 60)):
            line = process.stdout.readline()
            if not line:
                break
            kind, _, rest = line.strip().partition(" ")
            if kind == "receipt":
                receipts.add(rest)
            elif kind == "done":
                finished.add(rest)
        process.send_signal(signal.SIGKILL)
        rest_of_output, _ = process.communicate(timeout=60)
        receipts.update(
            line.split()[1]
            for line in rest_of_output.splitlines()
            if line.startswith("receipt ") and line.count(" ") == 1 and len(line) == len("receipt mem_") + 26
        )
        with opened(folder) as wb:
            assert wb.verify() == ()
            known = {memory.id for memory in wb.memories(most=10_000)}
            assert receipts - {"None"} <= known
    process = started(IMPORTER, str(folder), *turns)
    _, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    with opened(folder) as wb:
        assert wb.verify() == ()
        status = wb.status()
        assert (status.passages, status.sources, status.waiting) == (6 * 400, 6, 0)
        assert len(wb.recall("which level was told in turn 7 of chat 3?", k=5)) == 5
    assert finished <= set(turns)


def test_what_one_process_forgets_another_no_longer_recalls(tmp_path: Path) -> None:
    folder = tmp_path / "two"
    with opened(folder) as wb:
        output, error = started(WRITER, str(folder), "other", "3").communicate(timeout=120)
        assert not error
        first = output.split()[0]
        assert first in {hit.id for hit in wb.recall("what did the other writer note?", k=5)}
        script = "import sys, wenlan_lab\nwith wenlan_lab.open(sys.argv[1], embedder='none') as wb: wb.forget(sys.argv[2], 'asked to')"
        process = started(script, str(folder), first)
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        assert first not in {hit.id for hit in wb.recall("what did the other writer note?", k=5)}

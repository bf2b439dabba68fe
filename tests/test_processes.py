"""Several processes on one workbench, and processes that are killed: nothing is lost, nothing is half-written.

No assertion here depends on how quick a process is. What is random (when to kill) is seeded, and any moment will do.
"""

import hashlib
import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wenlan_lab
from tests.importing_process import LINES, PASSAGES, SOURCES, batch
from wenlan_lab import InvalidRequest

ROOT = Path(__file__).parents[1]
PROCESSES, CAPTURES = 8, 200
KILLS = 30

WRITER = """
import sys, wenlan_lab
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with wenlan_lab.open(folder, embedder="hash") as wb:
    for at in range(count):
        receipt = wb.capture(f"writer {name} noted the reading {at * 7919} of gauge {name}", actor=f"process:{name}")
        assert receipt.outcome == "Captured", receipt
        print(receipt.id, flush=True)
"""

READER = """
import sys, threading, wenlan_lab
over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
with wenlan_lab.open(sys.argv[1], embedder="hash") as wb:
    looks = seen = 0
    while not over.wait(0.05):
        found = wb.recall("which reading did the writer note?", k=5)
        assert all(hit.text.startswith("writer") for hit in found), found
        now = wb.status().memories
        assert now >= seen, (now, seen)
        looks, seen = looks + 1, now
print(looks)
"""

ECHO = """
import sys, wenlan_lab
with wenlan_lab.open(sys.argv[1], embedder="hash") as wb:
    for line in sys.stdin:
        verb, _, text = line.strip().partition(" ")
        print(wb.capture(text).id if verb == "capture" else wb.recall(text, k=1)[0].id, flush=True)
"""

FORGETTER = """
import sys, wenlan_lab
with wenlan_lab.open(sys.argv[1], embedder="hash") as wb:
    wb.forget(sys.argv[2], "asked to")
"""


def started(*words: object) -> "subprocess.Popen[str]":
    """A Python process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WENLAN_")}
    return subprocess.Popen(
        [sys.executable, *map(str, words)], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**kept, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def ended(process: "subprocess.Popen[str]") -> str:
    """What a process printed until it ended well."""
    output, error = process.communicate(timeout=600)
    assert (process.returncode, error) == (0, "")
    return output


@pytest.fixture
def folder(tmp_path):
    """A workbench that is there already."""
    wenlan_lab.open(tmp_path / "lab", embedder="hash").close()
    return tmp_path / "lab"


def opened(folder):
    return wenlan_lab.open(folder, embedder="hash")


def truth_of(folder):
    return sqlite3.connect(f"file:{folder}/truth.db?mode=ro", uri=True, isolation_level=None)


def test_eight_writers_beside_long_readers_lose_nothing(folder):
    counted = "select count(*) from memory"
    long_read = truth_of(folder)
    long_read.execute("begin")
    assert long_read.execute(counted).fetchone() == (0,)
    reader = started("-c", READER, folder)
    writers = [started("-c", WRITER, folder, f"w{number}", CAPTURES) for number in range(PROCESSES)]
    told = [receipt for writer in writers for receipt in ended(writer).split()]
    assert int(ended(reader)) > 0
    assert long_read.execute(counted).fetchone() == (0,)  # its transaction still sees what it saw at first
    long_read.execute("commit")
    assert long_read.execute(counted).fetchone() == (PROCESSES * CAPTURES,)
    long_read.close()
    with opened(folder) as wb:
        assert {memory.id for memory in wb.memories(most=10_000)} == set(told)
        assert len(told) == PROCESSES * CAPTURES
        assert wb.verify() == ()
        assert len(wb.journal) == PROCESSES * CAPTURES
        wb.embed()
        assert (wb.status().waiting, wb.status().behind) == (0, 0)
        assert wb.recall("writer w3 noted the reading 15838 of gauge w3", k=1)[0].text.endswith("15838 of gauge w3")


def test_what_one_process_wrote_the_other_recalls_next_two_hundred_times(folder):
    other = started("-c", ECHO, folder)
    questions, answers = other.stdin, other.stdout
    assert questions is not None
    assert answers is not None

    def ask(verb, text):
        questions.write(f"{verb} {text}\n")
        questions.flush()
        return answers.readline().strip()

    with opened(folder) as wb:
        for at in range(100):
            ours, theirs = f"our probe {at * 7919} went to depth q{at}", f"their buoy {at * 6007} drifted to bay z{at}"
            made = wb.capture(ours).id
            assert wb.recall(ours, k=1)[0].id == made
            assert ask("recall", ours) == made
            made = ask("capture", theirs)
            assert ask("recall", theirs) == made
            assert wb.recall(theirs, k=1)[0].id == made
    ended(other)


def test_what_one_process_forgets_the_other_no_longer_recalls(folder):
    with opened(folder) as wb:
        made = wb.capture("The spare key hangs behind the barometer.").id
        assert wb.recall("where is the spare key?")[0].id == made
        ended(started("-c", FORGETTER, folder, made))
        assert len(wb.recall("where is the spare key?")) == 0


def test_an_import_that_is_killed_thirty_times_keeps_what_it_told_and_nothing_by_half(folder):
    chance = random.Random(11)
    midway = 0
    ready = started("-m", "tests.importing_process", folder, 0)
    for number in range(KILLS):
        process, ready = (
            ready,
            started("-m", "tests.importing_process", folder, number + 1),
        )  # the next one loads already
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(chance.randint(0, LINES - 1))]
        time.sleep(chance.uniform(0, 0.004 if lines else 0.1))  # somewhere in the next transaction, or while it opens
        process.kill()
        lines += process.communicate(timeout=60)[0].splitlines(keepends=True)
        told = [line.split() for line in lines if line.endswith("\n")]
        stored = max([int(rest[0]) for kind, *rest in told if kind == "stored"], default=0)
        midway += 0 < len(told) < LINES
        with opened(folder) as wb:
            assert wb.verify() == ()
            for kind, *rest in told:
                if kind == "receipt":
                    assert wb.memory(rest[0]).status == "live"
            ours = [source.id for source in wb.sources.list() if source.ref.startswith(f"chat {number}.")]
            there = [len(wb.sources.passages(source_id)) for source_id in ours]
            assert set(there) <= {0, PASSAGES}
            assert sum(there) >= stored
            wb.recall(f"what was the level in chat {number}.3?")
            assert wb.status().behind == 0
    ready.kill()
    ready.communicate(timeout=60)
    assert midway > KILLS // 2
    with opened(folder) as wb:
        for number in range(KILLS):
            report = wb.sources.import_batch(batch(number))
            assert report.added + report.known == SOURCES * PASSAGES
        assert wb.verify() == ()
        status = wb.status()
        assert (status.passages, status.sources) == (KILLS * SOURCES * PASSAGES, KILLS * SOURCES)
        assert (status.waiting, status.behind) == (0, 0)
        questions = [f"level {at * 31} mm in chat {at}.{at % SOURCES}" for at in range(0, KILLS, 3)]
        before = [[(hit.id, hit.score) for hit in wb.recall(question)] for question in questions]
        wb.rebuild()
        assert [[(hit.id, hit.score) for hit in wb.recall(question)] for question in questions] == before


# Reads --------------------------------------------------------------------------------------------------------------


def digest(truth):
    """One digest over every row of every table."""
    found = hashlib.sha256()
    tables = truth.execute("select name from sqlite_master where type = 'table' order by name").fetchall()
    assert len(tables) > 8
    for (table,) in tables:
        for row in truth.execute(f"select * from {table} order by 1, 2"):  # noqa: S608 - names from the schema
            found.update(repr((table, row)).encode())
    return found.hexdigest()


def everything_that_reads(wb):
    narrowed: tuple[dict[str, object], ...] = (
        {}, {"space": "cold room"}, {"types": ["passage"]}, {"include": ["held", "rejected"]}, {"as_of": "2026-01-01"},
    )  # fmt: skip
    for query in ("pump", "", "\0 \ud800", 'a" OR * NEAR(', "x" * 10_000, "什么时候", "<b>", "when did it stall?"):
        for how in narrowed:
            wb.recall(query, **how)
    memory = wb.memories()[0]
    (source, *_) = wb.sources.list()
    for look in (
        wb.status, wb.verify, wb.doctor, wb.rebuild, wb.embed, wb.spaces.list, wb.reviews.pending, wb.reviews.stats,
        wb.journal.entries, wb.journal.rejections, wb.tombstones, wb.memories().to_polars, wb.recall("pump")._repr_html_,
    ):  # fmt: skip
        look()
    for look in (wb.memory, wb.history, wb.why):
        look(memory.id)
    for look in (wb.sources.get, wb.sources.passages, wb.sources.removal):
        look(source.id)
    wb.forget(memory.id, dry_run=True)
    wb.journal.payload(1)


def test_reads_write_nothing_to_the_truth(folder):
    with opened(folder) as wb:
        wb.spaces.create("cold room")
        wb.sources.import_batch(batch(0))
        made = wb.capture("The pump in the cold room stalls below 4 °C.", space="cold room", evidence=["it froze"]).id
        wb.capture("ok")
        wb.retract(wb.capture("The pump is made of glass.").id, "it is not", as_false=True)
        wb.confirm(made)
    truth = truth_of(folder)
    before = digest(truth), truth.execute("pragma data_version").fetchone()
    with opened(folder) as wb:
        everything_that_reads(wb)
        with pytest.raises(InvalidRequest):
            wb.recall("pump", space="nowhere")
    assert (digest(truth), truth.execute("pragma data_version").fetchone()) == before  # nobody committed anything
    with opened(folder) as wb:
        wb.pin(made)
    assert digest(truth) != before[0]
    assert truth.execute("pragma data_version").fetchone() != before[1]
    truth.close()

"""An accept that is interrupted between any two of its statements has happened whole, or not at all."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.life import held, opened, state

# A process of its own that is killed before its n-th statement, as a power cut would do it.
ACCEPT = """
import os, signal, sys
sys.path.insert(0, sys.argv[4])
from tests.engine.life import opened
folder, item, at = sys.argv[1], sys.argv[2], int(sys.argv[3])
wb, seen = opened(folder, first_id=50_000), 0
def before(statement):
    global seen
    seen += 1
    if seen == at:
        os.kill(os.getpid(), signal.SIGKILL)
wb.truth.set_trace_callback(before)
print(wb.reviews.accept(item).outcome, seen)
"""
ROOT = str(Path(__file__).parents[2])
KILLS = 30


def run(folder: Path, item: str, at: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ACCEPT, str(folder), item, str(at), ROOT], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_killed_accept_leaves_everything_or_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "start") as wb:
        old, new, item = held(wb)
        before = state(wb)
    shutil.copytree(tmp_path / "start", tmp_path / "whole")
    whole = run(tmp_path / "whole", item, 0)
    outcome, statements = whole.stdout.split()
    assert (outcome, int(statements) > KILLS) == ("Applied", True), whole.stderr
    nothing = 0
    for at in range(1, KILLS + 1):
        step = 1 + (at - 1) * (int(statements) - 1) // (KILLS - 1)  # spread from the first statement to the last
        folder = tmp_path / f"killed{at}"
        shutil.copytree(tmp_path / "start", folder)
        killed = run(folder, item, step)
        assert killed.returncode == -9, (step, killed.stderr)
        with opened(folder, first_id=90_000) as wb:
            assert wb.verify() == ()
            if wb.reviews.get(item).status == "pending":
                nothing += 1
                assert state(wb) == before
                assert wb.reviews.accept(item).outcome == "Applied"
            assert [wb.memory(id).status for id in (old, new)] == ["superseded", "live"]
            assert wb.reviews.accept(item).outcome == "Unchanged"
        shutil.rmtree(folder)
    assert nothing >= KILLS // 2
    assert nothing < KILLS  # the last statements come after the commit: the test reaches to the end

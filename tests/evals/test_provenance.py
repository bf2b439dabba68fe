"""Where figures come from: commit, code, libraries, machine, and no path of anybody's."""

import subprocess
from pathlib import Path

import pytest

from wenlan_lab.evals.provenance import GitState, code_digest, git_state, library_versions, machine


def git(folder, *arguments):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


def test_a_clean_tree_is_its_commit(repository):
    state = git_state(repository)
    assert state.commit is not None
    assert len(state.commit) == 40
    assert state.dirty is False


def test_a_changed_file_makes_the_tree_dirty_and_a_new_result_does_not(repository):
    (repository / "results.json").write_text("{}", encoding="utf-8")
    assert git_state(repository).dirty is False
    (repository / "a.py").write_text("x = 2\n", encoding="utf-8")
    assert git_state(repository).dirty is True


def test_outside_a_repository_nothing_is_guessed(tmp_path):
    assert git_state(tmp_path / "nowhere") == GitState(None, None)


def test_a_repository_without_a_commit_has_none(tmp_path):
    git(tmp_path, "init", "--quiet")
    assert git_state(tmp_path).commit is None


def test_the_code_digest_moves_with_code_and_with_nothing_else(tmp_path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "surfaces").mkdir()
    (tmp_path / "engine" / "recall.py").write_text("k = 8\n", encoding="utf-8")
    before = code_digest(tmp_path)
    (tmp_path / "surfaces" / "panel.py").write_text("colour = 1\n", encoding="utf-8")
    (tmp_path / "engine" / "recall.pyc").write_bytes(b"x")
    (tmp_path / "registry.json").write_text("{}", encoding="utf-8")  # a wheel holds it, a clone doesn't
    assert code_digest(tmp_path) == before
    (tmp_path / "engine" / "recall.py").write_text("k = 9\n", encoding="utf-8")
    changed = code_digest(tmp_path)
    assert changed != before
    (tmp_path / "engine" / "recall.py").rename(tmp_path / "engine" / "other.py")
    assert code_digest(tmp_path) not in (before, changed)


def test_the_packages_own_code_has_a_digest():
    assert code_digest() == code_digest()
    assert len(code_digest()) == 64


def test_a_library_that_is_absent_is_left_out():
    found = library_versions(("numpy", "no-such-package-here"))
    assert set(found) == {"python", "numpy"}


def test_the_machine_is_described_without_a_path_or_a_name():
    found = machine()
    assert set(found) == {"system", "architecture", "processor", "processors"}
    assert str(Path.home()) not in str(found)

"""The repository around the package: its top level, its one test command, its pins, and what goes into the wheel."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONSTRAINTS = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
VERBS = ("setup", "demo", "test", "check", "lab", "bench", "evals", "readme", "test-browser", "clean")


def requirements() -> list[Requirement]:
    """Everything that pyproject.toml asks for: to build, to run, and by each extra."""
    asked = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"]]
    for extra in PROJECT["project"]["optional-dependencies"].values():
        asked += extra
    return [Requirement(line) for line in asked]


def unpinned(asked: list[Requirement], pins: list[str]) -> list[str]:
    """What is asked for and has no exact pin, or a pin that pyproject.toml forbids."""
    pinned = {canonicalize_name(name): version for name, _, version in (pin.partition("==") for pin in pins)}
    return [
        str(want)
        for want in asked
        if not want.specifier.contains(pinned.get(canonicalize_name(want.name), "0"), prereleases=True)
    ]


FOLDERS = ["wenlan_lab", "notebooks", "extension", "tests", "data", "evals", "docs"]
FILES = ["pyproject.toml", "environment.yml", "constraints.txt", "Makefile", "LICENSE", ".ci/run", ".ci/setup"]
TEXTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "extension/README.md", "evals/README.md"]
TEXTS += ["docs/architecture.md", "docs/domain.md", "docs/consistency.md"]


@pytest.mark.parametrize("name", [*FOLDERS, *FILES, *TEXTS])
def test_the_top_level_is_the_fixed_one(name: str):
    assert (ROOT / name).exists()


def test_the_makefile_has_every_verb_and_explains_it():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    told = re.findall(r"make ([a-z-]+)", makefile.partition("\nsetup:")[0])
    for verb in VERBS:
        assert re.search(rf"^{verb}:", makefile, re.MULTILINE), verb
        assert verb in told, verb


def test_the_command_that_the_readme_gives_for_testing_is_the_one_that_ci_runs():
    commands = re.findall(r"^make test\b.*$", (ROOT / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE)
    assert [command.split(" 2>&1")[0] for command in commands] == ["make test"]
    blocks = re.findall(r"```(?:\w*)\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert any(re.search(r"^(?:\$ )?make test\b", block, re.MULTILINE) for block in blocks)


def test_the_scripts_of_ci_can_be_run_and_are_sound_bash():
    for name in ("run", "setup"):
        script = ROOT / ".ci" / name
        assert os.access(script, os.X_OK)
        subprocess.run(["bash", "-n", str(script)], check=True)


def test_torch_is_pinned_first_and_to_one_version():
    assert CONSTRAINTS[0] == "torch==2.13.0"


def test_every_constraint_is_one_exact_public_release():
    assert [line for line in CONSTRAINTS if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line)] == []
    names = [canonicalize_name(line.partition("==")[0]) for line in CONSTRAINTS]
    assert len(names) == len(set(names))


def test_everything_that_the_project_asks_for_is_pinned():
    assert unpinned(requirements(), CONSTRAINTS) == []


def test_a_missing_pin_and_a_pin_out_of_bounds_are_seen():
    asked = [Requirement("polars>=2.1"), Requirement("Faiss_CPU>=1.15"), Requirement("tqdm>=4")]
    assert unpinned(asked, ["polars==2.0.0", "faiss-cpu==1.15.1"]) == ["polars>=2.1", "tqdm>=4"]


def test_the_environment_file_installs_from_the_constraints():
    environment = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert "- -c constraints.txt" in environment
    assert "- -e ." in environment
    assert "python=3.11" in environment


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
        entry_points = archive.read(next(name for name in packed if name.endswith("entry_points.txt"))).decode()
    kept = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "wenlan_lab").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and ".ipynb_checkpoints" not in file.parts
    }
    assert "wenlan_lab/py.typed" in packed
    assert kept - packed == set()
    assert "wenlan-lab = wenlan_lab.surfaces.cli.main:main" in entry_points

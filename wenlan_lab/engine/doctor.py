"""wb.doctor(): is everything there, is this workbench sound, and does a whole capture and recall work?"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sqlite3
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wenlan_lab.engine import faces
from wenlan_lab.errors import WenlanError
from wenlan_lab.model import shown
from wenlan_lab.store.connection import has_fts5

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

PACKAGES = (
    "sentence-transformers",
    "faiss-cpu",
    "polars",
    "networkx",
    "ipywidgets",
    "jupyterlab",
    "pyvis",
    "papermill",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `next_step` is empty when it is fine."""

    name: str
    ok: bool
    detail: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All checks, in the order they were made."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """True when every check passed."""
        return all(check.ok for check in self.checks)

    def __repr__(self) -> str:
        return shown.text_table(faces.diagnosis_table(self))

    def _repr_html_(self) -> str:
        return shown.html_table(faces.diagnosis_table(self))


def diagnose(wb: Workbench) -> Diagnosis:
    """Look at the installation, the truth, the index and the embedder, and make one round trip elsewhere."""
    checks = [_python(), *(_package(name) for name in PACKAGES), _truth(wb), _index(wb), _embedder(wb), _round_trip(wb)]
    return Diagnosis(tuple(checks))


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    fts = has_fts5()
    step = "" if fts else "install a Python whose sqlite3 has FTS5 (the builds of python.org and conda have it)"
    return Check(
        "python", bool(fts), f"{version}, SQLite {sqlite3.sqlite_version}{'' if fts else ' without FTS5'}", step
    )


def _package(name: str) -> Check:
    try:
        return Check(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Check(name, False, "not installed here", f"run `{sys.executable} -m pip install {name}`")


def _truth(wb: Workbench) -> Check:
    problems = wb.verify()
    if not problems:
        return Check("truth", True, f"{len(wb.journal)} journal entries, chain and rows agree")
    return Check("truth", False, f"{len(problems)} problems, first: {problems[0]}", "restore truth.db from a backup")


def _index(wb: Workbench) -> Check:
    status = wb.status()
    step = "run `wenlan-lab rebuild`" if status.waiting else ""
    return Check("index", True, f"{status.behind} journal entries behind, {status.waiting} vectors waiting", step)


def _embedder(wb: Workbench) -> Check:
    if wb.embedder is None:
        return Check("embedder", True, "none: keyword search only")
    try:
        vector = wb.embedder.embed_query("Is the kettle on?")
    except WenlanError as error:
        return Check("embedder", False, str(error), "keyword search works meanwhile")
    return Check("embedder", True, f"{wb.embedder.identity}, {len(vector)} dimensions")


def _round_trip(wb: Workbench) -> Check:
    from wenlan_lab.engine.workbench import Workbench as Fresh

    text = "The kettle in the lab boils at ninety-six degrees."
    try:
        with tempfile.TemporaryDirectory() as folder, Fresh(Path(folder) / "doctor", embedder=wb.embedder) as other:
            receipt = other.capture(text, allow_unembedded=True)
            hits = other.recall("kettle degrees").hits
    except WenlanError as error:
        return Check("round trip", False, str(error), "report this with the lines above")
    ok = bool(hits) and hits[0].id == receipt.id
    return Check(
        "round trip",
        ok,
        "captured and recalled" if ok else "captured, but not recalled",
        "" if ok else "run `wenlan-lab rebuild`, then this again",
    )

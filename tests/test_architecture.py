"""The layer rules hold for every file, and every rule flags the broken samples that stand beside it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import architecture_rules as rules
from tests.architecture_rules import RULES, Rule

ROOT = Path(__file__).parent.parent


def python_of(notebook: str) -> str:
    """The code cells of a notebook as plain Python: magics become calls, a cell magic's text stays a string."""
    from IPython.core.inputtransformer2 import TransformerManager

    cells = ["".join(cell["source"]) for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    # These two run their body as Python.
    bodies = [cell.partition("\n")[2] if cell.startswith(("%%time", "%%capture")) else cell for cell in cells]
    return "\n".join(TransformerManager().transform_cell(body) for body in bodies)


def files() -> Iterator[tuple[str, str]]:
    """Every Python file of the package, tests and evals, and every notebook, as (path, Python source)."""
    for folder in ("wenlan_lab", "tests", "evals", "notebooks"):
        for file in sorted((ROOT / folder).rglob("*")):
            path = file.relative_to(ROOT).as_posix()
            if ".ipynb_checkpoints" in path:
                continue
            if file.suffix == ".py":
                yield path, file.read_text(encoding="utf-8")
            elif file.suffix == ".ipynb":
                yield path, python_of(file.read_text(encoding="utf-8"))


FILES = dict(files())

Samples = list[tuple[str, str]]

# For each rule: what it must flag, and what looks like it and is right.
BROKEN: dict[Rule, Samples] = {
    rules.imports_follow_the_layers: [
        ("wenlan_lab/store/write.py", "from wenlan_lab.engine.capture import plan"),
        ("wenlan_lab/store/write.py", "from ..derived import catch_up"),
        ("wenlan_lab/store/verify.py", "def check():\n    import wenlan_lab.derived.catalog"),
        ("wenlan_lab/model/memories.py", "from wenlan_lab.store import connection"),
        ("wenlan_lab/errors.py", "from wenlan_lab.model.memories import Memory"),
        ("wenlan_lab/engine/recall.py", "from wenlan_lab.surfaces.notebook import show"),
        ("wenlan_lab/engine/recall.py", "from wenlan_lab import Workbench"),
        ("wenlan_lab/surfaces/cli/main.py", "from wenlan_lab.store import journal"),
        ("wenlan_lab/surfaces/notebook/magics.py", "from ...derived.lexical import search"),
        ("wenlan_lab/derived/catch_up.py", "from wenlan_lab.store.write import apply"),
        ("wenlan_lab/derived/catch_up.py", "from wenlan_lab.store import write"),
        ("wenlan_lab/evals/run.py", "from wenlan_lab.engine.workbench import Workbench"),
        ("wenlan_lab/utils.py", "x = 1"),
    ],
    rules.packages_stay_in_their_layers: [
        ("wenlan_lab/store/verify.py", "import numpy as np"),
        ("wenlan_lab/store/verify.py", "from IPython.display import HTML"),
        ("wenlan_lab/model/memories.py", "import sqlite3"),
        ("wenlan_lab/model/memories.py", "from urllib.request import urlopen"),
        ("wenlan_lab/model/memories.py", "from time import time"),
        ("wenlan_lab/engine/brief.py", "def show():\n    import ipywidgets.widgets"),
        ("wenlan_lab/engine/brief.py", "import typer"),
        ("wenlan_lab/derived/graph.py", "from IPython import display"),
        ("wenlan_lab/surfaces/lab_bridge.py", "import sqlite3"),
    ],
    rules.model_opens_nothing: [
        ("wenlan_lab/model/types.py", "TABLE = open('types.json').read()"),
        ("wenlan_lab/model/types.py", "from pathlib import Path\nTABLE = Path('types.json').read_text()"),
    ],
    rules.files_are_short: [
        (f"{folder}/long.py", "x = 1\n" * 401) for folder in ("wenlan_lab/store", "tests", "evals")
    ],
    rules.sql_stays_in_store_and_derived: [
        ("wenlan_lab/engine/recall.py", "rows = truth.execute(QUESTION, (1,)).fetchall()"),
        ("wenlan_lab/surfaces/cli/main.py", "db.executescript(text)"),
        ("wenlan_lab/evals/run.py", "db.executemany(text, rows)"),
        ("wenlan_lab/engine/recall.py", 'LIVE = """\n  select id, text\n  from memory where id = ?"""'),
        ("wenlan_lab/engine/recall.py", "QUERY = f'DELETE FROM {table}'"),
        ("wenlan_lab/engine/recall.py", "QUERY = 'pragma wal_checkpoint'"),
    ],
    rules.the_guard_has_one_home: [
        ("wenlan_lab/store/memories.py", "truth.execute('pragma query_only = off')"),
        ("wenlan_lab/engine/workbench.py", "from wenlan_lab.store.connection import open_truth, writing"),
        ("wenlan_lab/store/journal.py", "from .connection import writing as tx"),
        ("wenlan_lab/engine/doctor.py", "from wenlan_lab.store import connection\nwith connection.writing(db): pass"),
        ("wenlan_lab/store/write.py", "tx.execute('pragma query_only = 0')"),
    ],
    rules.time_and_chance_are_injected: [
        ("wenlan_lab/engine/capture.py", "from datetime import datetime, UTC\nat = datetime.now(UTC)"),
        ("wenlan_lab/engine/capture.py", "import datetime as dt\nat = dt.datetime.now"),
        ("wenlan_lab/engine/capture.py", "from datetime import date\nat = date.today()"),
        ("wenlan_lab/store/journal.py", "from time import time as now\nat = now()"),
        ("wenlan_lab/store/journal.py", "import time\nat = time.time()"),
        ("wenlan_lab/store/memories.py", "from uuid import uuid4"),
        ("wenlan_lab/derived/communities.py", "import random"),
        ("wenlan_lab/evals/compare.py", "def draw():\n    from random import sample"),
        ("wenlan_lab/surfaces/cli/main.py", "import secrets"),
    ],
    rules.settings_have_one_reader: [
        ("wenlan_lab/engine/workbench.py", "import os\nhome = os.environ.get('HOME')"),
        ("wenlan_lab/surfaces/cli/main.py", "from os import getenv as g\nhome = g('HOME')"),
        ("wenlan_lab/evals/datasets.py", "from os import environ\nhome = environ['WENLAN_DATA']"),
        ("wenlan_lab/surfaces/cli/main.py", "from pydantic_settings import BaseSettings"),
    ],
    rules.match_strings_have_one_builder: [
        ("wenlan_lab/derived/catch_up.py", "Q = 'select rowid from entries where entries match ?'"),
        ("wenlan_lab/store/verify.py", "Q = f'select rowid from {table} WHERE {table} MATCH {words}'"),
        ("wenlan_lab/store/verify.py", "Q = 'and entries match :words'"),
    ],
    rules.sentences_end_in_one_place: [
        ("wenlan_lab/engine/citations.py", r"import re; END = re.compile(r'(?<=[.!?])\s+')"),
        ("wenlan_lab/engine/citations.py", r"import re; parts = re.split(r'[.!?]+\s+', text)"),
        ("wenlan_lab/derived/passages.py", r"import re; END = re.compile(r'[。！？.?]\s*')"),
        ("wenlan_lab/engine/brief.py", "def split_sentences(text): return [text]"),
        ("wenlan_lab/engine/brief.py", "first = text.split('. ')[0]"),
    ],
    rules.nothing_is_caught_blindly: [
        ("wenlan_lab/engine/doctor.py", "try:\n    f()\nexcept Exception:\n    pass"),
        ("wenlan_lab/store/verify.py", "try:\n    f()\nexcept (ValueError, BaseException) as e:\n    log(e)"),
        ("wenlan_lab/derived/catalog.py", "try:\n    f()\nexcept:\n    x = 1"),
        ("wenlan_lab/derived/catalog.py", "import contextlib\nwith contextlib.suppress(Exception):\n    f()"),
        ("wenlan_lab/derived/catalog.py", "try:\n    f()\nexcept Exception as e:\n    raise ValueError from e"),
    ],
    rules.nothing_is_printed: [
        ("wenlan_lab/engine/doctor.py", "print('ok')"),
        ("wenlan_lab/surfaces/cli/main.py", "rows = list(map(print, rows))"),
    ],
    rules.outsiders_use_the_public_api: [
        ("evals/other.py", "from wenlan_lab.derived.faiss_index import FaissIndex"),
        ("evals/other.py", "from wenlan_lab import engine"),
        ("evals/locomo.ipynb", "from wenlan_lab.evals.metrics import recall"),
        ("evals/locomo.ipynb", "import wenlan_lab.evals.metrics"),
        ("notebooks/tour.ipynb", "import wenlan_lab\nwenlan_lab.store.connection.open_truth('x')"),
        ("notebooks/tour.ipynb", "import wenlan_lab as wl\nwl.engine.gate"),
    ],
}

RIGHT: dict[Rule, Samples] = {
    rules.imports_follow_the_layers: [
        ("wenlan_lab/engine/recall.py", "from wenlan_lab.store import journal\nfrom . import fusion\nimport numpy"),
        ("wenlan_lab/surfaces/cli/main.py", "import wenlan_lab\nfrom wenlan_lab.errors import NotFound"),
        ("wenlan_lab/evals/run.py", "from wenlan_lab import open\nfrom .datasets import Case"),
    ],
    rules.model_opens_nothing: [("wenlan_lab/model/reviews.py", "state = Review.open\nx = text.strip()")],
    rules.files_are_short: [("wenlan_lab/store/write.py", "x = 1\n" * 400)],
    rules.sql_stays_in_store_and_derived: [
        ("wenlan_lab/store/memories.py", "truth.execute('select 1 from memory')"),
        ("wenlan_lab/engine/gate.py", "say = 'Select a page from the list'\nalso = 'update it, then set the space'"),
    ],
    rules.the_guard_has_one_home: [
        ("wenlan_lab/store/connection.py", "GUARD = 'pragma query_only = on'"),
        ("wenlan_lab/store/write.py", "from wenlan_lab.store.connection import writing"),
    ],
    rules.time_and_chance_are_injected: [
        (
            "wenlan_lab/engine/workbench.py",
            "from datetime import UTC, datetime\nimport secrets\nnow = datetime.now(UTC)",
        ),
        ("wenlan_lab/engine/recall.py", "import time\nbegan = time.perf_counter()\nfrom datetime import datetime"),
        ("wenlan_lab/engine/recall.py", "at = clock.now()\nx = numpy.random.default_rng(seed)"),
    ],
    rules.settings_have_one_reader: [
        ("wenlan_lab/engine/settings.py", "from pydantic_settings import BaseSettings"),
        ("wenlan_lab/store/page_files.py", "import os\nos.replace(a, b)"),
    ],
    rules.match_strings_have_one_builder: [
        ("wenlan_lab/derived/lexical.py", "Q = 'select rowid from entries where entries match ?'"),
        ("wenlan_lab/engine/recall.py", "say = 'No match: try fewer words'\nmatch x:\n    case 1: pass"),
    ],
    rules.sentences_end_in_one_place: [
        ("wenlan_lab/engine/sentences.py", "def sentences(text): return []"),
        ("wenlan_lab/model/memories.py", r"import re; END = re.compile(r'[.!?]+\s*$'); x = text.rstrip('.!?')"),
    ],
    rules.nothing_is_caught_blindly: [
        ("wenlan_lab/store/connection.py", "try:\n    f()\nexcept BaseException:\n    rollback()\n    raise"),
        ("wenlan_lab/surfaces/cli/main.py", "try:\n    f()\nexcept Exception:\n    pass"),
    ],
    rules.outsiders_use_the_public_api: [
        (
            "evals/other.py",
            "import wenlan_lab\nfrom wenlan_lab import open\nfrom wenlan_lab.testing import HashEmbedder",
        ),
        ("notebooks/tour.ipynb", "from wenlan_lab import evals\nfrom wenlan_lab.evals import metrics\nevals.run"),
    ],
}


def cases(samples: dict[Rule, Samples]) -> list[object]:
    return [
        pytest.param(rule, path, source, id=f"{rule.__name__}-{n}")
        for rule, broken in samples.items()
        for n, (path, source) in enumerate(broken)
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_file_keeps_the_rule(rule: Rule):
    assert [finding for path, source in FILES.items() for finding in rule(path, source)] == []


@pytest.mark.parametrize(("rule", "path", "source"), cases(BROKEN))
def test_the_rule_flags_a_file_that_breaks_it(rule: Rule, path: str, source: str):
    assert rule(path, source)


@pytest.mark.parametrize(("rule", "path", "source"), cases(RIGHT))
def test_the_rule_lets_a_right_file_pass(rule: Rule, path: str, source: str):
    assert rule(path, source) == []


def test_every_rule_has_a_sample_that_breaks_it():
    assert set(BROKEN) == set(RULES)


def test_the_files_that_the_rules_look_at_are_really_read():
    assert {"wenlan_lab/errors.py", "tests/test_architecture.py"} <= set(FILES)


def test_a_notebook_is_read_as_python_with_its_magics_and_without_their_text():
    cells = [
        {"cell_type": "markdown", "source": ["import wenlan_lab.store"]},
        {"cell_type": "code", "source": ["%load_ext wenlan_lab\n", "hits = %wenlan recall {it's}"]},
        {"cell_type": "code", "source": ["%%wenlan capture\n", "from wenlan_lab.store import a claim's text"]},
        {"cell_type": "code", "source": ["%%time\n", "from wenlan_lab.engine import gate"]},
    ]
    found = rules.outsiders_use_the_public_api("notebooks/x.ipynb", python_of(json.dumps({"cells": cells})))
    assert len(found) == 1
    assert "wenlan_lab.engine.gate" in found[0]

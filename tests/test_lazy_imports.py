"""`import wenlan_lab` costs nothing that its user has not asked for: a fresh process tells."""

import subprocess
import sys

import pytest

SLOW = (
    "torch", "faiss", "networkx", "IPython", "ipywidgets", "polars", "pandas", "matplotlib", "sentence_transformers",
    "dateparser", "papermill",
)  # fmt: skip


def loaded_after(statement: str) -> set[str]:
    """The packages that a fresh interpreter has loaded after one statement."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_slow():
    assert loaded_after("import wenlan_lab") & set(SLOW) == set()


@pytest.mark.parametrize("package", ["polars", "networkx"])
def test_the_check_sees_a_slow_package_that_is_loaded(package: str):
    assert package in loaded_after(f"import {package}")

"""The tour runs from its first cell to its last, with and without the real conversation, and is committed clean."""

import json
from pathlib import Path

import pytest

from tests.evals.samples import real_file

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "notebooks" / "tour.ipynb"


@pytest.fixture(autouse=True)
def _this_tree(monkeypatch):
    """The kernel imports the package that stands here, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def run(tmp_path, **parameters):
    """The tour, executed by papermill with the embedder that needs no model."""
    import papermill

    out = tmp_path / "tour.ipynb"
    papermill.execute_notebook(
        TOUR,
        out,
        {"embedder": "hash", "workbench": str(tmp_path / "tour.wenlan"), **parameters},
        kernel_name="python3",
        cwd=str(ROOT / "notebooks"),
        progress_bar=False,
        start_timeout=120,
        execution_timeout=600,
    )
    return json.loads(out.read_text(encoding="utf-8"))


def outputs(notebook):
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def texts(notebook, kind="text/plain"):
    told = ["".join(output.get("data", {}).get(kind, output.get("text", ""))) for output in outputs(notebook)]
    return "\n".join(told)


def check(notebook):
    told = texts(notebook)
    assert "captured mem_" in told
    assert "too_short" in told
    assert "credential_leak" in told
    assert "sunny-weather" not in told
    assert " of 8 are among the first five." in told
    assert "all is sound" in told
    assert "<table" in texts(notebook, "text/html")
    assert texts(notebook, "image/png").strip()
    assert [output for output in outputs(notebook) if output["output_type"] == "error"] == []
    assert [output for output in outputs(notebook) if output.get("name") == "stderr"] == []
    return told


@pytest.mark.notebooks
def test_the_tour_runs_with_the_diary_alone(tmp_path):
    told = check(run(tmp_path, data=str(ROOT / "data")))
    assert "the diary has to do" in told
    assert "glacier-melt" in told


@pytest.mark.notebooks
def test_the_tour_runs_with_a_real_conversation(tmp_path):
    told = check(run(tmp_path, data=str(real_file("locomo10.json").parent)))
    assert "conv-26" in told
    assert "D1:3" in told


def test_the_tour_is_committed_without_outputs():
    notebook = json.loads(TOUR.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert outputs(notebook) == []
    assert {cell["execution_count"] for cell in code} == {None}
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_the_tour_has_one_cell_of_parameters_with_plain_values():
    notebook = json.loads(TOUR.read_text(encoding="utf-8"))
    (cell,) = [cell for cell in notebook["cells"] if "parameters" in cell["metadata"].get("tags", [])]
    names: dict[str, object] = {}
    exec("".join(cell["source"]), names)  # noqa: S102 - the cell is ours
    told = {name: names[name] for name in ("workbench", "data", "conversation", "embedder")}
    assert told == {"workbench": "", "data": "", "conversation": "conv-26", "embedder": "default"}

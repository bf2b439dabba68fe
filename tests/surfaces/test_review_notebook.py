"""The story of one wrong belief runs from its first cell to its last, and is committed clean."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STORY = ROOT / "notebooks" / "review.ipynb"


def outputs(notebook):
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def texts(found, kind="text/plain"):
    return "\n".join("".join(output.get("data", {}).get(kind, output.get("text", ""))) for output in found)


@pytest.mark.notebooks
def test_the_story_runs_and_ends_as_it_says(tmp_path, monkeypatch):
    import papermill

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    out = tmp_path / "review.ipynb"
    papermill.execute_notebook(
        STORY,
        out,
        {"embedder": "hash"},
        kernel_name="python3",
        cwd=str(tmp_path),
        progress_bar=False,
        start_timeout=120,
        execution_timeout=600,
    )
    notebook = json.loads(out.read_text(encoding="utf-8"))
    found = outputs(notebook)
    assert [output for output in found if output["output_type"] == "error" or output.get("name") == "stderr"] == []
    told = texts(found)
    assert "it waits in review" in told
    assert "[-4-]{+6+}" in told
    assert told.count("claim_tombstoned") == 2
    assert "is undone" in told
    assert "1 of 1" in told
    assert "all is sound" in told
    assert texts(found, "image/png").strip()
    assert any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in found)
    by_source = {"".join(cell["source"]): texts(cell.get("outputs", [])) for cell in notebook["cells"]}
    answers = next(told for source, told in by_source.items() if source.startswith("rows = []"))
    assert [line.split("opens at ")[1][:1] for line in answers.splitlines() if "opens at" in line] == [
        "4",
        "4",
        "4",
        "6",
    ]
    recalls = [told for source, told in by_source.items() if source == "wb.recall(QUESTION)"]
    assert recalls  # the last of them is kept: after the belief was rejected
    assert "6 °C" in recalls[-1]
    assert "4 °C" not in recalls[-1]


def test_the_story_is_committed_without_outputs():
    notebook = json.loads(STORY.read_text(encoding="utf-8"))
    assert outputs(notebook) == []
    assert {cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"} == {None}
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_the_story_has_one_cell_of_parameters_with_plain_values():
    notebook = json.loads(STORY.read_text(encoding="utf-8"))
    (cell,) = [cell for cell in notebook["cells"] if "parameters" in cell["metadata"].get("tags", [])]
    assert "".join(cell["source"]) == 'embedder: str = "hash"'

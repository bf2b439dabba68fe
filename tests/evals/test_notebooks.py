"""The eval notebooks run with tiny parameters, refuse what they don't know, and stay behind when a cell fails."""

import json
from pathlib import Path

import nbformat
import pytest

from tests.evals.small_sets import written
from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.engine import ranking
from wenlan_lab.evals import notebooks, receipts

ROOT = Path(__file__).parents[2]
SMALL = {"locomo": "locomo_small", "longmemeval": "longmemeval_small"}


@pytest.fixture(autouse=True)
def the_package_of_this_clone(monkeypatch):
    """A kernel imports the package whose tests these are, wherever it is started."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def outputs(path):
    """Everything that the cells left, as one text; images as their type."""
    found = []
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", ()):
            found += [output.get("text", ""), output.get("evalue", "")]
            data = output.get("data", {})
            found += [data.get("text/plain", ""), "image/png" if "image/png" in data else ""]
    return "\n".join(found)


def source(path):
    return "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)


@pytest.mark.parametrize("name", notebooks.NAMES)
def test_parameters_are_plain_typed_values_with_a_word_of_help(name):
    path = notebooks.path_of(name)
    (cell,) = [c for c in nbformat.read(path, as_version=4).cells if "parameters" in c.metadata.get("tags", ())]
    found = notebooks.parameters(path)
    assert len(found) == len(cell.source.splitlines())
    for parameter in found.values():
        assert isinstance(parameter.default, str | int | float)
        assert parameter.help


@pytest.mark.parametrize("name", notebooks.NAMES)
def test_committed_notebooks_hold_no_output(name):
    for cell in nbformat.read(notebooks.path_of(name), as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_a_notebook_that_is_not_there_is_named():
    with pytest.raises(InvalidRequest, match="did you mean locomo"):
        notebooks.path_of("lokomo")
    with pytest.raises(NotFound):
        notebooks.path_of("locomo", "/nowhere")


def test_values_from_a_command_line_take_the_type_of_the_default():
    known = {
        "limit": notebooks.Parameter("limit", 0), "q": notebooks.Parameter("q", 0.05),
        "deep": notebooks.Parameter("deep", False), "out": notebooks.Parameter("out", ""),
    }  # fmt: skip
    given = {"limit": " 20", "q": "1e-3", "deep": "Yes", "out": " as it is "}
    assert notebooks.typed(given, known) == {"limit": 20, "q": 0.001, "deep": True, "out": " as it is "}
    for name, value in (("limit", "20.5"), ("limit", ""), ("q", "much"), ("deep", "maybe")):
        with pytest.raises(InvalidRequest, match=name):
            notebooks.typed({name: value}, known)
    with pytest.raises(InvalidRequest, match="did you mean limit"):
        notebooks.typed({"limt": "20"}, known)


def test_the_default_folder_is_the_same_for_the_same_conditions_only():
    one = notebooks.default_out("locomo", {"limit": 20})
    assert one == notebooks.default_out("locomo", {"limit": 20})
    assert one != notebooks.default_out("locomo", {"limit": 21})
    assert one != notebooks.default_out("longmemeval", {"limit": 20})


def test_an_unknown_parameter_is_refused_before_a_kernel_starts(tmp_path):
    path = notebooks.path_of("locomo")
    with pytest.raises(InvalidRequest, match="limt"):
        notebooks.run_notebook(path, tmp_path / "out.ipynb", {"limt": 2})
    assert not (tmp_path / "out.ipynb").exists()
    with pytest.raises(InvalidRequest, match="is the notebook itself"):
        notebooks.run_notebook(path, path, {})


def test_what_papermill_injects_unknown_is_refused_inside():
    declared = {name: one.default for name, one in notebooks.parameters(notebooks.path_of("locomo")).items()}
    space = {**declared, "In": [], "Out": {}, "_hidden": 1, "exit": object()}
    assert notebooks.only_known("locomo", space) == declared
    with pytest.raises(InvalidRequest, match="limt"):
        notebooks.only_known("locomo", {**space, "limt": 5})


@pytest.mark.notebooks
@pytest.mark.parametrize("name", SMALL)
def test_a_run_reads_like_a_report_and_leaves_its_receipt(name, tmp_path):
    registry = written(tmp_path)
    done = notebooks.run_notebook(
        notebooks.path_of(name), tmp_path / "report.ipynb",
        {"dataset": SMALL[name], "limit": 2, "embedder": "hash", "data": str(tmp_path), "registry": str(registry),
         "out": str(tmp_path / "run")},
        progress=False,
    )  # fmt: skip
    assert done.error == ""
    shown = outputs(done.notebook)
    for part in ("Quirks of", "What was run", "95 % interval", "By question type", "worst questions", "Receipt"):
        assert part in shown
    assert shown.count("image/png") == 3
    run = receipts.read_run(tmp_path / "run")
    assert len(run.rows) == 2
    assert run.header.ended is not None
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert (summary["dataset"], summary["n"]) == (SMALL[name], len(run.rows.filter(run.rows["graded"])))
    assert summary["receipt"] == str(tmp_path / "run")


@pytest.mark.notebooks
def test_a_cell_that_fails_leaves_the_notebook_as_evidence(tmp_path):
    out = tmp_path / "deep" / "failed.ipynb"
    done = notebooks.run_notebook(notebooks.path_of("locomo"), out, {"dataset": "nowhere"}, progress=False)
    assert done.error == "InvalidRequest"
    assert "nowhere" in done.message
    assert str(out) in done.message
    assert "there is no dataset 'nowhere'" in outputs(out)
    assert 'dataset = "nowhere"' in source(out)


@pytest.mark.notebooks
def test_two_runs_are_compared_and_an_ablation_is_made(tmp_path):
    registry = written(tmp_path)
    common = {"data": str(tmp_path), "registry": str(registry), "embedder": "hash", "dataset": "locomo_small"}
    ablated = notebooks.run_notebook(
        notebooks.path_of("ablation"), tmp_path / "ablation.ipynb",
        {**common, "limit": 2, "levers": "context", "out": str(tmp_path / "runs")}, progress=False,
    )  # fmt: skip
    assert ablated.error == "", ablated.message
    assert "without context" in outputs(ablated.notebook)
    compared = notebooks.run_notebook(
        notebooks.path_of("compare"), tmp_path / "compare.ipynb",
        {"a": str(tmp_path / "runs" / "weighted-by-hand"), "b": str(tmp_path / "runs" / "as-it-is")}, progress=False,
    )  # fmt: skip
    assert compared.error == "", compared.message
    assert "2 paired questions" in outputs(compared.notebook)
    assert "settings.fusion: weighted and learned" in outputs(compared.notebook)


def test_bars_leave_their_last_state_only(tmp_path):
    cell = nbformat.v4.new_code_cell("x")
    cell.outputs = [
        nbformat.v4.new_output("stream", name="stderr", text="\rq: 0%"),
        nbformat.v4.new_output("stream", name="stderr", text="\rq: 50%"),
        nbformat.v4.new_output("stream", name="stderr", text="\rq: 100%\n"),
        nbformat.v4.new_output("stream", name="stdout", text="\rkept"),
    ]
    path = tmp_path / "x.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    notebooks._settle_bars(path)
    (read,) = nbformat.read(path, as_version=4).cells
    assert [output.text for output in read.outputs] == ["q: 100%\n", "\rkept"]


def test_notebooks_are_found_beside_the_tests_of_a_clone():
    assert notebooks.path_of("locomo").parent == ROOT / "evals"


def test_an_ablation_switches_off_every_lever_that_there_is():
    levers = notebooks.parameters(notebooks.path_of("ablation"))["levers"].default
    assert tuple(str(levers).split(",")) == ranking.LEVERS

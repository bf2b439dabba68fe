"""`wenlan-lab demo` keeps what it executed, says what it showed, and names the cell that failed."""

import nbformat
import pytest

from tests.surfaces.command_lines import ROOT, done, refused, run
from tests.surfaces.command_lines import command_line as command_line
from wenlan_lab.surfaces.cli import demo

pytestmark = pytest.mark.usefixtures("command_line")
FRAME = "import polars as pl; pl.DataFrame({'question': [f'how many {n}' for n in range(8)], 'place': list(range(8))})"


@pytest.fixture
def tour(tmp_path, monkeypatch):
    """Write a notebook of these cells where the tour stands; a cell that begins with # is a heading."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the kernel imports the package whose tests these are

    def write(*sources):
        made = nbformat.v4.new_notebook()
        for source in sources:
            new = nbformat.v4.new_markdown_cell if source.startswith("#") else nbformat.v4.new_code_cell
            made.cells.append(new(source))
        (tmp_path / "notebooks").mkdir()
        nbformat.write(made, tmp_path / demo.TOUR)
        return tmp_path

    return write


def test_without_a_notebook_it_says_what_to_do():
    assert "clone of the repository" in refused("demo")
    assert "--notebook" in refused("demo")


def test_the_notebook_itself_is_never_written_to(tour):
    folder = tour("1 + 1")
    before = (folder / demo.TOUR).read_bytes()
    assert "--out" in refused("demo", "--out", "notebooks")
    assert (folder / demo.TOUR).read_bytes() == before


@pytest.mark.notebooks
def test_it_leaves_a_notebook_and_a_page_and_tells_the_beginnings(tour):
    folder = tour("# Counting", "for n in range(100): print('line', n)", "# Empty", "x = 1", "# Questions", FRAME)
    told = done("demo")
    assert "Counting\n  line 0\n" in told
    assert "line 9" not in told
    assert "Empty" not in told
    assert "how many 7" in told
    assert "jupyter lab build/tour.ipynb" in told
    executed = nbformat.read(folder / "build" / "tour.ipynb", as_version=4)
    assert [cell.execution_count for cell in executed.cells if cell.cell_type == "code"] == [1, 2, 3]
    page = (folder / "build" / "tour.html").read_text(encoding="utf-8")
    assert "how many 7" in page
    assert "<script src=" not in page
    assert "cdnjs" not in page
    (folder / "Makefile").touch()
    found = done("demo", "--json", "--out", "elsewhere")
    assert (found["notebook"], found["page"]) == ("elsewhere/tour.ipynb", "elsewhere/tour.html")
    assert "  line 0" in found["shown"]


@pytest.mark.notebooks
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("raise ValueError('the pump stalled')", "cell [2] of tour.ipynb failed: ValueError: the pump stalled."),
        ("import os; os._exit(1)", "cell [2] of tour.ipynb failed: DeadKernelError"),
        ("import time; time.sleep(60)", "cell [2] of tour.ipynb failed: CellTimeoutError"),
    ],
)
def test_a_tour_that_breaks_off_is_kept_and_its_cell_is_named(tour, monkeypatch, cell, said):
    monkeypatch.setattr(demo, "CELL_SECONDS", 5)
    folder = tour("# Start", "print('begun')", cell, "print('never')")
    (folder / "build").mkdir()
    (folder / "build" / "tour.ipynb").write_text("an older one")
    ended = run("demo")
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert said in ended.stderr.splitlines()[-1]
    kept = nbformat.read(folder / "build" / "tour.ipynb", as_version=4)
    assert "begun" in str([cell.get("outputs") for cell in kept.cells])
    assert "never" not in str([cell.get("outputs") for cell in kept.cells])

"""No figure in the README is typed: what stands between its two marks comes out of the committed results."""

from pathlib import Path

import pytest

from evals import readme_tables, report_sets
from wenlan_lab import InvalidRequest
from wenlan_lab.evals import results


def test_the_readme_says_what_the_committed_results_say():
    if not results.result_folders(report_sets.RESULTS):
        pytest.skip("no results are committed yet: `make evals` makes them")
    text = Path(readme_tables.README).read_text(encoding="utf-8")
    wanted = results.between(text, readme_tables.BEGIN, readme_tables.END, readme_tables.tables(report_sets.RESULTS))
    assert text == wanted, "the README differs from evals/results: run `make readme`"


def test_only_what_stands_between_the_marks_is_replaced():
    begin, end = readme_tables.BEGIN, readme_tables.END
    text = f"before\n{begin}\nold\n{end}\nafter\n"
    new = results.between(text, begin, end, "new | table")
    assert new == f"before\n{begin}\nnew | table\n{end}\nafter\n"
    assert results.between(new, begin, end, "new | table") == new
    for broken in ("", begin, f"{end}{begin}", f"{begin}{begin}{end}"):
        with pytest.raises(InvalidRequest):
            results.between(broken, begin, end, "x")


def test_a_cell_cannot_break_its_table():
    table = results.markdown(("a", "b", "c"), [["x|y", "two\nlines", 0.5], [None, "", 1.0]])
    assert table.splitlines() == [
        "| a | b | c |",
        "| --- | --- | ---: |",
        "| x\\|y | two lines | .500 |",
        "| – |  | 1.000 |",
    ]

"""Versions on both time axes: a rectangle for each, filled where it was held true, nothing said of what is erased."""

import pytest

import wenlan_lab
from tests.surfaces.review_life import empty_lab, proposal
from tests.surfaces.samples import HOSTILE


@pytest.fixture
def wb(tmp_path):
    with empty_lab(tmp_path / "lab.wenlan") as opened:
        yield opened


def drawn(history):
    assert history._repr_png_().startswith(b"\x89PNG")
    assert "history of mem_" in repr(history)
    (axes,) = history.figure.axes
    return axes


def test_each_version_is_a_rectangle_and_what_is_held_is_hollow(wb):
    old, item = proposal(wb, "The intake valve opens at 4 degrees.", "The intake valve opens at 6 degrees.")
    wb.clock.advance(days=2)
    wb.reviews.accept(item.id)
    axes = drawn(wenlan_lab.history_figure(wb, old, item.after_id))
    versions = [version for one in (old, item.after_id) for version in wb.history(one).versions]
    assert len(axes.patches) == len(versions)
    assert [patch.get_fill() for patch in axes.patches] == [
        version.state["status"] in ("live", "superseded") for version in versions
    ]
    assert {patch.get_fill() for patch in axes.patches} == {True, False}
    widths = [patch.get_width() for patch in axes.patches]
    assert all(width >= 0 for width in widths)
    assert sum(width == 2.0 for width in widths) == 2  # on record for two days: the live one, and the held one


def test_a_memory_that_was_rejected_is_hollow_from_then_on(wb):
    memory_id = wb.capture("The intake valve opens at 4 degrees.").id
    wb.clock.advance(days=1)
    wb.retract(memory_id, "wrong", as_false=True)
    assert [patch.get_fill() for patch in drawn(wenlan_lab.history_figure(wb, memory_id)).patches] == [True, False]


@pytest.mark.parametrize(
    "text", ["costs $5 or $6 and {x} here", "a $\\frac{broken here", HOSTILE[0] + " some words here"]
)
def test_a_text_is_never_read_as_a_formula(wb, text):
    memory_id = wb.capture(text).id
    drawn(wenlan_lab.history_figure(wb, memory_id))


def test_an_erased_memory_can_be_drawn_and_says_nothing(wb):
    memory_id = wb.capture("The intake valve opens at 4 degrees.").id
    wb.forget(memory_id)
    axes = drawn(wenlan_lab.history_figure(wb, memory_id))
    assert "[erased]" in axes.get_legend().get_texts()[0].get_text()


def test_none_too_many_or_an_unknown_id_is_an_error(wb):
    with pytest.raises(wenlan_lab.InvalidRequest):
        wenlan_lab.history_figure(wb)
    with pytest.raises(wenlan_lab.InvalidRequest):
        wenlan_lab.history_figure(wb, *["mem_1"] * 7)
    with pytest.raises(wenlan_lab.NotFound):
        wenlan_lab.history_figure(wb, "mem_nowhere")

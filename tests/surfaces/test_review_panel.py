"""The panel without a browser: its buttons are clicked, then the workbench and what the panel says are looked at."""

import asyncio

import pytest

import wenlan_lab
from tests.surfaces.review_life import dispute, empty_lab, many, proposal
from tests.surfaces.samples import read
from wenlan_lab.surfaces.widgets.view_state import ALL_DECIDED


@pytest.fixture
def wb(tmp_path):
    with empty_lab(tmp_path / "lab.wenlan") as opened:
        yield opened


def ids(panel):
    return [row.card.item.id for row in panel.shown_rows()]


def test_accept_performs_the_change_and_the_card_is_gone(wb):
    old, item = proposal(wb, "The intake valve opens at 4 degrees.", "The intake valve opens at 6 degrees.")
    panel = wenlan_lab.review_panel(wb)
    panel.shown_rows()[0].accept.click()
    assert wb.memory(old).status == "superseded"
    assert wb.memory(item.after_id).status == "live"
    assert wb.reviews.get(item.id).status == "accepted"
    assert ids(panel) == []
    assert panel.status == "1 accepted"
    assert "1 accepted" in panel.line.value
    assert ALL_DECIDED in panel.body.children[-1].value


def test_dismiss_keeps_the_old_one_and_the_reason(wb):
    old, item = proposal(wb, "The intake valve opens at 4 degrees.", "The intake valve opens at 6 degrees.")
    panel = wenlan_lab.review_panel(wb)
    (row,) = panel.shown_rows()
    row.reason.value = "measured again"
    row.dismiss.click()
    assert wb.memory(old).status == "live"
    decided = wb.reviews.get(item.id)
    assert (decided.status, decided.resolution) == ("dismissed", "measured again")


def test_edit_then_accept_stores_the_words_of_the_person(wb):
    _, item = proposal(wb, "The intake valve opens at 4 degrees.", "The intake valve opens at 6 degrees.")
    panel = wenlan_lab.review_panel(wb)
    (row,) = panel.shown_rows()
    assert row.editor.layout.display == "none"
    row.edit.click()
    assert row.editor.layout.display == ""
    assert row.words.value == "The intake valve opens at 6 degrees."
    row.cancel.click()
    assert row.editor.layout.display == "none"
    assert wb.reviews.get(item.id).status == "pending"
    row.edit.click()
    row.words.value = "The intake valve opens at 5.5 degrees."
    row.accept_edited.click()
    assert wb.memory(item.after_id).text == "The intake valve opens at 5.5 degrees."
    assert wb.memory(item.after_id).status == "live"


def test_a_dispute_has_no_text_of_its_own_to_edit(wb):
    dispute(wb)
    panel = wenlan_lab.review_panel(wb)
    assert [row.edit.disabled for row in panel.shown_rows()] == [True]


def test_skip_puts_aside_and_brings_back(wb):
    first, second = many(wb, 2)
    panel = wenlan_lab.review_panel(wb)
    assert panel.aside.disabled
    panel.shown_rows()[0].skip.click()
    assert ids(panel) == [second.id]
    assert wb.reviews.get(first.id).status == "pending"
    panel.aside.click()
    assert ids(panel) == [first.id, second.id]


def test_several_are_decided_at_once_and_undone_at_once(wb):
    items = many(wb, 3)
    panel = wenlan_lab.review_panel(wb)
    rows = panel.shown_rows()
    rows[0].chosen.value = rows[2].chosen.value = True
    panel.reason.value = "all of one log"
    panel.dismiss_selected.click()
    assert [wb.reviews.get(item.id).status for item in items] == ["dismissed", "pending", "dismissed"]
    assert wb.reviews.get(items[0].id).resolution == "all of one log"
    assert panel.status == "2 dismissed"
    assert [row.chosen.value for row in panel.shown_rows()] == [False]
    panel.undo.click()
    assert [wb.reviews.get(item.id).status for item in items] == ["pending"] * 3
    assert ids(panel) == [item.id for item in items]
    assert panel.undo.disabled


def test_an_accept_is_undone_and_the_old_one_is_live_again(wb):
    old, item = proposal(wb, "The intake valve opens at 4 degrees.", "The intake valve opens at 6 degrees.")
    panel = wenlan_lab.review_panel(wb)
    assert panel.undo.disabled
    panel.shown_rows()[0].accept.click()
    assert not panel.undo.disabled
    panel.undo.click()
    assert (wb.memory(old).status, wb.memory(item.after_id).status) == ("live", "held")
    assert ids(panel) == [item.id]
    assert "undone" in panel.status
    assert wb.verify() == ()


def test_an_undo_that_is_refused_says_why_and_can_be_tried_again(wb):
    old, _ = proposal(wb, "The intake valve opens at 4 degrees.", "The intake valve opens at 6 degrees.")
    panel = wenlan_lab.review_panel(wb)
    panel.shown_rows()[0].accept.click()
    later = wb.retract(old, "no longer of interest")
    panel.undo.click()
    assert "can't be undone" in panel.status
    assert str(later.seq) in panel.status
    assert not panel.undo.disabled
    wb.undo(later.seq)
    panel.undo.click()
    assert wb.memory(old).status == "live"


def test_a_card_keeps_what_was_begun_on_it_when_another_is_decided(wb):
    many(wb, 3)
    panel = wenlan_lab.review_panel(wb)
    first, second, third = panel.shown_rows()
    second.reason.value, third.chosen.value = "half a reason", True
    first.accept.click()
    assert [row.reason.value for row in panel.shown_rows()] == ["half a reason", ""]
    assert [row.chosen.value for row in panel.shown_rows()] == [False, True]


def test_select_the_page_and_back(wb):
    many(wb, 2)
    panel = wenlan_lab.review_panel(wb)
    panel.select_all.click()
    assert [row.chosen.value for row in panel.shown_rows()] == [True, True]
    panel.select_all.click()
    assert [row.chosen.value for row in panel.shown_rows()] == [False, False]
    panel.accept_selected.click()
    assert "nothing is selected" in panel.status


def test_pages_are_turned_and_rows_are_used_again(wb):
    items = many(wb, 23)
    panel = wenlan_lab.review_panel(wb)
    assert (panel.earlier.disabled, panel.later.disabled) == (True, False)
    panel.later.click()
    assert ids(panel) == [item.id for item in items[20:]]
    assert (panel.earlier.disabled, panel.later.disabled) == (False, True)
    panel.earlier.click()
    assert ids(panel) == [item.id for item in items[:20]]
    assert len(panel.rows) == 20
    for _ in range(3):
        panel.later.click()  # a disabled button that is clicked all the same turns no page too far
    assert panel.view.asked.page == 1


def test_the_filters_narrow_by_kind_and_space(wb):
    wb.spaces.create("lab")
    (of_lab,) = many(wb, 1, space="lab")
    contradiction = dispute(wb)
    panel = wenlan_lab.review_panel(wb)
    assert set(ids(panel)) == {of_lab.id, contradiction.id}
    panel.space.value = "lab"
    assert ids(panel) == [of_lab.id]
    panel.space.value = ""
    panel.kind.value = "contradiction"
    assert ids(panel) == [contradiction.id]
    assert panel.view.asked.kind == "contradiction"
    panel.shown_rows()[0].dismiss.click()
    assert "Nothing waits in contradiction." in panel.body.children[-1].value
    panel.kind.value = ""
    assert ids(panel) == [of_lab.id]
    assert ids(wenlan_lab.review_panel(wb, space="lab")) == [of_lab.id]
    assert ids(wenlan_lab.review_panel(wb, kind="contradiction")) == []


def test_what_was_decided_elsewhere_is_told_and_leaves_the_page(wb):
    _, item = proposal(wb, "The intake valve opens at 4 degrees.", "The intake valve opens at 6 degrees.")
    panel = wenlan_lab.review_panel(wb)
    wb.reviews.dismiss(item.id)
    panel.shown_rows()[0].accept.click()
    assert "dismissed already" in panel.status
    assert ids(panel) == []
    assert panel.undo.disabled


def test_an_error_of_the_engine_stands_in_the_status_line(wb):
    many(wb, 2)
    panel = wenlan_lab.review_panel(wb, actor="agent:eager")
    panel.shown_rows()[0].accept.click()
    assert "only a person" in panel.status
    assert len(ids(panel)) == 2
    panel.select_all.click()
    panel.dismiss_selected.click()
    assert panel.status.count("only a person") == 2
    assert panel.status.startswith("0 dismissed")


def test_what_nobody_foresaw_stands_in_the_status_line_escaped(wb, monkeypatch):
    many(wb, 1)
    panel = wenlan_lab.review_panel(wb)

    def broken(*args, **more):
        raise ZeroDivisionError("<img src=x onerror=alert(1)>\nsecond line")

    monkeypatch.setattr("wenlan_lab.engine.reviews.ReviewsOfWorkbench.accept", broken)
    panel.shown_rows()[0].accept.click()
    assert panel.status.startswith("ZeroDivisionError: <img")
    assert "\n" not in panel.status
    assert "<img" not in panel.line.value
    monkeypatch.undo()
    panel.shown_rows()[0].accept.click()
    assert panel.status == "1 accepted"


def test_a_closed_workbench_is_told_and_nothing_is_raised(wb):
    many(wb, 1)
    panel = wenlan_lab.review_panel(wb)
    wb.close()
    panel.again.click()
    assert "closed" in panel.status


def test_looking_again_shows_what_came_meanwhile(wb):
    panel = wenlan_lab.review_panel(wb)
    assert panel.view.all_decided
    (item,) = many(wb, 1)
    panel.again.click()
    assert ids(panel) == [item.id]


def test_the_panel_has_a_static_face_and_a_text_where_no_widget_can_draw(wb):
    many(wb, 1)
    panel = wenlan_lab.review_panel(wb)
    drawn = panel._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in drawn
    assert "amber0" in "".join(read(drawn["text/html"]).texts)
    assert "%wenlan accept ID" in drawn["text/plain"]
    assert repr(panel) == drawn["text/plain"]


def test_a_card_is_escaped_in_the_widget(wb):
    proposal(wb, "The intake valve <b onclick=x>opens</b> at 4.", "The intake valve <script>alert(1)</script> at 6.")
    panel = wenlan_lab.review_panel(wb)
    read(panel.shown_rows()[0].text.value)
    assert "<script" not in panel.shown_rows()[0].text.value


def test_a_click_that_comes_on_another_thread_is_handled_on_the_workbench_s_own(wb):
    first, second = many(wb, 2)

    async def notebook():
        panel = wenlan_lab.review_panel(wb)
        for click in ("accept", "dismiss"):
            await asyncio.to_thread(getattr(panel.shown_rows()[0], click).click)
            await asyncio.sleep(0.01)
        await asyncio.to_thread(panel.undo.click)
        await asyncio.sleep(0.01)
        await asyncio.to_thread(setattr, panel.kind, "value", "supersede")
        await asyncio.sleep(0.01)
        return panel

    panel = asyncio.run(notebook())
    assert [wb.reviews.get(item.id).status for item in (first, second)] == ["accepted", "pending"]
    assert "undone" in panel.status
    assert panel.view.asked.kind == "supersede"
    assert ids(panel) == [second.id]

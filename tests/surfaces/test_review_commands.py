"""The commands that decide, doubt and take back, from the magic to the workbench."""

import pytest

from tests.surfaces.magic_lines import PUMP, line, opened, refused
from tests.surfaces.samples import read
from wenlan_lab.surfaces.notebook.completion import completions
from wenlan_lab.surfaces.widgets.review_panel import ReviewPanel

OLD = "The intake valve opens at 4 degrees."
NEW = "The intake valve opens at 6 degrees."


def waiting(lab):
    """(old memory's id, held memory's id, review item's id)."""
    old = line(lab, f"capture -t fact {OLD}").id
    line(lab, f"confirm {old}")
    receipt = line(lab, f"capture -t fact --supersedes {old} --actor agent:logbook {NEW}")
    assert receipt.outcome == "Held"
    (item,) = line(lab, "review --plain").cards
    return old, receipt.id, item.item.id


def test_the_queue_is_shown_in_every_form(lab):
    old, held, item = waiting(lab)
    panel = line(lab, "review")
    assert isinstance(panel, ReviewPanel)
    panel.shown_rows()[0].skip.click()
    table = line(lab, "review --table --kind supersede")
    assert table["id"].to_list() == [item]
    assert table["before_id"].to_list() == [old]
    stats = line(lab, "review --stats")
    assert (stats.waiting, stats.protected_stopped) == (1, 1)
    one = line(lab, f"review {item}")
    assert (one.after, one.after_id) == (NEW, held)
    for value in (one, stats, line(lab, "review --plain")):
        read(value._repr_html_())
    assert "[-4-]{+6+}" in repr(line(lab, "review --plain"))
    assert line(lab, "review --plain -s uncategorized").waiting == 1
    assert line(lab, "review --plain --kind contradiction").waiting == 0


def test_a_proposal_is_accepted_and_undone(lab):
    old, held, item = waiting(lab)
    assert line(lab, "recall intake valve")[0].id == old
    receipt = line(lab, f'accept {item} --reason "I\'ve seen it"')
    assert receipt.outcome == "Applied"
    assert opened(lab).reviews.get(item).resolution == "I've seen it"
    assert [hit.id for hit in line(lab, "recall intake valve")] == [held]
    assert line(lab, f"accept {item}").outcome == "Unchanged"
    assert line(lab, f"undo {receipt.seq}").outcome == "Applied"
    assert [hit.id for hit in line(lab, "recall intake valve")] == [old]


def test_a_proposal_is_accepted_in_other_words(lab):
    _, held, item = waiting(lab)
    line(lab, f'accept {item} --text "The intake valve\'s set point is 5 degrees."')
    assert line(lab, f"memory {held}").text == "The intake valve's set point is 5 degrees."


def test_a_proposal_is_dismissed(lab):
    old, _, item = waiting(lab)
    line(lab, f'dismiss {item} --reason "measured again"')
    assert line(lab, f"memory {old}").status == "live"
    assert opened(lab).reviews.get(item).resolution == "measured again"
    assert line(lab, "review --plain").all_decided


def test_a_claim_is_rejected_kept_out_and_let_in_again(lab):
    memory_id = line(lab, f"capture {PUMP}").id
    line(lab, f'retract {memory_id} --as-false --reason "bad sensor"')
    assert line(lab, f"capture {PUMP}").reason.reason == "claim_tombstoned"
    stones = line(lab, "tombstones")
    assert [(stone.memory_id, stone.lifted) for stone in stones] == [(memory_id, False)]
    for face in (repr(stones), " ".join(read(stones._repr_html_()).texts)):
        assert "bad sensor" in face
        assert "lifts one" in face
        assert "pump" not in face
    assert completions(opened(lab), "%wenlan unforget ", "") == [stones[0].id]
    line(lab, f"unforget {stones[0].id} --reason mended")
    stones = line(lab, "tombstones")
    assert "lifted: mended" in repr(stones)
    assert "lifts one" not in repr(stones)
    assert line(lab, f"capture {PUMP}").outcome == "Captured"


def test_without_tombstones_that_is_said(lab):
    assert "no claim was rejected" in repr(line(lab, "tombstones"))


def test_retract_without_more_can_be_told_again(lab):
    memory_id = line(lab, f"capture {PUMP}").id
    line(lab, f"retract {memory_id} --reason rebuilt")
    assert line(lab, f"memory {memory_id}").status == "retracted"
    assert line(lab, f"capture {PUMP}").outcome == "Captured"


def test_forget_can_keep_the_claim_out(lab):
    memory_id = line(lab, f"capture {PUMP}").id
    line(lab, f"forget --as-false {memory_id} wrong")
    assert line(lab, f"capture {PUMP}").reason.reason == "claim_tombstoned"


def test_feedback_is_the_way_to_say_that_it_was_used(lab):
    memory_id = line(lab, f"capture {PUMP}").id
    line(lab, "recall pump")
    assert line(lab, f"memory {memory_id}").uses == 0
    line(lab, f"feedback {memory_id} used")
    assert line(lab, f"memory {memory_id}").uses == 1
    assert completions(opened(lab), f"%wenlan feedback {memory_id} ", "") == ["used", "helpful", "wrong"]


def test_recall_looks_at_both_times(lab):
    old = line(lab, f"capture --from 2025-01-01 {OLD}").id
    new = line(lab, f"capture --from 2025-06-01 --supersedes {old} {NEW}").id
    assert [hit.id for hit in line(lab, "recall --as-of 2025-03-01 intake valve")] == [old]
    assert [hit.id for hit in line(lab, "recall --as-of 2025-07-01 intake valve")] == [new]
    assert [hit.id for hit in line(lab, "recall --known-at 2001-01-01 intake valve")] == []
    assert "as_of" in refused(lab, "recall --as-of someday intake valve")


def test_the_history_is_drawn(lab):
    memory_id = line(lab, f"capture {PUMP}").id
    line(lab, f"pin {memory_id}")
    figure = line(lab, f"history {memory_id} --figure")
    (axes,) = figure.figure.axes
    assert len(axes.patches) == 2
    assert axes.get_xlabel() == "known to the workbench (UTC)"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("accept", "needs ID"),
        ("accept rev_nowhere", "no review item"),
        ("dismiss rev_nowhere", "no review item"),
        ("review rev_nowhere", "no review item"),
        ("review --kind bogus", "--kind"),
        ("review -s nowhere", "no space"),
        ("review --table --stats", "choose one"),
        ("review --stats --kind supersede", "--table"),
        ("review rev_1 --plain", "leave the id out"),
        ("retract mem_1", "say why"),
        ("retract mem_1 --reason x", "mem_1"),
        ("unforget mem_1", "say why"),
        ("unforget mem_1 --reason x", "no tombstone"),
        ("undo", "needs SEQ"),
        ("undo last", "number of a journal entry"),
        ("undo ²", "number of a journal entry"),
        ("undo 999", "no journal entry 999"),
        ("undo 0", "number of a journal entry"),
        ("feedback mem_1", "needs VERDICT"),
        ("feedback mem_1 splendid", "'helpful'"),
        ("feedback pas_1 used", "passage"),
        ("capture --split --supersedes mem_1 Some words here.", "leave one of them out"),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(lab, text, told):
    assert told in refused(lab, text)


def test_ids_that_wait_are_offered(lab):
    old, _, item = waiting(lab)
    for command in ("review", "accept", "dismiss"):
        assert completions(opened(lab), f"%wenlan {command} ", "") == [item]
    assert old in completions(opened(lab), "%wenlan retract ", "")
    assert old in completions(opened(lab), "%wenlan capture --supersedes ", "")
    for command in ("accept", "unforget", "retract", "feedback"):
        assert completions(None, f"%wenlan {command} ", "") == []

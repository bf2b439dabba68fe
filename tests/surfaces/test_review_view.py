"""What the panel shows, without a panel: sections, pages, filters, ages, ends. Looking changes nothing."""

import pytest

from tests.surfaces.review_life import AGENT, dispute, empty_lab, many, proposal
from tests.surfaces.samples import HOSTILE, read
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.surfaces.widgets.view_state import ALL_DECIDED, PAGE, Asked, queue_frame, review_view


@pytest.fixture
def wb(tmp_path):
    with empty_lab(tmp_path / "lab.wenlan") as opened:
        yield opened


def test_a_card_says_what_changes_who_proposed_it_why_on_what_and_since_when(wb):
    _, item = proposal(
        wb,
        "The intake valve opens at 4 degrees.",
        "The intake valve opens at 6 degrees.",
        evidence=["The log of May says that the intake valve opens at 6 degrees."],
    )
    wb.clock.advance(days=3)
    view = review_view(wb)
    (card,) = view.cards
    assert [(piece.op, piece.text) for piece in card.diff if piece.op != "kept"] == [("removed", "4"), ("added", "6")]
    assert (card.item.id, card.age, card.editable) == (item.id, "3 days", True)
    told = read(card.html)
    text = "".join(told.texts)
    for part in (item.id, AGENT, "3 days", item.why, "The log of May"):
        assert part in text, part
    assert {"intake", "valve", "6"} <= set(told.marked)
    assert "May" not in told.marked
    assert view.status == "review: 1 waiting"
    assert not view.all_decided


def test_sections_stand_by_kind_with_counts(wb):
    many(wb, 3)
    dispute(wb)
    view = review_view(wb)
    assert [(section.kind, section.count, len(section.cards)) for section in view.sections] == [
        ("supersede", 3, 3),
        ("contradiction", 1, 1),
    ]
    assert view.kinds == (("supersede", 3), ("contradiction", 1))
    assert [card.editable for card in view.sections[1].cards] == [False]


def test_twenty_cards_stand_on_a_page_and_a_page_behind_the_last_is_the_last(wb):
    items = many(wb, 2 * PAGE + 3)
    pages = [review_view(wb, Asked(page=page)) for page in range(3)]
    assert [len(view.cards) for view in pages] == [20, 20, 3]
    assert [card.item.id for view in pages for card in view.cards] == [item.id for item in items]
    assert pages[0].sections[0].count == 43
    assert "21–40 of 43 shown, page 2 of 3" in pages[1].status
    assert review_view(wb, Asked(page=99)).asked.page == 2
    assert review_view(wb, Asked(page=-1)).asked.page == 0


def test_what_is_put_aside_is_counted_and_still_waits(wb):
    first, second = many(wb, 2)
    view = review_view(wb, Asked(skipped=frozenset({first.id})))
    assert [card.item.id for card in view.cards] == [second.id]
    assert (view.waiting, view.put_aside) == (2, 1)
    nothing = review_view(wb, Asked(skipped=frozenset({first.id, second.id})))
    assert nothing.message == "2 put aside: they still wait."
    assert not nothing.all_decided


def test_nothing_of_another_space_shows_through_a_filter(wb):
    wb.spaces.create("lab")
    wb.spaces.create("home")
    proposal(wb, "The lab valve opens at 4 degrees.", "The lab valve opens at 6 degrees.", space="lab")
    proposal(wb, "The home SECRET opens at 4 degrees.", "The home SECRET opens at 6 degrees.", space="home")
    proposal(wb, "The loose hinge opens at 4 degrees.", "The loose hinge opens at 6 degrees.")
    everything, lab = review_view(wb), review_view(wb, Asked(space="lab"))
    assert "SECRET" in repr(everything)  # the control: it is there to be seen
    assert everything.waiting == 3
    for face in (repr(lab), lab._repr_html_(), str(queue_frame(wb, space="lab").rows())):
        assert "SECRET" not in face
        assert "hinge" not in face
    assert (lab.waiting, lab.kinds) == (1, (("supersede", 1),))
    assert review_view(wb, Asked(space="uncategorized")).cards[0].item.space is None
    assert "lab" in lab.status


def test_an_unknown_kind_or_space_is_an_error_that_says_what_there_is(wb):
    with pytest.raises(InvalidRequest, match="supersede"):
        review_view(wb, Asked(kind="bogus"))
    with pytest.raises(InvalidRequest, match="no space"):
        review_view(wb, Asked(space="bogus"))


def test_the_end_is_told_apart_from_an_empty_filter(wb):
    assert review_view(wb).message == ALL_DECIDED
    assert review_view(wb).all_decided
    many(wb, 1)
    assert review_view(wb, Asked(kind="contradiction")).message == "Nothing waits in contradiction."
    assert review_view(wb).message == ""


def test_looking_writes_nothing(wb):
    many(wb, 3)
    before = len(wb.journal)
    for _ in range(3):
        review_view(wb)
        queue_frame(wb)
    assert len(wb.journal) == before


STORABLE = [text for text in HOSTILE if len(text) > 12 and not {"\x00", "\ud800"} & set(text)]


@pytest.mark.parametrize("text", STORABLE)
def test_hostile_text_stays_text_in_every_face(wb, text):
    old = wb.capture("The first statement that stands here.").id
    wb.confirm(old)
    assert wb.capture(f"The second statement, {text}", supersedes=old, actor=AGENT).outcome == "Held"
    view = review_view(wb)
    assert len(view.cards) == 1
    read(view._repr_html_())
    read(view.cards[0].html)
    repr(view).encode()
    assert "\x1b" not in repr(view)


def test_the_frame_has_its_columns_even_when_it_is_empty(wb):
    empty = queue_frame(wb)
    assert empty.height == 0
    assert {"id", "kind", "space", "before", "after", "why", "proposed_by", "age_days"} <= set(empty.columns)
    many(wb, 2)
    wb.clock.advance(days=1.5)
    frame = queue_frame(wb, kind="supersede")
    assert frame.columns == empty.columns
    assert frame["age_days"].to_list() == [1.5, 1.5]
    assert queue_frame(wb, kind="contradiction").height == 0


def test_the_text_says_how_to_decide(wb):
    many(wb, 1)
    assert "%wenlan accept ID" in repr(review_view(wb))
    assert "%wenlan accept ID" in review_view(wb)._repr_html_()

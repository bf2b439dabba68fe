"""A review item and the queue's numbers, as text and as HTML."""

import pytest

from tests.surfaces.samples import HOSTILE, an_evidence, read
from wenlan_lab.model.reviews import ReviewItem, ReviewStats
from wenlan_lab.model.shown_reviews import days


def an_item(**changes):
    told = {
        "id": "rev_1",
        "kind": "supersede",
        "status": "pending",
        "before": "The valve opens at 4 °C.",
        "after": "The valve opens at 6 °C.",
        "evidence": (an_evidence("measured: the valve opens at 6 °C"),),
        "proposed_by": "agent:logbook",
        "created": "2026-01-05T12:00:00+00:00",
        "fingerprint": "f",
        "why": "number: '4' against '6'",
        "space": "lab",
    }
    return ReviewItem(**{**told, **changes})


ITEM = """\
rev_1 · replaces a memory · lab · pending
  The valve opens at [-4-]{+6+} °C.
  proposed by agent:logbook, 2026-01-05 12:00 UTC
  why: number: '4' against '6'
  rests on “measured: the «valve» «opens» at «6» °«C»” (pas_1, supports it)"""


def test_an_item_as_text():
    assert repr(an_item()) == ITEM


def test_an_item_as_html_says_the_same():
    found = read(an_item()._repr_html_())
    assert found.marked == ["valve", "opens", "6", "C"]
    text = "".join(found.texts)
    for told in ("rev_1", "replaces a memory", "agent:logbook", "2026-01-05 12:00", "number: '4' against '6'", "pas_1"):
        assert told in text


def test_a_decided_item_says_who_decided_and_why():
    item = an_item(
        status="dismissed", resolved="2026-01-06T08:30:00+00:00", resolved_by="person", resolution="measured again"
    )
    for face in (repr(item), "".join(read(item._repr_html_()).texts)):
        assert "dismissed by person, 2026-01-06 08:30 UTC: measured again" in face


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_on_a_card(text):
    item = an_item(
        before=text, after=text + " more", why=text, proposed_by=text, space=text, evidence=(an_evidence(text),)
    )
    read(item._repr_html_())
    repr(item).encode()
    assert "\x1b" not in repr(item)


def test_an_erased_text_is_told():
    item = an_item(before="", after="")
    assert "[erased]" in repr(item)
    assert "[erased]" in item._repr_html_()


def test_a_huge_text_is_cut_and_says_so():
    item = an_item(before="word " * 20_000, after="word " * 20_000 + "end")
    assert len(item._repr_html_()) < 20_000
    assert "more characters" in item._repr_html_()
    assert "characters)" in repr(item)


def test_the_numbers_of_the_queue_are_shown():
    stats = ReviewStats(12, 5, 3, 1, 3, 0.5, 9.2, 8, 2, 0.25, {"supersede": 10, "contradiction": 2}, "backlog: 3 wait")
    for face in (repr(stats), "".join(read(stats._repr_html_()).texts)):
        for told in ("12", "10 supersede, 2 contradiction", "backlog: 3 wait", "12 hours", "9 days", "2 of 8", "25 %"):
            assert told in face, told


@pytest.mark.parametrize(
    ("amount", "told"), [(0, "0 minutes"), (0.01, "14 minutes"), (0.5, "12 hours"), (40, "40 days")]
)
def test_a_span_is_told_in_the_unit_that_suits_it(amount, told):
    assert days(amount) == told

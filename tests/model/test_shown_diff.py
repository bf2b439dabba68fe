"""The word diff loses nothing, reads well, and is escaped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.surfaces.samples import HOSTILE, read
from wenlan_lab.model.shown_diff import diff_html, diff_text, shared_words, word_diff


def whole(pieces, *ops):
    return "".join(piece.text for piece in pieces if piece.op in ops)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_pieces_make_up_both_texts(before, after):
    pieces = word_diff(before, after)
    assert whole(pieces, "kept", "removed") == before
    assert whole(pieces, "kept", "added") == after


words = st.lists(st.sampled_from("the pump stalls at 4.5 °C , . not 泵在 don't \n".split(" ")), max_size=14).map(
    " ".join
)


@given(words, words)
def test_the_pieces_of_near_texts_make_up_both(before, after):
    pieces = word_diff(before, after)
    assert whole(pieces, "kept", "removed") == before
    assert whole(pieces, "kept", "added") == after


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("It opens at 4 °C.", "It opens at 6.5 °C.", "It opens at [-4-]{+6.5+} °C."),
        ("It opens at 4 °C.", "It never opens at 4 °C.", "It{+ never+} opens at 4 °C."),
        ("the cat sat here today", "the old dog ran here today", "the [-cat sat-]{+old dog ran+} here today"),
        ("泵在四度时停转", "泵在六度时停转", "泵在[-四-]{+六+}度时停转"),
        ("", "all new", "{+all new+}"),
        ("all gone", "", "[-all gone-]"),
        ("same", "same", "same"),
        ("Paris is the capital.", "We heat at noon", "[-Paris is the capital.-]{+We heat at noon+}"),
        ("It doesn't open.", "It does open.", "It [-doesn't-]{+does+} open."),
    ],
)
def test_a_change_reads_as_a_person_would_mark_it(before, after, told):
    assert diff_text(word_diff(before, after)) == told


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_a_diff(text):
    for pieces in (word_diff(text, "x " + text), word_diff("the pump", text), word_diff(text, "")):
        read(diff_html(pieces))
        diff_text(pieces).encode()
    assert "\x1b" not in diff_text(word_diff(text, "a b"))


def test_a_very_long_text_is_compared_by_its_lines():
    lines = [f"line {n} of many, with words" for n in range(2000)]
    other = [*lines[:1000], "one that is new", *lines[1000:]]
    pieces = word_diff("\n".join(lines), "\n".join(other))
    assert whole(pieces, "added") == "one that is new\n"
    assert whole(pieces, "removed") == ""


def test_a_diff_is_told_apart_without_colour():
    html = diff_html(word_diff("It opens at 4 °C.", "It opens at 6 °C."))
    assert "line-through" in html
    assert "underline" in html
    assert 'title="removed"' in html


def test_words_that_carry_content_are_marked_and_others_are_not():
    quote = "The log says: the VALVE opens at 6 °C, and it is fine."
    marked = [quote[start:end] for start, end in shared_words(quote, "The valve opens at 6 °C and the pump is off.")]
    assert marked == ["VALVE", "opens", "6", "C"]
    assert shared_words("", "x") == ()
    assert shared_words("nothing in common", "6 °C") == ()

"""Texts made comparable and texts made storable."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wenlan_lab.engine.normalise import LONGEST, check_storable, excerpt, replace_unstorable, text_key
from wenlan_lab.errors import InvalidRequest

ANY = st.text(st.characters())
WELL_FORMED = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The pump stalls.", "the  PUMP stalls"),
        ("The pump stalls", "The pump stalls!?"),
        ("ﬁne weather", "fine weather"),
        ("Straße", "STRASSE"),
        ("a\nb", "a b"),
        ("a\u00a0b", "a b"),
        ("ｗｉｄｅ", "wide"),
        ("cafe\u0301", "caf\u00e9"),
        ("机器学习很有趣。", "机器学习很有趣"),
        ("x²", "x2"),
        ("… and so on…", "... and so on"),
    ],
)
def test_a_key_forgives_case_white_space_forms_and_end_punctuation(a: str, b: str) -> None:
    assert text_key(a) == text_key(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("16 GB", "32 GB"),
        ("it is safe", "it is not safe"),
        ("A before B", "B before A"),
        ("resume", "résumé"),
        ("e.g. this", "eg this"),
        ("Go", "Django"),
        ("a-b", "a b"),
        ("(yes", "yes"),
        ("5 %", "5"),
    ],
)
def test_a_key_forgives_nothing_else(a: str, b: str) -> None:
    assert text_key(a) != text_key(b)


@given(WELL_FORMED.filter(str.strip))
@settings(max_examples=300)
def test_a_key_is_never_empty_and_does_not_hang_on_how_the_text_was_composed(text: str) -> None:
    assert text_key(text)
    assert text_key(f"\t {text}\n") == text_key(text)
    assert text_key(unicodedata.normalize("NFC", text)) == text_key(unicodedata.normalize("NFD", text))


def test_a_text_of_punctuation_alone_keeps_its_key() -> None:
    assert text_key("...") == "..."
    assert text_key("?!") != text_key("...")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        (" \n\t\u2003", "empty"),
        ("a\0b", "position 1"),
        ("ab\ud800", "position 2"),
        ("\udfffab", "position 0"),
        ("a" * (LONGEST + 1), "import it"),
    ],
)
def test_what_can_not_be_stored_is_refused_with_its_place_and_a_next_step(text: str, told: str) -> None:
    with pytest.raises(InvalidRequest, match=told) as caught:
        check_storable(text)
    assert ":" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["a", "a" * LONGEST, "\u202eright to left", "مرحبا", "机", "👩🏽‍🔬", "\x1f\x7f", "<b>&amp;</b>", "%_\\"]
)
def test_what_can_be_stored_passes(text: str) -> None:
    check_storable(text)


@given(ANY)
@settings(max_examples=300)
def test_replacing_changes_what_can_not_be_stored_and_nothing_else(text: str) -> None:
    stored, count = replace_unstorable(text)
    assert len(stored) == len(text)
    assert count == sum(a != b for a, b in zip(stored, text, strict=True))
    assert all(b == "\ufffd" for a, b in zip(text, stored, strict=True) if a != b)
    stored.encode("utf-8")
    assert replace_unstorable(stored) == (stored, 0)


@given(ANY, st.integers(min_value=2, max_value=40))
def test_an_excerpt_is_one_line_and_never_longer_than_asked(text: str, limit: int) -> None:
    shown = excerpt(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1


def test_an_excerpt_says_that_there_is_more() -> None:
    assert excerpt("word " * 100).endswith("…")
    assert excerpt("short\nand sweet") == "short and sweet"

"""The one sentence boundary: nothing but white space is lost, and people would cut where it cuts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wenlan_lab.engine.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@given(st.text(st.characters()) | st.text(st.sampled_from('aB. !?…\n\t-1)。」"# ')))
@settings(max_examples=500)
def test_spans_are_ordered_never_overlap_and_lose_white_space_alone(text: str) -> None:
    at = 0
    for span in sentences(text):
        assert at <= span.start < span.end
        assert not text[at : span.start].strip()
        piece = text[span.start : span.end]
        assert piece == piece.strip()
        at = span.end
    assert not text[at:].strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Who read Fig. 3 at 3.5 m. Then he left.", ["Dr. Who read Fig. 3 at 3.5 m.", "Then he left."]),
        ("v1.2 is out. Use it.", ["v1.2 is out.", "Use it."]),
        ("她来了。他走了！真的吗？", ["她来了。", "他走了！", "真的吗？"]),
        ("- one\n- two\n- three", ["- one", "- two", "- three"]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("# Head\nText here.", ["# Head\nText here."]),
        ("Text here.\n# Head", ["Text here.", "# Head"]),
        ("A\n\nB", ["A", "B"]),
        ("J. Doe came. K. Roe left.", ["J. Doe came.", "K. Roe left."]),
        ("He said \"Stop!\" Then he ran.", ["He said \"Stop!\"", "Then he ran."]),
        ("e.g. this one, i.e. that one", ["e.g. this one, i.e. that one"]),
        ("Wait... what?", ["Wait...", "what?"]),
        ("No stop at the end", ["No stop at the end"]),
        ("See example.org/a.b for more.", ["See example.org/a.b for more."]),
        ("", []),
        (" \n ", []),
    ],
)  # fmt: skip
def test_a_sentence_ends_where_people_end_it(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_megabyte_without_an_end_is_one_sentence() -> None:
    assert len(sentences("word " * 200_000)) == 1
    assert len(sentences("word. " * 20_000)) == 20_000

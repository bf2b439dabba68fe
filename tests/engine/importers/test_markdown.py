"""Sections are what CommonMark says, and all of the text is in one of them."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab.engine.importers.markdown import front_matter, plain, sections


def found(text):
    return [
        (section.path, "".join(text[b.start : b.end] for b in section.blocks).strip()) for section in sections(text)
    ]


def test_headings_nest_and_close():
    text = "intro\n\n# A\none\n\n## B\ntwo\n\n### C\nthree\n\n## D\nfour\n\n# E\nfive\n"
    assert found(text) == [
        ((), "intro"),
        (("A",), "# A\none"),
        (("A", "B"), "## B\ntwo"),
        (("A", "B", "C"), "### C\nthree"),
        (("A", "D"), "## D\nfour"),
        (("E",), "# E\nfive"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# no\n```",
        "~~~python\n## no\n~~~",
        "    # no",
        "> # no",
        "- # no",
        "text\n#no",
        "<!--\n# no\n-->",
        "\\# no",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text):
    assert [path for path, _ in found(text)] == [()]


def test_underlined_headings_count():
    assert found("Top\n===\none\n\nSub\n---\ntwo") == [(("Top",), "Top\n===\none"), (("Top", "Sub"), "Sub\n---\ntwo")]


def test_a_level_that_is_left_out_nests_all_the_same():
    assert [path for path, _ in found("### deep\na\n# top\nb\n### again\nc")] == [("deep",), ("top",), ("top", "again")]


def test_a_heading_with_only_deeper_ones_below_goes_with_the_first_of_these():
    assert found("# A\n\n## B\n\none\n\n## C\n\ntwo") == [
        (("A", "B"), "# A\n\n## B\n\none"),
        (("A", "C"), "## C\n\ntwo"),
    ]


def test_a_heading_with_nothing_below_is_a_section_of_its_own():
    assert found("# A\none\n\n## empty\n## B\ntwo\n\n## last") == [
        (("A",), "# A\none"),
        (("A", "empty"), "## empty"),
        (("A", "B"), "## B\ntwo"),
        (("A", "last"), "## last"),
    ]


def test_a_heading_is_named_without_its_marks():
    text = "# The `run` **verb** [here](http://x) ![pic](y) &amp; <b>\ntext\n\n#\nmore"
    assert [path for path, _ in found(text)] == [("The run verb here pic & <b>",), ("(no words)",)]


def test_link_definitions_and_comments_stay_where_they_were_written():
    text = "# A\ntext\n\n[x]: http://example.org 'title'\n\n<!-- note -->\n\n# B\nend\n"
    assert found(text)[0][1] == "# A\ntext\n\n[x]: http://example.org 'title'\n\n<!-- note -->"
    assert found("[x]: http://example.org") == [((), "[x]: http://example.org")]


def test_lists_tables_and_code_are_no_prose():
    text = "para\n\n- a\n- b\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n"
    (section,) = sections(text)
    assert [block.prose for block in section.blocks] == [True, False, False, False, True]


@given(st.one_of(st.text(), st.text(alphabet="#=- \n`>*ab|[]:\t", max_size=120)))
def test_every_character_but_white_space_is_in_exactly_one_section(text):
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    blocks = [block for section in sections(text) for block in section.blocks]
    assert "".join("".join(text[block.start : block.end] for block in blocks).split()) == "".join(text.split())
    assert all(before.end <= after.start for before, after in pairwise(blocks))


@pytest.mark.parametrize("text", ["", " \n \n"])
def test_nothing_has_no_sections(text):
    assert sections(text) == ()


@pytest.mark.parametrize("text", [">" * 20_000, "[" * 20_000, "- " * 5_000, "*a_" * 20_000, "`" * 20_001, "#" * 20_000])
def test_pathological_text_is_read(text):
    assert "".join(body for _, body in found(text)) == text.strip()


def test_front_matter_gives_members_and_the_rest():
    matter = front_matter("---\ntitle: Pump log\ndate: 2024-05-08\ntags: [a]\n---\n\n# A\ntext")
    assert matter.members == {"title": "Pump log", "date": date(2024, 5, 8), "tags": ["a"]}
    assert (matter.body, matter.fault) == ("# A\ntext", None)


@pytest.mark.parametrize(
    ("text", "faulty"),
    [
        ("---\ntitle: [broken\n---\ntext", True),
        ("---\njust words between lines\n---\ntext", False),
        ("text\n---\nmore: x\n---\nend", False),
        ("---\nno end", False),
        ("---\n---\ntext", False),
        ("---\n- a\n- b\n---\ntext", False),
        ("---\ndate: 2024-99-99\n---\ntext", True),
        ("---\na: &a {x: 1}\nb: {<<: [*a, *a]}\n---\ntext", True),
        ("---\nx: !!python/object/apply:os.system ['true']\n---\ntext", True),
        ("---\n? [a]\n: b\n---\ntext", True),
        ("---\na: " + "[" * 3000 + "\n---\ntext", True),
        ("", False),
    ],
)
def test_what_can_not_be_read_as_front_matter_stays_in_the_text(text, faulty):
    matter = front_matter(text)
    assert (matter.members, matter.body, matter.fault is not None) == ({}, text, faulty)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@`?, \n0123456789.=~<", max_size=60))
def test_no_front_matter_raises(head):
    front_matter(f"---\n{head}\n---\ntext")


def test_only_plain_members_are_shown():
    values = ["a", 3, 2.5, date(2024, 5, 8), True, None, ["a"], {"a": "b"}, "x" * 5000]
    assert [len(plain(value)) for value in values] == [1, 1, 3, 10, 0, 0, 0, 0, 300]

"""A command line is read the same way everywhere: options first, words, then the rest, verbatim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.error import UsageError

from wenlan_lab.surfaces.notebook.arguments import CommandParser, late_option, next_word, parse


def capture_parser():
    parser = CommandParser("capture", "Store.")
    parser.text("text", "the text")
    parser.option("-t", "--type")
    parser.option("--tag", action="append", default=[])
    parser.option("-k", "--k", type=int, default=8)
    parser.option("--split", action="store_true")
    return parser


def forget_parser():
    parser = CommandParser("forget", "Erase.")
    parser.word("id", "the id")
    parser.text("reason", "why", required=False)
    parser.option("--dry-run", action="store_true")
    return parser


VERBATIM = [
    "it's broken, isn't it",
    "a  run   of blanks and a tab\there",
    'she said "stop" and {x} cost $5, `{{unknown}}` too',
    r"C:\new\table and \d+ and \"",
    "an open ( bracket [ and { brace",
    "ends with -k 3",
    "-5 °C is the limit",
    "- a list item",
    "<b>bold</b> & \u202e \x00",
    "'it's fine'",
    '"To be" is "or not"',
    "日本語のテキスト、泵",
    "--",
]


@pytest.mark.parametrize("text", VERBATIM[:-1])
def test_a_text_stays_as_it_was_written(text):
    assert parse(capture_parser(), f"-t gotcha {text}").text == text
    assert parse(capture_parser(), text).text == text


@pytest.mark.parametrize("text", VERBATIM)
def test_a_dashed_text_goes_behind_two_dashes(text):
    assert parse(capture_parser(), f"-t gotcha -- {text}").text == text


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_any_text_behind_two_dashes_stays_but_for_blanks_at_its_ends(text):
    assert parse(capture_parser(), f"-- {text}").text == text.strip()


def test_options_are_read_in_every_usual_form():
    for line in ("-k 3 --tag a --tag 'b c' x", "-k3 --tag=a --tag='b c' x", '--k=3 --tag a --tag "b c" x'):
        found = parse(capture_parser(), line)
        assert (found.k, found.tag, found.text) == (3, ["a", "b c"], "x")


def test_options_may_follow_a_text_in_quotes():
    found = parse(capture_parser(), '"why did it stop" -k 3 --split')
    assert (found.text, found.k, found.split) == ("why did it stop", 3, True)
    assert parse(capture_parser(), '"whole text"').text == "whole text"


def test_options_may_stand_between_words_and_text():
    found = parse(forget_parser(), "mem_1 --dry-run it's wrong")
    assert (found.id, found.dry_run, found.reason) == ("mem_1", True, "it's wrong")


def test_a_late_option_is_text_and_can_be_told():
    parser = capture_parser()
    assert parse(parser, "why did it stop -k 3").text == "why did it stop -k 3"
    assert late_option(parser, "why did it stop -k 3") == "-k"
    assert late_option(parser, "a well-known pump") is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "needs TEXT"),
        ("-t", "-t needs a value"),
        ("-k many x", "invalid int value"),
        ("--tga x y", "did you mean --tag"),
        ("-z x", "write -- before a text that begins with a dash"),
        ("--split=yes x", "takes no value"),
    ],
)
def test_a_wrong_line_is_told_in_one_line_with_what_to_do(line, told):
    with pytest.raises(UsageError) as error:
        parse(capture_parser(), line)
    assert told in str(error.value)
    assert "--help" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_word_is_named():
    with pytest.raises(UsageError, match="needs ID"):
        parse(forget_parser(), "--dry-run")


def test_the_body_of_a_cell_is_the_text_and_the_line_may_hold_no_other():
    body = "two lines\n  {x} $y -- it's  all  kept;\n"
    assert parse(capture_parser(), "-t fact", body=body).text == body
    with pytest.raises(UsageError, match="stands in the cell below"):
        parse(capture_parser(), "-t fact and more", body=body)


def test_a_value_that_is_put_in_never_becomes_an_option():
    expand = {"{{q}}": "--split -k 99 it's"}.get
    found = parse(capture_parser(), "-t {{q}} {{q}}", expand=lambda text: expand(text, text))
    assert (found.text, found.type) == ("--split -k 99 it's", "--split -k 99 it's")
    assert (found.k, found.split) == (8, False)


@pytest.mark.parametrize(
    ("text", "word", "after"),
    [
        ("a b  c", "a", "b  c"), ('"a b" c', "a b", "c"), ("'a b'c d", "'a", "b'c d"), ("it's so", "it's", "so"),
        ("", "", ""), ("a\u3000b", "a", "b"),
    ],
)  # fmt: skip
def test_a_word_ends_at_a_blank_unless_it_stands_in_quotes(text, word, after):
    assert next_word(text) == (word, after)


def test_help_names_words_and_options():
    told = forget_parser().format_help()
    assert "%wenlan forget [options] ID [REASON]" in told
    assert "--dry-run" in told
    assert forget_parser().format_help() == told

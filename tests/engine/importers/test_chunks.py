"""Chunks fit, are slices in order, and lose nothing but the white space between them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab.engine.importers.chunks import MOST_CHARACTERS, Block, chunk_spans, estimate_tokens, paragraphs


def words(text):
    return len(text.split())


def cut(text, most=8, count=words, blocks=None):
    spans = chunk_spans(text, paragraphs(text) if blocks is None else blocks, count, most)
    return [text[start:end] for start, end in spans]


def test_paragraphs_are_packed_as_long_as_they_fit_together():
    assert cut("one two\n\nthree four\n\nfive six seven\n\neight nine") == [
        "one two\n\nthree four\n\nfive six seven",
        "eight nine",
    ]


def test_a_paragraph_that_is_too_long_is_cut_at_sentence_ends():
    text = "First comes this one. Then comes another one. At last a third. And the end."
    assert cut(text) == ["First comes this one. Then comes another one.", "At last a third. And the end."]


def test_a_sentence_that_is_too_long_is_cut_at_white_space():
    assert cut("a b c d e f g h i j", most=4) == ["a b c d", "e f g h", "i j"]


def test_a_word_that_is_too_long_is_cut_between_characters():
    assert cut("abcdefghij", most=4, count=len) == ["abcd", "efgh", "ij"]


def test_text_without_spaces_is_cut_at_its_own_sentence_ends():
    text = "今天下雨了。我们没有出门。明天再去吧。"
    assert cut(text, most=14, count=len) == ["今天下雨了。我们没有出门。", "明天再去吧。"]


def test_what_is_no_prose_is_cut_at_blank_lines_then_at_lines():
    text = "x = 1. y\nz = 2\n\nv = 3\nw = 4\n"
    code = [Block(0, len(text), prose=False)]
    assert cut(text, most=7, blocks=code) == ["x = 1. y\nz = 2", "v = 3\nw = 4"]
    assert cut(text, most=4, blocks=code) == ["x = 1. y", "z = 2", "v = 3", "w = 4"]


def test_an_accent_stays_with_its_letter_and_an_emoji_stays_whole():
    family = "👩\u200d👩\u200d👧"
    assert cut("e\u0301" * 4, most=3, count=len) == ["e\u0301"] * 4
    assert cut(family * 3, most=6, count=len) == [family] * 3


def test_more_accents_than_fit_are_cut_all_the_same():
    chunks = cut("e" + "\u0301" * 50, most=10, count=len)
    assert max(map(len, chunks)) <= 10


def test_a_tokenizer_that_counts_any_word_as_one_makes_no_endless_chunk():
    chunks = cut("x" * 50_000, most=256, count=words)
    assert {len(chunk) for chunk in chunks} == {MOST_CHARACTERS, 50_000 % MOST_CHARACTERS}


def test_a_character_that_never_fits_is_a_chunk_all_the_same():
    assert cut("abc", count=lambda _: 999) == ["a", "b", "c"]


def test_a_chunk_costs_few_counts_however_many_words_go_into_it():
    counted = []

    def count(text):
        counted.append(len(text))
        return words(text)

    chunks = cut("word " * 20_000, most=256, count=count)
    assert len(chunks) == 79
    assert len(counted) < 30 * len(chunks)


def test_a_million_characters_in_one_line_are_cut():
    chunks = cut("lorem ipsum " * 90_000, most=256)
    assert sum(map(words, chunks)) == 180_000


@pytest.mark.parametrize("text", ["", "   ", "\n\n\n", "\u3000\n"])
def test_white_space_alone_is_no_chunk(text):
    assert cut(text) == []


TEXTS = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="ab. \n!?今。é\u0301\u200d😀", max_size=300),
    st.lists(st.sampled_from(["One.", "Two words!", "\n", "\n\n", " ", "- item", "```", "x" * 40]), max_size=40).map(
        "".join
    ),
)


def without_space(text):
    return "".join(text.split())


@given(
    TEXTS,
    st.integers(1, 30),
    st.sampled_from([len, words, estimate_tokens, lambda text: len(text.encode(errors="replace"))]),
    st.booleans(),
)
def test_chunks_lose_nothing_but_separators_and_fit(text, most, count, prose):
    blocks = [Block(block.start, block.end, prose) for block in paragraphs(text)]
    spans = chunk_spans(text, blocks, count, most)
    assert without_space("".join(text[start:end] for start, end in spans)) == without_space(text)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    for start, end in spans:
        piece = text[start:end]
        assert piece == piece.strip() != ""
        assert count(piece) <= most or len(piece) == 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 2), ("the cat", 4), ("internationalisation", 7), ("2024", 4), ("a.b", 5), ("今天", 4), ("snake_case", 6)],
)
def test_the_estimate_counts_word_parts_signs_and_letters(text, tokens):
    assert estimate_tokens(text) == tokens

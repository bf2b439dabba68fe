"""Cutting a text into chunks that each fit the embedder whole.

Every chunk is a slice of the text, the slices are in order and never overlap, and only white space lies between them:
nothing is rewritten and nothing is lost. Blocks that follow one another are packed as long as they fit together; a
block that doesn't fit alone is cut at the finest place that is needed: blank lines and lines (of what is no prose),
sentence ends, white space, then between characters. What a heading is, is not decided here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wenlan_lab.engine.sentences import sentences

CHUNK_TOKENS = 256  # what the default embedder takes at once
MOST_CHARACTERS = 4_000  # a WordPiece tokenizer counts a word of any length as one unknown token
CountTokens = Callable[[str], int]

_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_LINE_END = re.compile(r"\n")
_RUN = re.compile(r"\S+")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3")  # zero-width joiner, variation selectors, enclosing keycap


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the text that is better not cut: a paragraph, a list, a table, fenced code. `start` < `end`."""

    start: int
    end: int
    prose: bool = True


def estimate_tokens(text: str) -> int:
    """About how many tokens a WordPiece vocabulary makes of it, rather too many than too few.

    One for every four letters of a word written in ASCII, one for every other letter, two digits, or sign; two around
    all of it.
    """
    count = 2
    for match in _WORD.finditer(text):
        word = match[0]
        share = 4 if word.isascii() and word.isalpha() else 2 if word.isdigit() else 1
        count += -(-len(word) // share)
    return count


def paragraphs(text: str) -> tuple[Block, ...]:
    """The parts of a plain text that blank lines divide."""
    starts = [0, *(match.end() for match in _BLANK_LINES.finditer(text))]
    bounds = pairwise([*starts, len(text)])
    return tuple(Block(start, end) for start, end in bounds if text[start:end].strip())


def chunk_spans(
    text: str, blocks: Sequence[Block], count_tokens: CountTokens, most_tokens: int = CHUNK_TOKENS
) -> list[tuple[int, int]]:
    """Where the chunks of these blocks begin and end in `text`: (start, end) in characters, without outer white space.

    Args:
        text: The whole text.
        blocks: Parts of it in order, with nothing but white space between them.
        count_tokens: How many tokens a text has for the embedder.
        most_tokens: How many a chunk may have. A single character that has more is a chunk all the same.
    """

    def fits(start: int, end: int) -> bool:
        piece = text[start:end].strip()
        return not piece or (len(piece) <= MOST_CHARACTERS and count_tokens(piece) <= most_tokens)

    spans: list[tuple[int, int]] = []
    at, bounds = 0, [*(block.start for block in blocks), *(block.end for block in blocks[-1:])]
    while at < len(blocks):
        last = _furthest(bounds, at, fits)
        if last > at:
            spans.append((bounds[at], bounds[last]))
            at = last
        else:
            cuts = _CUTS if blocks[at].prose else _LINE_CUTS + _CUTS
            spans += _cut(text, bounds[at], bounds[at + 1], cuts, fits)
            at += 1
    stripped = (_stripped(text, start, end) for start, end in spans)
    return [(start, end) for start, end in stripped if start < end]


Fits = Callable[[int, int], bool]
Cut = Callable[[str, int, int], Sequence[int]]


def _cut(text: str, start: int, end: int, cuts: Sequence[Cut], fits: Fits) -> Iterator[tuple[int, int]]:
    """Packs the pieces that the first kind of cut makes; a piece that is too long alone is cut by the next kind."""
    places = cuts[0](text, start, end)
    at, bounds = 0, [start, *(place for place in places if start < place < end), end]
    while at < len(bounds) - 1:
        last = _furthest(bounds, at, fits)
        if last == at and len(cuts) > 1:
            yield from _cut(text, bounds[at], bounds[at + 1], cuts[1:], fits)
            at += 1
        else:
            last = max(last, at + 1)
            yield bounds[at], bounds[last]
            at = last


def _furthest(bounds: Sequence[int], at: int, fits: Fits) -> int:
    """The largest place up to which everything from `at` on fits together; `at` when not even one piece does.

    Steps double and then halve, so a chunk costs few counts, however many pieces go into it.
    """
    most, step, here = len(bounds) - 1, 1, at
    while here < most and fits(bounds[at], bounds[min(here + step, most)]):
        here = min(here + step, most)
        step *= 2
    above = min(here + step, most) if here < most else here + 1  # known not to fit, or past the end
    while above - here > 1:
        middle = (here + above) // 2
        if fits(bounds[at], bounds[middle]):
            here = middle
        else:
            above = middle
    return here


def _at_blank_lines(text: str, start: int, end: int) -> Sequence[int]:
    return [match.end() for match in _BLANK_LINES.finditer(text, start, end)]


def _at_lines(text: str, start: int, end: int) -> Sequence[int]:
    return [match.end() for match in _LINE_END.finditer(text, start, end)]


def _at_sentences(text: str, start: int, end: int) -> Sequence[int]:
    return [start + span.start for span in sentences(text[start:end])]


def _at_white_space(text: str, start: int, end: int) -> Sequence[int]:
    return [match.start() for match in _RUN.finditer(text, start, end)]


def _at_letters(text: str, start: int, end: int) -> Sequence[int]:
    return [at for at in range(start + 1, end) if not _belongs_to_the_one_before(text, at)]


def _at_characters(_text: str, start: int, end: int) -> Sequence[int]:
    return range(start + 1, end)


def _belongs_to_the_one_before(text: str, at: int) -> bool:
    """Whether a cut here would part an accent from its letter, or the parts of one emoji."""
    letter = text[at]
    if letter.isascii():
        return False
    return (
        unicodedata.combining(letter) > 0
        or letter in _JOINERS
        or text[at - 1] == "\u200d"
        or "\U0001f3fb" <= letter <= "\U0001f3ff"
    )


_LINE_CUTS: tuple[Cut, ...] = (_at_blank_lines, _at_lines)
_CUTS: tuple[Cut, ...] = (_at_sentences, _at_white_space, _at_letters, _at_characters)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return end - len(piece.lstrip()) if piece.strip() else end, start + len(piece.rstrip())

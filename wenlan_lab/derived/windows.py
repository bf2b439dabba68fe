"""Cutting a long text into overlapping windows that each fit the embedder whole.

Invariant: every token of the text lies in some window, and a window, tokenised by itself, is not longer than the limit.
A window is a slice of the text as it was given. This is about what a model can read at once, not about meaning: nothing
here says where a sentence ends, an edge is only preferred where the text seems to pause.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from wenlan_lab.errors import InvalidRequest

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LIMIT = 254
"""Tokens that a model of 256 can read beside its two special ones."""

OVERLAP = 32

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAUSES = ".!?…。！？"


def readable(text: str) -> str:
    """`text` as a tokeniser takes it, the same length: a lone surrogate, which has no bytes, becomes U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def token_windows(text: str, tokenizer: Tokenizer, limit: int = LIMIT, overlap: int = OVERLAP) -> tuple[str, ...]:
    """The windows of `text`, in order, at least one; a text of at most `limit` tokens is its only window.

    `limit` counts tokens without the special ones. Neighbours share `overlap` tokens or more (at most twice as many),
    which needs `limit >= 4 * overlap`. A cut is moved, by at most `overlap` tokens, to where a line or a sentence seems
    to end, else to white space, else between words. The tokeniser must have truncation and padding off, and give
    offsets into the text. Takes time in proportion to the text.
    """
    if overlap < 0 or limit < max(4 * overlap, 1):
        raise InvalidRequest(f"limit must be at least 4 * overlap: got limit={limit}, overlap={overlap}.")
    encoding = tokenizer.encode(readable(text), add_special_tokens=False)
    if len(encoding) <= limit:
        return (text,)
    offsets = encoding.offsets
    pieces = [
        text[offsets[first][0] : offsets[last - 1][1]]
        for first, last in _spans(len(offsets), limit, overlap, _edges(text, offsets, encoding.word_ids))
    ]
    windows: list[str] = []
    for piece, again in zip(pieces, _lengths(pieces, tokenizer), strict=True):
        # Some tokenisers read a slice otherwise than the whole. A piece that grew is cut once more; the length check
        # keeps one that can't be cut (a token that is split when it stands alone) from going on for ever.
        smaller = token_windows(piece, tokenizer, limit, overlap) if again > limit else (piece,)
        windows.extend(smaller if all(len(part) < len(piece) for part in smaller) else (piece,))
    return tuple(windows)


def _lengths(pieces: list[str], tokenizer: Tokenizer) -> list[int]:
    return [len(e) for e in tokenizer.encode_batch([readable(piece) for piece in pieces], add_special_tokens=False)]


def _edges(text: str, offsets: list[tuple[int, int]], words: list[int | None]) -> Callable[[int], int]:
    """How good a cut before token `at` is: 3 at a line's or sentence's end, 2 white space, 1 between words, 0 inside."""

    def edge(at: int) -> int:
        if words[at] is not None and words[at] == words[at - 1]:
            return 0
        end = offsets[at - 1][1]
        between = text[end : offsets[at][0]]
        if "\n" in between or text[end - 1 : end] in _PAUSES:
            return 3
        return 2 if between else 1

    return edge


def _spans(count: int, limit: int, overlap: int, edge: Callable[[int], int]) -> list[tuple[int, int]]:
    """Token ranges [first, last) that cover range(count)."""
    spans, first = [], 0
    while count - first > limit:
        # The latest of the best edges: a fuller window, and a shorter overlap, means fewer windows.
        last = max(range(first + limit - overlap, first + limit + 1), key=lambda at: (edge(at), at))
        spans.append((first, last))
        first = max(range(last - 2 * overlap, last - overlap + 1), key=lambda at: (edge(at), at))
    return [*spans, (first, count)]

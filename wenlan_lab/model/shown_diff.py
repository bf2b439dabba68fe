"""What changes from one text to another, word by word; and which words two texts share.

The pieces lose nothing: the kept and the removed ones make up the first text, the kept and the added ones the second.
It is a diff for reading, not for patching: what has little in common is shown as one text for another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from wenlan_lab.model.shown_text import Html, Span, escape, joined, tag, visible

Op = Literal["kept", "removed", "added"]

MOST_TOKENS = 4_000
LEAST_IN_COMMON = 0.25

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+(?:[.,:'’/-][^\W{_CJK}]+)*|\s+|[^\w\s]|\w")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FUNCTION_WORDS = frozenset(
    "a an and are as at be been but by did do does for from had has have he her his i in is it its me my of on or our she"
    " so that the their them then there they this to was we were what when where which who will with you your".split()
)

REMOVED = "background:rgba(211,47,47,.16);text-decoration:line-through;margin-right:2px"
ADDED = "background:rgba(56,142,60,.2);text-decoration:underline"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that is kept, removed or added."""

    op: Op
    text: str


def word_diff(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces in reading order; of each change first what goes, then what comes."""
    a, b = _tokens(before), _tokens(after)
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks() if a and b else []
    kept = sum(len("".join(a[block.a : block.a + block.size]).strip()) for block in blocks)
    if kept < LEAST_IN_COMMON * max(len(before), len(after)):
        return tuple(_pieces([("removed", before), ("added", after)]))
    told: list[tuple[Op, str]] = []
    at_a = at_b = 0
    for block in blocks:
        told += [("removed", "".join(a[at_a : block.a])), ("added", "".join(b[at_b : block.b]))]
        told.append(("kept", "".join(a[block.a : block.a + block.size])))
        at_a, at_b = block.a + block.size, block.b + block.size
    return tuple(_pieces(_joined_over_blanks(told)))


def _tokens(text: str) -> list[str]:
    """Words, blanks and signs; of a very long text its lines, and beyond that the text as a whole."""
    tokens = _TOKEN.findall(text)
    if len(tokens) > MOST_TOKENS:
        tokens = _LINE.findall(text)
    return tokens if len(tokens) <= MOST_TOKENS else [text]


def _joined_over_blanks(told: list[tuple[Op, str]]) -> list[tuple[Op, str]]:
    """Changes with nothing but a blank between them are one change: it reads better."""
    found: list[tuple[Op, str]] = []
    removed = added = ""
    for at, (op, text) in enumerate(told):
        more = any(other for kind, other in told[at + 1 : at + 3] if kind != "kept")
        if op == "removed":
            removed += text
        elif op == "added":
            added += text
        elif text and not text.strip() and (removed or added) and more:
            removed, added = removed + text, added + text
        elif text:
            found += [("removed", removed), ("added", added), ("kept", text)]
            removed = added = ""
    return [*found, ("removed", removed), ("added", added)]


def _pieces(told: Iterable[tuple[Op, str]]) -> Iterator[Piece]:
    return (Piece(op, text) for op, text in told if text)


def diff_text(pieces: Iterable[Piece]) -> str:
    """The pieces on a terminal: [-what goes-] and {+what comes+}."""
    forms = {"kept": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    return "".join(forms[piece.op].format(visible(piece.text)) for piece in pieces)


def diff_html(pieces: Iterable[Piece]) -> Html:
    """The pieces for a page: struck out and underlined as well as coloured, and named for those who hover."""
    return joined(
        escape(piece.text)
        if piece.op == "kept"
        else tag("span", escape(piece.text), style=REMOVED if piece.op == "removed" else ADDED, title=piece.op)
        for piece in pieces
    )


def shared_words(quote: str, claim: str) -> tuple[Span, ...]:
    """Where words of `claim` stand in `quote`, words that carry no content left out."""
    wanted = {word.casefold() for word in _TOKEN.findall(claim) if _tells(word)}
    return tuple(found.span() for found in _TOKEN.finditer(quote) if found.group().casefold() in wanted)


def _tells(word: str) -> bool:
    return word[0].isalnum() and word.casefold() not in _FUNCTION_WORDS

"""The one sentence boundary. Everything that speaks of sentences (chunks, citations, faithfulness) uses it.

A sentence ends at . ! ? … or their CJK forms, with closing quotes and brackets, before white space or the end; at a
blank line; and at the beginning of a list item or heading. Abbreviations, initials, versions and decimal numbers end
nothing. Spans never overlap, and what lies between them is white space alone: no character is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ABBREVIATIONS = frozenset(
    """dr mr mrs ms prof st sr jr vs etc eq eqs fig figs no nos vol pp p al approx ca cf dept ed eds e.g i.e e.g. i.e.
    inc ltd jan feb mar apr jun jul aug sep sept oct nov dec ref refs sec ch bzw z.b d.h u.a usw nr abb""".split()
)
_STOP = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[”’」』）]*")
_BREAK = re.compile(r"\n[ \t]*\n\s*|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t])")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]+$")


@dataclass(frozen=True, slots=True)
class Span:
    """Where a sentence stands: text[start:end]."""

    start: int
    end: int


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a text in order."""
    ends = sorted(
        {match.end() for match in _STOP.finditer(text) if _ends_here(text, match)}
        | {match.start() for match in _BREAK.finditer(text)}
        | {len(text)}
    )
    spans, start = [], 0
    for end in ends:
        piece = text[start:end]
        stripped = piece.strip()
        if stripped:
            first = start + len(piece) - len(piece.lstrip())
            spans.append(Span(first, first + len(stripped)))
        start = end
    return tuple(spans)


def _ends_here(text: str, match: re.Match[str]) -> bool:
    if not match.group().startswith(".") or match.group().startswith(".."):
        return True
    word = _LAST_WORD.search(text[max(match.start() - 24, 0) : match.start()])
    if word is None:
        return True
    last = word.group().lower()
    after = text[match.end() : match.end() + 40].lstrip()
    if last in _ABBREVIATIONS or last.rstrip(".") in _ABBREVIATIONS:
        return last in ("etc", "no", "al", "ed") and after[:1].isupper()
    if len(last) == 1 and last.isalpha() and word.group().isupper():
        return False  # an initial, "J. Doe"
    # A number with a dot opens a list item ("3. Then"), it doesn't end a sentence.
    line_start = text.rfind("\n", 0, match.start()) + 1
    return not (last.isdigit() and text[line_start : match.start()].strip() == last)

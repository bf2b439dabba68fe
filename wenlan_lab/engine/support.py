"""Two separate questions about a quote: does it stand in the source, and does it support the claim?

A quote can be genuine and still say something else: the claim denies it, changes a number, a date or a name, or swaps
who did what to whom. So locating and supporting are checked, and recorded, apart. This is also the one faithfulness
function: the sentences of pages are held against their sources by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wenlan_lab.engine.sentences import sentences
from wenlan_lab.engine.slots import Slots, slots_of
from wenlan_lab.engine.statements import dates_missing, names_missing, numbers_missing, opposed, swapped_within

ENOUGH = 0.5
MOST_SENTENCES = 400


@dataclass(frozen=True, slots=True)
class Located:
    """source[start:end] is the quote, but for white space."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NotLocated:
    """The quote doesn't stand there, or in more than one place."""

    reason: Literal["empty", "absent", "ambiguous"]


@dataclass(frozen=True, slots=True)
class Support:
    """`score` is the share of the claim's content words found in the source; `ok` asks for 0.5 and no disagreement."""

    score: float
    ok: bool
    disagreements: tuple[str, ...]


def locate(quote: str, source: str) -> Located | NotLocated:
    """Where a quote stands verbatim in a source. White space may differ, nothing else; it must be one place."""
    pieces = quote.split()
    if not pieces:
        return NotLocated("empty")
    if len(quote) > len(source) * 2 + 100:
        return NotLocated("absent")
    found = re.finditer(r"\s+".join(map(re.escape, pieces)), source)
    first = next(found, None)
    if first is None:
        return NotLocated("absent")
    return NotLocated("ambiguous") if next(found, None) is not None else Located(first.start(), first.end())


def supports(claim: str, source: str | Sequence[str]) -> Support:
    """Whether a source says what a claim says: enough shared words, and numbers, dates, negation, names, order agree."""
    whole = source if isinstance(source, str) else "\n".join(source)
    told, given = slots_of(claim), slots_of(whole)
    if not told.words:
        return Support(1.0, ok=True, disagreements=())
    score = sum(1 for word in told.words if word in given.words) / len(told.words)
    nearest = _nearest(told, whole)
    against = []
    if numbers_missing(told, given):
        against.append("number")
    if dates_missing(told, given):
        against.append("date")
    if told.negations % 2 != nearest.negations % 2 or opposed(told, nearest) or opposed(nearest, told):
        against.append("negation")
    if names_missing(told, given):
        against.append("name")
    if swapped_within(told, nearest):
        against.append("order")
    return Support(round(score, 4), score >= ENOUGH and not against, tuple(against))


def _nearest(told: Slots, source: str) -> Slots:
    """The slots of those source sentences that share the claim's words: negation elsewhere denies nothing here."""
    spans = sentences(source)[:MOST_SENTENCES]
    read = [slots_of(source[span.start : span.end]) for span in spans]
    shared = [sum(1 for word in told.words if word in slots.words) for slots in read]
    most = max(shared, default=0)
    if most == 0 or len(read) <= 1:
        return slots_of(source)
    return read[shared.index(most)]

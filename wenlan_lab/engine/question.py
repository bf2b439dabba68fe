"""What a question asks for: its content words, quoted phrases, who it names, and what kind of answer it wants.

Pure, and can't fail on any text. The word lists were settled on the dev data; nothing here knows a benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from wenlan_lab.derived.lexical import storable, tokens
from wenlan_lab.derived.stems import STOP_WORDS

LONGEST_QUERY = 4_000

WANTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("when", re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b")),
    ("number", re.compile(r"\bhow (?:many|much|long|often|old)\b")),
    ("place", re.compile(r"\bwhere\b")),
    ("person", re.compile(r"\bwho(?:m|se)?\b")),
    ("reason", re.compile(r"\bwhy\b|\bhow (?:did|does|do)\b")),
    ("thing", re.compile(r"\bwhat\b|\bwhich\b")),
    ("guess", re.compile(r"\bwould\b|\bmight\b|\blikely\b|\bcould\b")),
    ("yes_no", re.compile(r"^(?:is|are|did|does|do|was|were|has|have|had)\b")),
    ("advice", re.compile(r"\brecommend|\bsuggest|\badvice\b|\btips\b|\bideas\b|\bany\b")),
)
_ASKS_BACK = re.compile(
    r"\byou(?:r)?\b.*(?:told|said|suggest|recommend|mention|provid|gave|list|explain)"
    r"|previous (?:chat|conversation)|our (?:last|previous)|remind me|you (?:told|said|gave)",
    re.DOTALL,
)
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»\n]{2,200})[\"“”„«»]")


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart. `terms` are lower-case content words in order, repeats left out."""

    text: str
    terms: tuple[str, ...]
    phrases: tuple[str, ...]
    named: tuple[str, ...]
    wants: frozenset[str]
    asks_back: bool
    dense_text: str
    pairs: tuple[tuple[str, str], ...]


def analyse(query: str, *, known_speakers: Sequence[str] = (), now: datetime | None = None) -> Query:
    """Take a question apart. known_speakers: who speaks in the store; now: unused by the words themselves."""
    del now
    text = storable(query)[:LONGEST_QUERY]
    words = tokens(text)
    content = [word for word in words if word not in STOP_WORDS] or words
    lowered = text.lower()
    spoken = set(words)
    named = tuple(name for name in known_speakers if name and _is_named(name, spoken))
    return Query(
        text=text,
        terms=tuple(dict.fromkeys(content)),
        phrases=tuple(_QUOTED.findall(text))[:4],
        named=named,
        wants=frozenset(name for name, pattern in WANTS if pattern.search(lowered)),
        asks_back=_ASKS_BACK.search(lowered) is not None,
        dense_text=text,
        pairs=tuple(pairwise(content)),
    )


def _is_named(name: str, spoken: set[str]) -> bool:
    """A speaker is named when the first word of the name stands in the question."""
    parts = tokens(name)
    return bool(parts) and len(parts[0]) > 1 and parts[0] in spoken

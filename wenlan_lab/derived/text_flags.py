"""Cheap facts about a text that ranking uses, worked out once when it is indexed. A bit mask."""

from __future__ import annotations

import re

QUESTION, NUMBER, DATE, FIRST_PERSON, IMAGE = 1, 2, 4, 8, 16

_QUESTION = re.compile(r"[?？]\s*(?:\[image:.*)?$")
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|once|twice|several)\b", re.IGNORECASE
)
_DATE = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|week|weekend|month|year|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|\d{4}|\d+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|me|we|our|i'd|i'll)\b", re.IGNORECASE)
LOOKED_AT = 4_000


def text_flags(text: str) -> int:
    """Which of these hold: ends as a question, has a number, a date word, a first person, an image caption."""
    head = text[:LOOKED_AT]
    flags = QUESTION if _QUESTION.search(text[-LOOKED_AT:]) else 0
    flags |= NUMBER if _NUMBER.search(head) else 0
    flags |= DATE if _DATE.search(head) else 0
    flags |= FIRST_PERSON if _FIRST_PERSON.search(head) else 0
    return flags | (IMAGE if "[image:" in head else 0)

"""The contradiction pre-filter: no model, no embedding, from the key fields alone.

Same type, same space; the key fields overlap and their values differ. Compared normalised, so case or white space is no
contradiction. Whatever can't be read is consistent: this only ever finds candidates for a supersession or a question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wenlan_lab.engine.normalise import text_key
from wenlan_lab.model.types import TYPE_RULES, MemoryType

CONTEXT_OVERLAP = 0.5
CLAIM_OVERLAP = 0.3


@dataclass(frozen=True, slots=True)
class Statement:
    """What the pre-filter looks at. Without a claim among the fields, the text is the claim."""

    type: MemoryType
    space_id: str | None
    text: str
    fields: Mapping[str, str]
    valid_from: str


@dataclass(frozen=True, slots=True)
class Consistent:
    """Nothing speaks against both being true."""


@dataclass(frozen=True, slots=True)
class Contradicts:
    """They can't both be true now, and neither is later."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Supersedes:
    """They can't both be true now, and the new one is true from a later time."""

    field: str
    before: str
    after: str


Verdict = Consistent | Contradicts | Supersedes


def contradicts(new: Statement, old: Statement) -> Verdict:
    """How a new statement stands to an old one."""
    if new.type != old.type or new.space_id != old.space_id:
        return Consistent()
    key = TYPE_RULES[new.type].required[0]
    after, before = _value(new, key), _value(old, key)
    if not after or not before or text_key(after) == text_key(before) or not _about_the_same(new, old, after, before):
        return Consistent()
    if new.valid_from > old.valid_from:
        return Supersedes(key, before, after)
    return Contradicts(key, before, after)


def _value(statement: Statement, key: str) -> str:
    value = statement.fields.get(key, "")
    if not isinstance(value, str):
        return ""
    return value.strip() or (statement.text if key == "claim" else "")


def _about_the_same(new: Statement, old: Statement, after: str, before: str) -> bool:
    if new.type in ("preference", "decision"):
        context = TYPE_RULES[new.type].required[1]
        mine, theirs = _value(new, context), _value(old, context)
        return not mine or not theirs or overlap(mine, theirs) > CONTEXT_OVERLAP
    mine, theirs = new.fields.get("domain", ""), old.fields.get("domain", "")
    if mine and theirs and text_key(mine) != text_key(theirs):
        return False
    return overlap(after, before) > CLAIM_OVERLAP


def overlap(first: str, second: str) -> float:
    """Jaccard overlap of the sets of character pairs of two normalised texts; 1 when neither has a pair."""
    a, b = _pairs(text_key(first)), _pairs(text_key(second))
    return 1.0 if not a and not b else len(a & b) / len(a | b)


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)}

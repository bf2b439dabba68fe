"""The one table of memory types: their fields, tier, retrieval cue and base behaviour.

Nothing else in the package lists the six types or their fields; screens, checks and SQL follow this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from wenlan_lab.errors import InvalidRequest

MemoryType = Literal["identity", "preference", "decision", "fact", "lesson", "gotcha"]
Tier = Literal["protected", "standard", "ephemeral"]
SupersedeMode = Literal["hide", "archive"]

MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)
EVENT_FIELDS = ("event_date", "event_end")


@dataclass(frozen=True, slots=True)
class TypeRule:
    """What one memory type means. `cue` has a single slot, `{}`, for the first required field."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    tier: Tier
    cue: str
    supersede_mode: SupersedeMode


_CLAIM_OPTIONAL = ("source", "verified", "domain", *EVENT_FIELDS)
_CLAIM_CUE = "What is known about this: {}?"

TYPE_RULES: Mapping[MemoryType, TypeRule] = {
    "identity": TypeRule(
        ("claim",), ("evidence", "since", *EVENT_FIELDS), "protected", "Who is the user, as to this: {}?", "hide"
    ),
    "preference": TypeRule(
        ("preference", "applies_when"),
        ("strength", "alternatives_rejected", *EVENT_FIELDS),
        "protected",
        "What does the user prefer, as to this: {}?",
        "hide",
    ),
    "decision": TypeRule(
        ("decision", "context"),
        ("alternatives_considered", "date", "reversible", *EVENT_FIELDS),
        "standard",
        "What was decided about this, and why: {}?",
        "archive",
    ),
    "fact": TypeRule(("claim",), _CLAIM_OPTIONAL, "standard", _CLAIM_CUE, "hide"),
    "lesson": TypeRule(("claim",), _CLAIM_OPTIONAL, "standard", _CLAIM_CUE, "hide"),
    "gotcha": TypeRule(("claim",), _CLAIM_OPTIONAL, "standard", _CLAIM_CUE, "hide"),
}

TYPE_ALIASES: Mapping[str, MemoryType] = {"goal": "identity", "correction": "fact", "custom": "fact", "recap": "fact"}


@dataclass(frozen=True, slots=True)
class ParsedType:
    """The type to store and whether the caller chose it (a later pass may only replace a type nobody chose)."""

    type: MemoryType
    explicit: bool


def parse_type(text: str | None) -> ParsedType:
    """The stored type for what a caller wrote: None or "" is an unstated fact; aliases fold; case doesn't matter."""
    name = (text or "").strip().lower()
    if not name:
        return ParsedType("fact", explicit=False)
    if name in TYPE_ALIASES:
        return ParsedType(TYPE_ALIASES[name], explicit=True)
    for known in MEMORY_TYPES:
        if name == known:
            return ParsedType(known, explicit=True)
    if name == "profile":
        raise InvalidRequest("type 'profile' is two types here: choose 'identity' (who you are) or 'preference'.")
    if name == "knowledge":
        raise InvalidRequest("type 'knowledge' is three types here: choose 'fact', 'lesson' or 'gotcha'.")
    raise InvalidRequest(f"type {text!r} is unknown: choose one of {', '.join(MEMORY_TYPES)}.")


def tier_of(memory_type: MemoryType) -> Tier:
    """The tier that decides who may supersede a memory and how fast it fades in the ranking."""
    return TYPE_RULES[memory_type].tier


def missing_fields(memory_type: MemoryType, fields: Mapping[str, str]) -> tuple[str, ...]:
    """The required fields that are absent or blank, in the table's order. A warning, never a refusal."""
    return tuple(name for name in TYPE_RULES[memory_type].required if not fields.get(name, "").strip())


def unknown_fields(memory_type: MemoryType, fields: Mapping[str, str]) -> tuple[str, ...]:
    """Fields the type doesn't define; they are stored all the same."""
    rule = TYPE_RULES[memory_type]
    return tuple(name for name in fields if name not in rule.required and name not in rule.optional)


def retrieval_cue(memory_type: MemoryType, fields: Mapping[str, str]) -> str | None:
    """The question this memory answers, from its first required field; None when that field is blank.

    The value is put in with one `str.partition`, so braces inside it stay what they are.
    """
    rule = TYPE_RULES[memory_type]
    value = " ".join(fields.get(rule.required[0], "").split())
    if not value:
        return None
    head, _, tail = rule.cue.partition("{}")
    return head + value.rstrip("?.! ") + tail

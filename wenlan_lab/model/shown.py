"""How values look: pure functions from values to plain text, HTML and plain JSON values. Nothing here reads a clock.

The escaping is done in `shown_text`, for all of it; tables in `shown_tables`; hits in `shown_recall`; the rest in
`shown_values`. Surfaces import from here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import PurePath
from typing import Any

from wenlan_lab.model.actors import Actor
from wenlan_lab.model.shown_recall import hit_html, hit_row, hit_text, recall_html, recall_text
from wenlan_lab.model.shown_tables import Cell, Table, fold, html_table, message_html, text_table
from wenlan_lab.model.shown_text import Html, escape, one_line, visible
from wenlan_lab.model.shown_values import (
    forgetting_html,
    forgetting_text,
    memories_table,
    memory_html,
    memory_text,
    receipt_html,
    receipt_lines,
    receipt_text,
    receipts_table,
    sources_table,
    spaces_table,
)

__all__ = [
    "Cell",
    "Html",
    "Table",
    "escape",
    "flat_row",
    "fold",
    "forgetting_html",
    "forgetting_text",
    "hit_html",
    "hit_row",
    "hit_text",
    "html_table",
    "memories_table",
    "memory_html",
    "memory_text",
    "message_html",
    "one_line",
    "plain",
    "recall_html",
    "recall_text",
    "receipt_html",
    "receipt_lines",
    "receipt_text",
    "receipts_table",
    "sources_table",
    "spaces_table",
    "text_table",
    "visible",
]


SURROGATES = re.compile("[\ud800-\udfff]")


def plain(value: object) -> dict[str, Any]:
    """One of our values as a dictionary that JSON can hold, with the attributes' own names.

    Fields that a value keeps out of its repr stay out. Numbers that JSON lacks become None, lone surrogates U+FFFD.
    """
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"plain takes one of wenlan_lab's values, not {type(value).__name__}")
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value) if field.repr}


def _plain(value: object) -> Any:
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case str():
            return _sound(value)
        case Actor() | PurePath():
            return _sound(str(value))
        case date():
            return value.isoformat()
        case Mapping():
            return {_sound(str(key)): _plain(item) for key, item in value.items()}
        case tuple() | list() | set() | frozenset():
            return [_plain(item) for item in value]
        case _:
            return plain(value)


def _sound(text: str) -> str:
    return SURROGATES.sub("\ufffd", text)


def flat_row(value: object) -> dict[str, Any]:
    """One of our values as a row of a data frame: what is nested is written as JSON, a bare value is its one column."""
    if not is_dataclass(value):
        return {"value": _plain(value)}
    return {
        name: json.dumps(item, ensure_ascii=False) if isinstance(item, dict) or _is_nested(item) else item
        for name, item in plain(value).items()
    }


def _is_nested(item: object) -> bool:
    return isinstance(item, list) and any(isinstance(part, dict | list) for part in item)

"""Passages with where they stand: their source and space. What recall reads."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

PLACED = """select p.id, p.text, p.ref, p.thread, p.position, p.speaker, p.at, o.kind, o.space_id, s.name as space
    from passage p join source o on o.id = p.source_id left join space s on s.id = o.space_id
    where p.gone = 0 and p.id in (select value from json_each(?))"""


@dataclass(frozen=True, slots=True)
class PlacedPassage:
    """A passage as recall shows it."""

    id: str
    text: str
    ref: str
    thread: str
    position: int
    speaker: str
    at: str | None
    kind: str
    space_id: str | None
    space: str | None


def placed(truth: sqlite3.Connection, ids: Iterable[str]) -> dict[str, PlacedPassage]:
    """Passages that can be recalled, by id; unknown and gone ones are absent."""
    rows = truth.execute(PLACED, (json.dumps(list(ids)),))
    return {row["id"]: PlacedPassage(*row) for row in rows}

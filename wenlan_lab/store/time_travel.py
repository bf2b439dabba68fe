"""Memories as this store knew them at a moment: the state of each that was recorded then."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from wenlan_lab.model.memories import Memory
from wenlan_lab.store import memories

RECORDED_AT = """select memory_id, state from memory_version
    where memory_id in (select value from json_each(?1))
        and recorded_from <= ?2 and (recorded_to is null or recorded_to > ?2)"""
ADDED_AFTER = """select p.id from passage p where p.id in (select value from json_each(?1)) and exists (
        select 1 from touched t join journal j on j.seq = t.seq where t.kind = 'passage' and t.id = p.id
        group by t.id having min(j.at) > ?2)"""


def known_at(truth: sqlite3.Connection, ids: Iterable[str], moment: str | None) -> dict[str, Memory]:
    """Memories as they were recorded at `moment` (now when None). Those that were not known then are absent."""
    present = memories.get_many(truth, ids)
    if moment is None:
        return present
    rows = truth.execute(RECORDED_AT, (json.dumps(list(present)), moment))
    return {row["memory_id"]: _as_it_was(present[row["memory_id"]], json.loads(row["state"])) for row in rows}


def _as_it_was(memory: Memory, state: dict[str, object]) -> Memory:
    past = {name: state[name] for name in ("trust", "status", "valid_from", "valid_to", "type", "space_id", "revision")}
    if memory.status == "forgotten":
        past["status"] = "forgotten"  # what was erased is gone from every time
    return replace(memory, pinned=bool(state["pinned"]), **past)  # type: ignore[arg-type]  # the row's own columns


def passages_not_known(truth: sqlite3.Connection, ids: Iterable[str], moment: str) -> set[str]:
    """Those of these passages that were added after `moment`."""
    return {row[0] for row in truth.execute(ADDED_AFTER, (json.dumps(list(ids)), moment))}

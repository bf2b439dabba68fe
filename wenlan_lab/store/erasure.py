"""Scrubbing an erased memory's words out of the logs: journal payloads and versions.

The rows stay, so the chain verifies and replay still works; the words in them become `[erased]`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from wenlan_lab.model.changes import CaptureMemory
from wenlan_lab.model.outcomes import Place
from wenlan_lab.store import journal
from wenlan_lab.store.journal import ERASED

STATES = "select version, state from memory_version where memory_id = ?"
SCRUB_STATE = "update memory_version set state = ? where memory_id = ? and version = ?"
OWN_PAYLOADS = """select p.seq, p.body from journal_payload p join touched t on t.seq = p.seq
    where t.kind = 'memory' and t.id = ?"""
ABOUT_PAYLOADS = """select distinct p.seq, p.body from journal_payload p join touched t on t.seq = p.seq
    join review r on r.id = t.id where t.kind = 'review' and (r.before_id = ?1 or r.after_id = ?1)"""
REVIEWS = "select id from review where before_id = ?1 or after_id = ?1 order by id"
EVIDENCE = "select id from evidence where memory_id = ? order by id"
ENTRIES_OF = "select seq from touched where kind = 'memory' and id = ?"

# Columns of a memory or evidence row that hold its words, and what they become.
BLANK: dict[str, Any] = {
    "text": ERASED,
    "text_key": None,
    "cue": None,
    "fields": "{}",
    "tags": "[]",
    "quote": ERASED,
}
SHORTEST_SECRET = 4


def scrub(tx: sqlite3.Connection, memory_id: str, seq: int) -> None:
    """Take the words of a memory out of every journal payload and version; `seq` is the entry that forgot it."""
    secrets = words_of(tx, memory_id)
    for row in tx.execute(STATES, (memory_id,)).fetchall():
        state = _blank_row(json.loads(row["state"]))
        tx.execute(SCRUB_STATE, (json.dumps(state, ensure_ascii=False), memory_id, row["version"]))
    own = tx.execute(OWN_PAYLOADS, (memory_id,)).fetchall()
    for row in {row["seq"]: row for row in (*own, *tx.execute(ABOUT_PAYLOADS, (memory_id,)).fetchall())}.values():
        plain = journal.unpack(row["body"])
        cleaned = _clean(plain, memory_id, secrets)
        if cleaned != plain:
            change = json.dumps(cleaned["change"], ensure_ascii=False, sort_keys=True)
            tx.execute(journal.SCRUB, (journal.pack(change, cleaned["effects"]), seq, row["seq"]))


def places(truth: sqlite3.Connection, memory_id: str) -> tuple[Place, ...]:
    """Every place where a memory's words stand in the truth: its row, its evidence, its versions, the journal."""
    found = [Place("memory", memory_id, "the row itself")]
    for row in truth.execute(EVIDENCE, (memory_id,)):
        found.append(Place("evidence", row["id"], "a quote"))
    for row in truth.execute(STATES, (memory_id,)):
        found.append(Place("version", f"{memory_id}#{row['version']}", "an earlier or the present state"))
    for row in truth.execute(OWN_PAYLOADS, (memory_id,)):
        found.append(Place("journal", str(row["seq"]), "what the change wrote"))
    for row in truth.execute(REVIEWS, (memory_id,)):
        found.append(Place("review", row["id"], "why it was proposed, and what was said of it"))
    return tuple(found)


def words_of(truth: sqlite3.Connection, memory_id: str) -> frozenset[str]:
    """Every text, field value, cue and quote this memory ever had, as far as the logs still know."""
    words: set[str] = set()
    for row in truth.execute(STATES, (memory_id,)):
        words.update(_strings(json.loads(row["state"])))
    for (seq,) in truth.execute(ENTRIES_OF, (memory_id,)):
        plain = journal.payload(truth, seq)
        for table, before, after in (plain or {}).get("effects", ()):
            for row in (before, after):
                if table == "evidence" and row is not None and row["memory_id"] == memory_id:
                    words.add(row["quote"])
    return frozenset(word for word in words if len(word) >= SHORTEST_SECRET and word != ERASED)


def _strings(state: dict[str, Any]) -> Iterator[str]:
    yield state.get("text") or ""
    yield state.get("cue") or ""
    fields = json.loads(state.get("fields") or "{}")
    yield from (value for value in fields.values() if isinstance(value, str))


def _blank_row(row: dict[str, Any]) -> dict[str, Any]:
    # An already empty text marks the forgotten row itself and has to stay empty.
    return {key: BLANK[key] if key in BLANK and value else value for key, value in row.items()}


def _clean(plain: dict[str, Any], memory_id: str, secrets: frozenset[str]) -> dict[str, Any]:
    effects = []
    for table, before, after in plain["effects"]:
        mine = any(
            row is not None and (row.get("memory_id") if table == "evidence" else row["id"]) == memory_id
            for row in (before, after)
        )
        if mine and table in ("memory", "evidence"):
            before, after = (None if row is None else _blank_row(row) for row in (before, after))
        if table == "review":
            before, after = (_blank_review(row, memory_id) for row in (before, after))
        effects.append([table, before, after])
    change = plain["change"]
    if change.get("against") and any(table == "review" for table, _, _ in effects):
        change = {**change, "against": {**change["against"], "why": ERASED}}
    if change["change"] == CaptureMemory.__name__ and any(
        table == "memory" and after is not None and after["id"] == memory_id and before is None
        for table, before, after in effects
    ):
        change = {**change, "memory": _blank_new_memory(change["memory"])}
    else:
        change = _replace(change, secrets)
    return {"change": change, "effects": effects}


def _blank_review(row: dict[str, Any] | None, memory_id: str) -> dict[str, Any] | None:
    if row is None or memory_id not in (row["before_id"], row["after_id"]):
        return row
    return {**row, "why": ERASED, "resolution": ERASED if row["resolution"] else ""}


def _blank_new_memory(memory: dict[str, Any]) -> dict[str, Any]:
    evidence = [{**item, "quote": ERASED} for item in memory.get("evidence", ())]
    return {**memory, "text": ERASED, "text_key": ERASED, "cue": None, "fields": {}, "tags": [], "evidence": evidence}


def _replace(value: Any, secrets: frozenset[str]) -> Any:
    if isinstance(value, str):
        return ERASED if any(secret in value for secret in secrets) else value
    if isinstance(value, dict):
        return {key: _replace(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item, secrets) for item in value]
    return value

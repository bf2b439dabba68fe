"""Following the journal: what was touched since the watermark is read anew from the truth and replaces its rows.

The journal says *what* changed, the truth says what it *is*, so repeating or interrupting this converges. The watermark
is compared inside the transaction: without that a slow process could write back what another has seen forgotten.
Vectors follow in a second step of their own, since embedding is slow and may fail; keyword recall never waits for it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from wenlan_lab.derived import catalog, entries, lexical
from wenlan_lab.derived.entries import HIDDEN, NO_SPACE, Entry
from wenlan_lab.derived.stems import stem_hashes
from wenlan_lab.derived.text_flags import text_flags
from wenlan_lab.store import journal
from wenlan_lab.store.connection import snapshot

WATERMARK = "watermark"
GENERATION = "generation"

NUMBER_OF = "select number, generation from entry where id = ?"
UPSERT = """insert into entry (id, kind, alive, space_id, type, trust, status, pinned, archived, hidden, thread,
        position, speaker, at, touched, uses, flags, length, dense, words, windowed, generation)
    values (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
    on conflict (id) do update set kind = excluded.kind, alive = 1, space_id = excluded.space_id, type = excluded.type,
        trust = excluded.trust, status = excluded.status, pinned = excluded.pinned, archived = excluded.archived,
        hidden = excluded.hidden,
        thread = excluded.thread, position = excluded.position, speaker = excluded.speaker, at = excluded.at,
        touched = excluded.touched, uses = excluded.uses, flags = excluded.flags, length = excluded.length,
        windowed = case when entry.dense = excluded.dense and entry.alive = 1 then entry.windowed else 0 end,
        dense = excluded.dense, words = excluded.words, generation = excluded.generation
    returning number"""
BURY = """update entry set alive = 0, dense = '', words = x'', speaker = '', thread = '', windowed = 1,
    generation = ? where id = ? and alive = 1 returning number"""
IN_THREADS = "select id from entry where alive = 1 and thread = ?"
DROP_WINDOWS = "delete from window where number = ?"


@dataclass(frozen=True, slots=True)
class Followed:
    """How far the index is now, and how many entries the catch-up replaced or removed."""

    watermark: int
    replaced: int
    removed: int


def follow(truth: sqlite3.Connection, index: sqlite3.Connection) -> Followed:
    """Bring the index up to the newest journal entry. Nothing new touches nothing."""
    while True:
        watermark = catalog.number(index, WATERMARK)
        target = journal.last_seq(truth)
        if target <= watermark:
            return Followed(watermark, 0, 0)
        with snapshot(truth):
            target = journal.last_seq(truth)
            fresh, gone = _read(truth, index, journal.touched_between(truth, watermark, target))
        with catalog.transaction(index):
            if catalog.number(index, WATERMARK) != watermark:
                continue  # another process was here meanwhile: look again
            generation = catalog.number(index, GENERATION) + 1
            for entry in fresh:
                _replace(index, entry, generation)
            removed = sum(_remove(index, entry_id, generation) for entry_id in gone)
            catalog.put(index, GENERATION, str(generation))
            catalog.put(index, WATERMARK, str(target))
        return Followed(target, len(fresh), removed)


def _read(
    truth: sqlite3.Connection, index: sqlite3.Connection, touched: Iterable[tuple[str, str]]
) -> tuple[list[Entry], list[str]]:
    """The entries to replace and the ids to remove, for what was touched."""
    by_kind: dict[str, set[str]] = {}
    for kind, subject in touched:
        by_kind.setdefault(kind, set()).add(subject)
    memory_ids = by_kind.get("memory", set())
    # A memory that archives another changes how that one is shown.
    fresh = entries.memory_entries(truth, memory_ids | _superseded_by(truth, memory_ids))
    gone = memory_ids - {entry.id for entry in fresh}
    passage_ids, source_ids = by_kind.get("passage", set()), by_kind.get("source", set())
    touched_threads = truth.execute(entries.THREADS, (json.dumps(sorted(passage_ids)), json.dumps(sorted(source_ids))))
    alive: set[str] = set()
    for source_id, thread in touched_threads.fetchall():
        found = entries.passage_entries(truth, source_id, thread)
        fresh.extend(found)
        alive.update(entry.id for entry in found)
        known = {row[0] for row in index.execute(IN_THREADS, (f"{source_id}/{thread}",))}
        gone |= known - alive
    return fresh, sorted(gone | (passage_ids - alive))


SUPERSEDED_BY = """select supersedes from memory where supersedes is not null
    and id in (select value from json_each(?))"""


def _superseded_by(truth: sqlite3.Connection, ids: set[str]) -> set[str]:
    return {row[0] for row in truth.execute(SUPERSEDED_BY, (json.dumps(sorted(ids)),))}


def _replace(index: sqlite3.Connection, entry: Entry, generation: int) -> None:
    flags, length = text_flags(entry.text), len(entry.text)
    number = index.execute(
        UPSERT,
        (
            entry.id,
            entry.kind,
            entry.space_id,
            entry.type,
            entry.trust,
            entry.status,
            int(entry.pinned),
            int(entry.archived),
            int(entry.hidden),
            entry.thread,
            entry.position,
            entry.speaker,
            entry.at,
            entry.touched,
            entry.uses,
            flags,
            length,
            entry.dense,
            stem_hashes(entry.text).tobytes(),
            generation,
        ),
    ).fetchone()[0]
    index.execute(lexical.DELETE, (number,))
    index.execute(
        lexical.INSERT,
        (
            number,
            lexical.indexed_text(entry.text),
            lexical.indexed_text(entry.title),
            lexical.indexed_text(entry.cue),
            lexical.indexed_text(entry.context),
            lexical.indexed_text(entry.date_words),
            scope_words(entry),
        ),
    )


def _remove(index: sqlite3.Connection, entry_id: str, generation: int) -> int:
    row = index.execute(BURY, (generation, entry_id)).fetchone()
    if row is None:
        return 0
    index.execute(lexical.DELETE, (row[0],))
    index.execute(DROP_WINDOWS, (row[0],))
    return 1


def scope_words(entry: Entry) -> str:
    """The tokens by which a read scope finds this entry: its space, its kind, its type, whether it is hidden."""
    names = [entry.space_id or NO_SPACE, entry.kind, f"type{entry.type}"]
    if entry.hidden:
        names.append(HIDDEN)
    return " ".join(lexical.scope_token(name) for name in names)

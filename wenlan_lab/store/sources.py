"""Rows of sources and passages, and what each change does to them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable

from wenlan_lab.errors import NotFound
from wenlan_lab.model.changes import AddPassages, AddSource, MarkPassagesGone
from wenlan_lab.model.outcomes import Applied, Outcome, PassagesAdded, SourceKnown, Unchanged
from wenlan_lab.model.sources import NewPassage, Passage, Source
from wenlan_lab.store import spaces
from wenlan_lab.store.context import Context

INSERT = """insert into source (id, kind, ref, title, space_id, digest, added, revision) values (?, ?, ?, ?, ?, ?, ?, 1)
    on conflict do nothing"""
KNOWN = "select * from source where ifnull(space_id, '') = ifnull(?, '') and kind = ? and ref = ?"
SET_DIGEST = "update source set digest = ?, title = ?, revision = revision + 1 where id = ?"
SOURCES = "select * from source where (:id is null or id = :id) order by added, id"
INSERT_PASSAGE = """insert into passage (id, source_id, ref, thread, position, speaker, at, text, title, digest,
        redactions, gone) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
    on conflict do nothing"""
REVIVE = """update passage set gone = 0 where source_id = ? and thread = ? and position = ? and ref = ? and digest = ?
    and gone = 1"""
MARK_GONE = "update passage set gone = 1 where source_id = ? and gone = 0 and id in (select value from json_each(?))"
PASSAGES = """select p.*, o.kind, o.ref as source_ref, o.space_id, s.name as space
    from passage p join source o on o.id = p.source_id left join space s on s.id = o.space_id
    where p.id in (select value from json_each(?))"""
PASSAGES_OF = "select * from passage where source_id = ? order by thread, position, id"
COUNT_OF = "select count(*) from passage where source_id = ? and gone = 0"
UNLINK_EVIDENCE = """update evidence set passage_id = null, source_id = null
    where source_id = ?1 or passage_id in (select id from passage where source_id = ?1)"""
RESTING_ON = """select distinct memory_id from evidence
    where source_id = ?1 or passage_id in (select id from passage where source_id = ?1) order by memory_id"""
DELETE_PASSAGES = "delete from passage where source_id = ?"
DELETE = "delete from source where id = ?"
IDS_IN_SPACE = "select id from source where space_id = ? order by id"


def text_digest(text: str) -> str:
    """The digest that identifies a passage's words."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def from_row(row: sqlite3.Row) -> Source:
    """A source from its row."""
    return Source(
        row["id"], row["kind"], row["ref"], row["title"], row["space_id"], row["digest"], row["added"], row["revision"]
    )


def passage_from_row(row: sqlite3.Row) -> Passage:
    """A passage from its row."""
    return Passage(
        row["id"],
        row["source_id"],
        row["ref"],
        row["thread"],
        row["position"],
        row["speaker"],
        row["at"],
        row["text"],
        row["title"],
        row["digest"],
        row["redactions"],
        bool(row["gone"]),
    )


def listed(truth: sqlite3.Connection) -> tuple[Source, ...]:
    """All sources, first added first."""
    return tuple(from_row(row) for row in truth.execute(SOURCES, {"id": None}))


def get(truth: sqlite3.Connection, source_id: str) -> Source:
    """One source; NotFound when there is none."""
    row = truth.execute(SOURCES, {"id": source_id}).fetchone()
    if row is None:
        raise NotFound(f"there is no source {source_id!r}: `sources` lists those there are.")
    return from_row(row)


def known(truth: sqlite3.Connection, space_id: str | None, kind: str, ref: str) -> Source | None:
    """The source that is registered under this kind and ref in that space."""
    row = truth.execute(KNOWN, (space_id, kind, ref)).fetchone()
    return None if row is None else from_row(row)


def passages_of(truth: sqlite3.Connection, source_id: str) -> tuple[Passage, ...]:
    """The passages of a source in reading order, those that are gone included."""
    return tuple(passage_from_row(row) for row in truth.execute(PASSAGES_OF, (source_id,)))


def passage_count(truth: sqlite3.Connection, source_id: str) -> int:
    """How many passages of it are recalled."""
    return int(truth.execute(COUNT_OF, (source_id,)).fetchone()[0])


def passages(truth: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Passage]:
    """Passages by id; unknown ids are absent."""
    rows = truth.execute(PASSAGES, (json.dumps(list(ids)),))
    return {row["id"]: passage_from_row(row) for row in rows}


def resting_on(truth: sqlite3.Connection, source_id: str) -> tuple[str, ...]:
    """The memories whose evidence lies in this source."""
    return tuple(row[0] for row in truth.execute(RESTING_ON, (source_id,)))


def add(ctx: Context, change: AddSource) -> Outcome:
    """Register a source, or note its new digest."""
    spaces.require(ctx.tx, change.space_id)
    source_id = ctx.new_id("src")
    inserted = ctx.tx.execute(
        INSERT, (source_id, change.kind, change.ref, change.title, change.space_id, change.digest, ctx.at)
    )
    if inserted.rowcount:
        return Applied((source_id,))
    old = known(ctx.tx, change.space_id, change.kind, change.ref)
    if old is None or (old.digest, old.title) == (change.digest, change.title):
        return SourceKnown(old.id if old else "")
    ctx.tx.execute(SET_DIGEST, (change.digest, change.title, old.id))
    return Applied((old.id,))


def add_passages(ctx: Context, change: AddPassages) -> Outcome:
    """Store the passages that are new; one that had gone and is found again comes back."""
    get(ctx.tx, change.source_id)
    added = []
    for passage in change.passages:
        passage_id = ctx.new_id("psg")
        if ctx.tx.execute(INSERT_PASSAGE, _values(passage_id, change.source_id, passage)).rowcount:
            added.append(passage_id)
        else:
            identity = (passage.thread, passage.position, passage.ref, text_digest(passage.text))
            ctx.tx.execute(REVIVE, (change.source_id, *identity))
    return PassagesAdded(tuple(added), len(change.passages) - len(added))


def mark_gone(ctx: Context, change: MarkPassagesGone) -> Outcome:
    """Take passages out of recall that the outside no longer has."""
    count = ctx.tx.execute(MARK_GONE, (change.source_id, json.dumps(list(change.passage_ids)))).rowcount
    return Applied((change.source_id,), count) if count else Unchanged(change.source_id, "no passage was gone")


def remove(ctx: Context, source_id: str) -> Outcome:
    """Delete a source and its passages. Evidence keeps its quote and says by its empty place that the source is gone."""
    get(ctx.tx, source_id)
    count = passage_count(ctx.tx, source_id)
    ctx.tx.execute(UNLINK_EVIDENCE, (source_id,))
    ctx.tx.execute(DELETE_PASSAGES, (source_id,))
    ctx.tx.execute(DELETE, (source_id,))
    return Applied((source_id,), 1 + count)


def delete_in_space(ctx: Context, space_id: str) -> int:
    """Remove every source of a space; returns how many rows went."""
    ids = [row[0] for row in ctx.tx.execute(IDS_IN_SPACE, (space_id,))]
    return sum(getattr(remove(ctx, source_id), "count", 0) for source_id in ids)


def _values(passage_id: str, source_id: str, passage: NewPassage) -> tuple[object, ...]:
    return (
        passage_id,
        source_id,
        passage.ref,
        passage.thread,
        passage.position,
        passage.speaker,
        passage.at,
        passage.text,
        passage.title,
        text_digest(passage.text),
        passage.redactions,
    )

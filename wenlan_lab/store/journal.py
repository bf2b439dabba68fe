"""The journal: an append-only, hash-chained record of every change that took effect, and the feed that derived data
follows.

A row's hash covers its number, time, actor, change, summary, subjects, the digest of its payload and the hash before
it. The payload (the Change and its effects) lies beside the chain: when a text is erased its payloads are scrubbed and
say which entry did that, and the chain still verifies.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from dataclasses import dataclass
from typing import Any

from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import Change
from wenlan_lab.store import change_codec
from wenlan_lab.store.effects import Effect, to_json

GENESIS = "sha256:" + "0" * 64
COMPRESS_FROM = 4096
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
ERASED = "[erased]"

LAST = "select seq, at, hash from journal order by seq desc limit 1"
INSERT_ENTRY = """insert into journal (seq, at, actor, change, summary, digest, previous_hash, hash)
    values (?, ?, ?, ?, ?, ?, ?, ?)"""
INSERT_PAYLOAD = "insert into journal_payload (seq, nonce, body) values (?, ?, ?)"
INSERT_TOUCHED = "insert into touched (seq, kind, id) values (?, ?, ?)"
SUBJECTS = "select kind, id from touched where seq = ? order by kind, id"
ENTRIES_OF_SUBJECT = "select distinct seq from touched where kind = ? and id = ? order by seq"
PAYLOAD = "select nonce, body, erased_by from journal_payload where seq = ?"
SCRUB = "update journal_payload set body = ?, erased_by = ? where seq = ?"
ENTRIES = """select seq, at, actor, change, summary from journal
    where seq > :after and (:before is null or seq < :before) and (:actor is null or actor = :actor)
      and (:since is null or at >= :since) and (:until is null or at < :until)
      and (:id is null or exists (select 1 from touched t where t.seq = journal.seq and t.id = :id))
    order by seq desc limit :most"""
TOUCHED_AFTER = "select distinct kind, id from touched where seq > ? and seq <= ? order by kind, id"
MAX_SEQ = "select ifnull(max(seq), 0) from journal"


@dataclass(frozen=True, slots=True)
class Entry:
    """One journal row as people read it."""

    seq: int
    at: str
    actor: str
    change: str
    summary: str


@dataclass(frozen=True, slots=True)
class Tip:
    """The end of the chain: what the next row builds on."""

    seq: int
    at: str
    hash: str


def tip(connection: sqlite3.Connection) -> Tip:
    """The last row, or the genesis of an empty journal."""
    row = connection.execute(LAST).fetchone()
    return Tip(0, "", GENESIS) if row is None else Tip(row["seq"], row["at"], row["hash"])


def payload_digest(nonce: str, body: bytes) -> str:
    """Digest of a payload. The nonce keeps a short erased text from being guessed out of the chain."""
    return "sha256:" + hashlib.sha256(nonce.encode() + b"\x1f" + body).hexdigest()


def row_hash(
    seq: int,
    at: str,
    actor: str,
    change: str,
    summary: str,
    subjects: list[tuple[str, str]],
    digest: str,
    previous: str,
) -> str:
    """Hash of one journal row over everything it says and the row before it."""
    told = _ENCODE([seq, at, actor, change, summary, subjects, digest, previous])
    return "sha256:" + hashlib.sha256(told.encode()).hexdigest()


def pack(change_json: str, effects: list[list[Any]]) -> bytes:
    """A payload as bytes: JSON, deflated when that is worth it."""
    body = f'{{"change":{change_json},"effects":{_ENCODE(effects)}}}'.encode()
    return body if len(body) < COMPRESS_FROM else b"z" + zlib.compress(body, 1)


def unpack(body: bytes) -> dict[str, Any]:
    """What `pack` wrote."""
    plain: dict[str, Any] = json.loads(zlib.decompress(body[1:]) if body[:1] == b"z" else body)
    return plain


def append(
    tx: sqlite3.Connection,
    last: Tip,
    change: Change,
    effects: tuple[Effect, ...],
    summary: str,
    actor: Actor,
    at: str,
    nonce: str,
) -> Tip:
    """Write the next row of the chain and return it as the new tip."""
    seq = last.seq + 1
    name = change_codec.change_name(change)
    body = pack(change_codec.encode(change), to_json(effects))
    subjects = sorted({effect.subject for effect in effects})
    digest = payload_digest(nonce, body)
    hashed = row_hash(seq, at, str(actor), name, summary, subjects, digest, last.hash)
    tx.execute(INSERT_ENTRY, (seq, at, str(actor), name, summary, digest, last.hash, hashed))
    tx.execute(INSERT_PAYLOAD, (seq, nonce, body))
    tx.executemany(INSERT_TOUCHED, [(seq, kind, subject) for kind, subject in subjects])
    return Tip(seq, at, hashed)


def entries(
    truth: sqlite3.Connection,
    *,
    subject: str | None = None,
    actor: str | None = None,
    since: str | None = None,
    until: str | None = None,
    most: int = 50,
    after: int = 0,
    before: int | None = None,
) -> tuple[Entry, ...]:
    """Journal rows, newest first, narrowed by the id they touched, by actor and by time (ISO, until excluded)."""
    question = {
        "id": subject,
        "actor": actor,
        "since": since,
        "until": until,
        "most": most,
        "after": after,
        "before": before,
    }
    return tuple(Entry(*row) for row in truth.execute(ENTRIES, question))


def subjects_of(truth: sqlite3.Connection, seq: int) -> list[tuple[str, str]]:
    """(kind, id) of everything that entry touched, sorted."""
    return [(row[0], row[1]) for row in truth.execute(SUBJECTS, (seq,))]


def payload(truth: sqlite3.Connection, seq: int) -> dict[str, Any] | None:
    """The Change and effects of an entry as plain JSON values; None when there is no such entry."""
    row = truth.execute(PAYLOAD, (seq,)).fetchone()
    return None if row is None else unpack(row["body"])


def last_seq(truth: sqlite3.Connection) -> int:
    """The number of the newest entry, 0 for an empty journal."""
    return int(truth.execute(MAX_SEQ).fetchone()[0])


def touched_between(truth: sqlite3.Connection, after: int, until: int) -> list[tuple[str, str]]:
    """The distinct (kind, id) touched by entries after `after` up to and including `until`."""
    return [(row[0], row[1]) for row in truth.execute(TOUCHED_AFTER, (after, until))]

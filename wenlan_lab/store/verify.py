"""verify(): re-derive every invariant of the truth from what reading returns, and name what is broken. Reads only."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from wenlan_lab.errors import WenlanError
from wenlan_lab.store import change_codec, journal
from wenlan_lab.store.effects import STATE_TABLES, from_json
from wenlan_lab.store.sources import text_digest

CHAIN = """select j.*, p.nonce, p.body, p.erased_by from journal j left join journal_payload p on p.seq = j.seq
    order by j.seq"""
ALL_TOUCHED = "select seq, kind, id from touched order by seq, kind, id"
OPEN_VERSIONS = """select m.id, m.text, m.revision, m.status, v.version, v.state from memory m
    left join memory_version v on v.memory_id = m.id and v.recorded_to is null"""
CLOSED_TWICE = """select memory_id from memory_version group by memory_id
    having sum(recorded_to is null) > 1"""
OVERLAPS = """select a.memory_id, a.version from memory_version a
    join memory_version b on b.memory_id = a.memory_id and b.version = a.version + 1
    where a.recorded_to is null or a.recorded_to > b.recorded_from"""
BACKWARDS = "select id from memory where valid_to is not null and valid_to < valid_from"
PASSAGE_DIGESTS = "select id, text, digest from passage"
ORPHANS = "pragma foreign_key_check"


def problems(truth: sqlite3.Connection) -> Iterator[str]:
    """Every broken invariant in plain words; nothing when all is well."""
    for (line,) in truth.execute("pragma integrity_check"):
        if line != "ok":
            yield f"SQLite: {line}"
    for row in truth.execute(ORPHANS):
        yield f"row {row['rowid']} of {row['table']} points to a {row['parent']} that isn't there"
    yield from _chain(truth)
    yield from _versions(truth)
    for row in truth.execute(PASSAGE_DIGESTS):
        if text_digest(row["text"]) != row["digest"]:
            yield f"passage {row['id']}: its text isn't what was imported"


def _chain(truth: sqlite3.Connection) -> Iterator[str]:
    subjects: dict[int, list[tuple[str, str]]] = {}
    for row in truth.execute(ALL_TOUCHED):
        subjects.setdefault(row["seq"], []).append((row["kind"], row["id"]))
    previous, expected = journal.GENESIS, 1
    forgotten = set()
    broken = False
    erased: list[tuple[int, int]] = []
    last_state: dict[tuple[str, str], object] = {}
    for row in truth.execute(CHAIN):
        seq = row["seq"]
        if seq != expected:
            yield f"journal entry {expected} is missing"
            broken, expected = True, seq
        told = sorted(subjects.pop(seq, []))
        hashed = journal.row_hash(
            seq, row["at"], row["actor"], row["change"], row["summary"], told, row["digest"], row["previous_hash"]
        )
        if hashed != row["hash"]:
            yield f"journal entry {seq} was altered: its hash doesn't match what it says"
            broken = True
        elif row["previous_hash"] != previous and not broken:
            yield f"journal entry {seq} doesn't follow the entry before it"
            broken = True
        previous, expected = row["hash"], seq + 1
        if row["change"] == "ForgetMemory":
            forgotten.add(seq)
        if row["erased_by"] is not None:
            erased.append((seq, row["erased_by"]))
        yield from _payload(row, last_state)
    for seq, by in erased:
        if by not in forgotten:
            yield f"journal entry {seq} says entry {by} erased it, which is no ForgetMemory"
    for seq in sorted(subjects):
        yield f"touched rows of journal entry {seq} have no entry"
    yield from _state(truth, last_state)


def _payload(row: sqlite3.Row, last_state: dict[tuple[str, str], object]) -> Iterator[str]:
    seq = row["seq"]
    if row["body"] is None:
        yield f"journal entry {seq} has lost its payload"
        return
    try:
        plain = journal.unpack(row["body"])
        effects = from_json(plain["effects"])
        if row["erased_by"] is None:
            change_codec.decode(json.dumps(plain["change"]))
    except (WenlanError, ValueError, KeyError, TypeError, json.JSONDecodeError) as error:
        yield f"the payload of journal entry {seq} can't be read: {error}"
        return
    for effect in effects:
        last_state[(effect.table, effect.key)] = effect.after
    if row["erased_by"] is None and journal.payload_digest(row["nonce"], row["body"]) != row["digest"]:
        yield f"the payload of journal entry {seq} was altered"


def _state(truth: sqlite3.Connection, told: dict[tuple[str, str], object]) -> Iterator[str]:
    """The rows there are must be just what the journal says was last made of them."""
    for table, (key, _, _) in STATE_TABLES.items():
        seen = set()
        for row in truth.execute(f"select * from {table}"):  # noqa: S608 - names from our own schema
            identity = (table, str(row[key]))
            seen.add(identity)
            if told.get(identity) != dict(row):
                yield f"{table} {row[key]} isn't what the journal last made of it"
        for identity, after in told.items():
            if identity[0] == table and after is not None and identity not in seen:
                yield f"{table} {identity[1]} is missing though the journal never deleted it"


def _versions(truth: sqlite3.Connection) -> Iterator[str]:
    for row in truth.execute(OPEN_VERSIONS):
        if row["version"] is None:
            yield f"memory {row['id']} has no open version"
        elif json.loads(row["state"])["revision"] != row["revision"]:
            yield f"memory {row['id']}: its open version isn't its present state"
    for row in truth.execute(CLOSED_TWICE):
        yield f"memory {row['memory_id']} has more than one open version"
    for row in truth.execute(OVERLAPS):
        yield f"memory {row['memory_id']}: version {row['version']} overlaps the next"
    for row in truth.execute(BACKWARDS):
        yield f"memory {row['id']} ends before it begins"

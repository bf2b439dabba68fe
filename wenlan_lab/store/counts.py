"""How much of everything there is."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

BY_TYPE = "select type, count(*) from memory where status = 'live' group by type order by type"
BY_TRUST = "select trust, count(*) from memory where status = 'live' group by trust order by trust"
TOTALS = """select (select count(*) from memory where status = 'live') as memories,
    (select count(*) from space) as spaces, (select count(*) from source) as sources,
    (select count(*) from passage where gone = 0) as passages, (select count(*) from rejection) as rejections"""


@dataclass(frozen=True, slots=True)
class Counts:
    """Live memories by type and trust, and the rows of the rest."""

    memories: int
    by_type: dict[str, int]
    by_trust: dict[str, int]
    spaces: int
    sources: int
    passages: int
    rejections: int


def of(truth: sqlite3.Connection) -> Counts:
    """Count everything."""
    row = truth.execute(TOTALS).fetchone()
    by_type = dict(map(tuple, truth.execute(BY_TYPE)))
    by_trust = dict(map(tuple, truth.execute(BY_TRUST)))
    return Counts(row["memories"], by_type, by_trust, row["spaces"], row["sources"], row["passages"], row["rejections"])


PROTECTED = """select
    (select count(*) from review where kind = 'supersede' and (:space is null or ifnull(space_id, '') = :space))
        as stopped,
    (select count(*) from memory n join memory o on o.id = n.supersedes where o.type in ('identity', 'preference')
        and (:space is null or ifnull(n.space_id, '') = :space)) as passed,
    (select count(*) from review where kind = 'supersede' and status = 'accepted'
        and (:space is null or ifnull(space_id, '') = :space)) as accepted"""


@dataclass(frozen=True, slots=True)
class ProtectedWrites:
    """Attempts to replace a protected memory, and how many of them had to wait for a person."""

    attempted: int
    stopped: int


def protected_writes(truth: sqlite3.Connection, space_id: str | None = None) -> ProtectedWrites:
    """Count them: what waited in review, and what a person did at once. `space_id` "" is uncategorized, None everywhere."""
    row = truth.execute(PROTECTED, {"space": space_id}).fetchone()
    return ProtectedWrites(row["stopped"] + max(row["passed"] - row["accepted"], 0), row["stopped"])

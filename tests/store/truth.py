"""A truth on disk for tests, with a clock that moves a second at each look and ids that count."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from wenlan_lab.model.actors import PERSON, Actor
from wenlan_lab.model.changes import AddPassages, AddSource, CaptureMemory, Change, CreateSpace
from wenlan_lab.model.memories import NewEvidence, NewMemory, Origin
from wenlan_lab.model.outcomes import Written
from wenlan_lab.model.sources import NewPassage
from wenlan_lab.store import effects, migrate, write
from wenlan_lab.store.connection import open_truth


@dataclass(slots=True)
class Truth:
    """An open truth with its injected clock and ids."""

    connection: sqlite3.Connection
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    last: int = 0
    seen: list[Written] = field(default_factory=list)
    then: Callable[[], object] = lambda: None

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def new_id(self, prefix: str) -> str:
        self.last += 1
        return f"{prefix}_{self.last:04d}"

    def apply(self, change: Change, actor: Actor = PERSON) -> Written:
        done = write.apply(self.connection, change, actor=actor, clock=self.clock, new_id=self.new_id)
        self.seen.append(done)
        self.then()
        return done

    def made(self, change: Change) -> str:
        """Apply a change and return the first id it made or touched."""
        outcome = self.apply(change).outcome
        ids = getattr(outcome, "ids", None)
        return str(ids[0] if ids else getattr(outcome, "id"))  # noqa: B009 - outcomes without ids have an id


def open_at(folder: Path) -> Truth:
    """A migrated, watched truth in `folder`."""
    connection = open_truth(folder)
    migrate.migrate(connection, str(folder), "2026-01-01T00:00:00+00:00")
    effects.watch(connection)
    return Truth(connection)


def memory(text: str, *, space_id: str | None = None, evidence: tuple[NewEvidence, ...] = ()) -> CaptureMemory:
    """A change that captures `text` as a fact."""
    origin = Origin(True, False, "request" if space_id else "none")
    return CaptureMemory(
        NewMemory(
            text,
            text.lower(),
            "fact",
            space_id,
            {"claim": text},
            f"What of {text}?",
            ("tag",),
            "asserted",
            origin,
            evidence=evidence,
        )
    )


def passages(source_id: str, *texts: str, start: int = 0) -> AddPassages:
    """A change that adds one passage for each text."""
    rows = (NewPassage(f"D1:{at}", "s1", at, "Ada", None, text) for at, text in enumerate(texts, start))
    return AddPassages(source_id, tuple(rows))


def furnished(truth: Truth) -> dict[str, str]:
    """One of everything: two spaces, memories, a source with passages and a memory that rests on one of them."""
    made = {
        "space": truth.made(CreateSpace("lab", "where we measure")),
        "other": truth.made(CreateSpace("thesis")),
    }
    made["memory"] = truth.made(memory("The pump stalls below four degrees", space_id=made["space"]))
    made["loose"] = truth.made(memory("The dome leaks"))
    made["source"] = truth.made(AddSource("chat", "conv-1", "A chat", made["space"], "sha256:1"))
    made["passage"] = truth.made(passages(made["source"], "I saw the pump stall", "So did I"))
    quote = NewEvidence("I saw the pump stall", made["passage"], made["source"], 0, 20, "sha256:2", True, True)
    made["resting"] = truth.made(memory("Ada saw the pump stall", evidence=(quote,)))
    return made


STATE = ("space", "memory", "source", "passage", "evidence", "rejection")
LOGS = ("journal", "journal_payload", "touched", "memory_version")


def dump(truth: Truth, tables: tuple[str, ...] = STATE + LOGS) -> dict[str, list[tuple[object, ...]]]:
    """All rows of the tables, for comparing before and after."""
    return {
        name: [tuple(row) for row in truth.connection.execute(f"select * from {name} order by 1, 2")]  # noqa: S608 - names from the constant above
        for name in tables
    }

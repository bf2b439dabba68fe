"""history(id) and why(id): what a memory was, and what it rests on."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from wenlan_lab.engine import faces
from wenlan_lab.model import shown
from wenlan_lab.model.memories import Evidence, Memory
from wenlan_lab.store import journal, memories, versions
from wenlan_lab.store.journal import Entry
from wenlan_lab.store.versions import Version


@dataclass(frozen=True, slots=True)
class History:
    """Every state a memory was in, oldest first, and the journal entries that touched it, newest first."""

    id: str
    versions: tuple[Version, ...]
    entries: tuple[Entry, ...]

    def __repr__(self) -> str:
        return shown.text_table(*faces.history_tables(self))

    def _repr_html_(self) -> str:
        return shown.html_table(*faces.history_tables(self))


@dataclass(frozen=True, slots=True)
class Why:
    """What a memory rests on. `answer` says it in a sentence; with no evidence it is "asserted by …"."""

    memory: Memory
    evidence: tuple[Evidence, ...]
    answer: str

    def __repr__(self) -> str:
        return shown.text_table(*faces.why_tables(self))

    def _repr_html_(self) -> str:
        return shown.html_table(*faces.why_tables(self))


def history_of(truth: sqlite3.Connection, memory_id: str) -> History:
    """The history of one memory; NotFound when there never was one of that id."""
    found = versions.of(truth, memory_id)
    if not found:
        memories.get(truth, memory_id)
    return History(memory_id, found, journal.entries(truth, subject=memory_id, most=1000))


def why_of(truth: sqlite3.Connection, memory_id: str) -> Why:
    """The evidence of one memory, or who asserted it."""
    memory = memories.get(truth, memory_id)
    located = [item for item in memory.evidence if item.located]
    if located:
        good = sum(1 for item in located if item.supports)
        answer = f"rests on {len(located)} located quote(s), {good} of which support it"
    elif memory.evidence:
        answer = f"asserted by {memory.author}, with {len(memory.evidence)} quote(s) that could not be located"
    else:
        answer = f"asserted by {memory.author} on {memory.created[:10]}"
    return Why(memory, memory.evidence, answer)

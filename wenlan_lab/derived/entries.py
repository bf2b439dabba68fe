"""What recall keeps of each live memory and passage: its row in the index, read anew from the truth."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

MEMORY_ROWS = """select m.*, exists (
            select 1 from memory n where n.supersedes = m.id and n.status = 'live' and n.supersede_mode = 'archive'
        ) as archived
    from memory m where m.id in (select value from json_each(?)) and m.status <> 'forgotten'"""
PASSAGE_ROWS = """select p.*, o.kind, o.space_id, o.title as source_title from passage p
    join source o on o.id = p.source_id
    where p.source_id = ? and p.thread = ? and p.gone = 0 order by p.position, p.id"""
# In the order they were imported, never by name: a name may say what nobody should know.
THREADS = """select source_id, thread from passage
    where id in (select value from json_each(?1)) or source_id in (select value from json_each(?2))
    group by source_id, thread order by min(id)"""
SOURCE_OF_PASSAGE = "select source_id from passage where id = ?"

# Roles are no names: they tell nothing that could be asked for.
ROLES = frozenset({"", "user", "assistant", "system", "tool", "human", "ai", "bot"})
NO_SPACE = "nospace"
HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that recall can return, as the index keeps it. `dense` is the text that is embedded."""

    id: str
    kind: str
    space_id: str
    type: str
    trust: str
    status: str
    pinned: bool
    archived: bool
    thread: str
    position: int
    speaker: str
    at: str | None
    touched: str
    uses: int
    text: str
    title: str
    cue: str
    context: str
    date_words: str
    dense: str

    @property
    def hidden(self) -> bool:
        """True for what a default read never shows: held, retracted, replaced, drafts, and what was rejected."""
        shown = self.status == "live" or (self.status == "superseded" and self.archived)
        return not shown or self.trust in ("draft", "rejected")


def memory_entries(truth: sqlite3.Connection, ids: Iterable[str]) -> list[Entry]:
    """Entries of the memories among `ids` that still have words. Those that only some reads may see are `hidden`."""
    rows = truth.execute(MEMORY_ROWS, (json.dumps(sorted(ids)),)).fetchall()
    return [_memory_entry(row) for row in rows]


def _memory_entry(row: sqlite3.Row) -> Entry:
    fields = json.loads(row["fields"])
    extra = " ".join(str(value) for key, value in sorted(fields.items()) if value and key != "claim")
    return Entry(
        id=row["id"],
        kind="memory",
        space_id=row["space_id"] or "",
        type=row["type"],
        trust=row["trust"],
        status=row["status"],
        pinned=bool(row["pinned"]),
        archived=bool(row["archived"]),
        thread="",
        position=-1,
        speaker="",
        at=row["valid_from"],
        touched=row["touched"],
        uses=row["uses"],
        text=row["text"],
        title=" ".join([*json.loads(row["tags"]), extra]),
        cue=row["cue"] or "",
        context="",
        date_words=date_words(row["valid_from"]),
        dense=row["text"],
    )


def passage_entries(truth: sqlite3.Connection, source_id: str, thread: str) -> list[Entry]:
    """Entries of one thread of a source, each with the text of its neighbours."""
    rows = truth.execute(PASSAGE_ROWS, (source_id, thread)).fetchall()
    texts = [spoken(row["speaker"], row["text"]) for row in rows]
    entries = []
    for at, row in enumerate(rows):
        neighbours = texts[max(at - 1, 0) : at] + texts[at + 1 : at + 2]
        entries.append(
            Entry(
                id=row["id"],
                kind="passage",
                space_id=row["space_id"] or "",
                type=row["kind"],
                trust="grounded",
                status="live",
                pinned=False,
                archived=False,
                thread=f"{source_id}/{thread}",
                position=row["position"],
                speaker=row["speaker"],
                at=row["at"],
                touched=row["at"] or "",
                uses=0,
                text=texts[at],
                title=row["title"],
                cue="",
                context="\n".join(neighbours),
                date_words=date_words(row["at"]),
                dense=texts[at],
            )
        )
    return entries


def spoken(speaker: str, text: str) -> str:
    """The words with who said them, when that is somebody: "Ada: I went home"."""
    return text if speaker.strip().lower() in ROLES else f"{speaker}: {text}"


def date_words(at: str | None) -> str:
    """A moment in the words people ask with: "2023 may 8 monday"."""
    if not at:
        return ""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return ""
    return f"{moment.year} {moment:%B} {moment.day} {moment:%A}".lower()

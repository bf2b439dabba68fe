"""From scored candidates to hits: each is read from the truth and dropped when it should not be seen.

A lagging index can cost a hit, it can never show something forgotten or out of scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wenlan_lab.derived import lexical
from wenlan_lab.engine.normalise import text_key
from wenlan_lab.engine.question import Query
from wenlan_lab.model.memories import Memory
from wenlan_lab.model.recall import Dropped, DropReason, Hit
from wenlan_lab.model.sources import PassageOrigin
from wenlan_lab.model.spaces import ReadScope, SpaceScope, UncategorizedScope
from wenlan_lab.store import memories
from wenlan_lab.store.passages import PlacedPassage, placed

if TYPE_CHECKING:
    from wenlan_lab.engine.relevance import Candidates, Scored
    from wenlan_lab.engine.workbench import Workbench

DROPPED_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Chosen:
    """The hits, best first, and what was dropped on the way."""

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...]


def choose(
    wb: Workbench,
    k: int,
    scope: ReadScope,
    include: tuple[str, ...],
    query: Query,
    candidates: Candidates,
    scored: Scored,
) -> Chosen:
    """The k best candidates that may be seen, near-identical ones folded into the first of them."""
    view = wb.index.snapshot
    names = np.array([view.ids[number] for number in candidates.numbers], dtype=object)
    order = np.lexsort((names, -scored.score)) if len(names) else np.empty(0, dtype=np.int64)
    chosen: dict[str, Hit] = {}
    dropped: list[Dropped] = []
    at = 0
    while at < len(order) and len(chosen) < k:
        part = order[at : at + max(k, 8)]
        at += len(part)
        ids = [str(names[row]) for row in part]
        rows = _read(wb, ids)
        for row, entry_id in zip(part, ids, strict=True):
            if len(chosen) >= k:
                dropped.append(Dropped(entry_id, "beyond_k"))
                continue
            hit = _hit(rows.get(entry_id), int(row), query, candidates, scored)
            reason = _refusal(rows.get(entry_id), hit, scope, include)
            if hit is None or reason is not None:
                dropped.append(Dropped(entry_id, reason or "forgotten"))
                continue
            key = f"{hit.kind}\x1f{hit.space}\x1f{text_key(hit.text)}"
            if key in chosen:
                chosen[key] = replace(chosen[key], folded=(*chosen[key].folded, entry_id))
                dropped.append(Dropped(entry_id, "folded", f"says the same as {chosen[key].id}"))
                continue
            chosen[key] = hit
    dropped.extend(Dropped(str(names[row]), "beyond_k") for row in order[at : at + DROPPED_SHOWN])
    return Chosen(tuple(chosen.values()), tuple(dropped[:DROPPED_SHOWN]))


def _read(wb: Workbench, ids: Sequence[str]) -> dict[str, Memory | PlacedPassage]:
    found: dict[str, Memory | PlacedPassage] = {}
    of_memories = [entry_id for entry_id in ids if wb.index.snapshot.kind[wb.index.snapshot.numbers[entry_id]] == 0]
    if of_memories:
        found.update(memories.get_many(wb.truth, of_memories))
    if len(of_memories) < len(ids):
        found.update(placed(wb.truth, ids))
    return found


def _refusal(
    row: Memory | PlacedPassage | None, hit: Hit | None, scope: ReadScope, include: tuple[str, ...]
) -> DropReason | None:
    """Why a candidate may not be shown, by what the truth says of it now."""
    if row is None or hit is None:
        return "forgotten"
    if isinstance(scope, SpaceScope) and row.space_id != scope.space_id:
        return "out_of_scope"
    if isinstance(scope, UncategorizedScope) and row.space_id is not None:
        return "out_of_scope"
    if isinstance(row, Memory) and not _recalled(row, include, archived=hit.factors.get("archive", 1.0) < 1.0):
        return "not_recalled"
    return None


def _recalled(memory: Memory, include: tuple[str, ...], *, archived: bool) -> bool:
    if memory.trust == "rejected":
        return "rejected" in include
    if memory.trust == "draft" and "drafts" not in include:
        return False
    return memory.status == "live" or memory.status in include or (memory.status == "superseded" and archived)


def _hit(
    row: Memory | PlacedPassage | None, at: int, query: Query, candidates: Candidates, scored: Scored
) -> Hit | None:
    if row is None or (isinstance(row, Memory) and row.status == "forgotten"):
        return None
    factors = {name: float(values[at]) for name, values in scored.factors.items()}
    parts = {name: float(values[at]) for name, values in scored.parts.items() if abs(values[at]) > 1e-12}
    found_by = tuple(name for name, hit in candidates.found_by.items() if hit[at])
    marks = tuple(mark_spans(row.text, query))
    score = float(scored.score[at])
    if isinstance(row, Memory):
        origin = PassageOrigin("memory", row.id, "", None, str(row.author), row.valid_from)
        return Hit(
            row.id,
            row.text,
            score,
            "memory",
            row.type,
            row.space,
            row.trust,
            row.status,
            origin,
            factors,
            row.evidence,
            found_by,
            parts,
            (),
            marks,
        )
    origin = PassageOrigin(row.kind, row.ref, row.thread, row.position, row.speaker, row.at)
    return Hit(
        row.id,
        row.text,
        score,
        "passage",
        "passage",
        row.space,
        "grounded",
        "live",
        origin,
        factors,
        (),
        found_by,
        parts,
        (),
        marks,
    )


def mark_spans(text: str, query: Query) -> Iterator[tuple[int, int]]:
    """Where words of the query stand in a text, by their stems; for marking them on screen."""
    stems = {_stem(token) for term in query.terms for token in lexical.tokens(term)}
    for match in lexical.WORD.finditer(text):
        if any(_stem(token) in stems for token in lexical.tokens(match.group())):
            yield match.span()


def _stem(word: str) -> str:
    """A rough stem, for marking only: the index has its own."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word[: -len(ending)]
    return word

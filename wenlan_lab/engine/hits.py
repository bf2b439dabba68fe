"""From scored candidates to hits: each is read from the truth and dropped when it should not be seen.

A lagging index can cost a hit, it can never show something forgotten or out of scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wenlan_lab.derived import lexical
from wenlan_lab.engine.normalise import excerpt, text_key
from wenlan_lab.engine.question import Query
from wenlan_lab.model.memories import Memory
from wenlan_lab.model.recall import Dropped, DropReason, Hit
from wenlan_lab.model.sources import PassageOrigin
from wenlan_lab.model.spaces import GlobalScope, ReadScope, SpaceScope, UncategorizedScope
from wenlan_lab.store import memories, reviews, time_travel
from wenlan_lab.store.passages import PlacedPassage, placed

if TYPE_CHECKING:
    from wenlan_lab.engine.recall import Request
    from wenlan_lab.engine.relevance import Candidates, Scored
    from wenlan_lab.engine.workbench import Workbench

DROPPED_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Chosen:
    """The hits, best first, and what was dropped on the way."""

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...]


def choose(
    wb: Workbench, request: Request, scope: ReadScope, query: Query, candidates: Candidates, scored: Scored
) -> Chosen:
    """The k best candidates that may be seen, near-identical ones folded into the first of them."""
    view, k = wb.index.snapshot, request.k
    names = np.array([view.ids[number] for number in candidates.numbers], dtype=object)
    order = np.lexsort((names, -scored.score)) if len(names) else np.empty(0, dtype=np.int64)
    chosen: dict[str, Hit] = {}
    dropped: list[Dropped] = []
    at = 0
    while at < len(order) and len(chosen) < k:
        part = order[at : at + max(k, 8)]
        at += len(part)
        ids = [str(names[row]) for row in part]
        rows = _read(wb, ids, request)
        for row, entry_id in zip(part, ids, strict=True):
            if len(chosen) >= k:
                dropped.append(Dropped(entry_id, "beyond_k"))
                continue
            hit = _hit(rows.get(entry_id), int(row), query, candidates, scored)
            reason = _refusal(rows.get(entry_id), hit, scope, request)
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


def disputes(wb: Workbench, found: Sequence[Hit], scope: ReadScope) -> Iterator[str]:
    """For every disputed hit the other side, in words: a contradiction is never shown one-sidedly."""
    for hit in found:
        other_id = reviews.disputed_by(wb.truth, hit.id) if hit.trust == "disputed" else None
        if other_id is not None:
            other = memories.get(wb.truth, other_id)
            if not isinstance(scope, GlobalScope) and other.space != hit.space:
                yield f"{hit.id} is disputed by a memory in another space"
                continue
            yield f"{hit.id} is disputed: {other.id} says {excerpt(other.text)!r}"


def _read(wb: Workbench, ids: Sequence[str], request: Request) -> dict[str, Memory | PlacedPassage]:
    found: dict[str, Memory | PlacedPassage] = {}
    of_memories = [entry_id for entry_id in ids if wb.index.snapshot.kind[wb.index.snapshot.numbers[entry_id]] == 0]
    if of_memories:
        found.update(time_travel.known_at(wb.truth, of_memories, request.known_at))
    if len(of_memories) < len(ids):
        passages = placed(wb.truth, ids)
        late = time_travel.passages_not_known(wb.truth, passages, request.known_at) if request.known_at else set()
        found.update((passage_id, passage) for passage_id, passage in passages.items() if passage_id not in late)
    return found


def _refusal(
    row: Memory | PlacedPassage | None, hit: Hit | None, scope: ReadScope, request: Request
) -> DropReason | None:
    """Why a candidate may not be shown, by what the truth says of it (now, or at the time that was asked for)."""
    if row is None or hit is None:
        return "forgotten"
    if isinstance(scope, SpaceScope) and row.space_id != scope.space_id:
        return "out_of_scope"
    if isinstance(scope, UncategorizedScope) and row.space_id is not None:
        return "out_of_scope"
    if isinstance(row, PlacedPassage):
        return "out_of_time" if request.as_of and row.at and row.at > request.as_of else None
    if row.trust == "rejected" and "rejected" not in request.include:
        return "not_recalled"
    if row.trust == "draft" and "drafts" not in request.include:
        return "not_recalled"
    if request.as_of is not None:
        return _not_true_at(row, request.as_of)
    archived = hit.factors.get("archive", 1.0) < 1.0 and not request.past
    shown = row.status == "live" or row.status in request.include or row.trust == "rejected"
    return None if shown or (row.status == "superseded" and archived) else "not_recalled"


def _not_true_at(memory: Memory, moment: str) -> DropReason | None:
    """A claim is true from valid_from until before valid_to, whether something replaced it later or not."""
    if memory.status not in ("live", "superseded"):
        return "not_recalled"
    ended = memory.valid_to is not None and memory.valid_to <= moment
    return "out_of_time" if memory.valid_from > moment or ended else None


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

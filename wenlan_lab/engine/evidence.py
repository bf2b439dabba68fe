"""Evidence as callers give it, located in its passage and checked for support.

Two facts are recorded apart: whether the quote stands verbatim in one place, and whether it supports the claim.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from wenlan_lab.engine.support import Located, locate, supports
from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.memories import NewEvidence
from wenlan_lab.model.trust import Trust
from wenlan_lab.store import sources


def resolve_evidence(truth: sqlite3.Connection, claim: str, given: Sequence[object]) -> tuple[NewEvidence, ...]:
    """Evidence rows for a claim.

    Each item is a passage id ("psg_…": the whole passage is the quote), a quote (rests on nothing located), a mapping
    {"quote": …, "passage": id} or {"quote": …, "source": id}, or a NewEvidence, which is taken as it is.
    """
    if isinstance(given, str):
        raise InvalidRequest("evidence must be a list: evidence=['psg_…'] or evidence=[{'quote': …, 'passage': …}].")
    return tuple(_resolve(truth, claim, item) for item in given)


def _resolve(truth: sqlite3.Connection, claim: str, item: object) -> NewEvidence:
    if isinstance(item, NewEvidence):
        return item
    if isinstance(item, str):
        return _of_passage(truth, claim, item, None) if item.startswith("psg_") else NewEvidence(quote=item)
    if isinstance(item, Mapping):
        quote, passage, source = item.get("quote"), item.get("passage"), item.get("source")
        if isinstance(passage, str):
            return _of_passage(truth, claim, passage, quote if isinstance(quote, str) else None)
        if isinstance(quote, str):
            source_id = sources.get(truth, source).id if isinstance(source, str) else None
            return NewEvidence(quote=quote, source_id=source_id, supports=supports(claim, quote).ok)
    raise InvalidRequest("evidence is a passage id, a quote, or {'quote': …, 'passage': id}.")


def _of_passage(truth: sqlite3.Connection, claim: str, passage_id: str, quote: str | None) -> NewEvidence:
    passage = sources.passages(truth, [passage_id]).get(passage_id)
    if passage is None:
        raise NotFound(f"there is no passage {passage_id!r} to rest on: `recall` prints the ids of passages.")
    wanted = passage.text if quote is None else quote
    place = locate(wanted, passage.text)
    located = isinstance(place, Located)
    start, end = (place.start, place.end) if isinstance(place, Located) else (-1, -1)
    words = passage.text[start:end] if located else wanted
    return NewEvidence(
        quote=words,
        passage_id=passage.id,
        source_id=passage.source_id,
        start=start,
        end=end,
        source_digest=passage.digest,
        located=located,
        supports=supports(claim, words).ok,
    )


def trust_from(evidence: Sequence[NewEvidence]) -> Trust:
    """Grounded when some evidence is located and supports the claim, else asserted."""
    return "grounded" if any(item.located and item.supports for item in evidence) else "asserted"

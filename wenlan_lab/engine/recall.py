"""Recall in five visible steps: catch up, candidates from both arms, relevance, factors, hits checked against the truth.

Reads write nothing to the truth. The read scope narrows both searches themselves. Every hit carries the factors whose
product is its score; everything that was dropped is in the trace with its reason. Ties go by id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.derived import lexical
from wenlan_lab.derived.entries import HIDDEN, NO_SPACE
from wenlan_lab.derived.snapshot import Snapshot
from wenlan_lab.derived.vectors import WINDOW_BITS
from wenlan_lab.engine import hits, relevance
from wenlan_lab.engine.features import Features
from wenlan_lab.engine.normalise import replace_unstorable
from wenlan_lab.engine.question import Query, analyse
from wenlan_lab.engine.scopes import read_scope
from wenlan_lab.errors import InvalidRequest, ProviderUnavailable
from wenlan_lab.model.recall import ArmReport, Emptiness, Trace
from wenlan_lab.model.results import RecallResult
from wenlan_lab.model.spaces import GlobalScope, ReadScope, SpaceScope, UncategorizedScope
from wenlan_lab.model.types import parse_type

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
INCLUDES = ("drafts", "held", "superseded", "retracted", "rejected")
MOST_K = 1000


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked, as it was asked."""

    query: str
    k: int
    space: str | None
    types: tuple[str, ...]
    include: tuple[str, ...]
    as_of: str | None = None
    known_at: str | None = None

    @property
    def past(self) -> bool:
        """Whether another time than now was asked for."""
        return self.as_of is not None or self.known_at is not None


@dataclass(frozen=True, slots=True)
class Found:
    """What one arm brought: entry numbers (n,), scores (n,), best first, and how it went."""

    numbers: IntArray
    scores: FloatArray
    report: ArmReport


def recall(wb: Workbench, request: Request) -> RecallResult:
    """Answer a request. Raises InvalidRequest for an unknown space, type or k; everything else is a result."""
    started = perf_counter()
    _check(request)
    scope = read_scope(wb.truth, request.space)
    kinds = _kinds(request)
    index = wb.index
    notes = list(index.catch_up(embed_at_most=wb.settings.embed_on_read))
    caught_up = perf_counter()
    view = index.snapshot
    text, _ = replace_unstorable(request.query)
    query = analyse(text, known_speakers=view.speakers.words, now=wb.clock())
    mask = allowed(view, scope, kinds, INCLUDES if request.past else request.include)
    keyword = _lexical(wb, query, scope, kinds, hidden_too=bool(request.include) or request.past)
    analysed = perf_counter()
    vector, vector_ms = _embed(wb, query, notes)
    dense = _dense(wb, vector, mask, notes)
    searched = perf_counter()
    candidates = relevance.gather(view, keyword, dense, mask)
    seen = relevance.look(view, query, candidates, vector)
    scored = relevance.score(wb, view, seen, has_dense=vector is not None)
    ranked = perf_counter()
    chosen = hits.choose(wb, request, scope, query, candidates, scored)
    notes.extend(hits.disputes(wb, chosen.hits, scope))
    done = perf_counter()
    milliseconds = {
        "catch_up": 1e3 * (caught_up - started),
        "lexical": 1e3 * (analysed - caught_up),
        "embed_query": vector_ms,
        "dense": 1e3 * (searched - analysed) - vector_ms,
        "rank": 1e3 * (ranked - searched),
        "read": 1e3 * (done - ranked),
        "total": 1e3 * (done - started),
    }
    trace = Trace(
        (keyword.report, dense.report),
        len(candidates.numbers),
        chosen.dropped,
        tuple(notes),
        milliseconds,
        index.watermark,
        scope_name(scope),
        scored.model,
    )
    emptiness = _emptiness(view, scope, bool(chosen.hits))
    nothing = scored.nothing_relevant or not chosen.hits
    return RecallResult(request.query, chosen.hits, trace, nothing, _message(emptiness, nothing, scope), emptiness)


def features_of(wb: Workbench, request: Request) -> tuple[tuple[str, ...], Features]:
    """The candidates of a request and their features, without ranking them."""
    _check(request)
    scope = read_scope(wb.truth, request.space)
    wb.index.catch_up(embed_at_most=None)
    view = wb.index.snapshot
    query = analyse(replace_unstorable(request.query)[0], known_speakers=view.speakers.words, now=wb.clock())
    mask = allowed(view, scope)
    vector, _ = _embed(wb, query, [])
    found = _lexical(wb, query, scope, (), hidden_too=False), _dense(wb, vector, mask, [])
    seen = relevance.look(view, query, relevance.gather(view, *found, mask), vector)
    return tuple(view.ids[number] for number in seen.numbers.tolist()), seen


def _check(request: Request) -> None:
    if not isinstance(request.query, str):
        raise InvalidRequest(f"query must be a string, not {type(request.query).__name__}.")
    if not isinstance(request.k, int) or isinstance(request.k, bool) or not 1 <= request.k <= MOST_K:
        raise InvalidRequest(f"k must be a whole number from 1 to {MOST_K}, not {request.k!r}.")
    unknown = [name for name in request.include if name not in INCLUDES]
    if unknown:
        raise InvalidRequest(f"include {unknown[0]!r} is unknown: choose from {', '.join(INCLUDES)}.")


def _kinds(request: Request) -> tuple[str, ...]:
    """The scope tokens that narrow what kinds of thing come back; empty for everything."""
    whole = ("memory", "passage")
    return tuple(name if name in whole else f"type{parse_type(name).type}" for name in request.types)


def scope_name(scope: ReadScope) -> str:
    """The scope as people write it."""
    match scope:
        case SpaceScope(_, name):
            return name
        case UncategorizedScope():
            return "uncategorized"
        case GlobalScope():
            return "everything"


def _lexical(wb: Workbench, query: Query, scope: ReadScope, kinds: tuple[str, ...], *, hidden_too: bool) -> Found:
    started = perf_counter()
    groups: list[Sequence[str]] = []
    if isinstance(scope, SpaceScope):
        groups.append((scope.space_id,))
    elif isinstance(scope, UncategorizedScope):
        groups.append((NO_SPACE,))
    if kinds:
        groups.append(kinds)
    match = lexical.match_query(
        query.terms, phrases=query.phrases, scope=groups, without=None if hidden_too else HIDDEN
    )
    if match is None:
        empty = np.empty(0, dtype=np.int64)
        report = ArmReport(
            "lexical", 0, 1e3 * (perf_counter() - started), "nothing in the query can be searched by word"
        )
        return Found(empty, empty.astype(np.float64), report)
    numbers, scores = lexical.search(wb.index.connection, match, wb.settings.candidates)
    report = ArmReport("lexical", len(numbers), 1e3 * (perf_counter() - started))
    return Found(numbers, scores, report)


def allowed(
    view: Snapshot, scope: ReadScope, kinds: tuple[str, ...] = (), include: Sequence[str] = ()
) -> NDArray[np.bool_] | None:
    """Which entry numbers may be returned; None when all may. Holds the whole read scope, before any top-k."""
    hidden = view.hidden & ~included(view, include) if include else view.hidden
    if isinstance(scope, GlobalScope) and not kinds and not hidden.any():
        return None
    mask = view.alive & ~hidden
    if isinstance(scope, SpaceScope):
        mask &= view.space == view.spaces.find(scope.space_id)
    elif isinstance(scope, UncategorizedScope):
        mask &= view.space == view.spaces.find("")
    if kinds:
        chosen = np.zeros(len(mask), dtype=np.bool_)
        for kind in kinds:
            if kind in ("memory", "passage"):
                chosen |= view.kind == (kind == "passage")
            else:
                chosen |= (view.type == view.types.find(kind.removeprefix("type"))) & (view.kind == 0)
        mask &= chosen
    return mask


def included(view: Snapshot, include: Sequence[str]) -> NDArray[np.bool_]:
    """Which hidden entries the caller asked to see as well."""
    asked = np.zeros(len(view.hidden), dtype=np.bool_)
    draft, rejected = view.trust == view.trusts.find("draft"), view.trust == view.trusts.find("rejected")
    for name in include:
        match name:
            case "drafts":
                asked |= draft & (view.status == view.statuses.find("live"))
            case "rejected":
                asked |= rejected
            case status:
                asked |= (view.status == view.statuses.find(status)) & ~draft & ~rejected
    return asked


def _embed(wb: Workbench, query: Query, notes: list[str]) -> tuple[NDArray[np.float32] | None, float]:
    """The question's vector, None without an embedder or vectors, and how many milliseconds it took."""
    if wb.embedder is None or len(wb.index.snapshot.keys) == 0:
        return None, 0.0
    started = perf_counter()
    try:
        vector = wb.embedder.embed_query(query.dense_text)
    except ProviderUnavailable as error:
        notes.append(f"embedder unavailable, keyword search only: {error}")
        return None, 0.0
    return vector, 1e3 * (perf_counter() - started)


def _dense(
    wb: Workbench, vector: NDArray[np.float32] | None, mask: NDArray[np.bool_] | None, notes: list[str]
) -> Found:
    """The dense arm: the best windows within the read scope, pooled to entries."""
    view, started = wb.index.snapshot, perf_counter()
    if vector is None:
        status = "no embedder" if wb.embedder is None else "no vectors yet" if len(view.keys) == 0 else "unavailable"
        return Found(np.empty(0, dtype=np.int64), np.empty(0), ArmReport("dense", 0, 0.0, status))
    if view.missing_vectors:
        notes.append(f"{view.missing_vectors} vectors are missing from the cache: run `rebuild`")
    keys_allowed = None if mask is None else view.keys[mask[view.keys >> WINDOW_BITS]]
    keys, scores = view.index.search(vector, 2 * wb.settings.candidates, keys_allowed)
    numbers, pooled = _max_pool(keys >> WINDOW_BITS, scores.astype(np.float64), wb.settings.candidates)
    return Found(numbers, pooled, ArmReport("dense", len(numbers), 1e3 * (perf_counter() - started)))


def _max_pool(numbers: IntArray, scores: FloatArray, most: int) -> tuple[IntArray, FloatArray]:
    """Several windows of one entry count as one hit with the best of their scores. Input is sorted, best first."""
    _, first = np.unique(numbers, return_index=True)
    first = np.sort(first)[:most]
    return numbers[first], scores[first]


def _emptiness(view: Snapshot, scope: ReadScope, found: bool) -> Emptiness:
    if found:
        return ""
    if not view.alive.any():
        return "empty_workbench"
    mask = allowed(view, scope)
    if mask is not None and not mask.any():
        return "empty_space"
    return "no_match"


def _message(emptiness: Emptiness, nothing_relevant: bool, scope: ReadScope) -> str:
    match emptiness:
        case "empty_workbench":
            return "This workbench is empty: capture something, or import a file."
        case "empty_space":
            return f"Nothing is in {scope_name(scope)} yet: capture something into it, or recall without a space."
        case "no_match":
            return f"Nothing relevant was found in {scope_name(scope)}: ask with other words, or in another space."
        case _:
            return "Nothing here seems to answer that; the nearest are shown." if nothing_relevant else ""

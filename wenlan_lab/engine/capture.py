"""Capture: text -> judged, typed, placed, compared with what is known -> one Change -> a receipt.

The order is fixed: space, type, actor, gate, embedding, known already, near-duplicate, then the write. Whatever refuses
leaves nothing behind but a row of the rejection log that holds no secret.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from wenlan_lab.engine import gate, revision
from wenlan_lab.engine.evidence import resolve_evidence, trust_from
from wenlan_lab.engine.near import Neighbours
from wenlan_lab.engine.normalise import check_storable, text_key
from wenlan_lab.engine.scopes import WriteSpace, write_space
from wenlan_lab.errors import InvalidRequest, ProviderUnavailable
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import Change, RecordRejection
from wenlan_lab.model.memories import NewMemory, Origin
from wenlan_lab.model.outcomes import (
    AlreadyKnown,
    Captured,
    ClaimTombstoned,
    Held,
    NearDuplicate,
    Receipt,
    Rejection,
    Written,
)
from wenlan_lab.model.ports import Progress
from wenlan_lab.model.types import TYPE_RULES, missing_fields, parse_type, retrieval_cue, unknown_fields

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

UNEMBEDDED = "stored without a vector: keyword recall finds it now, the vector is made when an embedder works"


@dataclass(frozen=True, slots=True)
class NewCapture:
    """One thing to capture, as `capture` takes it. `capture_many` accepts these, mappings with these keys, or texts."""

    text: str
    type: str | None = None
    space: str | None = None
    fields: Mapping[str, Any] | None = None
    tags: Sequence[str] = ()
    evidence: Sequence[object] = ()
    valid_from: str | None = None
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """A judged item: either a rejection, or a memory to be written with what the receipt has to tell."""

    item: NewCapture
    place: WriteSpace
    memory: NewMemory | None = None
    rejection: Rejection | None = None
    warnings: tuple[str, ...] = field(default=())


def capture_all(
    wb: Workbench,
    items: Iterable[NewCapture | Mapping[str, Any] | str],
    *,
    actor: Actor,
    allow_unembedded: bool,
    progress: Progress | None = None,
    total: int = 0,
) -> list[Receipt]:
    """Capture many: texts are embedded in batches and each batch is one transaction. One receipt for each item."""
    queue, receipts = iter(items), list[Receipt]()
    while batch := list(islice(queue, wb.settings.batch)):
        plans = [_judge(wb, as_capture(item)) for item in batch]
        receipts.extend(_write(wb, plans, actor, allow_unembedded=allow_unembedded))
        if progress is not None:
            progress(len(receipts), max(total, len(receipts)))
    return receipts


def as_capture(item: NewCapture | Mapping[str, Any] | str) -> NewCapture:
    """Any accepted form of a capture as a NewCapture; InvalidRequest for the rest."""
    if isinstance(item, NewCapture):
        return item
    if isinstance(item, str):
        return NewCapture(item)
    if isinstance(item, Mapping) and isinstance(item.get("text"), str):
        unknown = sorted(set(item) - set(NewCapture.__dataclass_fields__))
        if not unknown:
            return NewCapture(**item)
        raise InvalidRequest(
            f"a capture has no {', '.join(unknown)}: use {', '.join(NewCapture.__dataclass_fields__)}."
        )
    raise InvalidRequest(f"can't capture a {type(item).__name__}: give a text, or a mapping with at least 'text'.")


def _judge(wb: Workbench, item: NewCapture) -> _Plan:
    if not isinstance(item.text, str):
        raise InvalidRequest(f"text must be a string, not {type(item.text).__name__}.")
    place = write_space(wb.truth, item.space, wb.default_space)
    parsed = parse_type(item.type)
    check_storable(item.text)
    text = item.text.strip()
    rejection = gate.judge(text, settings=wb.gate_settings)
    if rejection is not None:
        return _Plan(item, place, rejection=rejection)
    fields = plain_fields(item.fields)
    evidence = resolve_evidence(wb.truth, text, item.evidence)
    for value in (*fields, *fields.values(), *item.tags, *(row.quote for row in evidence)):
        check_storable(value or "-")
        leak = gate.judge_credentials(value)
        if leak is not None:
            return _Plan(item, place, rejection=leak)
    warnings = [f"{parsed.type} memory without {name}" for name in missing_fields(parsed.type, fields) if fields]
    warnings += [
        f"{name} is no field of a {parsed.type}; it was stored all the same"
        for name in unknown_fields(parsed.type, fields)
    ]
    valid_from, rule = wb.valid_time(item.valid_from, fields)
    memory = NewMemory(
        text=text,
        text_key=text_key(text),
        type=parsed.type,
        space_id=place.id,
        fields=fields,
        cue=retrieval_cue(parsed.type, fields or _claim_of(parsed.type, text)),
        tags=clean_tags(item.tags),
        trust=trust_from(evidence),
        origin=Origin(parsed.explicit, bool(fields), place.source),
        valid_from=valid_from,
        time_rule=rule,
        supersede_mode=TYPE_RULES[parsed.type].supersede_mode,
        evidence=evidence,
    )
    return _Plan(item, place, memory=memory, warnings=tuple(warnings))


def _claim_of(memory_type: str, text: str) -> dict[str, str]:
    """A memory captured without fields still gets its cue: for a type whose first field is the claim, it is the text."""
    return {"claim": text} if memory_type in ("identity", "fact", "lesson", "gotcha") and len(text) <= 300 else {}


def _write(wb: Workbench, plans: list[_Plan], actor: Actor, *, allow_unembedded: bool) -> list[Receipt]:
    waiting = [plan for plan in plans if plan.memory is not None]
    neighbours: Neighbours | None = None
    failure = ""
    if waiting:
        try:
            neighbours = Neighbours.of(wb.index, [plan.memory for plan in waiting if plan.memory is not None])
        except ProviderUnavailable as error:
            failure = str(error)
    if failure and not allow_unembedded:
        refused = Rejection(
            "embedding_unavailable",
            f"novelty could not be judged: {failure}",
            "nothing was stored; make the embedder work, or capture with allow_unembedded=True.",
        )
        plans = [_Plan(plan.item, plan.place, rejection=plan.rejection or refused) for plan in plans]
    changes = _changes(wb, plans, neighbours, actor)
    written = wb.apply_all(changes, actor)
    near = _nearest(wb, plans, written, neighbours)
    extra = (UNEMBEDDED,) if failure else ()
    return [_receipt(plan, done, found, extra) for plan, done, found in zip(plans, written, near, strict=True)]


def _nearest(
    wb: Workbench, plans: list[_Plan], written: list[Written], neighbours: Neighbours | None
) -> list[NearDuplicate | None]:
    """For each stored item the live neighbour that says nearly the same, those of its own batch included."""
    found: list[NearDuplicate | None] = []
    at = 0
    for plan, done in zip(plans, written, strict=True):
        if plan.memory is None:
            found.append(None)
            continue
        near = None
        if neighbours is not None and isinstance(done.outcome, Captured):
            near = neighbours.nearest(at, wb.settings.near_duplicate)
            neighbours.stored(at, done.outcome.id)
        at += 1
        found.append(near)
    return found


def _changes(wb: Workbench, plans: list[_Plan], neighbours: Neighbours | None, actor: Actor) -> list[Change]:
    """One change for each plan, with what it revises or contradicts settled."""
    changes: list[Change] = []
    at = 0
    for plan in plans:
        if plan.memory is None:
            changes.append(_rejected(plan))
            continue
        near = neighbours.close_to(at, revision.NEAR) if neighbours is not None else ()
        changes.append(revision.decide(wb, plan.memory, plan.item.supersedes, near, actor))
        at += 1
    return changes


def _rejected(plan: _Plan) -> Change:
    rejection = plan.rejection
    if rejection is None:
        raise AssertionError("a plan is either a memory or a rejection")
    text = plan.item.text
    return RecordRejection(rejection.reason, rejection.detail, gate.digest(text), gate.rejected_excerpt(text))


def _receipt(plan: _Plan, done: Written, near: NearDuplicate | None, extra: tuple[str, ...]) -> Receipt:
    place = plan.place
    if plan.rejection is not None:
        # The log entry has a number of its own; a receipt's number is one that can be undone.
        return Receipt(None, "Rejected", None, place.name, place.source, reason=plan.rejection)
    match done.outcome:
        case Captured(memory_id):
            warnings = (*plan.warnings, *extra)
            return Receipt(done.seq, "Captured", memory_id, place.name, place.source, near, warnings)
        case Held(memory_id, review_id):
            told = f"it waits in review as {review_id}: nothing that is recalled has changed"
            return Receipt(done.seq, "Held", memory_id, place.name, place.source, near, (*plan.warnings, told, *extra))
        case ClaimTombstoned(stone, why):
            refused = Rejection(
                "claim_tombstoned",
                f"this claim was rejected before{f' ({why})' if why else ''}",
                f"if it is true after all, lift the tombstone first: unforget({stone!r}, reason).",
            )
            return Receipt(None, "Rejected", None, place.name, place.source, reason=refused)
        case AlreadyKnown(memory_id):
            return Receipt(None, "AlreadyKnown", memory_id, place.name, place.source)
        case other:
            raise AssertionError(f"a capture can't come to {other!r}")


def plain_fields(fields: Mapping[str, Any] | None) -> dict[str, str]:
    """Field values as text: None is left out, what isn't text is written as JSON."""
    if fields is None:
        return {}
    if not isinstance(fields, Mapping):
        raise InvalidRequest("fields must be a mapping of names to values, e.g. {'claim': '…'}.")
    return {
        str(key): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for key, value in fields.items()
        if value is not None
    }


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags without blanks and repeats, in the order given."""
    if isinstance(tags, str):
        raise InvalidRequest("tags must be a list of texts, e.g. tags=['paper'].")
    return tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))

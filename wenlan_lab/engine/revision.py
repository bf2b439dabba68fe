"""What a capture does to what is known: nothing, replace it, dispute it, or wait for a person.

A caller may name what is replaced. Else the pre-filter looks at live memories of the same type and space: at fields
that both state, or, for plain sentences, at near neighbours that differ in one number or a negation. What is protected
(identity, preference, pinned, accepted) is only ever replaced by a person; for anybody else the change waits in review.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wenlan_lab.derived import lexical
from wenlan_lab.derived.entries import HIDDEN, NO_SPACE
from wenlan_lab.engine.contradiction import Consistent, Contradicts, Statement, Supersedes, contradicts
from wenlan_lab.engine.slots import slots_of
from wenlan_lab.engine.statements import MinimalPair, compare
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import Against, AgainstAction, CaptureMemory
from wenlan_lab.model.memories import Memory, NewMemory
from wenlan_lab.model.types import TYPE_RULES
from wenlan_lab.store import memories, tombstones
from wenlan_lab.store.permissions import is_protected

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

NEAR = 0.75
NEAR_TOMBSTONE = 0.92
CANDIDATES = 20


def decide(
    wb: Workbench, new: NewMemory, supersedes: str | None, near: Sequence[tuple[float, str]], actor: Actor
) -> CaptureMemory:
    """The change that stores `new`, given its near neighbours (cosine, id) and who tells it."""
    if supersedes is not None:
        old = memories.get(wb.truth, supersedes)
        if old.status not in ("live", "held"):
            raise InvalidRequest(f"{old.id} is {old.status}: only a live memory can be superseded.")
        return CaptureMemory(new, _against(old, actor, "supersede", "the caller names it"))
    for score, memory_id in near:
        if score >= NEAR_TOMBSTONE and _rejected_nearly_so(wb, new, memory_id):
            return CaptureMemory(new, near_tombstone=memory_id)
    for old in _candidates(wb, new, [memory_id for _, memory_id in near]):
        against = _judge(wb, new, old, actor)
        if against is not None:
            return CaptureMemory(new, against)
    return CaptureMemory(new)


def _rejected_nearly_so(wb: Workbench, new: NewMemory, memory_id: str) -> bool:
    """Whether that memory's claim stands rejected and `new` only says it in other words."""
    stone = tombstones.of_memory(wb.truth, memory_id)
    if stone is None or stone.lifted:
        return False
    return not isinstance(compare(new.text, memories.get(wb.truth, memory_id).text), MinimalPair)


def _candidates(wb: Workbench, new: NewMemory, near: Sequence[str]) -> Iterator[Memory]:
    """Live memories of the same type and space: near ones first, then those that share the key field's words."""
    seen = list(dict.fromkeys([*near, *(_by_words(wb, new) if new.fields else ())]))
    found = memories.get_many(wb.truth, seen)
    for memory_id in seen:
        memory = found.get(memory_id)
        if memory is None or memory.status != "live" or memory.trust in ("draft", "rejected"):
            continue
        if memory.type == new.type and memory.space_id == new.space_id:
            yield memory


def _by_words(wb: Workbench, new: NewMemory) -> list[str]:
    key = TYPE_RULES[new.type].required
    words = [new.fields.get(name, "") for name in key]
    scope = [(new.space_id or NO_SPACE,), (f"type{new.type}",)]
    match = lexical.match_query(words, scope=scope, without=HIDDEN)
    if match is None:
        return []
    wb.index.catch_up(embed_at_most=0)
    numbers, _ = lexical.search(wb.index.connection, match, CANDIDATES)
    return [wb.index.snapshot.ids[number] for number in numbers.tolist()]


def _judge(wb: Workbench, new: NewMemory, old: Memory, actor: Actor) -> Against | None:
    key = TYPE_RULES[new.type].required[0]
    valid_from = new.valid_from or wb.clock().isoformat(timespec="microseconds")
    if new.fields.get(key) and old.fields.get(key):
        told = Statement(new.type, new.space_id, new.text, new.fields, valid_from)
        match contradicts(told, Statement(old.type, old.space_id, old.text, old.fields, old.valid_from)):
            case Supersedes(name, before, after):
                return _against(old, actor, "supersede", f"{name}: {before!r} becomes {after!r}")
            case Contradicts(name, before, after):
                return _against(old, actor, "dispute", f"{name}: {before!r} against {after!r}")
            case Consistent():
                return None
    why = differs_in_one_slot(new.text, old.text)
    return None if why is None else _against(old, actor, "dispute", why)


def differs_in_one_slot(new: str, old: str) -> str | None:
    """Why two plain sentences with the same words can't both be true: one number, or a negation. Else None."""
    verdict = compare(new, old)
    if not isinstance(verdict, MinimalPair) or verdict.differs not in ("number", "negation"):
        return None
    a, b = slots_of(new), slots_of(old)
    if a.words != b.words or len(a.numbers ^ b.numbers) > 2:
        return None
    return f"{verdict.differs}: {verdict.detail}"


def _against(old: Memory, actor: Actor, action: AgainstAction, why: str) -> Against:
    if actor.kind != "person" and is_protected(old):
        action = "review"
    return Against(old.id, action, why, old.revision)

"""Near-duplicates: the live memory of the same space that says almost the same, unless it differs in what matters.

A cosine says "near"; then the two statements are compared slot by slot, so a swapped order, a negation, another number,
date or name is never taken for a restatement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wenlan_lab.derived import embeddings
from wenlan_lab.derived.vectors import WINDOW_BITS
from wenlan_lab.engine.index import Index
from wenlan_lab.engine.statements import MinimalPair, compare
from wenlan_lab.errors import ProviderUnavailable
from wenlan_lab.model.memories import NewMemory
from wenlan_lab.model.outcomes import NearDuplicate
from wenlan_lab.store import memories

if TYPE_CHECKING:
    from wenlan_lab.model.ports import FloatMatrix

LOOK_AT = 8


@dataclass(slots=True)
class Neighbours:
    """The vectors of a batch of new memories, and the search for what they are close to."""

    index: Index
    batch: Sequence[NewMemory]
    vectors: FloatMatrix
    _stored: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, index: Index, batch: Sequence[NewMemory]) -> Neighbours:
        """Embed the batch (into the cache, where the next catch-up finds it). Raises ProviderUnavailable."""
        if index.embedder is None:
            raise ProviderUnavailable("this workbench has no embedder")
        heads = [index.embedder.windows(memory.text)[0] for memory in batch]
        vectors = embeddings.vectors_for(index.cache, index.embedder, heads)
        index.catch_up(embed_at_most=None)
        return cls(index, batch, vectors)

    def nearest(self, at: int, threshold: float) -> NearDuplicate | None:
        """The closest live memory of the same space with cosine >= threshold that is no minimal pair; None if none."""
        text, candidates = self.batch[at].text, self._in_batch(at, threshold) + self._in_index(at, threshold)
        for similarity, memory_id, other in sorted(candidates, key=lambda item: (-item[0], item[1])):
            if not isinstance(compare(text, other), MinimalPair):
                return NearDuplicate(memory_id, other, round(similarity, 4))
        return None

    def close_to(self, at: int, threshold: float) -> tuple[tuple[float, str], ...]:
        """(cosine, id) of the live and the rejected memories of the same space that are close, best first."""
        live = [(score, memory_id) for score, memory_id, _ in self._in_index(at, threshold)]
        gone = [(score, memory_id) for score, memory_id, _ in self._in_index(at, threshold, rejected=True)]
        return tuple(sorted(live + gone, key=lambda item: (-item[0], item[1])))

    def stored(self, at: int, memory_id: str) -> None:
        """Note that item `at` of the batch is live now, so that later items can be near it."""
        self._stored[at] = memory_id

    def _in_batch(self, at: int, threshold: float) -> list[tuple[float, str, str]]:
        same = [j for j in self._stored if self.batch[j].space_id == self.batch[at].space_id]
        scores = [(float(self.vectors[j] @ self.vectors[at]), j) for j in same]
        return [(score, self._stored[j], self.batch[j].text) for score, j in scores if score >= threshold]

    def _in_index(self, at: int, threshold: float, *, rejected: bool = False) -> list[tuple[float, str, str]]:
        import numpy as np

        view = self.index.snapshot
        wanted = view.spaces.find(self.batch[at].space_id or "")
        if wanted < 0 or len(view.keys) == 0:
            return []
        numbers = view.keys >> WINDOW_BITS
        live = view.alive[numbers] & (view.kind[numbers] == 0) & (view.space[numbers] == wanted)
        if rejected:
            live &= view.trust[numbers] == view.trusts.find("rejected")
        else:
            live &= view.status[numbers] == view.statuses.find("live")
        allowed = view.keys[live]
        if len(allowed) == 0:
            return []
        keys, scores = view.index.search(np.asarray(self.vectors[at]), LOOK_AT, allowed)
        near = {
            view.ids[int(key) >> WINDOW_BITS]: float(score)
            for key, score in reversed(list(zip(keys, scores, strict=True)))
            if score >= threshold
        }
        known = memories.get_many(self.index.truth, near)
        return [
            (near[memory_id], memory_id, memory.text)
            for memory_id, memory in known.items()
            if memory.status != "forgotten" and (memory.trust == "rejected") == rejected
        ]

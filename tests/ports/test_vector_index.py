"""What every VectorIndex must do, shown for both of ours, and that they agree with a search by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from wenlan_lab.derived.exact_index import ExactIndex
from wenlan_lab.derived.faiss_index import FaissIndex
from wenlan_lab.errors import NotFound, ProviderContractError
from wenlan_lab.model.ports import VectorIndex

if TYPE_CHECKING:
    from wenlan_lab.model.ports import FloatMatrix, FloatVector, IntArray

DIMENSIONS = 8
MAKERS = [ExactIndex, FaissIndex]

both = pytest.mark.parametrize("make", MAKERS, ids=["numpy", "faiss"])


def unit(seed: int, count: int = 1) -> FloatMatrix:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def keys(*numbers: int) -> IntArray:
    return np.array(numbers, dtype=np.int64)


def by_hand(held: dict[int, FloatVector], query: FloatVector, k: int, allowed=None) -> list[tuple[int, np.float32]]:
    """Every vector scored in float64, rounded to what is returned; sorted by score, then key."""
    scored = [
        (key, np.float32((vector.astype(np.float64) * query).sum()))
        for key, vector in held.items()
        if allowed is None or key in allowed
    ]
    return sorted(scored, key=lambda item: (-item[1], item[0]))[:k]


def found(index: VectorIndex, query: FloatVector, k: int, allowed=None) -> list[tuple[int, np.float32]]:
    hits, scores = index.search(query, k, None if allowed is None else keys(*allowed))
    assert hits.dtype == np.int64
    assert scores.dtype == np.float32
    return list(zip(hits.tolist(), list(scores), strict=True))


@both
def test_it_fulfils_the_port(make: Callable[[int], VectorIndex]):
    assert isinstance(make(DIMENSIONS), VectorIndex)


@both
def test_an_empty_index_finds_nothing(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    assert len(index) == 0
    assert found(index, unit(1)[0], 5) == []
    assert found(index, unit(1)[0], 5, [1, 2]) == []
    index.remove(keys(1))
    index.replace(keys(), np.empty((0, DIMENSIONS), dtype=np.float32))
    assert index.vectors(keys()).shape == (0, DIMENSIONS)


@both
def test_asking_for_more_than_there_is_gives_all(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    rows = unit(2, 3)
    index.replace(keys(30, 10, 20), rows)
    assert {key for key, _ in found(index, rows[0], 100)} == {10, 20, 30}
    assert found(index, rows[0], 0) == []
    assert found(index, rows[0], 1)[0][0] == 30


@both
def test_equal_vectors_are_ordered_by_key_even_at_the_cut(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    same = np.repeat(unit(4), 500, axis=0)
    for some in np.split(np.random.default_rng(3).permutation(500), 5):  # so that keys and rows are in other orders
        index.replace(some, same[:100])
    index.replace(keys(1000), unit(5))
    assert [key for key, _ in found(index, same[0], 7)] == list(range(7))
    assert [key for key, _ in found(index, same[0], 3, [400, 401, 77, 3])] == [3, 77, 400]


@both
def test_equal_vectors_have_equal_scores_wherever_they_lie(make: Callable[[int], VectorIndex]):
    index = make(384)
    rows = np.random.default_rng(6).standard_normal((1003, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    twins = [0, 1, 2, 3, 5, 500, 1001, 1002]
    rows[twins] = rows[0]
    index.replace(np.arange(1003), rows)
    hits, scores = index.search(rows[0], len(twins))
    assert hits.tolist() == twins
    assert len(set(scores.tolist())) == 1


@both
def test_only_allowed_keys_are_found_and_the_cut_comes_after(make: Callable[[int], VectorIndex]):
    index, query = make(DIMENSIONS), unit(7)[0]
    rows = unit(8, 300)
    index.replace(np.arange(300), rows)
    worst = [key for key, _ in by_hand(dict(enumerate(rows)), query, 300)][-5:]
    assert [key for key, _ in found(index, query, 3, worst)] == worst[:3]
    assert [key for key, _ in found(index, query, 9, [*worst, 999, -4])] == worst
    assert found(index, query, 9, []) == []
    assert found(index, query, 9, [999]) == []
    assert found(index, query, 300, range(300)) == found(index, query, 300)


@both
def test_a_replaced_vector_is_gone(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    old, new = unit(9, 2)
    index.replace(keys(1, 2), np.stack([old, unit(10)[0]]))
    index.replace(keys(1), new[None])
    assert len(index) == 2
    assert found(index, new, 1) == [(1, np.float32((new.astype(np.float64) * new).sum()))]
    assert (index.vectors(keys(1))[0] == new).all()


@both
def test_of_a_key_given_twice_the_last_counts(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    rows = unit(11, 3)
    index.replace(keys(5, 3, 5), rows)
    assert len(index) == 2
    assert (index.vectors(keys(5, 3)) == rows[[2, 1]]).all()


@both
def test_vectors_come_back_as_they_were_given_in_the_order_asked_for(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    rows = unit(12, 4)
    index.replace(keys(1 << 40, -7, 3, 65536), rows)
    got = index.vectors(keys(3, 1 << 40, 3))
    assert (got == rows[[2, 0, 2]]).all()
    index.replace(keys(9), unit(13))
    assert (got == rows[[2, 0, 2]]).all()
    with pytest.raises(NotFound, match="no key 4"):
        index.vectors(keys(3, 4))


@both
def test_a_vector_of_another_length_is_refused(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    with pytest.raises(ProviderContractError, match="same dimensions"):
        index.replace(keys(1), np.ones((1, DIMENSIONS + 1), dtype=np.float32))
    with pytest.raises(ProviderContractError, match="same dimensions"):
        index.replace(keys(1, 2), unit(1))
    with pytest.raises(ProviderContractError, match="same dimensions"):
        index.search(np.ones(DIMENSIONS - 1, dtype=np.float32), 1)
    assert len(index) == 0


@both
def test_the_index_does_not_change_with_the_array_it_was_given(make: Callable[[int], VectorIndex]):
    index = make(DIMENSIONS)
    rows = unit(14, 2)
    kept = rows.copy()
    index.replace(keys(1, 2), rows)
    rows[:] = 0
    assert (index.vectors(keys(1, 2)) == kept).all()


@both
@given(
    seed=st.integers(0, 2**20),
    count=st.integers(1, 200),
    k=st.integers(1, 60),
    share=st.one_of(st.none(), st.floats(0, 1)),
    copies=st.integers(1, 40),
)
def test_it_finds_what_a_search_by_hand_finds(make: Callable[[int], VectorIndex], seed, count, k, share, copies):
    chance = np.random.default_rng(seed)
    rows = unit(seed, count)
    rows = np.concatenate([rows, np.repeat(rows[:1], copies, axis=0)])
    numbers = chance.choice(10_000, size=len(rows), replace=False).astype(np.int64)
    index = make(DIMENSIONS)
    index.replace(numbers, rows)
    held = dict(zip(numbers.tolist(), rows, strict=True))
    allowed = None if share is None else [key for key in held if chance.random() < share]
    query = rows[0] if seed % 2 else unit(seed + 1)[0]
    assert found(index, query, k, allowed) == by_hand(held, query, k, allowed)


class Histories(RuleBasedStateMachine):
    """Any history of changes, on both indexes at once, beside a dictionary."""

    def __init__(self):
        super().__init__()
        self.indexes = [make(DIMENSIONS) for make in MAKERS]
        self.held: dict[int, FloatVector] = {}

    @rule(numbers=st.lists(st.integers(0, 30), min_size=1, max_size=12), seed=st.integers(0, 5))
    def replace(self, numbers, seed):
        rows = unit(seed, len(numbers))  # few seeds, so that vectors are repeated
        for index in self.indexes:
            index.replace(keys(*numbers), rows)
        self.held.update(zip(numbers, rows, strict=True))

    @rule(numbers=st.lists(st.integers(0, 40), max_size=12))
    def remove(self, numbers):
        for index in self.indexes:
            index.remove(keys(*numbers))
        for number in numbers:
            self.held.pop(number, None)

    @rule(
        seed=st.integers(0, 8),
        k=st.integers(0, 40),
        allowed=st.one_of(st.none(), st.lists(st.integers(-2, 40), max_size=20)),
    )
    def search(self, seed, k, allowed):
        query = unit(seed)[0]
        for index in self.indexes:
            assert found(index, query, k, allowed) == by_hand(self.held, query, k, allowed)

    @precondition(lambda self: self.held)
    @invariant()
    def vectors_are_those_last_given(self):
        for index in self.indexes:
            assert (index.vectors(keys(*self.held)) == np.stack(list(self.held.values()))).all()

    @invariant()
    def sizes_agree(self):
        assert [len(index) for index in self.indexes] == [len(self.held)] * 2


TestHistories = Histories.TestCase

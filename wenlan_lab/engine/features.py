"""What ranking looks at in each candidate: how well its words and its meaning match, and what stands around it.

Everything is computed for the candidates alone (and their neighbours in the thread), in arrays; nothing knows a
benchmark's labels. A feature is 0..1 or small; arms are min-max scaled over the candidates of one question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.derived import text_flags
from wenlan_lab.derived.entries import ROLES
from wenlan_lab.derived.snapshot import Snapshot
from wenlan_lab.derived.stems import stem_hash
from wenlan_lab.engine.question import Query

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

K1, B = 1.2, 0.75
FEW_THREADS, LONG_TEXT = 6, 200.0


@dataclass(frozen=True, slots=True)
class Features:
    """A matrix (n, len(names)) over the entry numbers (n,), with the two arms' own scores beside it."""

    numbers: IntArray
    names: tuple[str, ...]
    matrix: NDArray[np.float32]
    lexical: FloatArray
    dense: FloatArray

    def column(self, name: str) -> NDArray[np.float32]:
        """One feature (n,)."""
        return self.matrix[:, self.names.index(name)]


@dataclass(frozen=True, slots=True)
class _Words:
    """How often each question stem occurs in each entry: counts (n, terms), lengths (n,)."""

    counts: FloatArray
    lengths: FloatArray


def compute(view: Snapshot, query: Query, numbers: IntArray, vector: NDArray[np.float32] | None) -> Features:
    """All features of the candidates `numbers`; `vector` is the question's, None when there is no embedder."""
    before, after = view.neighbours(numbers)
    before_that, after_that = view.neighbours(before)[0], view.neighbours(after)[1]
    around = np.unique(np.concatenate([numbers, before, after, before_that, after_that]))
    here, prev, following, prev2, following2 = (
        np.searchsorted(around, rows) for rows in (numbers, before, after, before_that, after_that)
    )
    terms = list(dict.fromkeys(stem_hash(word) for word in query.terms))
    names = {stem_hash(word) for name in query.named for word in name.lower().split()}
    words = _count(view, around, terms)
    idf = _idf(view, terms)
    keep = np.array([term not in names for term in terms], dtype=np.float64)
    if not keep.any():
        keep[:] = 1.0
    dense_around = _dense(view, around, vector)
    exists_prev, exists_next = before > 0, after > 0

    mean = max(view.total_words / max(int(view.alive.sum()), 1), 1.0)
    own, ahead, behind = words.counts[here], words.counts[prev], words.counts[following]
    size, size_prev, size_next = words.lengths[here], words.lengths[prev], words.lengths[following]
    days, day_size = _day_counts(view, numbers, terms)
    bm = _bm25(own, size, idf, mean)
    bm_around = _bm25(words.counts, words.lengths, idf, mean)
    dense = dense_around[here]
    low = float(dense_around.min()) if len(dense_around) else 0.0
    scaled_bm, scaled_dense = scale(bm), scale(dense)
    threads = view.thread[numbers]
    features: dict[str, FloatArray] = {
        "b": scaled_bm,
        "bd": scale(_bm25(own + days, size + day_size, idf, mean + 4)),
        "bp": scale(_bm25(own + ahead, size + size_prev, idf, 2 * mean)),
        "bc": scale(_bm25(ahead + behind, size_prev + size_next, idf, 2 * mean)),
        "bn": scale(_bm25(own * keep, size, idf, mean)),
        "c": scaled_dense,
        "craw": dense,
        "braw": bm / 10,
        "b_prev": scale(np.where(exists_prev, bm_around[prev], 0.0)),
        "b_next": scale(np.where(exists_next, bm_around[following], 0.0)),
        "c_prev": scale(np.where(exists_prev, dense_around[prev], low)),
        "c_next": scale(np.where(exists_next, dense_around[following], low)),
        "b_prev2": scale(np.where(before_that > 0, bm_around[prev2], 0.0)),
        "b_next2": scale(np.where(after_that > 0, bm_around[following2], 0.0)),
        "c_prev2": scale(np.where(before_that > 0, dense_around[prev2], low)),
        "c_next2": scale(np.where(after_that > 0, dense_around[following2], low)),
    }
    features |= _thread_features(threads, bm, dense, own, size, idf)
    total, total_kept = float(idf.sum()) or 1.0, float((idf * keep).sum()) or 1.0
    present, near = own > 0, (own + ahead + behind) > 0
    features |= {
        "cov": (present * idf).sum(axis=1) / total,
        "covn": (present * idf * keep).sum(axis=1) / total_kept,
        "covc": (near * idf * keep).sum(axis=1) / total_kept,
        "big": _pairs(view, numbers, query),
        "rare": present[:, int(np.argmax(idf * keep))].astype(np.float64) if terms else np.zeros(len(numbers)),
    }
    features |= {
        "rb": 1 / (1 + _rank(bm)),
        "rc": 1 / (1 + _rank(dense)),
        "lrb": np.log1p(_rank(bm)) / 7,
        "lrc": np.log1p(_rank(dense)) / 7,
    }
    features |= _text_features(view, numbers, before, features, query)
    features |= _crosses(view, features, query)
    return Features(numbers, tuple(features), np.stack(list(features.values()), axis=1).astype(np.float32), bm, dense)


def scale(values: FloatArray) -> FloatArray:
    """Min-max over the candidates of one question; 0 for all when there is no difference."""
    if len(values) == 0:
        return values
    low, high = values.min(), values.max()
    return np.asarray((values - low) / (high - low) if high > low else np.zeros_like(values))


def _rank(values: FloatArray) -> FloatArray:
    """0 for the best, counting up; ties in the order given."""
    ranks = np.empty(len(values))
    ranks[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return ranks


def _joined(view: Snapshot, numbers: IntArray) -> tuple[NDArray[np.uint32], IntArray, FloatArray]:
    """The stems of all these entries in one array, which row each belongs to, and how many each has."""
    parts = [view.words[number] for number in numbers.tolist()]
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    joined = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint32)
    return joined, np.repeat(np.arange(len(parts)), lengths), lengths.astype(np.float64)


def _count(view: Snapshot, numbers: IntArray, terms: Sequence[int]) -> _Words:
    joined, owner, lengths = _joined(view, numbers)
    counts = np.zeros((len(numbers), len(terms)))
    for at, term in enumerate(terms):
        counts[:, at] = np.bincount(owner[joined == term], minlength=len(numbers))
    return _Words(counts, lengths)


def _idf(view: Snapshot, terms: Sequence[int]) -> FloatArray:
    """Robertson's inverse document frequency with +1 inside the logarithm, so that it is never negative."""
    documents = max(int(view.alive.sum()), 1)
    found = [view.document_counts.get(term, 0) for term in terms]
    return np.array([math.log(1 + (documents - count + 0.5) / (count + 0.5)) for count in found])


def _bm25(counts: FloatArray, lengths: FloatArray, idf: FloatArray, mean: float) -> FloatArray:
    """BM25 (k1 = 1.2, b = 0.75) of each row of counts (n, terms)."""
    if counts.shape[1] == 0:
        return np.zeros(len(counts))
    norm = K1 * (1 - B + B * lengths / mean)
    return np.asarray((idf * counts * (K1 + 1) / (counts + norm[:, None] + 1e-12)).sum(axis=1))


def _dense(view: Snapshot, numbers: IntArray, vector: NDArray[np.float32] | None) -> FloatArray:
    """The cosine of each entry's best window with the question; the lowest found for entries without a vector."""
    if vector is None or len(view.keys) == 0:
        return np.zeros(len(numbers))
    owner, vectors = view.vectors_of(numbers)
    cosines = vectors @ vector
    best = np.full(len(numbers), -1.0)
    np.maximum.at(best, owner, cosines)
    known = best > -1.0
    best[~known] = best[known].min() if known.any() else 0.0
    return best


def _day_counts(view: Snapshot, numbers: IntArray, terms: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Question stems among the words of each entry's date: "2023 may 8 monday"."""
    counts = np.zeros((len(numbers), len(terms)))
    known = ~np.isnan(view.at[numbers])
    for at, term in enumerate(terms):
        counts[:, at] = (view.day_words[numbers] == np.uint32(term)).any(axis=1) & known
    return counts, known * 4.0


def _thread_features(
    threads: NDArray[np.int32], bm: FloatArray, dense: FloatArray, own: FloatArray, size: FloatArray, idf: FloatArray
) -> dict[str, FloatArray]:
    """How well the candidate's whole thread matches: joined words, the best entry, the mean of the best three."""
    _, at = np.unique(threads, return_inverse=True)
    groups = int(at.max()) + 1 if len(at) else 0
    counts = np.zeros((groups, own.shape[1]))
    np.add.at(counts, at, own)
    sizes = np.bincount(at, weights=size, minlength=groups).astype(np.float64)
    joined = _bm25(counts, sizes, idf, max(float(sizes.mean()) if groups else 1.0, 1.0))
    return {
        "s_b": scale(joined)[at],
        "sm_b": scale(_best(at, groups, bm, 1))[at],
        "sm_c": scale(_best(at, groups, dense, 1))[at],
        "st_b": scale(_best(at, groups, bm, 3))[at],
        "st_c": scale(_best(at, groups, dense, 3))[at],
    }


def _best(at: IntArray, groups: int, values: FloatArray, most: int) -> FloatArray:
    """The mean of the `most` best values of each group."""
    order = np.lexsort((-values, at))
    starts = np.searchsorted(at[order], np.arange(groups))
    place = np.arange(len(order)) - starts[at[order]]
    best = order[place < most]
    summed = np.bincount(at[best], weights=values[best], minlength=groups)
    return summed / np.maximum(np.bincount(at[best], minlength=groups), 1)


def _pairs(view: Snapshot, numbers: IntArray, query: Query) -> FloatArray:
    """How many of the question's neighbouring word pairs stand in a candidate, up to three, as a share of three."""
    wanted = {(stem_hash(a), stem_hash(b)) for a, b in query.pairs}
    joined, owner, _ = _joined(view, numbers)
    if len(joined) < 2 or not wanted:
        return np.zeros(len(numbers))
    keys = (joined[:-1].astype(np.uint64) << np.uint64(32)) | joined[1:].astype(np.uint64)
    inside = owner[:-1] == owner[1:]
    found = np.zeros(len(numbers))
    for first, second in wanted:
        hits = owner[:-1][inside & (keys == np.uint64((first << 32) | second))]
        found[np.unique(hits)] += 1
    return np.minimum(found, 3) / 3


def _text_features(
    view: Snapshot, numbers: IntArray, before: IntArray, features: dict[str, FloatArray], query: Query
) -> dict[str, FloatArray]:
    """What the text itself is: a question, holds a number or a date, is long, who says it."""
    flags, flags_before = view.flags[numbers], view.flags[before]

    def has(bit: int, of: NDArray[np.int64] = flags) -> FloatArray:
        return (of & bit > 0).astype(np.float64)

    prevq = has(text_flags.QUESTION, flags_before) * (before > 0)
    speakers = view.speakers.words
    speaker = view.speaker[numbers]
    lowered = [word.strip().lower() for word in speakers]
    named = np.isin(speaker, [at for at, word in enumerate(speakers) if word in query.named]).astype(np.float64)
    somebody = float(bool(query.named)) * np.isin(
        speaker, [at for at, word in enumerate(lowered) if word not in ROLES]
    ).astype(np.float64)
    user = np.isin(speaker, [at for at, word in enumerate(lowered) if word in ("user", "human")]).astype(np.float64)
    helper = np.isin(speaker, [at for at, word in enumerate(lowered) if word in ("assistant", "ai", "bot")])
    asked_back = float(query.asks_back)
    return {
        "prevq": prevq,
        "isq": has(text_flags.QUESTION),
        "len": np.log1p(view.length[numbers]) / 6,
        "first": has(text_flags.FIRST_PERSON),
        "num": has(text_flags.NUMBER),
        "date": has(text_flags.DATE),
        "img": has(text_flags.IMAGE),
        "pos0": (view.position[numbers] < 2).astype(np.float64),
        "prevq_b": prevq * features["b_prev"],
        "prevq_c": prevq * features["c_prev"],
        "named": named,
        "other": somebody * (1 - named),
        "named_b": named * features["b"],
        "named_c": named * features["c"],
        "user": user,
        "asst": helper.astype(np.float64),
        "asst_you": helper * asked_back,
        "user_you": user * asked_back,
        "memory": (view.kind[numbers] == 0).astype(np.float64),
    }


def _crosses(view: Snapshot, features: dict[str, FloatArray], query: Query) -> dict[str, FloatArray]:
    """Products: what counts for one kind of question, or in one kind of store, may not count in another."""
    when, number = float("when" in query.wants), float("number" in query.wants)
    guess, advice = float("guess" in query.wants), float("advice" in query.wants)
    thing = float("thing" in query.wants)
    few = float(0 < len(view.threads.words) <= FEW_THREADS)
    alive = max(int(view.alive.sum()), 1)
    long = float(view.length.sum() / alive > LONG_TEXT)
    f = features
    crossed = {
        "bxc": f["b"] * f["c"],
        "sqb": f["b"] ** 2,
        "sqc": f["c"] ** 2,
        "when_date": when * f["date"],
        "when_s": when * f["st_b"],
        "when_b": when * f["b"],
        "when_c": when * f["c"],
        "many_num": number * f["num"],
        "would_c": guess * f["c"],
        "would_b": guess * f["b"],
        "sug_c": advice * f["c"],
        "sug_first": advice * f["first"],
        "sug_b": advice * f["b"],
        "what_c": thing * f["c"],
    }
    for name in ("b", "c", "bc", "bp", "st_b", "st_c", "s_b", "covn", "b_prev", "b_next"):
        crossed[f"sm_{name}"] = few * f[name]
        crossed[f"lg_{name}"] = long * f[name]
    return crossed

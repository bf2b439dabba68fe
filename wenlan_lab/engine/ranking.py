"""From features to one relevance: a small learned fusion, or the hand-weighted sum it has to beat.

The learned one is a committee of tiny networks (a linear part plus one hidden layer pair), trained listwise on the dev
conversations alone; its weights are data, committed with the receipt of their training. Relevance is the logistic of
its logit; `parts` are the linear contributions by group, and what the hidden layers add, and sum to that logit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.engine.features import Features

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

FloatArray = NDArray[np.float64]

# What each feature belongs to: the levers that can be switched off, and the lines of an explanation.
FEATURE_GROUPS: Mapping[str, tuple[str, ...]] = {
    "lexical": ("b", "braw", "rb", "lrb", "sqb", "bxc", "sm_b", "lg_b", "cov", "rare", "big"),
    "dense": ("c", "craw", "rc", "lrc", "sqc", "sm_c", "lg_c"),
    "date": ("bd", "when_date", "when_s", "when_b", "when_c", "date"),
    "context": (
        "bp",
        "bc",
        "b_prev",
        "b_next",
        "c_prev",
        "c_next",
        "b_prev2",
        "b_next2",
        "c_prev2",
        "c_next2",
        "covc",
        "prevq",
        "prevq_b",
        "prevq_c",
        "sm_bc",
        "lg_bc",
        "sm_bp",
        "lg_bp",
        "sm_b_prev",
        "sm_b_next",
        "lg_b_prev",
        "lg_b_next",
    ),
    "thread": ("s_b", "sm_b", "st_b", "st_c", "sm_c", "sm_st_b", "sm_st_c", "lg_st_b", "lg_st_c", "sm_s_b", "lg_s_b"),
    "speaker": (
        "bn",
        "covn",
        "named",
        "other",
        "named_b",
        "named_c",
        "user",
        "asst",
        "asst_you",
        "user_you",
        "sm_covn",
        "lg_covn",
    ),
    "question": ("many_num", "would_c", "would_b", "sug_c", "sug_first", "sug_b", "what_c"),
    "text": ("isq", "len", "first", "num", "img", "pos0", "memory"),
}
LEVERS = tuple(FEATURE_GROUPS)

# Fitted by hand on the dev conversations; the fallback, and what the learned fusion is compared with.
WEIGHTS: Mapping[str, float] = {
    "bd": 0.26,
    "c": 0.26,
    "bp": 0.10,
    "b_prev": 0.05,
    "b_next": 0.05,
    "s_b": 0.06,
    "st_c": 0.06,
    "named": 0.08,
    "covn": 0.08,
}


@dataclass(frozen=True, slots=True)
class Relevance:
    """One number in (0, 1) for each candidate (n,), and the named parts (n,) that add up to its logit (or to itself)."""

    values: FloatArray
    parts: Mapping[str, FloatArray]
    model: str


@dataclass(frozen=True, slots=True)
class Fusion:
    """A trained committee: feature names in order, their scaling, and each member's layers."""

    names: tuple[str, ...]
    members: tuple[Mapping[str, FloatArray], ...]
    center: float
    receipt: Mapping[str, Any]


@cache
def learned() -> Fusion | None:
    """The committed fusion, None when the file is not there."""
    file = resources.files("wenlan_lab.engine").joinpath("fusion_weights.json")
    if not file.is_file():
        return None
    plain = json.loads(file.read_text(encoding="utf-8"))
    members = tuple({name: np.array(layer) for name, layer in member.items()} for member in plain["members"])
    return Fusion(tuple(plain["names"]), members, float(plain["center"]), plain["receipt"])


def weigh(features: Features, *, fusion: str, off: tuple[str, ...] = ()) -> Relevance:
    """Relevance by the learned fusion, or by the weights when that is asked for, or nothing was learned."""
    model = learned() if fusion == "learned" else None
    hidden = {name for lever in off for name in FEATURE_GROUPS[lever]}
    if model is None:
        return _weighted(features, hidden)
    return _learned(features, model, hidden)


def _weighted(features: Features, hidden: set[str]) -> Relevance:
    group_of = {name: group for group, names in FEATURE_GROUPS.items() for name in names}
    parts: dict[str, FloatArray] = {}
    for name, weight in WEIGHTS.items():
        if name in features.names and name not in hidden:
            group = group_of[name]
            parts[group] = parts.get(group, np.zeros(len(features.numbers))) + weight * features.column(name)
    total = sum(parts.values(), np.zeros(len(features.numbers)))
    return Relevance(np.asarray(total), parts, "weighted")


def _learned(features: Features, model: Fusion, hidden: set[str]) -> Relevance:
    rows = {name: at for at, name in enumerate(features.names)}
    matrix = np.zeros((len(features.numbers), len(model.names)))
    for at, name in enumerate(model.names):
        if name in rows and name not in hidden:
            matrix[:, at] = features.matrix[:, rows[name]]
    share = 1 / len(model.members)
    with one_thread():
        deep = sum((share * _hidden_layers(member, matrix) for member in model.members), np.zeros(len(matrix)))
    linear = sum((share * member["linear"] for member in model.members), np.zeros(len(model.names)))
    group_of = {name: group for group, names in FEATURE_GROUPS.items() for name in names}
    parts: dict[str, FloatArray] = {"base": np.full(len(matrix), -model.center), "interplay": deep}
    for at, name in enumerate(model.names):
        group = group_of.get(name, "text")
        parts[group] = parts.get(group, np.zeros(len(matrix))) + linear[at] * matrix[:, at]
    logit = sum(parts.values(), np.zeros(len(matrix)))
    return Relevance(1 / (1 + np.exp(-np.clip(logit, -60, 60))), parts, "learned")


@cache
def _pools() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Hold NumPy's matrix products to one thread meanwhile: for a few hundred rows more of them only wait for each other."""
    limit: AbstractContextManager[Any] = _pools().limit(limits=1, user_api="blas")
    return limit


def _hidden_layers(member: Mapping[str, FloatArray], matrix: FloatArray) -> FloatArray:
    first = np.maximum(matrix @ member["w1"].T + member["b1"], 0)
    second = np.maximum(first @ member["w2"].T + member["b2"], 0)
    return np.asarray(second @ member["w3"] + member["b3"])

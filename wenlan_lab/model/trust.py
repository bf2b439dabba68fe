"""Trust and status of a claim, and the one table of legal transitions.

Trust says how far a claim may be relied on; status says whether it takes part at all. Both move only by a Change,
so every transition has an actor, a time and a journal row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from wenlan_lab.errors import InvalidRequest

Trust = Literal["draft", "asserted", "grounded", "accepted", "disputed", "rejected"]
Status = Literal["held", "live", "superseded", "retracted", "forgotten"]

TRUSTS: tuple[Trust, ...] = get_args(Trust)
STATUSES: tuple[Status, ...] = get_args(Status)

# Which trust may follow which. `rejected` is left only through an explicit lifting of the tombstone.
TRUST_TRANSITIONS: Mapping[Trust, frozenset[Trust]] = {
    "draft": frozenset({"asserted", "grounded", "accepted", "rejected"}),
    "asserted": frozenset({"draft", "grounded", "accepted", "disputed", "rejected"}),
    "grounded": frozenset({"draft", "asserted", "accepted", "disputed", "rejected"}),
    "accepted": frozenset({"asserted", "grounded", "disputed", "rejected"}),
    "disputed": frozenset({"asserted", "grounded", "accepted", "rejected"}),
    "rejected": frozenset({"asserted", "grounded"}),
}

# `forgotten` is final: the text is gone. Everything else can be lived through again by undo.
STATUS_TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    "held": frozenset({"live", "superseded", "retracted", "forgotten"}),
    "live": frozenset({"held", "superseded", "retracted", "forgotten"}),
    "superseded": frozenset({"live", "retracted", "forgotten"}),
    "retracted": frozenset({"live", "forgotten"}),
    "forgotten": frozenset(),
}


def check_trust(before: Trust, after: Trust) -> None:
    """Raise InvalidRequest when trust may not go from `before` to `after`; staying the same is always legal."""
    if before != after and after not in TRUST_TRANSITIONS[before]:
        allowed = ", ".join(sorted(TRUST_TRANSITIONS[before]))
        raise InvalidRequest(f"trust can't go from {before} to {after}: from {before} it may become {allowed}.")


def check_status(before: Status, after: Status) -> None:
    """Raise InvalidRequest when status may not go from `before` to `after`; staying the same is always legal."""
    if before != after and after not in STATUS_TRANSITIONS[before]:
        allowed = ", ".join(sorted(STATUS_TRANSITIONS[before])) or "nothing: it is final"
        raise InvalidRequest(f"status can't go from {before} to {after}: from {before} it may become {allowed}.")

"""Trust, freshness and archive as factors of a ranking score. Relevance fades, truth doesn't.

recency = 1 / (1 + rate · days since last confirmed or used); the rate is that of the type's tier, and 0 for what is
confirmed, accepted or pinned. Use adds 0.1 · ln(1 + uses). Verbatim passages don't fade.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.derived.snapshot import Snapshot
from wenlan_lab.model.types import MEMORY_TYPES, Tier, tier_of

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench

RATE_A_DAY: Mapping[Tier, float] = {"protected": 0.001, "standard": 0.01, "ephemeral": 0.05}
USE_BOOST = 0.1
ARCHIVED = 0.5
TRUST_FACTOR: Mapping[str, float] = {
    "accepted": 1.0,
    "grounded": 1.0,
    "asserted": 0.95,
    "disputed": 0.8,
    "draft": 0.6,
    "rejected": 0.0,
}
SECONDS_A_DAY = 86_400.0


def factors(wb: Workbench, view: Snapshot, numbers: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Trust, freshness and archive factor of each entry, each (n,)."""
    trusted = np.array([TRUST_FACTOR.get(name, 1.0) for name in view.trusts.words] or [1.0])
    memory = view.kind[numbers] == 0
    fresh = np.ones(len(numbers))
    if wb.settings.decay and memory.any():
        fresh[memory] = ranking_freshness(
            rates(view, numbers[memory]),
            days_since(view.touched[numbers[memory]], wb.clock().timestamp()),
            view.uses[numbers[memory]],
        )
    archive = np.where(view.archived[numbers], ARCHIVED, 1.0)
    return {"trust": trusted[view.trust[numbers]], "freshness": fresh, "archive": archive}


def rates(view: Snapshot, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """The rate of fading a day of each memory."""
    by_type = np.array(
        [RATE_A_DAY[tier_of(name)] if name in MEMORY_TYPES else 0.0 for name in view.types.words] or [0.0]
    )
    kept = view.pinned[numbers] | (view.trust[numbers] == view.trusts.find("accepted"))
    return np.where(kept, 0.0, by_type[view.type[numbers]])


def days_since(moments: NDArray[np.float64], now: float) -> NDArray[np.float64]:
    """Days from each moment (seconds since 1970) to now; a moment in the future is no age."""
    return np.nan_to_num(np.maximum((now - moments) / SECONDS_A_DAY, 0.0))


def ranking_freshness(
    rate: NDArray[np.float64], days: NDArray[np.float64], uses: NDArray[np.int32]
) -> NDArray[np.float64]:
    """How fresh a memory counts in the ranking."""
    return (1.0 + USE_BOOST * np.log1p(uses)) / (1.0 + rate * days)

"""The sample pairs of data/pairs, by split. `dev` is what the rules were made on; `report` only measures them."""

import json
from pathlib import Path
from typing import Any

PAIRS = Path(__file__).parents[2] / "data" / "pairs"
SPLITS = ("dev", "report")


def pairs(name: str, split: str) -> list[dict[str, Any]]:
    """The lines of one file and split."""
    rows = [json.loads(line) for line in (PAIRS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["split"] == split]


def share(part: int, whole: int) -> float:
    """Part of a whole, for bounds in per cent."""
    assert whole > 0
    return part / whole

"""Write the drift goldens anew: what the diary's questions bring back now becomes what they are expected to bring back.

    python evals/refresh_goldens.py            says which ranks moved, and writes tests/data/goldens.json
    python evals/refresh_goldens.py --dry-run  only says

Run this when a change of ranking was meant; look at what moved before you commit it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wenlan_lab import NotFound
from wenlan_lab.evals import cached_embedder, diary, drift

GOLDENS = Path(__file__).parents[1] / "tests" / "data" / "goldens.json"


def main() -> None:
    """Measure, compare with what is there, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    options = parser.parse_args()
    now = drift.rankings(diary.load(), cached_embedder.named_embedder("default"))
    try:
        before = drift.read_goldens(GOLDENS)
    except NotFound:
        print("there were no goldens")
    else:
        # Every move is shown, those that the test would let pass as well; other embedders and diaries start anew.
        same = (before.embedder, before.diary, set(before.lists)) == (now.embedder, now.diary, set(now.lists))
        moved = drift.drifted(before, now, least=1.0) if same else ()
        print("\n".join(map(repr, moved)) or ("nothing moved" if same else "the goldens were of something else"))
    if not options.dry_run:
        drift.write_goldens(GOLDENS, now)
        print(f"wrote {len(now.lists)} lists to {GOLDENS.name}")


if __name__ == "__main__":
    main()

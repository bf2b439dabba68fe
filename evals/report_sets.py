"""Run the reported sets, once, and write what is committed of them: `make evals`.

    WENLAN_DATA=../shared/data python evals/report_sets.py            all sets that have no result yet
    python evals/report_sets.py --only longmemeval_oracle-turns       one of them
    python evals/report_sets.py --again                               all of them, replacing what is there

Everything is measured under the defaults. A set that was interrupted goes on where it stopped. A result is not replaced
unless that is asked for: of two runs of one set, nobody may quote the better. The rows that Wenlan published are paired
with ours at the end.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from wenlan_lab import Settings, WenlanError
from wenlan_lab.evals import published, receipts, results, run

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "evals" / "results"
WORK = ROOT / "build" / "evals" / "report"
PAIRED = RESULTS / "compare-wenlan-s84.json"


@dataclass(frozen=True, slots=True)
class ReportSet:
    """One row of the table: a dataset under a protocol, asked with the k that is reported."""

    dataset: str
    protocol: str
    k: int = run.DEFAULT_K

    @property
    def name(self) -> str:
        """What its folder is called."""
        return f"{self.dataset}-{self.protocol}" + ("" if self.k == run.DEFAULT_K else f"-k{self.k}")


ORACLE, S84 = "longmemeval_oracle", published.DATASET
SETS = (
    ReportSet("locomo10", "turns"),
    ReportSet("locomo10", "official"),
    ReportSet("locomo10", "official", 50),  # two rankings: one asked for ten is not the head of one asked for fifty
    ReportSet("locomo10", "wenlan"),
    *(ReportSet(ORACLE, protocol) for protocol in ("turns", "official-turn", "official-session", "wenlan")),
    *(ReportSet(S84, protocol) for protocol in ("turns", "official-turn", "official-session", "wenlan")),
)


def main() -> int:
    """Run what is wanted; 0 when every set has its result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[one.name for one in SETS], metavar="SET", help="these sets")
    parser.add_argument("--again", action="store_true", help="replace results that are there")
    parser.add_argument("--data", type=Path, help="the folder with the datasets; default WENLAN_DATA")
    options = parser.parse_args()
    data = options.data or Settings().data
    failed = 0
    for one in SETS:
        if options.only and one.name not in options.only:
            continue
        if (RESULTS / one.name / "summary.json").is_file() and not options.again:
            print(f"{one.name}: there already (--again replaces it)")
            continue
        try:
            print(measured(one, data), flush=True)
        except WenlanError as problem:
            failed += 1
            print(f"{one.name}: {problem}", file=sys.stderr)
    ours = RESULTS / ReportSet(S84, published.PROTOCOL).name
    if (ours / "summary.json").is_file():
        print(results.compared(published.wenlan_rows(data), receipts.read_run(ours), PAIRED))
    return 2 if failed else 0


def measured(one: ReportSet, data: Path | None) -> str:
    """Run one set and publish it. Settings are the defaults, whatever the environment says, but for the data's place."""
    done = run.run(one.dataset, one.protocol, data=data, out=WORK / one.name, k=one.k, settings=defaults())
    found = results.publish(done, RESULTS / one.name, named=f"evals/results/{one.name}")
    headline = "  ".join(
        f"{name} {value:.3f}" for name, value in found["metrics"].items() if name in ("recall@5", "mrr", "ndcg@10")
    )
    return f"{one.name}: n {found['n']}  {headline}  p50 {found['latency_ms']['p50']} ms"


def defaults() -> Settings:
    """The settings as they are shipped: a result must not depend on somebody's environment."""
    return Settings(**{name: field.get_default() for name, field in Settings.model_fields.items()})


if __name__ == "__main__":
    sys.exit(main())

"""Write the README's figures from the committed results: `make readme`.

    python evals/readme_tables.py            replaces what stands between the two marks in README.md
    python evals/readme_tables.py --check    only says whether it differs

No figure in the README is typed: each comes out of a file below evals/results, and a test compares the two.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from wenlan_lab.evals import results

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "evals" / "results"
README = ROOT / "README.md"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"

NAMES = {
    "locomo10": "LoCoMo",
    "longmemeval_oracle": "LongMemEval oracle",
    "longmemeval_s_published84": "LongMemEval-S, published 84",
}
SPLITS = {
    ("locomo10", "report"): "the five report conversations",
    ("locomo10", "dev"): "the five that were fitted on",
    ("longmemeval_oracle", "report"): "those never fitted on",
    ("longmemeval_oracle", "dev"): "the dev questions, other haystacks",
}
FIGURES = {
    "recall@5": "recall@5",
    "recall@10": "recall@10",
    "mrr": "MRR",
    "ndcg@10": "NDCG@10",
    "ndcg_retrieved@10": "NDCG@10, retrieved gold",
}
OFFICIAL = {
    "recall_official@5": "recall@5", "recall_official@10": "recall@10", "recall_official@25": "recall@25",
    "recall_official@50": "recall@50",
}  # fmt: skip
SESSIONS = {"recall_any@5": "any@5", "recall_all@5": "all@5", "ndcg_any_official@5": "NDCG@5", "recall_any@10": "any@10",
            "recall_all@10": "all@10", "ndcg_any_official@10": "NDCG@10"}  # fmt: skip
# What others published, under the same protocol: (result, split or None for all questions) → figures, by whom.
PUBLISHED = (
    (
        "longmemeval_oracle-wenlan",
        {"recall@5": 0.936, "mrr": 0.857, "ndcg_retrieved@10": 0.883},
        "Wenlan, with a cross-encoder",
    ),
    (
        "longmemeval_s_published84-wenlan",
        {"recall@5": 0.877, "mrr": 0.815, "ndcg@10": 0.822},
        "Wenlan, with a cross-encoder of 1.1 GB",
    ),
    ("locomo10-wenlan", {"recall@5": 0.700, "mrr": 0.647, "ndcg_retrieved@10": 0.684}, "Wenlan, with a cross-encoder"),
    ("locomo10-turns", {"recall@10": 0.780, "mrr": 0.656}, "ConvMemory, five splits, MPNet on a GPU"),
)


def main() -> int:
    """Write, or check; 1 when the README differs from the results and nothing was written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    text = README.read_text(encoding="utf-8")
    wanted = results.between(text, BEGIN, END, tables(RESULTS))
    if wanted == text:
        print("the README says what the results say")
        return 0
    if options.check:
        print("the README differs from the results: run `make readme`", file=sys.stderr)
        return 1
    README.write_text(wanted, encoding="utf-8")
    print("the README was written anew")
    return 0


def tables(root: Path) -> str:
    """All that is said about the results below `root`, as Markdown."""
    found = {name: results.read_summary(folder) for name, folder in results.result_folders(root).items()}
    if not found:
        return "No results are committed yet: `make evals` makes them."
    parts = [
        "Means with 95 % bootstrap intervals (LoCoMo: whole conversations drawn). "
        "NDCG@10 has its ideal over all gold unless it says otherwise.",
        _primary({name: one for name, one in found.items() if one["protocol"] in ("turns", "wenlan")}),
        _official({name: one for name, one in found.items() if one["protocol"].startswith("official")}),
        _beside_published(found),
        _paired(root / "compare-wenlan-s84.json"),
        _rivals(root / "rivals-locomo.json"),
    ]
    return "\n\n".join(part for part in parts if part)


def _primary(found: dict[str, dict[str, Any]]) -> str:
    rows = []
    for one in found.values():
        for label, part in _parts(one):
            figures = [results.figure(part, name) for name in FIGURES]
            rows.append(
                [NAMES.get(one["dataset"], one["dataset"]) + label, one["protocol"], part["n"], *figures, _p50(one)]
            )
    columns = ("data", "protocol", "n", *FIGURES.values(), "recall p50, ms")
    return results.markdown(columns, rows) if rows else ""


def _official(found: dict[str, dict[str, Any]]) -> str:
    locomo, sessions = [], []
    for one in found.values():
        name = NAMES.get(one["dataset"], one["dataset"])
        for label, part in _parts(one):
            if one["protocol"] == "official":
                locomo.append(
                    [
                        name + label,
                        f"official, k = {one['k']}",
                        part["n"],
                        *(results.figure(part, figure) for figure in OFFICIAL),
                    ]
                )
            else:
                sessions.append(
                    [name + label, one["protocol"], part["n"], *(results.figure(part, figure) for figure in SESSIONS)]
                )
    told = [
        results.markdown(("data", "protocol", "n", *columns.values()), rows)
        for rows, columns in ((locomo, OFFICIAL), (sessions, SESSIONS))
        if rows
    ]
    return "\n\n".join(["The authors' own protocols:", *told]) if told else ""


def _beside_published(found: dict[str, dict[str, Any]]) -> str:
    rows = []
    for name, figures, by in PUBLISHED:
        if name not in found:
            continue
        one = found[name]
        for figure, value in figures.items():
            rows += [
                [
                    NAMES[one["dataset"]] + label,
                    one["protocol"],
                    FIGURES[figure],
                    value,
                    results.figure(part, figure),
                    by,
                ]
                for label, part in _parts(one)
            ]
    return "Beside what others published under the same protocol:\n\n" + _table_of_published(rows) if rows else ""


def _table_of_published(rows: list[list[Any]]) -> str:
    return results.markdown(("data", "protocol", "figure", "published", "ours", "by"), rows)


def _paired(path: Path) -> str:
    if not path.is_file():
        return ""
    found = json.loads(path.read_text(encoding="utf-8"))
    rows = [
        [row["metric"], row["kind"], row["n"], row["mean_a"], row["mean_b"],
         f"{row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]",
         f"{row['wins']}/{row['ties']}/{row['losses']}", f"{row['p']:.2g}"]
        for row in found["rows"]
        if row["kind"] == "all"
    ]  # fmt: skip
    spans = found["latency_p50_ms"]
    told = f"Paired with Wenlan's own rows on {found['n']} questions of LongMemEval-S (Wilcoxon p, uncorrected)"
    if spans["a over b"]:
        told += f"; recall p50 {spans['b']:.0f} ms against its {spans['a']:.0f} ms on its authors' machine"
    columns = ("figure", "questions", "n", "Wenlan", "ours", "difference", "win/tie/loss", "p")
    return f"{told}:\n\n{results.markdown(columns, rows)}"


def _rivals(path: Path) -> str:
    if not path.is_file():
        return ""
    found = json.loads(path.read_text(encoding="utf-8"))
    names = ("recall@5", "recall@10", "mrr", "ndcg@10")
    rows = [
        [
            one["name"],
            one["what"],
            *(one["metrics"].get(name) for name in names),
            one["ingest_s"],
            one["p50_ms"],
            one["p95_ms"],
        ]
        for one in found["systems"]
        if not one.get("skipped")
    ]
    columns = ("system", "how", *(FIGURES[name] for name in names), "ingest, s", "p50, ms", "p95, ms")
    asked = f"{found['questions']}, n = {found['n']}"
    head = f"On the same LoCoMo turns in one run ({asked}), each asked for the ten that are reported:"
    return f"{head}\n\n{results.markdown(columns, rows)}"


def _parts(one: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """All questions, and those of the report split apart where both splits are in it."""
    splits = one["by_split"]
    apart = [(f", {SPLITS.get((one['dataset'], 'report'), 'report')}", splits["report"])] if len(splits) > 1 else []
    return [("", one), *apart]


def _p50(one: dict[str, Any]) -> str:
    value = one["latency_ms"]["p50"]
    return "–" if value is None else f"{value:.0f}"


if __name__ == "__main__":
    sys.exit(main())

"""Train the learned fusion on the dev data, and say honestly what it reaches there.

    python evals/train_fusion.py --data ../shared/data            cross-validate, then fit on all of dev and write
    python evals/train_fusion.py --data ../shared/data --ablate   the same without each group of features in turn

Features come from the product itself (`Workbench.features`). A member of the committee is a linear part plus two small
hidden layers, trained with a listwise softmax loss: the mean log-probability of the gold among a question's candidates.
Folds: one LoCoMo conversation at a time; a fifth of the LongMemEval questions at a time. No report data is read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

import wenlan_lab
from wenlan_lab.evals import cached_embedder as caching
from wenlan_lab.evals import cases, datasets, locomo
from wenlan_lab.importers import ImportBatch, ImportedSource

WEIGHTS_FILE = Path(wenlan_lab.__file__).parent / "engine" / "fusion_weights.json"
HIDDEN, EPOCHS, MEMBERS, FOLDS = 32, 12, 5, 5
WEIGHT_OF = {
    "locomo turns": 1.0,
    "locomo wenlan": 0.7,
    "locomo memories": 0.5,
    "longmemeval wenlan": 3.0,
    "longmemeval evidence": 3.0,
    "longmemeval turns": 3.0,
}


@dataclass(frozen=True, slots=True)
class Example:
    """One question: features of its candidates (n, f), which of them are gold (n,), how much gold there is."""

    set: str
    fold: int
    matrix: np.ndarray
    gold: np.ndarray
    total: int


def main() -> None:
    """Parse arguments, build or load the examples, cross-validate, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--examples", type=Path, help="keep the examples here, and take them from here when they are there"
    )
    parser.add_argument("--sets", nargs="*", default=[name for name in WEIGHT_OF if name != "longmemeval turns"])
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    parser.add_argument("--dry-run", action="store_true", help="cross-validate only")
    options = parser.parse_args()
    torch.set_num_threads(1)
    names, examples = load(options.examples) or build(options.data, options.sets)
    if options.examples:
        options.examples.write_bytes(pickle.dumps((names, examples)))
    if options.ablate:
        return ablate(names, examples)
    figures = cross_validate(names, examples)
    print(table(figures))
    if not options.dry_run:
        members = [train(examples, len(names), seed) for seed in range(MEMBERS)]
        options.out.write_text(json.dumps(packed(names, members, examples, figures, options.data)) + "\n")
        print(f"wrote {options.out}")
    return None


def load(path: Path | None) -> tuple[list[str], list[Example]] | None:
    """Examples that were kept."""
    if path is None or not path.exists():
        return None
    kept: tuple[list[str], list[Example]] = pickle.loads(path.read_bytes())  # noqa: S301 - our own file
    return kept


def build(data: Path, sets: Sequence[str]) -> tuple[list[str], list[Example]]:
    """Import every dev case into a workbench of its own and collect the features of its questions."""
    names: list[str] = []
    examples: list[Example] = []
    embedder = cached_embedder()
    for name in sets:
        family, protocol = name.split()
        for fold, case in dev_cases(data, family, protocol):
            with tempfile.TemporaryDirectory() as folder:
                wb = wenlan_lab.open(folder, embedder=embedder)
                bring_in = capture_statements if protocol == "memories" else import_turns
                refs = bring_in(wb, case.turns)
                for question in case.questions:
                    if not question.graded or not question.gold:
                        continue
                    ids, seen = wb.features(question.text)
                    names = list(seen.names)
                    gold = np.array([refs.get(item) in question.gold for item in ids])
                    examples.append(Example(name, fold, seen.matrix, gold, len(question.gold)))
                wb.close()
    return names, examples


def cached_embedder() -> object:
    """The default embedder behind a cache on disk, since the same turns are embedded again and again."""
    return caching.CachedEmbedder.default()


def dev_cases(data: Path, family: str, protocol: str) -> Iterable[tuple[int, cases.EvalCase]]:
    """(fold, case) of the dev split of a family; "evidence" keeps only the sessions that hold gold."""
    if family == "locomo":
        # The shipped observations, captured as memories: statements that stand alone, without a thread or a speaker.
        benchmark = datasets.load("locomo10", data, "wenlan" if protocol == "memories" else protocol)
        chosen = [case for case in benchmark.cases if locomo.conversation_of(case) in locomo.DEV_CONVERSATIONS]
        yield from enumerate(tqdm(chosen, desc=f"{family} {protocol}"))
        return
    benchmark = datasets.load("longmemeval_s_dev64", data, "wenlan" if protocol == "evidence" else protocol)
    for case in tqdm(benchmark.cases, desc=f"{family} {protocol}"):
        fold = int(hashlib.sha256(case.questions[0].id.encode()).hexdigest(), 16) % FOLDS
        yield fold, evidence_only(case) if protocol == "evidence" else case


def evidence_only(case: cases.EvalCase) -> cases.EvalCase:
    """The case as the oracle file has it: only sessions with gold. A dev stand-in for that regime."""
    gold = frozenset(ref for question in case.questions for ref in question.gold)
    threads = {turn.thread for turn in case.turns if turn.ref in gold}
    return cases.EvalCase(case.id, tuple(turn for turn in case.turns if turn.thread in threads), case.questions)


def import_turns(wb: wenlan_lab.Workbench, turns: Sequence[cases.EvalTurn]) -> dict[str, str]:
    """Import the turns as one source and return what each passage id refers to."""
    rows = tuple(
        wenlan_lab.NewPassage(turn.ref, turn.thread, turn.position, turn.speaker, turn.time.isoformat(), turn.text)
        for turn in turns
    )
    source = ImportedSource(kind="chat", ref="case", title="case", space=None, digest="x", passages=rows)
    wb.sources.import_batch(ImportBatch(sources=(source,), quirks={}, skipped=(), format="turns"))
    return {passage.id: passage.ref for passage in wb.sources.passages(wb.sources.list()[0].id)}


def capture_statements(wb: wenlan_lab.Workbench, turns: Sequence[cases.EvalTurn]) -> dict[str, str]:
    """Capture the turns' texts as memories and return what each memory id refers to."""
    receipts = wb.capture_many([turn.text for turn in turns])
    return {receipt.id: turn.ref for receipt, turn in zip(receipts, turns, strict=True) if receipt.id is not None}


class Member(torch.nn.Module):  # type: ignore[misc]  # torch is not followed by mypy
    """A linear part plus two hidden layers over the features of one candidate."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(features, 1, bias=False)
        self.first = torch.nn.Linear(features, HIDDEN)
        self.second = torch.nn.Linear(HIDDEN, HIDDEN // 2)
        self.third = torch.nn.Linear(HIDDEN // 2, 1)
        self.drop = torch.nn.Dropout(0.2)

    def forward(self, matrix: torch.Tensor) -> torch.Tensor:
        """One logit for each candidate."""
        hidden = self.drop(torch.relu(self.first(matrix)))
        logits: torch.Tensor = self.linear(matrix) + self.third(torch.relu(self.second(hidden)))
        return logits.squeeze(-1)


def train(examples: Sequence[Example], features: int, seed: int) -> Member:
    """Fit one member: AdamW, cosine schedule, sixteen questions a step."""
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    member = Member(features)
    optimiser = torch.optim.AdamW(member.parameters(), lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS)
    rows = [(torch.from_numpy(e.matrix), torch.from_numpy(e.gold), WEIGHT_OF[e.set]) for e in examples if e.gold.any()]
    for _ in range(EPOCHS):
        member.train()
        for batch in np.array_split(order.permutation(len(rows)), math.ceil(len(rows) / 16)):
            losses = [
                -weight * torch.log_softmax(member(matrix), 0)[gold].mean()
                for matrix, gold, weight in (rows[at] for at in batch)
            ]
            optimiser.zero_grad()
            torch.stack(losses).mean().backward()
            optimiser.step()
        schedule.step()
    member.eval()
    return member


def scorer(members: Sequence[Member]) -> Callable[[np.ndarray], np.ndarray]:
    """The committee's mean logit."""

    def score(matrix: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(np.mean([member(torch.from_numpy(matrix)).numpy() for member in members], axis=0))

    return score


def figures_of(scores: np.ndarray, example: Example) -> list[float]:
    """recall@5, recall@10, MRR, NDCG@10 over all gold, NDCG@10 over retrieved gold of one ranking."""
    best = example.gold[np.argsort(-scores, kind="stable")[:10]]
    gains = [1 / math.log2(at + 2) for at in range(10)]
    found = float(sum(gain for gain, hit in zip(gains, best, strict=False) if hit))
    first = next((1 / (at + 1) for at, hit in enumerate(best) if hit), 0.0)
    ideal, retrieved = sum(gains[: min(example.total, 10)]), sum(gains[: int(best.sum())])
    return [
        best[:5].sum() / example.total,
        best.sum() / example.total,
        first,
        found / ideal,
        found / retrieved if retrieved else 0.0,
    ]


def cross_validate(names: Sequence[str], examples: Sequence[Example], members: int = 2) -> dict[str, list[float]]:
    """Mean figures of each set, every question scored by a committee that never saw its conversation."""
    figures: dict[str, list[list[float]]] = {}
    for fold in range(FOLDS):
        fitted = [example for example in examples if example.fold != fold]
        score = scorer([train(fitted, len(names), seed) for seed in range(members)])
        for example in examples:
            if example.fold == fold:
                figures.setdefault(example.set, []).append(figures_of(score(example.matrix), example))
    return {name: [float(value) for value in np.mean(rows, axis=0)] + [len(rows)] for name, rows in figures.items()}


def table(figures: dict[str, list[float]]) -> str:
    """The figures as text."""
    lines = [f"{'set':24} {'R@5':>6} {'R@10':>6} {'MRR':>6} {'NDCG':>6} {'retr.':>6}     n"]
    for name, row in figures.items():
        lines.append(f"{name:24} " + " ".join(f"{value:6.3f}" for value in row[:5]) + f" {int(row[5]):5}")
    return "\n".join(lines)


def ablate(names: list[str], examples: list[Example]) -> None:
    """Cross-validate again without each group of features, trained anew each time."""
    print("all", table(cross_validate(names, examples, 1)), sep="\n", flush=True)
    for group, members in wenlan_lab.FEATURE_GROUPS.items():
        kept = [at for at, name in enumerate(names) if name not in members]
        without = [Example(e.set, e.fold, np.ascontiguousarray(e.matrix[:, kept]), e.gold, e.total) for e in examples]
        print(f"without {group}", table(cross_validate([names[at] for at in kept], without, 1)), sep="\n", flush=True)


def packed(
    names: list[str],
    members: Sequence[Member],
    examples: Sequence[Example],
    figures: dict[str, list[float]],
    data: Path,
) -> dict[str, object]:
    """The weights as JSON, with the receipt of their training."""
    score = scorer(members)
    best = [float(np.max(score(example.matrix)[example.gold])) for example in examples if example.gold.any()]
    layers = [
        {
            "linear": rounded(m.linear.weight[0]),
            "w1": rounded(m.first.weight),
            "b1": rounded(m.first.bias),
            "w2": rounded(m.second.weight),
            "b2": rounded(m.second.bias),
            "w3": rounded(m.third.weight[0]),
            "b3": rounded(m.third.bias[0]),
        }
        for m in members
    ]
    receipt = {
        "script": "evals/train_fusion.py",
        "trained": datetime.now(UTC).date().isoformat(),
        "seeds": list(range(len(members))),
        "data": {name: datasets.find(name, data).dataset.sha256 for name in ("locomo10", "longmemeval_s_dev64")},
        "split": {"locomo10": sorted(locomo.DEV_CONVERSATIONS), "longmemeval_s_dev64": "all of it"},
        "questions": len(examples),
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "cross_validation": {
            name: dict(zip(("recall@5", "recall@10", "mrr", "ndcg@10", "ndcg_retrieved@10", "n"), row, strict=True))
            for name, row in figures.items()
        },
    }
    return {"names": names, "center": round(float(np.median(best)), 4), "members": layers, "receipt": receipt}


def rounded(tensor: torch.Tensor) -> object:
    """A tensor as nested lists of five decimals."""
    return np.round(tensor.detach().numpy().astype(float), 5).tolist()


if __name__ == "__main__":
    main()

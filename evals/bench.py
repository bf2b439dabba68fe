"""What recall and capture cost, as ratios measured in one run (`make bench`).

Times on a shared machine mean little by themselves, so each recall is measured beside the bare searches it is built on:
the same FTS5 query and the same FAISS search, interleaved, on the same data. The bare searches reach inside the package
on purpose; this is the one script that does. Figures go to evals/results/bench.json with machine and versions.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import wenlan_lab
from wenlan_lab.derived import lexical
from wenlan_lab.engine.question import analyse
from wenlan_lab.evals import provenance
from wenlan_lab.importers import ImportBatch, ImportedSource

DIMENSIONS, QUESTIONS, ROUNDS = 384, 40, 3
RESULTS = Path(__file__).parent / "results" / "bench.json"


class RandomVectors:
    """An embedder of random unit vectors, seeded by the text: the cost of searching without the cost of a model."""

    identity, dimensions = "bench-random", DIMENSIONS

    def windows(self, text: str) -> tuple[str, ...]:
        """The text itself."""
        return (text,)

    def embed_documents(self, texts: list[str], progress: object = None) -> np.ndarray:  # noqa: ARG002 - the port's
        """float32 (n, 384), unit rows."""
        rows = np.stack([np.random.default_rng(abs(hash(text)) % 2**32).standard_normal(DIMENSIONS) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        """float32 (384,), of length 1."""
        return np.asarray(self.embed_documents([text])[0])


def words(seed: int) -> tuple[list[str], list[float]]:
    """A vocabulary of 20,000 made-up words and Zipf's weights for them."""
    chance = random.Random(seed)  # noqa: S311 - a seeded benchmark
    syllables = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu", "den", "gal", "hor", "pim", "tur"]
    made = sorted({"".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(40_000)})[:20_000]
    chance.shuffle(made)
    return made, [1 / (rank + 10) for rank in range(len(made))]


def filled(folder: str, count: int, seed: int) -> tuple[wenlan_lab.Workbench, list[str]]:
    """A workbench with `count` passages in threads of 20 turns, and questions of five to nine of their words."""
    chance = random.Random(seed)  # noqa: S311 - a seeded benchmark
    vocabulary, weights = words(seed)
    texts = [" ".join(chance.choices(vocabulary, weights, k=chance.randint(10, 30))) for _ in range(count)]
    rows = tuple(
        wenlan_lab.NewPassage(
            f"t{at}", f"thread {at // 20}", at % 20, ("Ada", "Ben")[at % 2], "2026-01-01T00:00:00+00:00", text
        )
        for at, text in enumerate(texts)
    )
    wb = wenlan_lab.open(folder, embedder=RandomVectors())
    source = ImportedSource(kind="chat", ref="bench", title="bench", space=None, digest="x", passages=rows)
    wb.sources.import_batch(ImportBatch(sources=(source,), quirks={}, skipped=(), format="turns"))
    questions = [
        " ".join(chance.sample(chance.choice(texts).split(), 5) + chance.choices(vocabulary, weights, k=2))
        for _ in range(QUESTIONS)
    ]
    return wb, questions


def recall_figures(count: int, seed: int) -> dict[str, float]:
    """Recall's p50 without query embedding, and as a multiple of the two bare searches, interleaved."""
    with tempfile.TemporaryDirectory() as folder:
        started = perf_counter()
        wb, questions = filled(folder, count, seed)
        made = perf_counter() - started
        embedder, index = RandomVectors(), wb.index
        wb.recall(questions[0])
        whole, bare_words, bare_vectors, ratios = [], [], [], []
        for question in questions * ROUNDS:
            vector = embedder.embed_query(question)
            match = lexical.match_query(analyse(question).terms) or '""'
            at = perf_counter()
            lexical.search(index.connection, match, wb.settings.candidates)
            middle = perf_counter()
            index.snapshot.index.search(vector, 2 * wb.settings.candidates)
            end = perf_counter()
            trace = wb.recall(question).trace
            bare_words.append(1e3 * (middle - at))
            bare_vectors.append(1e3 * (end - middle))
            whole.append(trace.milliseconds["total"] - trace.milliseconds["embed_query"])
            ratios.append(whole[-1] / (bare_words[-1] + bare_vectors[-1]))
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        wb.close()
    return {
        "entries": count,
        "recall_p50_ms": statistics.median(whole),
        "fts5_p50_ms": statistics.median(bare_words),
        "faiss_p50_ms": statistics.median(bare_vectors),
        "ratio_p50": statistics.median(ratios),
        "import_seconds": made,
        "megabytes": size / 1e6,
    }


def capture_figures(count: int, seed: int) -> dict[str, float]:
    """Bulk capture without embedding, one interactive capture, and bytes on disk for 10,000 memories."""
    chance = random.Random(seed)  # noqa: S311 - a seeded benchmark
    vocabulary, weights = words(seed)
    texts = [" ".join(chance.choices(vocabulary, weights, k=chance.randint(8, 24))) + f" {at}" for at in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        wb = wenlan_lab.open(folder, embedder=None)
        started = perf_counter()
        wb.capture_many(texts, allow_unembedded=True)
        bulk = perf_counter() - started
        wb.close()
        wb = wenlan_lab.open(folder, embedder=RandomVectors())
        wb.embed()
        single = []
        for at in range(60):
            started = perf_counter()
            wb.capture(f"the gauge number {at} read {at * 7} at noon")
            single.append(1e3 * (perf_counter() - started))
        wb.truth.execute("pragma wal_checkpoint(truncate)")
        truth = sum(path.stat().st_size for path in Path(folder).glob("truth.db*"))
        derived = sum(path.stat().st_size for path in (Path(folder) / "derived").rglob("*") if path.is_file())
        wb.close()
    return {
        "captures_per_second": count / bulk,
        "interactive_capture_p50_ms": statistics.median(single),
        "truth_megabytes": truth / 1e6,
        "derived_megabytes": derived / 1e6,
        "memories": float(count),
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--captures", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    captures = capture_figures(options.captures, options.seed)
    recalls = [recall_figures(size, options.seed) for size in options.sizes]
    for figures in (captures, *recalls):
        print("  ".join(f"{name} {value:,.2f}" for name, value in figures.items()))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    told = {
        "captures": captures,
        "recall": recalls,
        "machine": provenance.machine(),
        "versions": dict(provenance.library_versions()),
        "seed": options.seed,
    }
    options.out.write_text(json.dumps(told, indent=1, default=str) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Other retrieval systems beside ours, on the same LoCoMo turns in one run, each asked for the k that is reported.

    python evals/rivals.py --setup                          installs them into build/rivals, an environment of their own
    python evals/rivals.py --data ../shared/data            measures, and writes evals/results/rivals-locomo.json
    python evals/rivals.py --data ../shared/data --questions dev --out build/rivals-dev.json

Every system stores each dialog turn as "8 May 2023 | Ann: text" and gets the vectors of one embedder, made beforehand, so
that ingest and latency are the system's own; embedding a question costs everybody the same and is stated apart. Ours gets
text, speaker and time as the fields that they are. One that doesn't install, or doesn't run, is a row with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from wenlan_lab import Embedder, Settings
from wenlan_lab.evals import asking, cached_embedder, cases, datasets, grading, provenance, run, splits, statistics

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "build" / "rivals"
OUT = ROOT / "evals" / "results" / "rivals-locomo.json"
WORKER = Path(__file__).with_name("rivals_worker.py")
K = 10
PACKAGES = {
    "bm25s": ("bm25s", "PyStemmer"),
    "chroma": ("chromadb",),
    "lancedb": ("lancedb",),
    "mem0": ("mem0ai", "faiss-cpu"),
    "mempalace": ("mempalace",),
}
WHAT = {
    "bm25s": "BM25, Snowball stems, its longer stop list",
    "chroma": "HNSW over the vectors, cosine",
    "lancedb": "hybrid: full text and vectors, RRF",
    "mem0": "infer off: each turn as it is",
    "mempalace": "vectors, then BM25 over the pool",
}
FIGURES = ("recall@5", "recall@10", "mrr", "ndcg@10")
SECONDS = 3600


def main() -> int:
    """Set up, or measure; 0 also when a rival had to be skipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setup", action="store_true", help="make the rivals' environment, and stop")
    parser.add_argument("--data", type=Path, default=Settings().data, help="the folder with the datasets")
    parser.add_argument("--questions", choices=splits.CHOICES, default=splits.ALL)
    parser.add_argument("--limit", type=int, default=0, help="only the first questions")
    parser.add_argument("--systems", nargs="+", choices=list(PACKAGES), default=list(PACKAGES))
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    if options.setup:
        return set_up(options.systems)
    stores = graded(splits.chosen(datasets.load("locomo10", options.data), options.questions, options.limit).cases)
    embedder = cached_embedder.CachedEmbedder.default()
    with tempfile.TemporaryDirectory() as folder:
        encode_ms = write_job(Path(folder), stores, embedder)
        systems = [ours(stores, embedder), *(rival(name, Path(folder), stores) for name in options.systems)]
    content = {
        "dataset": "locomo10", "sha256": datasets.dataset("locomo10").sha256, "k": K,
        "questions": f"{options.questions} questions",
        "n": sum(len(case.questions) for case in stores), "turns": sum(len(case.turns) for case in stores),
        "embedder": embedder.identity, "embedding_a_question_p50_ms": encode_ms, "started": run.now().isoformat(),
        "git_commit": provenance.git_state().commit, "machine": provenance.machine(), "systems": systems,
    }  # fmt: skip
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    for one in systems:
        told = one.get("skipped") or "  ".join(f"{name} {one['metrics'][name]:.3f}" for name in FIGURES)
        print(
            f"{one['name']:<12} {told}"
            + ("" if one.get("skipped") else f"  ingest {one['ingest_s']} s  p50 {one['p50_ms']} ms")
        )
    return 0


def set_up(names: Sequence[str]) -> int:
    """Make the environment and install each rival by itself, so that one that fails takes none of the others with it."""
    if not (PLACE / "bin" / "python").exists():
        venv.create(PLACE, with_pip=True)
    failures = PLACE / "failed.json"
    failed: dict[str, str] = json.loads(failures.read_text(encoding="utf-8")) if failures.is_file() else {}
    for name in names:
        print(f"installing {name} …", flush=True)
        command = [
            str(PLACE / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "numpy",
            *PACKAGES[name],
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        failed.pop(name, None)
        if done.returncode:
            failed[name] = (done.stderr.strip().splitlines() or ["pip failed"])[-1][:300]
            print(f"  it doesn't install: {failed[name]}")
    failures.write_text(json.dumps(failed, indent=2) + "\n", encoding="utf-8")
    return 0


def graded(stores: Sequence[cases.EvalCase]) -> list[cases.EvalCase]:
    """The stores with the questions that the protocol grades."""
    kept = [
        cases.EvalCase(case.id, case.turns, tuple(question for question in case.questions if question.graded))
        for case in stores
    ]
    return [case for case in kept if case.questions]


def text_of(turn: cases.EvalTurn) -> str:
    """A turn in one line, for systems that know no speaker and no time."""
    return f"{turn.time.day} {turn.time:%B %Y} | {turn.speaker}: {turn.text}"


def write_job(folder: Path, stores: Sequence[cases.EvalCase], embedder: Embedder) -> float:
    """Write what the rivals are given; returns how long embedding a question took (median, milliseconds)."""
    job: dict[str, Any] = {"k": K, "stores": []}
    spans = []
    embedder.embed_query("the model is loaded before anything is timed")
    for number, case in enumerate(stores):
        texts = distinct([text_of(turn) for turn in case.turns])
        questions = [question.text for question in case.questions]
        np.save(folder / f"turns-{number}.npy", embedder.embed_documents([embedder.windows(text)[0] for text in texts]))
        vectors = []
        for text in questions:
            began = perf_counter()
            vectors.append(embedder.embed_query(text))
            spans.append(1e3 * (perf_counter() - began))
        np.save(folder / f"questions-{number}.npy", np.stack(vectors))
        job["stores"].append({"refs": [turn.ref for turn in case.turns], "texts": texts, "questions": questions})
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    return round(statistics.percentile(spans, 50), 2)


def distinct(texts: Sequence[str]) -> list[str]:
    """The texts, a repeated one with a blank more each time: a system that names hits by text must know which one."""
    seen: dict[str, int] = {}
    found = []
    for text in texts:
        seen[text] = seen.get(text, -1) + 1
        found.append(text + " " * seen[text])
    return found


def ours(stores: Sequence[cases.EvalCase], embedder: Embedder) -> dict[str, Any]:
    """Our own row, by the public API, under the shipped defaults."""
    defaults = Settings(**{name: field.get_default() for name, field in Settings.model_fields.items()})
    how = asking.HowAsked("turns", K, embedder, defaults)
    filling, rows = asking.Filling(), []
    for case in stores:
        warm(case, embedder)
        rows += list(asking.rows_of(case, how, filling=filling))
    answers = [[row.retrieved for row in rows if row.case == case.id] for case in stores]
    spans = [row.search_ms for row in rows if row.search_ms is not None]
    found = row_of("wenlan_lab", "this project, defaults", stores, answers, spans, filling.milliseconds / 1e3)
    return {**found, "version": provenance.code_digest()[:12]}


def warm(case: cases.EvalCase, embedder: Embedder) -> None:
    """Fill a workbench that is thrown away: afterwards no system's ingest holds any embedding."""
    how = asking.HowAsked("turns", K, embedder, Settings())
    list(asking.rows_of(case, how, skip=[question.id for question in case.questions[1:]]))


def rival(name: str, folder: Path, stores: Sequence[cases.EvalCase]) -> dict[str, Any]:
    """A rival's row, or why there is none."""
    python = PLACE / "bin" / "python"
    failures = PLACE / "failed.json"
    if not python.exists():
        return skipped(name, "not set up: run `python evals/rivals.py --setup`")
    failed = json.loads(failures.read_text(encoding="utf-8")) if failures.is_file() else {}
    if name in failed:
        return skipped(name, f"it doesn't install: {failed[name]}")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONPATH": ""}
    command = [str(python), str(WORKER), name, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return skipped(name, f"it took longer than {SECONDS // 60} minutes")
    result = folder / f"result-{name}.json"
    if done.returncode or not result.is_file():
        return skipped(name, f"it doesn't run: {(done.stderr.strip().splitlines() or ['no word of why'])[-1][:300]}")
    told = json.loads(result.read_text(encoding="utf-8"))
    answers = [[answer["refs"] for answer in store["answers"]] for store in told["stores"]]
    spans = [answer["ms"] for store in told["stores"] for answer in store["answers"]]
    ingest = sum(store["ingest_s"] for store in told["stores"])
    return {**row_of(name, WHAT[name], stores, answers, spans, ingest), "version": told["version"]}


def row_of(
    name: str, what: str, stores: Sequence[cases.EvalCase], answers: Sequence[Sequence[Sequence[str]]], spans: Sequence[float],
    ingest: float,
) -> dict[str, Any]:  # fmt: skip
    """Figures over all questions, with intervals over conversations where there are several."""
    values: dict[str, list[float]] = {figure: [] for figure in FIGURES}
    clusters: list[str] = []
    for case, ranked in zip(stores, answers, strict=True):
        for question, refs in zip(case.questions, ranked, strict=True):
            measured = grading.measure(question, refs, K, "turns")
            clusters.append(case.id)
            for figure in FIGURES:
                values[figure].append(measured[figure])
    drawn = clusters if len(stores) > 1 else None
    intervals = {figure: statistics.bootstrap_interval(values[figure], clusters=drawn) for figure in FIGURES}
    return {
        "name": name, "what": what, "metrics": {figure: interval.mean for figure, interval in intervals.items()},
        "intervals": {figure: [interval.low, interval.high] for figure, interval in intervals.items()},
        "ingest_s": round(ingest, 2), "p50_ms": round(statistics.percentile(spans, 50), 2),
        "p95_ms": round(statistics.percentile(spans, 95), 2),
    }  # fmt: skip


def skipped(name: str, reason: str) -> dict[str, Any]:
    """The row of a rival that could not be measured."""
    return {"name": name, "what": WHAT[name], "skipped": reason}


if __name__ == "__main__":
    sys.exit(main())

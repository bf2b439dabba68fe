"""What recall and capture cost, beside the bare work that they stand on (`make bench`).

Times on a shared machine mean little by themselves. So the statement that a recall sends to FTS5 is taken from its own
connection and sent again, bare, and its vector is searched in a bare FAISS index with the same rows: all three in random
order, for the same question, in one run. What is reported is the ratio. A capture is likewise set beside one durable
commit of a bare row. Texts and questions are made up, their word frequencies and lengths as in conversations; vectors are
random, so that no model is measured. Figures go to evals/results/bench.json with machine, versions and commit.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from zlib import crc32

import faiss
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

import wenlan_lab
from wenlan_lab import NewPassage, Workbench
from wenlan_lab.evals import faces, provenance
from wenlan_lab.importers import ImportBatch, ImportedSource

RESULTS = Path(__file__).parent / "results" / "bench.json"
DIMENSIONS, QUESTIONS, ROUNDS, INTERACTIVE = 384, 60, 5, 100
SPEAKERS = ("Ada", "Ben", "Cleo", "Dan")
# English function words, commonest first: half of all words in a conversation, and dropped from a question by recall.
FUNCTION = (
    "i the to a and you of it that in is for my was with on so have this are we be at as but me they had what not"
    " from how did do your if or an by who when which were has would can there been their them will about where why"
).split()
Figures = dict[str, float]


class RandomVectors:
    """An embedder of random unit vectors, seeded by the text: searching costs what it costs, embedding next to nothing."""

    identity, dimensions = "bench-random", DIMENSIONS

    def windows(self, text: str) -> tuple[str, ...]:
        """The text itself."""
        return (text,)

    def embed_documents(self, texts: Sequence[str], progress: object = None) -> NDArray[np.float32]:
        """float32 (n, 384), unit rows."""
        del progress
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """float32 (384,), of length 1."""
        row = np.random.default_rng(crc32(text.encode())).standard_normal(DIMENSIONS, dtype=np.float32)
        return np.asarray(row / np.linalg.norm(row), dtype=np.float32)


class Talk:
    """Made-up talk. Content words follow Zipf's law with Mandelbrot's shift, fitted by eye to LoCoMo's word counts: the
    commonest is 0.7 % of all words, the hundredth 0.06 %, the thousandth 0.006 %. A turn has 22 words in the median.
    """

    def __init__(self, seed: int, types: int = 30_000) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - a seeded benchmark
        parts = "ba ke lo mi nu ra se ti vo zu den gal hor pim tur wes kal mon fir dus".split()
        made = {"".join(self.chance.choices(parts, k=self.chance.choice((2, 3, 3, 4)))) for _ in range(4 * types)}
        self.words = self.chance.sample(sorted(made), types)
        self.weights = np.cumsum([(rank + 13) ** -1.1 for rank in range(types)]).tolist()
        self.small = np.cumsum([1 / (rank + 3) for rank in range(len(FUNCTION))]).tolist()

    def content(self, count: int) -> list[str]:
        """Content words."""
        return self.chance.choices(self.words, cum_weights=self.weights, k=count)

    def text(self) -> str:
        """A turn: half of it content."""
        count = min(max(round(self.chance.lognormvariate(math.log(22), 0.55)), 4), 150)
        told = self.content(count - count // 2) + self.chance.choices(FUNCTION, cum_weights=self.small, k=count // 2)
        self.chance.shuffle(told)
        return " ".join(told) + "."

    def question(self, texts: Sequence[str]) -> str:
        """Five to nine words, half of them content: most from one text, as if one asked for it, and one from anywhere."""
        count = self.chance.randint(5, 9)
        asked = [word for word in dict.fromkeys(self.chance.choice(texts).rstrip(".").split()) if word not in FUNCTION]
        about = self.chance.sample(asked, min(len(asked), (count + 1) // 2 - 1))
        about.append(self.chance.choice(self.words[:1000]))
        told = self.chance.choices(FUNCTION, cum_weights=self.small, k=count - len(about)) + about
        return " ".join(told) + "?"


def timed(what: Callable[[], object]) -> float:
    """How many milliseconds it took."""
    began = perf_counter()
    what()
    return 1e3 * (perf_counter() - began)


def filled(folder: str, count: int, seed: int) -> tuple[Workbench, list[str]]:
    """A workbench of `count` entries, a tenth of them memories, the others turns in threads of twenty; and questions."""
    talk = Talk(seed)
    texts = [talk.text() for _ in range(count)]
    memories, turns = texts[: count // 10], texts[count // 10 :]
    with wenlan_lab.open(folder, embedder=None) as wb:
        wb.capture_many(memories, allow_unembedded=True)
    passages = tuple(
        NewPassage(f"t{at}", f"thread {at // 20}", at % 20, SPEAKERS[at % 4], f"2026-{at // 20 % 12 + 1:02}-05T09:00:00Z", text)
        for at, text in enumerate(turns)
    )  # fmt: skip
    wb = wenlan_lab.open(folder, embedder=RandomVectors())
    source = ImportedSource(kind="chat", ref="bench", title="bench", space=None, digest="bench", passages=passages)
    wb.sources.import_batch(ImportBatch(sources=(source,), quirks={}, skipped=(), format="turns"))
    return wb, [talk.question(texts) for _ in range(QUESTIONS)]


def statements(wb: Workbench, question: str) -> list[str]:
    """What a recall of this question asks FTS5, with all values in place."""
    found: list[str] = []
    wb.index.connection.set_trace_callback(found.append)
    wb.recall(question)
    wb.index.connection.set_trace_callback(None)
    return [text for text in found if text.startswith("select") and "lexical match" in text]


def recall_figures(count: int, seed: int) -> Figures:
    """Recall's p50 without query embedding and the same as a multiple of the two bare searches; a recall's own stages."""
    with tempfile.TemporaryDirectory() as folder:
        began = perf_counter()
        wb, questions = filled(folder, count, seed)
        made = perf_counter() - began
        view, connection, most = wb.index.snapshot, wb.index.connection, wb.settings.candidates
        bare = faiss.IndexFlatIP(DIMENSIONS)
        bare.add(view.index.vectors(view.keys))
        asked = {question: statements(wb, question) for question in questions}
        vectors = {question: RandomVectors().embed_query(question)[None, :] for question in questions}
        found = [
            len(connection.execute(text.rpartition("limit")[0]).fetchall())
            for texts in asked.values()
            for text in texts
        ]
        rows: dict[str, list[float]] = {"recall": [], "fts5": [], "faiss": []}
        stages: dict[str, list[float]] = {}
        chance = random.Random(seed)  # noqa: S311 - a seeded benchmark
        faiss.omp_set_num_threads(wb.settings.threads)
        order = chance.sample(questions * ROUNDS, QUESTIONS * ROUNDS)
        for question in tqdm(order, desc=f"recall over {count:,}", mininterval=5):
            took: Figures = {}

            def recall(question: str = question, took: Figures = took) -> None:
                trace = wb.recall(question).trace
                took["embedding"] = trace.milliseconds["embed_query"]
                for stage, milliseconds in trace.milliseconds.items():
                    stages.setdefault(stage, []).append(milliseconds)

            def fts5(question: str = question) -> None:
                for text in asked[question]:
                    connection.execute(text).fetchall()

            def search(question: str = question) -> None:
                bare.search(vectors[question], 2 * most)

            for name, what in chance.sample([("recall", recall), ("fts5", fts5), ("faiss", search)], 3):
                took[name] = timed(what)
            took["recall"] -= took["embedding"]
            for name, values in rows.items():
                values.append(took[name])
        later = catch_up_figures(wb, seed + 1)
        wb.close()
    both = [words + vectors for words, vectors in zip(rows["fts5"], rows["faiss"], strict=True)]
    ratios = sorted(whole / bare for whole, bare in zip(rows["recall"], both, strict=True))
    return {
        "entries": count, "recall_p50_ms": median(rows["recall"]), "recall_p95_ms": float(np.percentile(rows["recall"], 95)),
        "fts5_p50_ms": median(rows["fts5"]), "faiss_p50_ms": median(rows["faiss"]), "bare_p50_ms": median(both),
        "ratio_of_p50": median(rows["recall"]) / median(both), "ratio_p50": median(ratios),
        "ratio_p25": ratios[len(ratios) // 4], "ratio_p75": ratios[3 * len(ratios) // 4],
        "matched_share": median(found) / count, "filled_in_s": made,
        **{f"stage_{name}_p50_ms": median(values) for name, values in stages.items() if name != "embed_query"}, **later,
    }  # fmt: skip


def catch_up_figures(wb: Workbench, seed: int) -> Figures:
    """What following the journal adds to the next recall: when nothing is new, after one capture, after a hundred."""
    talk = Talk(seed)
    with wenlan_lab.open(wb.folder, embedder=None) as other:

        def after(count: int) -> float:
            other.capture_many([talk.text() for _ in range(count)], allow_unembedded=True)
            return float(wb.recall("what is new?").trace.milliseconds["catch_up"])

        after(1)
        found = {f"catch_up_{count}_ms": median(after(count) for _ in range(9)) for count in (1, 100)}
        nothing = median(wb.recall("what is new?").trace.milliseconds["catch_up"] for _ in range(31))
    return {"catch_up_0_ms": nothing, **found}


def capture_figures(count: int, seed: int) -> Figures:
    """Bulk capture without embedding, bytes on disk, and one interactive capture beside a bare durable commit."""
    talk = Talk(seed)
    texts = [talk.text() for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        with wenlan_lab.open(folder, embedder=None) as wb:
            began = process_time()
            bulk = timed(lambda: wb.capture_many(texts, allow_unembedded=True)) / 1e3
            worked = process_time() - began
        with wenlan_lab.open(folder, embedder=RandomVectors()) as wb:
            embedded = timed(wb.embed) / 1e3
        truth = sum(path.stat().st_size for path in Path(folder).glob("truth.db*"))
        derived = sum(path.stat().st_size for path in Path(folder).glob("derived/**/*") if path.is_file())
        with wenlan_lab.open(folder, embedder=RandomVectors()) as wb:
            bare = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
            bare.executescript("pragma journal_mode = wal; pragma synchronous = full; create table row (text text);")
            single, commit = [], []
            for _ in range(INTERACTIVE):
                text = talk.text()
                single.append(timed(lambda text=text: wb.capture(text)))  # type: ignore[misc]  # bound now, called now
                commit.append(timed(lambda text=text: bare.execute("insert into row values (?)", (text,))))  # type: ignore[misc]
            bare.close()
    return {
        "memories": count, "captures_per_s": count / bulk, "captures_per_cpu_s": count / worked,
        "indexed_per_s": count / embedded,
        "capture_p50_ms": median(single), "capture_p95_ms": float(np.percentile(single, 95)),
        "commit_p50_ms": median(commit), "truth_mb_per_10000": truth / count / 100, "derived_mb_per_10000": derived / count / 100,
    }  # fmt: skip


def table(captures: Figures, recalls: Sequence[Figures]) -> str:
    """Both as text; a row a figure, a column a size."""
    names = [name for name in recalls[0] if name != "entries"] if recalls else []
    rows: list[tuple[faces.Cell, ...]] = [(name, *(figures[name] for figures in recalls)) for name in names]
    sizes = tuple(f"{figures['entries']:,.0f}" for figures in recalls)
    return "\n\n".join(
        (
            repr(faces.Table("recall, without embedding the question", ("entries", *sizes), tuple(rows))),
            repr(faces.Table("capture", ("figure", "value"), tuple(captures.items()))),
        )
    )


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[10_000, 100_000], help="how many entries to recall from"
    )
    parser.add_argument("--captures", type=int, default=10_000, help="how many memories to capture in bulk")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    options = parser.parse_args()
    captures = capture_figures(options.captures, options.seed)
    recalls = [recall_figures(size, options.seed) for size in options.sizes]
    print(table(captures, recalls))
    told = {
        "recall": recalls, "capture": captures, "seed": options.seed, "questions": QUESTIONS, "rounds": ROUNDS,
        "machine": provenance.machine(), "versions": provenance.library_versions(),
        "sqlite": sqlite3.sqlite_version, "code": provenance.code_digest(), "git": asdict(provenance.git_state()),
    }  # fmt: skip
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

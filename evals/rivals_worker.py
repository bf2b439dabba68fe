# mypy: ignore-errors
"""One rival, asked in its own environment: started by rivals.py, which reads what this writes. Imports nothing of ours.

    python rivals_worker.py SYSTEM JOB_FOLDER

The job folder holds job.json (a list of stores: refs and texts of its turns, texts of its questions, and k), and for each
store the vectors of both as .npy files, made by one embedder for everybody. A rival that embeds by itself is handed those
vectors where it would have made its own. What takes part in a latency is the rival's own search, and nothing else.
"""

import json
import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np


class Lookup:
    """An embedder that knows its texts already."""

    def __init__(self, texts, vectors):
        self.known = dict(zip(texts, vectors, strict=True))

    def __call__(self, texts):
        return [self.known[text] for text in texts]


def bm25s_(store, _folder, k):
    """bm25s with Snowball stems and its longer list of stop words."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts):
        return bm25s.tokenize(texts, stopwords="english_plus", stemmer=stemmer, show_progress=False)

    index = bm25s.BM25()
    index.index(tokens(store["texts"]), show_progress=False)

    def ask(at):
        found, _ = index.retrieve(tokens([store["questions"][at]]), k=min(k, len(store["refs"])), show_progress=False)
        return [store["refs"][number] for number in found[0]]

    return ask


def chroma(store, folder, k):
    """A chroma collection in cosine space, given the vectors."""
    import chromadb

    client = chromadb.PersistentClient(folder, settings=chromadb.Settings(anonymized_telemetry=False))
    table = client.create_collection("turns", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    table.add(ids=store["refs"], documents=store["texts"], embeddings=store["vectors"])

    def ask(at):
        return table.query(query_embeddings=[store["asked"][at]], n_results=min(k, len(store["refs"])))["ids"][0]

    return ask


def lancedb_(store, folder, k):
    """LanceDB's hybrid search: its full-text index and exact vectors, fused by its default reranker (RRF)."""
    import lancedb

    table = lancedb.connect(folder).create_table(
        "turns",
        [
            {"ref": ref, "text": text, "vector": vector}
            for ref, text, vector in zip(store["refs"], store["texts"], store["vectors"], strict=True)
        ],
    )
    table.create_fts_index("text", replace=True)

    def ask(at):
        words = "".join(sign if sign.isalnum() else " " for sign in store["questions"][at])
        found = table.search(query_type="hybrid").vector(store["asked"][at]).text(words).limit(k)
        return [row["ref"] for row in found.to_list()]

    return ask


def mem0(store, folder, k):
    """mem0 without a language model (infer=False): each turn stored as it is."""
    os.environ.update(OPENAI_API_KEY="none", MEM0_TELEMETRY="False", MEM0_DIR=folder)
    from mem0 import Memory

    dimensions = len(store["vectors"][0])
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "faiss",
                "config": {
                    "collection_name": "turns",
                    "path": f"{folder}/faiss",
                    "embedding_model_dims": dimensions,
                    "distance_strategy": "cosine",
                    "normalize_L2": True,
                },
            },
            "history_db_path": f"{folder}/history.db",
        }
    )
    known = Lookup([*store["texts"], *store["questions"]], [*store["vectors"], *store["asked"]])

    class Embedding:
        def embed(self, text, _action=None):
            return list(map(float, known([text])[0]))

        def embed_batch(self, texts, _action=None):
            return [self.embed(text) for text in texts]

    memory.embedding_model = Embedding()
    for ref, text in zip(store["refs"], store["texts"], strict=True):
        memory.add(text, user_id="u", metadata={"ref": ref}, infer=False)

    def ask(at):
        found = searched(memory, store["questions"][at], k)
        return [one["metadata"]["ref"] for one in found["results"]]

    return ask


def searched(memory, question, k):
    """Its search, whose arguments changed between versions."""
    try:
        return memory.search(question, filters={"user_id": "u"}, top_k=k, threshold=0.0)
    except TypeError:
        return memory.search(question, user_id="u", limit=k)


def mempalace(store, folder, k):
    """MemPalace by its product path: its palace collection, and its searcher."""
    os.environ.update(HOME=folder, ANONYMIZED_TELEMETRY="False")
    from chromadb.utils import embedding_functions

    known = Lookup([*store["texts"], *store["questions"]], [*store["vectors"], *store["asked"]])

    def handed(self, input):  # noqa: ARG001 - chroma compares the names of the arguments
        return [np.asarray(row, dtype=np.float32) for row in known(input)]

    embedding_functions.ONNXMiniLM_L6_V2.__call__ = handed
    from mempalace import palace, searcher

    place = f"{folder}/palace"
    table = palace.get_collection(place, create=True)
    by_text = {}
    for start in range(0, len(store["refs"]), 100):
        part = slice(start, start + 100)
        table.add(
            ids=store["refs"][part],
            documents=store["texts"][part],
            metadatas=[{"wing": "w", "room": "r", "source_file": ref, "chunk_index": 0} for ref in store["refs"][part]],
        )
    by_text.update(zip(store["texts"], store["refs"], strict=True))

    def ask(at):
        found = searcher.search_memories(store["questions"][at], place, n_results=k)
        return [by_text[one["text"]] for one in found["results"]]

    return ask


SYSTEMS = {
    "bm25s": (bm25s_, "bm25s"),
    "chroma": (chroma, "chromadb"),
    "lancedb": (lancedb_, "lancedb"),
    "mem0": (mem0, "mem0ai"),
    "mempalace": (mempalace, "mempalace"),
}


def main():
    """Fill and ask every store of the job; write result-SYSTEM.json beside it."""
    system, folder = sys.argv[1], Path(sys.argv[2])
    start, package = SYSTEMS[system]
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    stores = []
    for number, store in enumerate(job["stores"]):
        store["vectors"] = np.load(folder / f"turns-{number}.npy")
        store["asked"] = np.load(folder / f"questions-{number}.npy")
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            began = time.perf_counter()
            ask = start(store, place, job["k"])
            ingest = time.perf_counter() - began
            ask(0)  # whatever is loaded on the first search is no part of a search
            answers = []
            for at in range(len(store["questions"])):
                began = time.perf_counter()
                refs = ask(at)
                answers.append({"refs": refs, "ms": 1e3 * (time.perf_counter() - began)})
        stores.append({"ingest_s": ingest, "answers": answers})
        print(f"{system}: {number + 1} of {len(job['stores'])} stores", file=sys.stderr, flush=True)
    result = {"version": version(package), "stores": stores}
    (folder / f"result-{system}.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()

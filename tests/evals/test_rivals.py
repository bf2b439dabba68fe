"""The bench of other systems: what they are handed, how they are graded, and what becomes of one that can't run."""

import json

import numpy as np
import pytest

from evals import rivals
from tests.evals.small_sets import small_locomo
from wenlan_lab.evals import locomo
from wenlan_lab.testing import HashEmbedder

SHA = "ab" * 32


@pytest.fixture
def stores():
    return rivals.graded(locomo.parse(small_locomo(), SHA).cases)


def test_only_graded_questions_are_asked(stores):
    assert [len(case.questions) for case in stores] == [6, 6]
    assert all(question.graded for case in stores for question in case.questions)


def test_a_turn_is_one_line_with_its_date_and_speaker(stores):
    assert rivals.text_of(stores[0].turns[0]) == "1 May 2023 | Ann: I bought a red bicycle in Oslo (conv-26, 1)"


def test_repeated_texts_stay_apart():
    assert rivals.distinct(["a", "b", "a", "a"]) == ["a", "b", "a ", "a  "]


def test_every_system_is_handed_the_same_vectors(stores, tmp_path):
    spent = rivals.write_job(tmp_path, stores, HashEmbedder())
    job = json.loads((tmp_path / "job.json").read_text(encoding="utf-8"))
    assert spent > 0
    assert job["k"] == 10
    for number, store in enumerate(job["stores"]):
        turns = np.load(tmp_path / f"turns-{number}.npy")
        asked = np.load(tmp_path / f"questions-{number}.npy")
        assert turns.shape == (len(store["refs"]), 256)
        assert asked.shape == (len(store["questions"]), 256)
        assert (turns[3] == HashEmbedder().embed_query(store["texts"][3])).all()
    assert not {"gold", "evidence", "category"} & set(job["stores"][0])


def test_ours_is_measured_by_the_same_figures(stores):
    row = rivals.ours(stores, HashEmbedder())
    assert row["name"] == "wenlan_lab"
    assert set(row["metrics"]) == set(rivals.FIGURES)
    assert row["metrics"]["recall@5"] > 0.8
    low, high = row["intervals"]["recall@5"]
    assert low <= row["metrics"]["recall@5"] <= high
    assert row["ingest_s"] > 0


def test_a_perfect_and_an_empty_ranking_get_one_and_nought(stores):
    perfect = [[sorted(question.gold) for question in case.questions] for case in stores]
    empty: list[list[list[str]]] = [[[] for _ in case.questions] for case in stores]
    assert set(rivals.row_of("a", "", stores, perfect, [1.0], 0)["metrics"].values()) == {1.0}
    assert set(rivals.row_of("a", "", stores, empty, [1.0], 0)["metrics"].values()) == {0.0}


def test_a_rival_that_is_not_there_or_does_not_run_is_a_row_with_the_reason(stores, tmp_path, monkeypatch):
    monkeypatch.setattr(rivals, "PLACE", tmp_path / "none")
    assert "--setup" in rivals.rival("bm25s", tmp_path, stores)["skipped"]
    place = tmp_path / "place"
    (place / "bin").mkdir(parents=True)
    python = place / "bin" / "python"
    python.write_text("#!/bin/sh\necho 'ImportError: no module' >&2\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(rivals, "PLACE", place)
    assert rivals.rival("bm25s", tmp_path, stores)["skipped"] == "it doesn't run: ImportError: no module"
    (place / "failed.json").write_text('{"chroma": "no wheel"}', encoding="utf-8")
    assert rivals.rival("chroma", tmp_path, stores)["skipped"] == "it doesn't install: no wheel"


def test_the_answers_of_a_worker_are_graded(stores, tmp_path, monkeypatch):
    place = tmp_path / "place"
    (place / "bin").mkdir(parents=True)
    answers = [
        {"ingest_s": 0.5, "answers": [{"refs": sorted(q.gold), "ms": 2.0} for q in case.questions]} for case in stores
    ]
    result = json.dumps({"version": "9", "stores": answers})
    python = place / "bin" / "python"
    python.write_text(f"#!/bin/sh\ncat > \"$3/result-$2.json\" <<'END'\n{result}\nEND\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(rivals, "PLACE", place)
    row = rivals.rival("bm25s", tmp_path, stores)
    assert row["metrics"]["mrr"] == 1.0
    assert (row["ingest_s"], row["p50_ms"], row["version"]) == (1.0, 2.0, "9")

"""The bench measures what it says: the very statement of a recall, made-up talk that is like talk, figures that add up."""

import json
from collections import Counter

import pytest

from evals import bench


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The figures of a small run, as written."""
    out = tmp_path_factory.mktemp("bench") / "bench.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["bench.py", "--sizes", "300", "--captures", "60", "--out", str(out)])
        patch.setattr(bench, "QUESTIONS", 6)
        patch.setattr(bench, "ROUNDS", 2)
        patch.setattr(bench, "INTERACTIVE", 4)
        bench.main()
    return json.loads(out.read_text(encoding="utf-8"))


def test_a_run_leaves_figures_with_where_they_come_from(told):
    (recall,) = told["recall"]
    assert recall["entries"] == 300
    assert 0 < recall["matched_share"] <= 1
    assert {
        "ratio_of_p50",
        "ratio_p50",
        "stage_rank_p50_ms",
        "catch_up_0_ms",
        "catch_up_1_ms",
        "catch_up_100_ms",
    } <= set(recall)
    assert {"captures_per_s", "capture_p50_ms", "commit_p50_ms", "truth_mb_per_10000"} <= set(told["capture"])
    assert all(value > 0 for value in (*recall.values(), *told["capture"].values()))
    assert {"machine", "versions", "git", "code", "seed", "sqlite"} <= set(told)


def test_the_bare_statement_is_the_one_that_a_recall_sends(tmp_path):
    wb, questions = bench.filled(str(tmp_path / "lab"), 200, seed=3)
    for question in questions[:10]:
        (text,) = bench.statements(wb, question)
        bare = [row[0] for row in wb.index.connection.execute(text)]
        lexical = next(arm for arm in wb.recall(question).trace.arms if arm.name == "lexical")
        assert len(bare) == lexical.found > 0
    wb.close()


def test_made_up_talk_repeats_itself_as_talk_does():
    talk = bench.Talk(5)
    texts = [talk.text() for _ in range(2000)]
    words = Counter(word for text in texts for word in text.rstrip(".").split())
    function = sum(words[word] for word in bench.FUNCTION) / words.total()
    assert 0.45 < function < 0.55
    content = [count for word, count in words.most_common() if word not in bench.FUNCTION]
    assert 0.004 < content[0] / words.total() < 0.012  # LoCoMo: 0.0079
    assert sorted(len(text.split()) for text in texts)[1000] in range(20, 25)
    assert {len(talk.question(texts).split()) for _ in range(200)} == {5, 6, 7, 8, 9}

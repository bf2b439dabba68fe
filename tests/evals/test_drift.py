"""The diary's questions still bring back what they did when somebody last looked, and the check can tell when not."""

from pathlib import Path

import pytest

from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.evals import diary, drift
from wenlan_lab.evals.cached_embedder import named_embedder
from wenlan_lab.testing import HashEmbedder

GOLDENS = Path(__file__).parents[1] / "data" / "goldens.json"


@pytest.fixture(scope="module")
def diary_lists():
    return drift.rankings(diary.load(), HashEmbedder())


def changed(goldens, question, refs):
    return drift.Goldens(goldens.embedder, goldens.diary, {**goldens.lists, question: tuple(refs)})


@pytest.mark.slow
def test_the_diary_brings_back_what_its_goldens_say():
    if not GOLDENS.is_file():
        pytest.skip("no goldens committed yet")
    moved = drift.drifted(drift.read_goldens(GOLDENS), drift.rankings(diary.load(), named_embedder("default")))
    assert not moved, "\n".join([f"rankings moved; if that was meant: {drift.REFRESH}", *map(repr, moved)])


def test_the_diary_is_a_benchmark_of_forty_questions():
    found = diary.load()
    assert found.counts == {"cases": 1, "turns": 126, "questions": 40, "graded": 35, "abstention": 5}
    (case,) = found.cases
    assert len({(turn.thread, turn.position) for turn in case.turns}) == 126
    assert {question.kind for question in case.questions} == {
        "single", "multi", "temporal", "preference", "update", "abstain",
    }  # fmt: skip
    asked = {question.id: question.at for question in case.questions}
    assert asked["q18"].isoformat() == "2026-04-05T10:00:00+00:00"
    assert asked["q01"] > max(turn.time for turn in case.turns)


def test_the_same_rankings_do_not_drift(diary_lists):
    assert drift.drifted(diary_lists, drift.rankings(diary.load(), HashEmbedder())) == ()


def test_every_question_has_a_list_of_ten(diary_lists):
    assert len(diary_lists.lists) == 40
    assert {len(refs) for refs in diary_lists.lists.values()} == {10}


def test_a_swap_at_the_top_is_drift_and_one_at_the_end_is_not(diary_lists):
    refs = diary_lists.lists["q01"]
    top = changed(diary_lists, "q01", [refs[1], refs[0], *refs[2:]])
    (found,) = drift.drifted(diary_lists, top)
    assert found.question == "q01"
    assert found.overlap == pytest.approx(1 - 1 / sum(0.9**d for d in range(10)))
    assert f"{refs[1]} 2→1" in repr(found)
    assert f"{refs[0]} 1→2" in repr(found)
    assert drift.drifted(diary_lists, changed(diary_lists, "q01", [*refs[:8], refs[9], refs[8]])) == ()


def test_what_came_and_what_went_is_named(diary_lists):
    refs = diary_lists.lists["q01"]
    (found,) = drift.drifted(diary_lists, changed(diary_lists, "q01", ["d999", *refs[1:]]))
    assert "d999 new→1" in repr(found)
    assert f"{refs[0]} 1→gone" in repr(found)


def test_the_worst_drift_comes_first(diary_lists):
    one = changed(diary_lists, "q05", reversed(diary_lists.lists["q05"]))
    both = changed(one, "q01", [f"d9{at}" for at in range(10)])
    assert [found.question for found in drift.drifted(diary_lists, both)] == ["q01", "q05"]


def test_goldens_of_something_else_are_refused_with_the_command_that_helps(diary_lists):
    for other in (
        drift.Goldens("another embedder", diary_lists.diary, diary_lists.lists),
        drift.Goldens(diary_lists.embedder, "another diary", diary_lists.lists),
        changed(diary_lists, "q99", ["d001"]),
    ):
        with pytest.raises(InvalidRequest, match=r"refresh_goldens\.py"):
            drift.drifted(other, diary_lists)


def test_goldens_are_read_back_as_they_were_written(diary_lists, tmp_path):
    path = tmp_path / "new" / "goldens.json"
    with pytest.raises(NotFound, match=r"refresh_goldens\.py"):
        drift.read_goldens(path)
    drift.write_goldens(path, diary_lists)
    assert drift.read_goldens(path) == diary_lists
    assert len(path.read_text(encoding="utf-8").splitlines()) == 40 + 6  # a question a line


def test_a_diary_that_contradicts_itself_is_refused(tmp_path):
    with pytest.raises(NotFound):
        diary.load(tmp_path)
    with pytest.raises(InvalidRequest, match="no entry"):
        diary.parse([], [], "x")
    entry = {"id": "d1", "time": "2026-01-05T08:40:00+01:00", "thread": "t", "speaker": "s", "text": "x"}
    with pytest.raises(InvalidRequest, match="d2"):
        diary.parse([entry], [{"id": "q", "question": "?", "gold": ["d2"], "kind": "single"}], "x")

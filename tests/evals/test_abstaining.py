"""What a recall shows of "nothing relevant", how it is judged, and the threshold that comes out."""

import pytest

import wenlan_lab
from evals import fit_abstention
from tests.evals.small_sets import small_locomo, small_longmemeval
from wenlan_lab import InvalidRequest
from wenlan_lab.evals import abstaining, locomo, longmemeval
from wenlan_lab.evals.abstaining import Observed
from wenlan_lab.testing import FixedClock, HashEmbedder

SHA = "ab" * 32


def observed(values, dues, folds=None):
    folds = folds or [str(at) for at in range(len(values))]
    return [
        Observed(str(at), fold, due, {"good": value, "constant": 1.0})
        for at, (value, due, fold) in enumerate(zip(values, dues, folds, strict=True))
    ]


def test_an_observable_that_separates_is_judged_better_than_a_constant():
    judged = abstaining.judge(observed([0.9, 0.8, 0.7, 0.2, 0.1], [False, False, False, True, True]))
    assert [one.name for one in judged] == ["good", "constant"]
    assert (judged[0].separation, judged[1].separation) == (1.0, 0.5)
    assert 0.2 < judged[0].threshold < 0.7
    assert (judged[0].best.precision, judged[0].best.recall) == (1.0, 1.0)


def test_a_threshold_is_held_out_by_whole_folds():
    values = [0.9, 0.1, 0.8, 0.2, 0.3, 0.25]
    dues = [False, True, False, True, False, True]
    judged = abstaining.judge(observed(values, dues, ["a", "a", "b", "b", "c", "c"]))[0]
    assert judged.held_out.n == 6
    # Under the others' threshold of 0.5 the third fold's answerable question is called unanswerable.
    assert judged.held_out.precision == pytest.approx(3 / 4)
    assert judged.best.precision == 1.0


def test_the_careful_threshold_raises_few_false_alarms():
    values = [at / 100 for at in range(100)] + [0.5] * 10
    (judged,) = [one for one in abstaining.judge(observed(values, [False] * 100 + [True] * 10)) if one.name == "good"]
    assert judged.careful_threshold == pytest.approx(0.05)
    assert judged.careful.said == 5


@pytest.mark.parametrize("dues", [[], [True], [False, False]])
def test_a_threshold_needs_both_kinds(dues):
    with pytest.raises(InvalidRequest, match="both kinds"):
        abstaining.judge(observed([0.5] * len(dues), dues))


def test_what_is_observed_is_there_with_and_without_hits(tmp_path):
    with wenlan_lab.open(tmp_path, embedder=HashEmbedder(), clock=FixedClock()) as wb:
        empty = abstaining.observe(wb.recall("anything?"), wb.features("anything?")[1])
        wb.capture_many(["The pump stalls below four degrees.", "The mast was struck by lightning in May."])
        full = abstaining.observe(wb.recall("why does the pump stall?"), wb.features("why does the pump stall?")[1])
    assert set(empty) == set(full)
    assert set(empty.values()) == {0.0}
    assert full["nearest cosine"] > 0
    assert full["words covered"] > 0
    assert full["top score"] >= full["mean of the first three"]


def test_the_wrong_store_is_asked_what_only_the_next_one_knows():
    cases = longmemeval.parse(small_longmemeval(), SHA, "official-turn").cases
    stores = fit_abstention.wrong_store(cases[3:6], 1)
    for at, (case, asked) in enumerate(stores):
        assert [due for _, due in asked] == [False, True]
        assert asked[0][0] in case.questions
        assert asked[1][0].text == stores[(at + 1) % 3][0].questions[0].text
        assert asked[1][0].at == case.questions[0].at
        assert fit_abstention.ABSENT in asked[1][0].id


def test_labelled_questions_are_those_that_are_graded_or_due():
    (case, *_) = locomo.parse(small_locomo(), SHA).cases
    assert [due for _, due in fit_abstention.labelled(case)] == [False] * 6 + [True]


def test_a_whole_fit_runs_on_small_stores():
    stores = fit_abstention.wrong_store(longmemeval.parse(small_longmemeval(), SHA, "official-turn").cases[3:6], 1)
    found = list(fit_abstention.observe(stores, HashEmbedder(), 5, "small"))
    assert [one.due for one in found] == [False, True] * 3
    judged = abstaining.judge(found)
    assert judged[0].separation > 0.8
    assert judged[0].name in repr(fit_abstention.table("small", judged))
    assert "*" in repr(fit_abstention.transfer({"small": found, "again": found}))

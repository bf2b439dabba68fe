"""Grids, sweeps, ablations, and the port that spreads them."""

import os
import time

import pytest
import yaml

from tests.evals.small_sets import written
from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.evals import ablation, asking, fan_out, sweep

GRID = {"dataset": "locomo_small", "questions": "all", "embedder": "hash"}


def slow_square(number):
    time.sleep(0.2 if number == 0 else 0)
    return number * number, os.getpid()


def broken(number):
    raise ValueError(str(number))


@pytest.fixture
def small(tmp_path):
    registry = written(tmp_path)
    return {"data": str(tmp_path), "registry": str(registry)}


def plans(grid, small, out):
    return sweep.planned({**GRID, "grid": grid}, out, **small)


@pytest.mark.parametrize("pool", [fan_out.OneByOne(), fan_out.ProcessPool(2)])
def test_every_item_is_done_once_and_knows_its_number(pool):
    found = dict(pool.results(slow_square, [0, 1, 2, 3]))
    assert {number: square for number, (square, _) in found.items()} == {0: 0, 1: 1, 2: 4, 3: 9}
    assert dict(pool.results(slow_square, [])) == {}


def test_a_pool_works_in_other_processes_and_one_by_one_in_this():
    assert os.getpid() not in {pid for _, (_, pid) in fan_out.ProcessPool(2).results(slow_square, [1, 2])}
    assert {pid for _, (_, pid) in fan_out.OneByOne().results(slow_square, [1, 2])} == {os.getpid()}


@pytest.mark.parametrize("pool", [fan_out.OneByOne(), fan_out.ProcessPool(2)])
def test_an_error_reaches_the_caller(pool):
    with pytest.raises(ValueError, match="7"):
        list(pool.results(broken, [7]))


@pytest.mark.parametrize("workers", [0, -1, True, 1.5])
def test_a_pool_needs_a_worker(workers):
    with pytest.raises(InvalidRequest):
        fan_out.ProcessPool(workers)


def test_a_grid_is_every_combination_each_in_a_folder_of_its_own(small, tmp_path):
    found = plans({"fusion": ["learned", "weighted"], "levers_off": [[], ["speaker"]], "k": 5}, small, tmp_path / "out")
    assert [plan.name for plan in found] == [
        "fusion=learned levers_off=nothing k=5", "fusion=learned levers_off=speaker k=5",
        "fusion=weighted levers_off=nothing k=5", "fusion=weighted levers_off=speaker k=5",
    ]  # fmt: skip
    assert {plan.k for plan in found} == {5}
    assert len({plan.out for plan in found}) == 4
    assert plans({"k": [5]}, small, tmp_path)[0].out == plans({"k": [5, 6]}, small, tmp_path)[0].out


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({}, "grid"),
        ({"grid": {}}, "grid"),
        ({"grid": {"nonsense": [1]}}, "nonsense"),
        ({"grid": {"fusion": ["magic"]}}, "fusion"),
        ({"grid": {"data": ["/"]}}, "data"),
        ({"grid": {"k": [5]}, "colour": 1}, "colour"),
    ],
)
def test_a_grid_that_cannot_be_is_refused_before_anything_runs(grid, said, tmp_path):
    with pytest.raises(InvalidRequest, match=said):
        sweep.planned({"dataset": "locomo_small", **grid}, tmp_path)
    with pytest.raises(InvalidRequest, match="dataset"):
        sweep.planned({"grid": {"k": [5]}}, tmp_path)


def test_a_grid_file_is_read_and_what_is_none_is_refused(tmp_path):
    path = tmp_path / "grid.yaml"
    path.write_text(yaml.safe_dump({**GRID, "grid": {"k": [5]}}), encoding="utf-8")
    assert sweep.read_grid(path)["grid"] == {"k": [5]}
    with pytest.raises(NotFound):
        sweep.read_grid(tmp_path / "no.yaml")
    for content in (b"- a list", b"a: [", b"\xff\xfe\x00", b"!!python/object/apply:os.getcwd []"):
        path.write_bytes(content)
        with pytest.raises(InvalidRequest):
            sweep.read_grid(path)


def test_a_sweep_measures_each_combination_and_a_broken_one_is_a_line(small, tmp_path):
    good = plans({"fusion": ["learned", "weighted"]}, small, tmp_path / "out")
    (bad,) = sweep.planned({**GRID, "dataset": "locomo_smal", "grid": {"k": [5]}}, tmp_path / "out", **small)
    told = []
    found = sweep.sweep((*good, bad), fan_out.OneByOne(), lambda done, total: told.append((done, total)))
    assert [result.n for result in found] == [12, 12, 0]
    assert found[0].metrics["recall@5"] > 0.8
    assert "locomo_small" in found[2].error
    assert told == [(1, 3), (2, 3), (3, 3)]
    shown = repr(sweep.table(found))
    assert "fusion=weighted" in shown
    assert "there is no dataset" in shown


@pytest.mark.slow
def test_a_sweep_over_processes_gives_the_same_figures(small, tmp_path):
    here = sweep.sweep(plans({"fusion": ["learned", "weighted"]}, small, tmp_path / "a"), fan_out.OneByOne())
    there = sweep.sweep(plans({"fusion": ["learned", "weighted"]}, small, tmp_path / "b"), fan_out.ProcessPool(2))
    assert [result.metrics for result in here] == [result.metrics for result in there]


def test_an_empty_sweep_is_an_empty_table():
    assert sweep.sweep(()) == ()
    assert "empty" in repr(sweep.table(()))


def test_an_ablation_pairs_every_variant_with_the_whole_ranking(small, tmp_path):
    base = sweep.Planned("", "locomo_small", "turns", "", questions="all", embedder="hash", **small)
    rows = ablation.ablate(base, ("context", "lexical"), tmp_path / "out", fan_out.OneByOne())
    assert [row.name for row in rows] == ["as it is", "weighted by hand", "without context", "without lexical"]
    assert rows[0].differences == ()
    for row in rows[1:]:
        (difference,) = [d for d in row.differences if d.metric == "ndcg@10"]
        expected = row.swept.metrics["ndcg@10"] - rows[0].swept.metrics["ndcg@10"]
        assert difference.difference == pytest.approx(expected)
    assert "without lexical" in repr(ablation.table(rows))
    assert "temporal" not in repr(ablation.by_type(rows))


def test_an_ablation_of_nothing_or_of_what_cannot_run_is_refused(small, tmp_path):
    base = sweep.Planned("", "locomo_small", "turns", "", embedder="hash", questions="all", **small)
    with pytest.raises(InvalidRequest, match="lever"):
        ablation.plans(base, (), tmp_path)
    missing = sweep.Planned("", "nowhere", "turns", "", **small)
    with pytest.raises(InvalidRequest, match="couldn't be measured"):
        ablation.ablate(missing, ("context",), tmp_path / "x", fan_out.OneByOne())


def test_questions_that_failed_stand_beside_the_figures(small, tmp_path, monkeypatch):
    (plan,) = plans({"levers_off": [["speaker"]]}, small, tmp_path / "out")

    def broken(wb, question, k, clock):
        raise KeyError(question.id)

    monkeypatch.setattr(asking, "ask", broken)
    (found,) = sweep.sweep((plan,), fan_out.OneByOne())
    assert found.error.startswith("14 questions failed, the first with KeyError")
    assert found.metrics["recall@5"] == 0.0
    base = sweep.Planned("", "locomo_small", "turns", "", questions="all", embedder="hash", **small)
    with pytest.raises(InvalidRequest, match="couldn't be measured"):
        ablation.ablate(base, ("context",), tmp_path / "ablation", fan_out.OneByOne())

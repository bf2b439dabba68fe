"""`wenlan-lab eval`: data on stdout, the rest on stderr, and exit codes that say what went wrong."""

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tests.evals.small_sets import written
from wenlan_lab import InvalidRequest
from wenlan_lab.surfaces.cli import eval as commands

ROOT = Path(__file__).parents[2]
COMMON = ("-p", "dataset", "locomo_small", "-p", "registry", "registry.json", "-p", "embedder", "hash")


@pytest.fixture
def cli(tmp_path, monkeypatch):
    """Run a command in a folder of its own, with the small datasets at hand."""
    written(tmp_path)
    monkeypatch.setenv("WENLAN_DATA", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # a kernel imports the package whose tests these are
    monkeypatch.chdir(tmp_path)

    return lambda *words: CliRunner().invoke(commands.app, [str(word) for word in words])


def test_a_parameter_may_be_two_words_or_one():
    assert commands.joined(["run", "x", "-p", "limit", "20", "--json"]) == ["run", "x", "-p", "limit=20", "--json"]
    assert commands.joined(["-p", "out=a b", "-p", "k", "5"]) == ["-p", "out=a b", "-p", "k=5"]
    assert commands.joined(["x", "-p"]) == ["x", "-p"]
    assert commands.joined(["--", "-p", "a", "b"]) == ["--", "-p", "a", "b"]
    assert commands.pairs(["k=5", "k=6", "out=a=b"]) == {"k": "6", "out": "a=b"}
    with pytest.raises(InvalidRequest, match="NAME"):
        commands.pairs(["limit"])


@pytest.mark.notebooks
def test_run_prints_the_summary_and_says_where_the_notebook_is(cli):
    done = cli("run", "locomo", *COMMON, "-p", "limit", 2, "--quiet", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["dataset"], found["protocol"], found["n"]) == ("locomo_small", "turns", 2)
    assert {"p50", "p95"} <= set(found["latency_ms"])
    assert "report.ipynb" in done.stderr
    (notebook,) = Path.cwd().glob("build/evals/locomo-*/report.ipynb")
    assert notebook.is_file()


@pytest.mark.notebooks
def test_a_notebook_that_fails_is_a_users_error_when_the_user_caused_it(cli):
    done = cli("run", "locomo", "-p", "dataset", "nowhere", "--quiet", "--out", "here")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "nowhere" in done.stderr
    assert (Path.cwd() / "here" / "report.ipynb").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "lokomo"), "did you mean locomo"),
        (("run", "locomo", "-p", "limt", "2"), "did you mean limit"),
        (("run", "locomo", "-p", "limit", "few"), "a whole number"),
        (("run", "locomo", "-p", "limit"), "NAME"),
        (("compare", "no", "where"), "holds no run"),
        (("compare", "published", "published"), "with themselves"),
        (("sweep", "no.yaml"), "no.yaml"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_on_stderr(cli, words, said):
    done = cli(*words)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_sweep_prints_a_line_for_each_combination_and_its_runs_can_be_compared(cli):
    grid = {"dataset": "locomo_small", "questions": "all", "embedder": "hash", "registry": "registry.json", "limit": 3,
            "grid": {"fusion": ["weighted", "learned"]}}  # fmt: skip
    (Path.cwd() / "grid.yaml").write_text(yaml.safe_dump(grid), encoding="utf-8")
    done = cli("sweep", "grid.yaml", "--workers", 1, "--quiet", "--json")
    assert done.exit_code == 0, done.output
    results = json.loads(done.stdout)
    assert [result["plan"]["name"] for result in results] == ["fusion=weighted", "fusion=learned"]
    folders = [result["plan"]["out"] for result in results]
    compared = cli("compare", *folders, "--json")
    assert compared.exit_code == 0
    assert json.loads(compared.stdout)["n"] == 3
    assert "b - a" in cli("compare", *folders).stdout
    assert "win/tie/loss" in cli("compare", folders[0], folders[0], "-m", "mrr").stdout
    listed = json.loads(cli("list", "--json").stdout)
    assert {run["folder"] for run in listed["runs"]} == set(folders)


def test_a_combination_that_fails_ends_in_two(cli):
    grid = {"dataset": "locomo_small", "registry": "registry.json", "protocol": "none such", "grid": {"k": [5]}}
    (Path.cwd() / "grid.yaml").write_text(yaml.safe_dump(grid), encoding="utf-8")
    done = cli("sweep", "grid.yaml", "--workers", 1, "--quiet")
    assert done.exit_code == 2
    assert "none such" in done.stdout


def test_list_names_notebooks_parameters_and_datasets(cli):
    text = cli("list").stdout
    for word in ("locomo10", "longmemeval_oracle", "limit", "CC BY-NC 4.0", "official-session"):
        assert word in text
    found = json.loads(cli("list", "--json").stdout)
    assert set(found["notebooks"]) == {"locomo", "longmemeval", "compare", "ablation"}
    assert found["runs"] == []
    assert not any(dataset["here"] for dataset in found["datasets"])

"""`wenlan-lab`: every command does what the API does, data goes to stdout, and exit codes say what went wrong."""

import json
import sqlite3
from dataclasses import fields

import pytest
import typer

from tests.surfaces.command_lines import PUMP, captured, done, refused, run
from tests.surfaces.command_lines import command_line as command_line
from tests.surfaces.samples import HOSTILE
from wenlan_lab.model.outcomes import Receipt
from wenlan_lab.model.recall import Hit
from wenlan_lab.model.results import RecallResult
from wenlan_lab.model.sources import PassageOrigin
from wenlan_lab.surfaces.cli import options

pytestmark = pytest.mark.usefixtures("command_line")


def names(value):
    return {field.name for field in fields(value)}


# Capture and recall -------------------------------------------------------------------------------------------------


def test_a_receipt_in_json_has_the_values_own_names():
    receipt = done("capture", "--type", "gotcha", "--json", PUMP)
    assert set(receipt) == names(Receipt)
    assert (receipt["outcome"], receipt["seq"], receipt["space_source"]) == ("Captured", 1, "none")
    assert done("capture", "--json", PUMP)["outcome"] == "AlreadyKnown"


def test_all_options_of_capture_reach_the_memory():
    done("space", "create", "lab")
    old = captured("The intake of the pump is bare metal.", "-s", "lab")
    new = captured(
        "The intake of the pump is heated.", "-s", "lab", "-t", "decision", "--tag", "pump", "--tag", "winter",
        "--field", "decision=heat the intake", "--field", "context=it = froze", "--evidence", "it froze in January",
        "--supersedes", old, "--from", "2026-02-03", "--actor", "agent:scribe",
    )  # fmt: skip
    memory = done("memory", new, "--json")
    assert (memory["type"], memory["space"], memory["author"]) == ("decision", "lab", "agent:scribe")
    assert memory["tags"] == ["pump", "winter"]
    assert memory["fields"] == {"decision": "heat the intake", "context": "it = froze"}
    assert memory["evidence"][0]["quote"] == "it froze in January"
    assert memory["supersedes"] == old
    assert memory["valid_from"].startswith("2026-02-03")


def test_a_rejected_capture_is_a_receipt_on_stdout_and_ends_in_one():
    ended = run("capture", "--json", "password=sunny-weather-4711 opens the archive")
    assert ended.exit_code == 1
    assert ended.stderr == ""
    receipt = json.loads(ended.stdout)
    assert (receipt["outcome"], receipt["seq"], receipt["reason"]["reason"]) == ("Rejected", None, "credential_leak")
    assert "sunny-weather" not in done("journal", "--rejections")


def test_a_recall_in_json_has_the_values_own_names():
    captured(PUMP, "-t", "gotcha")
    result = done("recall", "why does the pump stall?", "--json", "-k", "3")
    assert set(result) == names(RecallResult)
    (hit,) = result["hits"]
    assert set(hit) == names(Hit)
    assert set(hit["source"]) == names(PassageOrigin)
    assert (hit["text"], hit["type"], hit["kind"]) == (PUMP, "gotcha", "memory")


def test_a_recall_takes_words_scope_and_types():
    done("space", "create", "lab")
    inside, outside = captured(PUMP, "-s", "lab"), captured("The pump of the kitchen is new.", "-t", "lesson")

    def found(*words):
        return {hit["id"] for hit in done("recall", "--json", *words, "the", "pump")["hits"]}

    assert found() == {inside, outside}
    assert found("-s", "lab") == {inside}
    assert found("--space", "uncategorized") == {outside}
    assert found("-t", "lesson") == {outside}
    assert found("-t", "passage") == set()
    assert "nothing" in done("recall", "-t", "passage", "the pump").lower()


def test_without_an_embedder_a_capture_needs_leave_to_go_on():
    assert run("capture", "--embedder", "none", PUMP).exit_code == 1
    receipt = done("capture", "--embedder", "none", "--allow-unembedded", "--json", PUMP)
    assert "without a vector" in receipt["warnings"][0]
    assert done("status", "--json")["waiting"] == 0  # nothing has followed the journal yet
    assert done("recall", "pump", "--embedder", "none", "--json")["hits"][0]["found_by"] == ["lexical"]
    assert done("status", "--json")["waiting"] == 1
    assert done("embed", "--json")["waiting"] == 0


def test_a_dash_reads_the_text_from_stdin():
    text = "First line: 4 °C.\nSecond line: {braces} and $money and 'quotes'."
    made = done("capture", "-", "--json", input=text + "\n")["id"]
    assert done("memory", made, "--json")["text"] == text
    assert done("recall", "-", "--json", input="second line\n")["hits"][0]["id"] == made
    assert "no UTF-8" in refused("capture", "-", input=b"\xff\xfe")
    assert "empty" in refused("capture", "-", input="")


@pytest.mark.parametrize("text", [text for text in HOSTILE if text])
def test_hostile_text_is_stored_as_it_is_or_refused_in_one_line(text):
    statement = f"The gauge said {text} and then stopped."
    ended = run("capture", "--json", "--", statement)
    if ended.exit_code:
        assert "NUL" in ended.stderr or "surrogate" in ended.stderr
        assert len(ended.stderr.splitlines()) == 1
        return
    made = json.loads(ended.stdout)["id"]
    assert done("memory", made, "--json")["text"] == statement
    shown = done("memory", made)
    assert not set(shown) & {chr(code) for code in (*range(9), *range(11, 32), *range(0x202A, 0x202F))}
    assert run("recall", "--", text).exit_code == 0
    assert run("recall", "--json", "--", text).exit_code == 0


def test_json_never_holds_what_a_terminal_obeys_or_a_line_reader_breaks_at():
    made = captured("It went\u2028over the\x9b31m line\u202e and \x7fback again.")
    printed = run("memory", made, "--json").stdout
    assert len(printed.splitlines()) == 1
    assert not set(printed) & set("\u2028\x9b\u202e\x7f")
    assert "over the\x9b31m line" in json.loads(printed)["text"]


# Many at once -------------------------------------------------------------------------------------------------------


def test_a_file_is_captured_line_by_line_and_each_receipt_is_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("WENLAN_BATCH", "2")
    done("space", "create", "lab")
    done("space", "create", "shed")
    lines = ['"The weir is made of oak."', "", '{"text": "The shed has a\u2028window.", "space": "shed", "type": "lesson"}',
             '{"text": "ok"}', '{"text": "The gauge hangs from the bridge.", "tags": ["gauge"]}']  # fmt: skip
    path = tmp_path / "many.jsonl"
    path.write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    ended = run("capture", "--file", path, "-s", "lab", "-t", "decision", "--json")
    assert ended.exit_code == 1  # one line was rejected, the others are stored
    receipts = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [receipt["outcome"] for receipt in receipts] == ["Captured", "Captured", "Rejected", "Captured"]
    assert [receipt["space"] for receipt in receipts] == ["lab", "shed", "lab", "lab"]
    types = [done("memory", receipt["id"], "--json")["type"] for receipt in receipts if receipt["id"]]
    assert types == ["decision", "lesson", "decision"]
    assert run("capture", "--file", "-", "-s", "lab", input=path.read_bytes()).stdout.count("already known") == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('"A line that is fine."\n{"text": "x y z"', "line 2 of many.jsonl"),
        ('{"txt": "a typing mistake"}', "line 1 of many.jsonl: can't capture"),
        ('{"text": "a b c", "mood": "good"}', "no mood"),
        ("[" * 100_000, "line 1"),
        ("\n\n", "holds no line"),
    ],
)
def test_a_line_that_cannot_be_captured_is_named_and_nothing_is(tmp_path, content, said, command_line):
    (tmp_path / "many.jsonl").write_text(content, encoding="utf-8")
    assert said in refused("capture", "--file", "many.jsonl")
    assert not command_line.exists()


def test_what_the_store_refuses_in_a_file_says_which_lines_were_not_captured(tmp_path, monkeypatch):
    monkeypatch.setenv("WENLAN_BATCH", "1")
    lines = ['"The weir is made of oak."', '{"text": "The shed has a window.", "space": "nowhere"}']
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ended = run("capture", "--file", "many.jsonl", "--json")
    assert ended.exit_code == 1
    assert "lines 2 to 2" in ended.stderr
    assert "nowhere" in ended.stderr
    (receipt,) = map(json.loads, ended.stdout.splitlines())
    assert done("memory", receipt["id"], "--json")["text"] == "The weir is made of oak."


def test_a_receipt_is_printed_when_it_can_be_read_by_others_and_not_before(tmp_path, monkeypatch, command_line):
    monkeypatch.setenv("WENLAN_BATCH", "3")
    (tmp_path / "many.jsonl").write_text("\n".join(f'"The gauge at bridge {n} is read daily."' for n in range(8)))
    seen, echo = [], typer.echo

    def looked_up(message, **how):
        truth = sqlite3.connect(f"file:{command_line}/truth.db?mode=ro", uri=True)
        seen.append(
            truth.execute("select count(*) from memory where id = ?", (json.loads(message)["id"],)).fetchone()[0]
        )
        truth.close()
        echo(message, **how)

    monkeypatch.setattr(typer, "echo", looked_up)
    done_code = run("capture", "--file", "many.jsonl", "--json").exit_code
    assert (done_code, seen) == (0, [1] * 8)


# Which workbench ----------------------------------------------------------------------------------------------------


def test_the_option_beats_the_variable_and_the_variable_beats_the_folder_here(tmp_path, monkeypatch):
    for name in ("option", "variable", "lab.wenlan"):
        done("capture", "-w", tmp_path / name, f"This is the workbench called {name}.")
    monkeypatch.setenv("WENLAN_WORKBENCH", str(tmp_path / "variable"))

    def opened(*words):
        return done("memories", *words, "--json")[0]["text"].split()[-1]

    assert opened("--workbench", tmp_path / "option") == "option."
    assert opened() == "variable."
    monkeypatch.delenv("WENLAN_WORKBENCH")
    assert opened() == "lab.wenlan."
    monkeypatch.chdir(tmp_path / "option")
    assert "--workbench" in refused("memories")
    assert "--workbench" in refused("capture", PUMP)


def test_only_what_writes_makes_a_workbench(tmp_path):
    for words in (("recall", "x"), ("status",), ("verify",), ("doctor",), ("pin", "mem_1"), ("space", "list")):
        assert "there is no workbench at" in refused(*words, "-w", "nowhere")
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "file").touch()
    assert "is a file" in refused("status", "-w", "file")
    assert "is a file" in refused("capture", PUMP, "-w", "file")
    done("space", "create", "lab", "-w", "new/one")
    assert options.TRUTH in {path.name for path in (tmp_path / "new" / "one").iterdir()}


def test_a_setting_that_cannot_be_used_is_named(monkeypatch):
    monkeypatch.setenv("WENLAN_THREADS", "many")
    assert "WENLAN_THREADS" in refused("capture", PUMP)

"""The commands of `wenlan-lab` one by one: correcting, spaces, sources, upkeep; usage errors; the documentation."""

import json
import sqlite3

import pytest

from tests.surfaces.command_lines import PUMP, captured, done, refused, run
from tests.surfaces.command_lines import command_line as command_line

pytestmark = pytest.mark.usefixtures("command_line")

TURNS = [
    {"thread": "monday", "speaker": "Ada", "content": "The weir was cleaned on Monday morning.", "time": "2026-03-02"},
    {"thread": "monday", "speaker": "Ben", "content": "Then the gauge read eleven centimetres too much."},
]


@pytest.fixture
def turns(tmp_path):
    path = tmp_path / "turns.jsonl"
    path.write_text("\n".join(map(json.dumps, TURNS)), encoding="utf-8")
    return path


# Correcting ---------------------------------------------------------------------------------------------------------


def test_each_correction_changes_what_it_says():
    done("space", "create", "lab")
    made = captured()

    def now(name):
        return done("memory", made, "--json")[name]

    for words, name, value in (
        (("confirm", made), "trust", "accepted"), (("unconfirm", made), "trust", "asserted"),
        (("pin", made), "pinned", True), (("unpin", made), "pinned", False),
        (("retype", made, "lesson"), "type", "lesson"), (("retag", made, "winter", "pump"), "tags", ["winter", "pump"]),
        (("retag", made), "tags", []), (("move", made, "lab"), "space", "lab"),
        (("move", made, "Uncategorized"), "space", None), (("feedback", made, "helpful"), "uses", 1),
    ):  # fmt: skip
        receipt = done(*words, "--actor", "person:scribe", "--json")
        assert (receipt["outcome"], now(name)) == ("Applied", value), words
    assert done("journal", "--json")[0]["actor"] == "person:scribe"
    assert done("pin", made, "--json")["outcome"] == "Applied"
    assert done("pin", made, "--json")["outcome"] == "Unchanged"


def test_history_and_why_tell_where_a_memory_comes_from():
    made = captured(PUMP, "--evidence", "it froze in January")
    done("retype", made, "lesson")
    history = done("history", made, "--json")
    assert [version["state"]["type"] for version in history["versions"]] == ["fact", "lesson"]
    assert done("why", made, "--json")["evidence"][0]["quote"] == "it froze in January"
    assert made in done("history", made)
    assert "January" in done("why", made)


def test_forgetting_shows_the_places_first_and_erases_then():
    made = captured()
    assert done("forget", made, "--dry-run", "--json")["places"]
    assert done("memory", made, "--json")["text"] == PUMP
    assert done("forget", made, "--reason", "asked to", "--json")["outcome"] == "Applied"
    assert done("memory", made, "--json")["text"] == ""
    assert PUMP not in done("history", made)
    assert done("recall", "pump", "--json")["hits"] == []


def test_what_was_retracted_as_false_stays_out_until_it_is_lifted():
    made = captured()
    done("retract", made, "--as-false", "--reason", "measured again")
    ended = run("capture", "--json", PUMP)
    assert (ended.exit_code, json.loads(ended.stdout)["reason"]["reason"]) == (1, "claim_tombstoned")
    assert "reason" in refused("unforget", made)
    done("unforget", made, "--reason", "it was right")
    done("capture", PUMP)


def test_an_entry_is_undone_by_its_number():
    made = captured()
    seq = done("pin", made, "--json")["seq"]
    assert done("undo", seq, "--json")["outcome"] == "Applied"
    assert done("memory", made, "--json")["pinned"] is False
    assert "integer" in refused("undo", "first")


def test_what_waits_is_listed_and_decided():
    old = captured("I always work in metric units.", "-t", "preference")
    held = done(
        "capture", "--json", "-t", "preference", "--supersedes", old, "--actor", "agent:scribe", "I work in inches."
    )
    assert held["outcome"] == "Held"
    (item,) = done("review", "list", "--json")
    assert (item["status"], item["after"]) == ("pending", "I work in inches.")
    assert done("review", "show", item["id"], "--json")["before"] == "I always work in metric units."
    assert done("review", "stats", "--json")["waiting"] == 1
    assert done("review", "dismiss", item["id"], "--reason", "no", "--json")["outcome"] == "Applied"
    assert done("review", "accept", item["id"], "--json")["outcome"] == "Unchanged"
    assert done("review", "list", "--json") == []
    assert len(done("review", "list", "--status", "all", "--json")) == 1


# Spaces and sources -------------------------------------------------------------------------------------------------


def test_spaces_are_made_renamed_described_and_deleted():
    done("space", "create", "lab", "--description", "what stands in the cold room")
    done("space", "rename", "lab", "cold room")
    (space,) = done("space", "list", "--json")
    assert (space["name"], space["description"]) == ("cold room", "what stands in the cold room")
    done("space", "describe", "cold room", "pumps")
    assert "pumps" in done("space", "list")
    made = captured(PUMP, "-s", "cold room")
    assert "holds 1 memories" in refused("space", "delete", "cold room")
    done("space", "create", "attic")
    done("space", "delete", "cold room", "--contents", "move", "--to", "attic")
    assert done("memory", made, "--json")["space"] == "attic"
    done("space", "delete", "attic", "--contents", "unassign")
    assert done("memory", made, "--json")["space"] is None
    assert done("space", "list", "--json") == []


def test_an_import_adds_once_and_says_what_it_met(turns):
    report = done("import", turns, "--json")
    assert (report["format"], report["added"], report["known"]) == ("turns", 2, 0)
    assert done("import", turns, "--format", "turns", "--json")["known"] == 2
    (hit, *_) = done("recall", "what was wrong with the gauge?", "-t", "passage", "--json")["hits"]
    assert (hit["source"]["thread"], hit["source"]["speaker"], hit["trust"]) == ("monday", "Ben", "grounded")


def test_an_import_may_leave_its_vectors_for_later(turns):
    done("import", turns, "--no-embed")
    done("recall", "gauge", "--embedder", "none")
    assert done("status", "--json")["waiting"] == 2
    assert done("rebuild", "--json")["waiting"] == 0


def test_a_source_says_what_rests_on_it_before_it_goes(turns):
    done("import", turns)
    (source,) = done("source", "list", "--json")
    (hit, *_) = done("recall", "gauge", "--json")["hits"]
    made = captured("The gauge was off by eleven centimetres.", "--evidence", hit["id"])
    removal = done("source", "remove", source["id"], "--dry-run", "--json")
    assert (removal["passages"], removal["resting"]) == (2, [made])
    assert made in refused("source", "remove", source["id"])
    done("source", "remove", source["id"], "--even-if-resting")
    assert done("source", "list", "--json") == []
    assert done("memory", made, "--json")["status"] == "live"


# Upkeep -------------------------------------------------------------------------------------------------------------


def test_upkeep_tells_and_mends(command_line):
    made = captured()
    assert done("status", "--json")["memories"] == 1
    assert done("verify", "--json") == []
    assert done("verify") == ""
    assert run("verify").stderr.startswith("all is sound")
    assert [entry["change"] for entry in done("journal", "--id", made, "--json")] == ["CaptureMemory"]
    assert done("journal", "--actor", "agent:nobody", "--json") == []
    assert done("journal", "--until", "2000-01-01", "--json") == []
    assert done("rebuild", "--json")["behind"] == 0
    assert all(check["ok"] for check in done("doctor", "--json")["checks"])


def test_the_doctor_needs_no_workbench(monkeypatch, tmp_path):
    monkeypatch.delenv("WENLAN_WORKBENCH")
    assert "captured and recalled" in done("doctor")
    assert list(tmp_path.iterdir()) == []


def test_what_is_broken_is_listed_and_ends_in_two(command_line):
    made = captured()
    truth = sqlite3.connect(command_line / "truth.db")
    truth.execute("update memory set text = 'altered' where id = ?", (made,))
    truth.commit()
    truth.close()
    ended = run("verify")
    assert ended.exit_code == 2
    assert made in ended.stdout
    assert "backup" in ended.stderr
    assert made in json.loads(run("verify", "--json").stdout)[0]


def test_files_that_cannot_be_used_end_in_two(command_line):
    command_line.mkdir()
    (command_line / "truth.db").write_bytes(b"not a database, whatever its name says" * 40)
    assert "backup" in refused("status", code=2)
    assert "backup" in refused("capture", PUMP, code=2)


# Errors -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("recal", "x"), "Did you mean 'recall'"),
        (("recall",), "query"),
        (("recall", "--spce", "x", "y"), "--space"),
        (("recall", "-k", "many", "x"), "-k"),
        (("recall", "-k", "0", "x"), "from 1 to"),
        (("recall", "-s", "nowhere", "x"), "no space 'nowhere'"),
        (("recall", "--include", "all", "x"), "superseded"),
        (("recall", "--as-of", "soonish", "x"), "as_of"),
        (("capture",), "stdin"),
        (("capture", "-t", "gotca", "a b c d"), "gotcha"),
        (("capture", "--actor", "robot", "a b c d"), "agent:NAME"),
        (("capture", "--field", "claim", "a b c d"), "NAME=VALUE"),
        (("capture", "--file", "none.jsonl"), "none.jsonl"),
        (("capture", "--file", "none.jsonl", "text"), "--type and --space"),
        (("memory", "mem_0"), "no memory 'mem_0'"),
        (("memory", "mem_\udcff"), "mem_"),
        (("journal", "--id", "\udcff"), "no text"),
        (("recall\udcff",), "recall"),
        (("pin", "mem_0"), "mem_0"),
        (("feedback", "mem_0", "bad"), "helpful"),
        (("space", "delete", "nowhere"), "nowhere"),
        (("space", "shrink"), "No such command"),
        (("source", "remove", "src_0"), "src_0"),
        (("import", "nothing.json"), "nothing.json"),
        (("memories", "-n", "0"), "--most"),
        (("review", "show", "rev_0"), "rev_0"),
    ],
)
def test_a_users_error_is_one_line_on_stderr_and_ends_in_one(words, said):
    done("space", "create", "lab")
    assert said in refused(*words)


def test_a_defect_is_one_line_too_and_ends_in_two(monkeypatch):
    captured()
    monkeypatch.setattr("wenlan_lab.engine.workbench.Workbench.memory", lambda wb, id: 1 / 0)
    assert "ZeroDivisionError" in refused("memory", "mem_1", code=2)
    assert "report" in refused("memory", "mem_1", code=2)


@pytest.mark.parametrize("words", [("--traceback", "memory", "mem_0"), ("memory", "--traceback", "mem_0"), ("memory", "mem_0", "--traceback")])  # fmt: skip
def test_a_traceback_is_shown_when_it_is_asked_for(words):
    captured()
    ended = run(*words)
    assert ended.exit_code == 1
    assert "Traceback" in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("wenlan-lab: there is no memory")
    assert ended.stdout == ""
    assert "Traceback" not in run("memory", "mem_0").stderr


def test_after_two_dashes_everything_is_text():
    made = captured("--traceback is an option that may stand anywhere.")
    assert done("memory", made, "--json")["text"].startswith("--traceback is")


@pytest.mark.parametrize("words", [(), ("space",), ("source",), ("review",), ("eval",)])
def test_a_group_alone_lists_its_commands(words):
    assert "Commands" in done(*words)

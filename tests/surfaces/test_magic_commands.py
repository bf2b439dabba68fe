"""Each command of %wenlan does what its name says; each error is one line that says what to do."""

import json

import pytest
from IPython.core.error import UsageError

import wenlan_lab
from tests.surfaces.magic_lines import PUMP, cell, line, opened, refused
from tests.surfaces.samples import read

# Commands -------------------------------------------------------------------------------------------------------------


def test_a_memory_is_looked_at_changed_and_forgotten(lab):
    line(lab, "spaces create lab")
    memory_id = line(lab, f"capture {PUMP}").id
    assert line(lab, f"confirm {memory_id}").outcome == "Applied"
    assert line(lab, f"memory {memory_id}").trust == "accepted"
    line(lab, f"confirm --undo {memory_id}")
    line(lab, f"pin {memory_id}")
    line(lab, f"retype {memory_id} gotcha")
    line(lab, f"retag {memory_id} cold, pump")
    line(lab, f"move {memory_id} lab")
    memory = line(lab, f"memory {memory_id}")
    assert (memory.trust, memory.pinned, memory.type, memory.tags) == ("asserted", True, "gotcha", ("cold", "pump"))
    assert memory.space == "lab"
    line(lab, f"pin {memory_id} --undo")
    line(lab, f"move {memory_id} uncategorized")
    assert (line(lab, f"memory {memory_id}").pinned, line(lab, f"memory {memory_id}").space) == (False, None)
    history = line(lab, f"history {memory_id}")
    assert len(history.versions) == 9
    assert "type: fact → gotcha" in repr(history)
    assert PUMP in repr(line(lab, f"why {memory_id}"))
    report = line(lab, f"forget {memory_id} --dry-run")
    assert report.places
    assert line(lab, f"memory {memory_id}").text == PUMP
    receipt = line(lab, f"forget {memory_id} it's wrong")
    assert receipt.outcome == "Applied"
    assert line(lab, f"memory {memory_id}").status == "forgotten"
    for value in (history, report, receipt, line(lab, f"history {memory_id}"), line(lab, f"why {memory_id}")):
        read(value._repr_html_())


def test_memories_are_listed_and_narrowed(lab):
    line(lab, f"capture -t gotcha {PUMP}")
    line(lab, "capture -t decision We heat the intake from now on.")
    assert {memory.type for memory in line(lab, "memories")} == {"gotcha", "decision"}
    assert [memory.type for memory in line(lab, "memories -t decision")] == ["decision"]
    assert len(line(lab, "memories -n 1")) == 1
    assert "there may be more" in repr(line(lab, "memories -n 1"))
    assert len(line(lab, "memories -s uncategorized")) == 2
    assert line(lab, "memories").to_polars().height == 2


def test_recall_is_narrowed_by_space_type_and_kind(lab):
    line(lab, "spaces create lab")
    line(lab, f"capture -t gotcha -s lab {PUMP}")
    line(lab, "capture -t decision The pump is heated from now on.")
    assert len(line(lab, "recall -k 1 pump")) == 1
    assert [hit.type for hit in line(lab, "recall -s lab pump")] == ["gotcha"]
    assert [hit.type for hit in line(lab, "recall -t decision pump")] == ["decision"]
    assert {hit.type for hit in line(lab, "recall -t decision -t gotcha pump")} == {"decision", "gotcha"}
    assert "choose from" in refused(lab, "recall --include bogus pump")
    assert len(line(lab, "recall -t passage pump")) == 0


def test_a_space_is_made_renamed_described_and_deleted_with_the_count_shown_first(lab):
    assert "no spaces yet" in repr(line(lab, "spaces"))
    line(lab, "spaces create lab All about it's pumps")
    line(lab, "spaces describe lab It's the pump lab")
    line(lab, "spaces rename lab 'pump lab'")
    (space,) = line(lab, "spaces list")
    assert (space.name, space.description) == ("pump lab", "It's the pump lab")
    line(lab, f"capture -s 'pump lab' {PUMP}")
    told = refused(lab, "spaces delete 'pump lab'")
    assert "holds 1 memories and 0 passages" in told
    assert "--contents unassign" in told
    assert len(line(lab, "spaces")) == 1
    line(lab, "spaces delete 'pump lab' --contents unassign")
    assert len(line(lab, "spaces")) == 0
    assert [memory.space for memory in line(lab, "memories")] == [None]


def turns(tmp_path, name="talk.jsonl"):
    rows = [
        {"id": f"t{n}", "speaker": who, "content": text, "time": f"2026-03-0{n + 1}T10:00:00Z", "thread": "bench"}
        for n, (who, text) in enumerate(
            [("Ada", PUMP), ("Bo", "Thanks!"), ("Ada", "The spare pump is in the <b>red</b> box.")]
        )
    ]
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_a_conversation_is_imported_listed_and_removed(lab, tmp_path, capsys):
    line(lab, "spaces create bench")
    report = line(lab, f"import -s bench {turns(tmp_path, 'it is a talk.jsonl')}")
    assert (report.added, report.known) == (3, 0)
    assert line(lab, f"import -s bench {turns(tmp_path, 'it is a talk.jsonl')}").known == 3
    assert capsys.readouterr().out == ""
    hit = line(lab, "recall spare pump box")[0]
    assert (hit.source.speaker, hit.source.ref, hit.kind) == ("Ada", "t2", "passage")
    (source,) = line(lab, "sources")
    assert "bench" in repr(line(lab, "sources"))
    removal = line(lab, f"sources remove {source.id} --dry-run")
    assert removal.passages == 3
    line(lab, f"sources remove {source.id}")
    assert len(line(lab, "sources")) == 0
    for value in (report, removal):
        read(value._repr_html_())
        assert repr(value)


def test_a_source_that_something_rests_on_is_not_removed_in_passing(lab, tmp_path):
    line(lab, f"import {turns(tmp_path)}")
    passage = line(lab, "recall -t passage pump stalls")[0]
    line(lab, f"capture --evidence {passage.id} The intake is heated because of the cold.")
    (source,) = line(lab, "sources")
    told = refused(lab, f"sources remove {source.id}")
    assert "1 memories rest on" in told
    assert "--even-if-resting" in told
    assert line(lab, f"sources remove {source.id} --even-if-resting").outcome == "Applied"


def test_the_workbench_looks_after_itself(lab):
    line(lab, f"capture {PUMP}")
    line(lab, "capture ok")
    assert line(lab, "status").memories == 1
    assert len(line(lab, "verify")) == 0
    assert "all is sound" in repr(line(lab, "verify"))
    assert line(lab, "rebuild").behind == 0
    assert line(lab, "embed").waiting == 0
    assert line(lab, "doctor").checks
    entries = line(lab, "journal -n 2")
    assert len(entries) == 2
    assert [entry.change for entry in line(lab, "journal")] == [e.change for e in opened(lab).journal.entries(most=20)]
    (rejection,) = line(lab, "journal --rejections")
    assert rejection.reason in ("too_short", "noise_pattern")
    for name in ("status", "verify", "doctor", "journal", "journal --rejections", "spaces", "sources", "help"):
        read(line(lab, name)._repr_html_())
        assert repr(line(lab, name))


# Errors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("recal x", "did you mean recall?"),
        ("bogus", "`%wenlan help` lists them"),
        ("recall", "needs QUERY"),
        ("recall -k 0 pump", "k must be"),
        ("recall -k many pump", "invalid int value"),
        ("recall -s nowhere pump", "no space"),
        ("capture -t profile A whole statement here.", "identity"),
        ("capture -s nowhere A whole statement here.", "no space"),
        ("memory mem_nowhere", "mem_nowhere"),
        ("forget", "needs ID"),
        ("spaces destroy x", "choose one of"),
        ("spaces rename x", "NEW-NAME"),
        ("sources remove", "lists them"),
        ("import /nowhere/at/all.json", "/nowhere/at/all.json"),
        ("status more", "takes nothing more"),
        ("help bogus", "`%wenlan help` lists them"),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(lab, text, told):
    assert told in refused(lab, text)


def test_an_error_is_shown_without_a_traceback_unless_it_is_asked_for(lab, capsys):
    lab.run_cell("%wenlan recall -s nowhere pump")
    told = capsys.readouterr()
    assert told.err.startswith("UsageError: there is no space 'nowhere'")
    assert len(told.err.strip().split("\n")) == 1
    assert "Traceback" not in told.out + told.err
    with pytest.raises(wenlan_lab.InvalidRequest):
        line(lab, "recall -s nowhere --traceback pump")


def test_what_nobody_foresaw_is_one_line_too(lab, monkeypatch):
    def broken(*args, **more):
        raise ZeroDivisionError("a\nb")

    monkeypatch.setattr("wenlan_lab.engine.workbench.Workbench.status", broken)
    told = refused(lab, "status")
    assert told.startswith("ZeroDivisionError: a b")
    assert "--traceback" in told
    with pytest.raises(ZeroDivisionError):
        line(lab, "status --traceback")


def test_a_cell_is_for_texts_only(lab):
    for first in ("status", "forget mem_1"):
        with pytest.raises(UsageError, match="takes no cell"):
            cell(lab, first, "some text")
    with pytest.raises(UsageError, match="which command"):
        cell(lab, "", "some text")
    with pytest.raises(UsageError, match="stands in the cell below"):
        cell(lab, "capture some text", "more text")

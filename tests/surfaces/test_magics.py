"""%wenlan and %%wenlan, in an IPython of their own: verbatim texts, bound results, one-line errors."""

import pytest
from IPython.core.error import UsageError

import wenlan_lab
from tests.surfaces.magic_lines import PUMP, cell, line, opened, refused
from tests.surfaces.samples import HOSTILE, read
from wenlan_lab.model.results import Listing
from wenlan_lab.surfaces.notebook.session import NO_WORKBENCH

# Opening --------------------------------------------------------------------------------------------------------------


def test_open_returns_the_workbench_that_the_commands_work_on(shell, tmp_path):
    wb = line(shell, f"open --embedder hash {tmp_path / 'a lab'}")
    assert isinstance(wb, wenlan_lab.Workbench)
    assert wb.folder == tmp_path / "a lab"
    receipt = line(shell, f"capture {PUMP}")
    assert wb.memory(receipt.id).text == PUMP


def test_the_same_folder_again_is_the_same_workbench(shell, tmp_path):
    first = line(shell, f"open --embedder hash {tmp_path / 'one'}")
    other = line(shell, f"open --embedder hash {tmp_path / 'two'}")
    assert line(shell, f"open --embedder hash {tmp_path / 'one'}") is first
    assert opened(shell) is first
    assert other.recall("anything").hits == ()


def test_without_a_workbench_every_command_says_how_to_open_one(shell, monkeypatch):
    monkeypatch.delenv("WENLAN_WORKBENCH", raising=False)
    for text in ("recall x", "capture a whole statement here", "status", "memories", "spaces", "journal", "verify"):
        assert refused(shell, text) == NO_WORKBENCH
    assert "open" in NO_WORKBENCH


def test_without_open_the_workbench_of_the_environment_is_used(shell, tmp_path, monkeypatch):
    monkeypatch.setenv("WENLAN_WORKBENCH", str(tmp_path / "from-environment"))
    monkeypatch.setenv("WENLAN_EMBEDDER", "hash")
    assert line(shell, f"capture {PUMP}").outcome == "Captured"
    assert opened(shell).folder == tmp_path / "from-environment"


def test_a_file_is_no_workbench(shell, tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    assert "is a file" in refused(shell, f"open {tmp_path / 'notes.txt'}")


# Texts stay as they are -----------------------------------------------------------------------------------------------

PROSE = [
    "It's broken, and they don't know why the {x} costs $y.",
    "An open ( bracket and a smile :( stay as they are.",
    'She said "stop" twice, `then` left.',
    r"The path C:\new\table and the pattern \d+\s{2} matter.",
    "Blank  runs   stay as    they were written.",
    "α → β means 日本語 and עברית stay in order.",
    "100 % of the {{unknown}} names stay, %s and {0} too.",
    "Use f'{x!r:>10}' when the value may be None.",
    '{"json": {"nested": [1, 2]}, "more": "text here"}',
    r"Euler says $e^{i\pi} + 1 = 0$ in every lecture.",
]


@pytest.mark.parametrize("text", PROSE)
def test_a_line_is_stored_as_it_was_written(lab, text):
    lab.user_ns.update(x="EXPANDED", y="EXPANDED")
    result = lab.run_cell(f"r = %wenlan capture -t fact {text}")
    assert result.success
    assert opened(lab).memory(lab.user_ns["r"].id).text == text


@pytest.mark.parametrize("text", PROSE)
def test_a_cell_is_stored_as_it_was_written(lab, text):
    lab.user_ns.update(x="EXPANDED", y="EXPANDED")
    body = f"{text}\n  indented;\n\nThe end;"
    result = lab.run_cell(f"%%wenlan capture -t lesson --into r\n{body}\n")
    assert result.success
    assert opened(lab).memory(lab.user_ns["r"].id).text == body


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()])
def test_hostile_text_is_stored_whole_or_refused_in_one_line(lab, text):
    statement = f"The label on the third box said {text} and nothing more"
    try:
        receipt = cell(lab, "capture", statement)
    except UsageError as error:
        assert "\n" not in str(error)
        str(error).encode()
        assert any(0xD800 <= ord(char) < 0xE000 or char == "\x00" for char in text)
        return
    if receipt.outcome == "Captured":
        assert opened(lab).memory(receipt.id).text == statement
    for found in (receipt, cell(lab, "recall", statement), line(lab, "memories")):
        read(found._repr_html_())
        repr(found).encode()


@pytest.mark.parametrize("query", HOSTILE[:-1])
def test_any_query_gets_an_answer(lab, query):
    line(lab, f"capture {PUMP}")
    result = cell(lab, "recall", query + " pump")
    assert result.query == query + " pump"


def test_split_makes_one_memory_of_each_paragraph(lab):
    receipts = cell(lab, "capture -t lesson --split", f"{PUMP}\nAnd it's loud.\n\n   \nok\n\n{PUMP}\nAnd it's loud.\n")
    assert [receipt.outcome for receipt in receipts] == ["Captured", "Rejected", "AlreadyKnown"]
    assert isinstance(receipts, Listing)
    assert repr(receipts).startswith("1 captured, 1 already known, 1 not stored")
    assert opened(lab).memory(receipts[0].id).text == f"{PUMP}\nAnd it's loud."


def test_options_of_capture_reach_the_memory(lab):
    line(lab, "spaces create 'pump lab' Everything about the pump")
    receipt = line(
        lab,
        "capture -t preference -s 'pump lab' --tag cold --tag 'night shift' --field preference=heat "
        f"--field 'applies_when=it is cold' --from 2025-11-03 --actor agent:tester {PUMP}",
    )
    memory = opened(lab).memory(receipt.id)
    assert (memory.type, memory.space, memory.tags) == ("preference", "pump lab", ("cold", "night shift"))
    assert memory.fields == {"preference": "heat", "applies_when": "it is cold"}
    assert memory.valid_from.startswith("2025-11-03")
    assert str(memory.author) == "agent:tester"
    assert "NAME=VALUE" in refused(lab, f"capture --field heat {PUMP}")


# Values that are put in -----------------------------------------------------------------------------------------------


def test_names_in_double_braces_become_values_and_stay_text(lab):
    lab.user_ns.update(part="--space nowhere it's", n=3)
    receipt = line(lab, "capture The part {{part}} came {{n}} times, {{nobody}} and {n} and {{print}} stay.")
    told = "The part --space nowhere it's came 3 times, {{nobody}} and {n} and {{print}} stay."
    assert opened(lab).memory(receipt.id).text == told


def test_names_of_the_calling_function_count_too(lab):
    text = PUMP.replace("stalls", "{{word}}")
    code = f"def f():\n    word = 'stalls'\n    r = %wenlan capture {text}\n    return r\nr = f()"
    assert lab.run_cell(code).success
    assert opened(lab).memory(lab.user_ns["r"].id).text == PUMP


def test_ipythons_own_names_are_no_values(lab):
    receipt = line(lab, "capture What {{In}} and {{Out}} and {{exit}} hold stays untold.")
    assert "{{In}} and {{Out}} and {{exit}}" in opened(lab).memory(receipt.id).text


# Results --------------------------------------------------------------------------------------------------------------


def test_a_result_can_be_bound_in_two_ways_and_is_that_of_the_api(lab):
    line(lab, f"capture -t gotcha {PUMP}")
    assert lab.run_cell("x = %wenlan recall --into y why did the pump stop").success
    assert lab.user_ns["x"] is lab.user_ns["y"]
    assert type(lab.user_ns["x"]) is type(opened(lab).recall("why did the pump stop"))
    assert [hit.text for hit in lab.user_ns["x"]] == [PUMP]


def test_a_name_that_can_t_be_bound_is_refused_before_anything_is_written(lab):
    for name in ("a.b", "1x", "class", "x[0]"):
        assert "variable" in refused(lab, f"capture --into {name} {PUMP}")
    assert len(line(lab, "memories")) == 0


def test_a_semicolon_silences_and_is_no_text(lab, capsys):
    assert lab.run_cell(f"%wenlan capture {PUMP};").result is None
    assert lab.run_cell("%wenlan capture It's an open ( bracket again;").result is None
    assert "Out" not in capsys.readouterr().out
    assert {memory.text for memory in line(lab, "memories")} == {PUMP, "It's an open ( bracket again"}


def test_a_semicolon_at_the_end_of_a_cell_is_text_and_silences_nothing(lab):
    result = lab.run_cell("%%wenlan capture\nThe statement ends here;")
    assert opened(lab).memory(result.result.id).text == "The statement ends here;"


def test_plain_ipython_shows_text_and_a_notebook_html(lab, capsys):
    lab.run_cell(f"%wenlan capture -t gotcha {PUMP}")
    lab.run_cell("%wenlan recall 'pump stalls' -k 1")
    told = capsys.readouterr().out
    assert "captured mem_" in told
    assert "1 of 1 shown" in told
    assert "The «pump» «stalls» below" in told
    bundle, _ = lab.display_formatter.format(line(lab, "recall pump stalls"))
    assert set(bundle) == {"text/plain"}
    lab.display_formatter.active_types = ["text/plain", "text/html"]
    try:
        bundle, _ = lab.display_formatter.format(line(lab, "recall pump stalls"))
    finally:
        lab.display_formatter.active_types = ["text/plain"]
    assert read(bundle["text/html"]).marked == ["pump", "stalls"]


def test_an_option_behind_the_text_is_told(lab, capsys):
    line(lab, f"capture {PUMP}")
    assert line(lab, "recall the pump -k 1").query == "the pump -k 1"
    assert "-k was read as part of the text" in capsys.readouterr().out
    line(lab, 'recall "the pump" -k 1')
    assert capsys.readouterr().out == ""


# Help -----------------------------------------------------------------------------------------------------------------


def test_help_is_there_without_a_workbench(shell):
    for text in ("", "help", "--help", "-h", "recall --help", "help recall", "forget mem_1 --help", "capture -h"):
        told = repr(line(shell, text))
        assert "%wenlan" in told
        assert max(len(row) for row in told.split("\n")) <= 110
    assert repr(line(shell, "recall --help")) == repr(line(shell, "help recall"))


def test_the_short_name_does_the_same(lab):
    receipt = lab.run_line_magic("wl", f"capture {PUMP}")
    assert lab.run_cell_magic("wl", "recall", "the pump\n")[0].id == receipt.id


# Questions ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "%wenlan recall --into r why did the pump stop?",
        "r = %wenlan recall why did the pump stop?",
        "%wl recall --into r why did the pump stop?",
        "if True:\n    r = %wenlan recall why did the pump stop?\n",
        "if True:\n    %wenlan recall --into r why did the pump stop?\n    x = 1",
        "x = '''\n%wenlan recall is text?\n'''\nr = %wenlan recall why did the pump stop?",
        "%wenlan recall --into r why did (the pump stop?\n%wenlan recall --into r why did the pump stop?",
    ],
)
def test_a_question_may_end_in_a_question_mark(lab, code, capsys):
    line(lab, f"capture {PUMP}")
    assert lab.run_cell(code).success
    assert lab.user_ns["r"].query == "why did the pump stop?"
    assert "not found" not in capsys.readouterr().out


def test_what_is_captured_may_ask_too(lab):
    assert lab.run_cell("%wenlan capture --into r Does it's pump stall below 4 °C??").success
    assert opened(lab).memory(lab.user_ns["r"].id).text == "Does it's pump stall below 4 °C??"


def test_ipythons_help_still_answers_question_marks(lab):
    for code in ("%wenlan?", "lab_name?", "%capture?"):
        assert "pinfo" in lab.transform_cell(code)
    assert "%wenlan recall is text?" in lab.transform_cell("x = '''\n%wenlan recall is text?\n'''")

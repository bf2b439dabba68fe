"""Tab after %wenlan: commands, options, spaces, types and ids, with jedi and without."""

import pytest
from IPython.core.completer import provisionalcompleter

from wenlan_lab.surfaces.notebook.completion import completions
from wenlan_lab.surfaces.notebook.dispatch import COMMANDS


@pytest.fixture(params=[True, False], ids=["jedi", "no jedi"])
def completer(lab, request):
    before = lab.Completer.use_jedi
    lab.Completer.use_jedi = request.param

    def offered(line):
        with provisionalcompleter():
            return [found.text for found in lab.Completer.completions(line, len(line))]

    yield offered
    lab.Completer.use_jedi = before


def test_commands_are_offered_in_every_form(completer):
    for magic in ("%wenlan", "%%wenlan", "%wl", "%%wl"):
        assert "recall" in completer(f"{magic} rec")
        assert set(COMMANDS) <= set(completer(f"{magic} "))


def test_options_are_offered(completer):
    assert "--space" in completer("%wenlan recall --sp")


def test_values_of_options_are_offered(lab, completer):
    lab.run_line_magic("wenlan", "spaces create glacier-melt")
    assert "glacier-melt" in completer("%wenlan recall --space gla")
    assert "gotcha" in completer("%wenlan capture -t go")
    assert "superseded" in completer("%wenlan recall --include sup")
    assert "move" in completer("%wenlan spaces delete x --contents mo")


def test_ids_are_offered_where_one_is_needed(lab, completer):
    receipt = lab.run_line_magic("wenlan", "capture The pump stalls below 4 °C.")
    assert receipt.id in completer("%wenlan history mem")


def test_nothing_is_offered_for_a_text_and_nothing_fails_without_a_workbench():
    for before in (
        "%wenlan capture The pu",
        "%wenlan bogus x",
        "%wenlan recall -s ",
        "%wenlan history ",
        "%wenlan spaces rename ",
    ):
        symbol = before.rpartition(" ")[2]
        assert completions(None, before, symbol) == []


def test_a_space_with_blanks_is_offered_in_quotes(lab):
    lab.run_line_magic("wenlan", "spaces create 'pump lab'")
    workbench = lab.magics_manager.registry["WenlanMagics"].workbench
    assert completions(workbench, "%wenlan recall -s ", "") == ['"pump lab"']

"""Short ways to run %wenlan in a test."""

import pytest
from IPython.core.error import UsageError

PUMP = "The pump stalls below 4 °C, so the intake is heated."


def line(shell, text):
    return shell.run_line_magic("wenlan", text)


def cell(shell, first, body):
    return shell.run_cell_magic("wenlan", first, body)


def refused(shell, text):
    """The one line that a wrong command gets."""
    with pytest.raises(UsageError) as error:
        line(shell, text)
    told = str(error.value)
    assert "\n" not in told
    return told


def opened(shell):
    return shell.magics_manager.registry["WenlanMagics"].workbench

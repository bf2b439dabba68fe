"""The magic itself, which loads nothing slow: what a command needs is imported when the first one is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, needs_local_scope, no_var_expand

from wenlan_lab.surfaces.notebook.session import Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from wenlan_lab.engine.workbench import Workbench


@magics_class
class WenlanMagics(Magics):
    """%wenlan, %%wenlan and their short form %wl. The open workbench is held by `session`."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell=shell)
        self.session = Session(shell)

    @property
    def workbench(self) -> Workbench | None:
        """The open workbench."""
        return self.session.workbench

    @needs_local_scope
    @no_var_expand
    @line_magic("wenlan")  # type: ignore[arg-type]  # IPython types the form without a name only
    def line(self, line: str, local_ns: Mapping[str, object] | None = None) -> object:
        """Capture, recall and look after what you learned. `%wenlan help` lists the commands."""
        return self._line(line, local_ns)

    @needs_local_scope
    @no_var_expand
    @line_magic("wl")  # type: ignore[arg-type]  # IPython types the form without a name only
    def short_line(self, line: str, local_ns: Mapping[str, object] | None = None) -> object:
        """Short for %wenlan."""
        return self._line(line, local_ns)

    @needs_local_scope
    @no_var_expand
    @cell_magic("wenlan")  # type: ignore[arg-type]  # IPython types the form without a name only
    def cell(self, line: str, cell: str, local_ns: Mapping[str, object] | None = None) -> object:
        """Capture or recall the text of this cell, verbatim. `%wenlan help` lists the commands."""
        return self.run(line, cell, local_ns)

    @needs_local_scope
    @no_var_expand
    @cell_magic("wl")  # type: ignore[arg-type]  # IPython types the form without a name only
    def short_cell(self, line: str, cell: str, local_ns: Mapping[str, object] | None = None) -> object:
        """Short for %%wenlan."""
        return self.run(line, cell, local_ns)

    def _line(self, line: str, local_ns: Mapping[str, object] | None) -> object:
        # IPython's own @output_can_be_silenced reads the text as Python after the command has run, and fails on prose
        # with an open bracket. A semicolon at the end of the line is taken off here instead.
        told = line.rstrip()
        silent = told.endswith(";")
        result = self.run(told[:-1] if silent else told, None, local_ns)
        return None if silent else result

    def run(self, line: str, body: str | None, local_ns: Mapping[str, object] | None) -> object:
        """Run one command. Raises UsageError with one line, or with --traceback whatever went wrong."""
        from wenlan_lab.surfaces.notebook import dispatch

        return dispatch.run(self.session, line, body, local_ns)

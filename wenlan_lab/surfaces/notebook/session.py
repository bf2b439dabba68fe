"""What the magics work on: the open workbench, and the shell that shows what comes of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

import wenlan_lab
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.surfaces.notebook.progress import progress_bar

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from wenlan_lab.engine.workbench import Workbench
    from wenlan_lab.model.ports import Progress

NO_WORKBENCH = (
    "no workbench is open: `%wenlan open lab.wenlan` opens one (a folder, made when it is missing), or set "
    "WENLAN_WORKBENCH."
)


class Session:
    """One shell's workbench. Commands get the session; there is no other place where a workbench is kept."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.workbench: Workbench | None = None
        self._opened: dict[Path, tuple[Workbench, Mapping[str, Any]]] = {}

    def current(self) -> Workbench:
        """The open workbench; the one that WENLAN_WORKBENCH names when none was opened. UsageError without either."""
        if self.workbench is None:
            try:
                return self.open(None)
            except InvalidRequest as error:
                raise UsageError(NO_WORKBENCH) from error
        return self.workbench

    def open(self, folder: str | None, **options: Any) -> Workbench:
        """Open a workbench and work on it from now on; without a folder, the one that WENLAN_WORKBENCH names.

        The same folder with the same options is the same object; with other options the earlier one is closed.
        """
        known, given = self._opened.get(_place(folder), (None, {})) if folder is not None else (None, {})
        if known is None or given != options:
            opened = wenlan_lab.open(folder, say=self.say, **options)
            earlier, _ = self._opened.get(_place(opened.folder), (None, {}))
            if earlier is not None:
                earlier.close()
            self._opened[_place(opened.folder)] = (opened, options)
            known = opened
        self.workbench = known
        return known

    def close(self) -> None:
        """Close every workbench that was opened here."""
        for workbench, _ in self._opened.values():
            workbench.close()
        self._opened, self.workbench = {}, None

    def say(self, line: str) -> None:
        """One line to the reader while something is under way."""
        sys.stdout.write(line.rstrip("\n") + "\n")
        sys.stdout.flush()

    def names(self, local: Mapping[str, object] | None) -> dict[str, object]:
        """The variables that `{{name}}` may mean: the user's, and those of the function that calls, not IPython's."""
        hidden = set(self.shell.user_ns_hidden)
        own = {name: value for name, value in self.shell.user_ns.items() if name not in hidden}
        return {**own, **(local or {})} if local is not self.shell.user_ns else own

    @contextmanager
    def progress(self, title: str) -> Iterator[Progress]:
        """A progress bar, gone or finished when all is done."""
        with progress_bar(self.shell, title) as report:
            yield report


def _place(folder: str | Path) -> Path:
    return Path(folder).expanduser().resolve()

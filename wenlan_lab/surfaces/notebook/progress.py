"""How far something is: a widget on a live page, a line kept up to date in other notebooks, a bar in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from wenlan_lab.model.ports import Progress

# Kernels that a notebook page started carry one of these; those that papermill or nbclient start carry none.
LIVE = ("__session__", "__vsc_ipynb_file__")


class DisplayedLine:
    """A stream for tqdm whose last line is shown as one plain output: no stderr, no pile of carriage returns."""

    def __init__(self) -> None:
        self._handle: Any = None

    def write(self, text: str) -> None:
        """Show the last line that says something."""
        line = next((part for part in reversed(text.split("\r")) if part.strip()), "").rstrip()
        if not line:
            return
        from IPython.display import display

        if self._handle is None:
            show: Any = display
            self._handle = show({"text/plain": line}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": line}, raw=True)

    def flush(self) -> None:
        """Nothing is held back."""


@contextmanager
def progress_bar(shell: InteractiveShell, title: str) -> Iterator[Progress]:
    """A function to call with (done, total); a new total begins a new bar in the place of the old one."""
    how: dict[str, Any] = {"desc": title, "leave": False, "mininterval": 0.5}
    if any(name in shell.user_ns for name in LIVE):
        from tqdm.auto import tqdm
    else:
        from tqdm import tqdm

        if hasattr(shell, "kernel"):
            how |= {"file": DisplayedLine(), "leave": True, "ncols": 80, "ascii": False, "mininterval": 1.0}
    bar: Any = None

    def report(done: int, total: int) -> None:
        nonlocal bar
        if bar is None or bar.total != total or done < bar.n:
            if bar is not None:
                bar.close()
            bar = tqdm(total=total, **how)
        bar.update(done - bar.n)

    try:
        yield report
    finally:
        if bar is not None:
            bar.close()

"""Callbacks on the thread that made the panel.

JupyterLab may deliver a click in a subshell, which is another thread; a workbench belongs to one. What comes from
elsewhere is handed to the event loop that ran when the panel was made: it then waits behind the running cell.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

Run = Callable[[Callable[[], None]], None]


def on_this_thread() -> Run:
    """A function that calls what it is given on the thread that calls `on_this_thread`, at once when it is on it.

    Without a running event loop there is nobody to hand over to: then the call is made where it comes from.
    """
    owner = threading.get_ident()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        loop = None

    def run(does: Callable[[], None]) -> None:
        if loop is None or threading.get_ident() == owner:
            does()
        else:
            loop.call_soon_threadsafe(does)

    return run

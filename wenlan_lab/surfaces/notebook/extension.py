"""What `%load_ext wenlan_lab` does, and its undoing. Loading prints nothing, opens nothing, imports nothing slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.core.error import TryNext

from wenlan_lab.surfaces.notebook import question_lines
from wenlan_lab.surfaces.notebook.magics import WenlanMagics
from wenlan_lab.surfaces.notebook.question_lines import NAMES

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

KEYS = tuple(f"{escape}{name}" for name in NAMES for escape in ("%", "%%"))
HOOK = "complete_command"


def loaded(shell: InteractiveShell) -> WenlanMagics | None:
    """The magics of a shell that has the extension."""
    found = shell.magics_manager.registry.get(WenlanMagics.__name__)
    return found if isinstance(found, WenlanMagics) else None


def load(shell: InteractiveShell) -> None:
    """Register the magics and their completions; a second time changes nothing."""
    if loaded(shell) is not None:
        return
    shell.register_magics(WenlanMagics(shell))
    question_lines.add(shell)
    for key in KEYS:
        shell.set_hook(HOOK, _complete, str_key=key)  # type: ignore[no-untyped-call]  # IPython's


def unload(shell: InteractiveShell) -> None:
    """Close the workbenches that were opened here and take everything out again that `load` put in."""
    magics = loaded(shell)
    if magics is None:
        return
    magics.session.close()
    question_lines.remove(shell)
    del shell.magics_manager.registry[WenlanMagics.__name__]
    for kind in shell.magics_manager.magics.values():
        for name in NAMES:
            kind.pop(name, None)
    dispatcher = shell.strdispatchers.get(HOOK)
    for key in KEYS:
        if dispatcher is not None:
            dispatcher.strs.pop(key, None)


def _complete(shell: InteractiveShell, event: Any) -> list[str]:
    magics = loaded(shell)
    if magics is None:
        raise TryNext
    from wenlan_lab.surfaces.notebook.completion import completions

    found = completions(magics.workbench, event.text_until_cursor, event.symbol)
    if not found:
        raise TryNext
    return found

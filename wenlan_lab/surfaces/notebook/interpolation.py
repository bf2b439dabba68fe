"""`{{name}}` in a command becomes the value of that variable. Nothing else does.

Braces, dollar signs and format fields stay as they were written: prose, code, LaTeX and JSON pass through. One pass, no
expressions, no attributes: what a value says is never looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import ModuleType

SLOT = re.compile(r"\{\{([^\W\d]\w*)\}\}")


def interpolate(text: str, names: Mapping[str, object]) -> str:
    """`text` with each `{{name}}` that is a variable replaced by its value; unknown names stay as they are."""

    def value_of(slot: re.Match[str]) -> str:
        name = slot.group(1)
        if name not in names:
            return slot.group()
        value = names[name]
        return slot.group() if callable(value) or isinstance(value, ModuleType) else str(value)

    return SLOT.sub(value_of, text)

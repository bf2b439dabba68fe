"""Opening a workbench by its folder, or by the settings when no folder is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wenlan_lab.engine.settings import Settings
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest


def open_workbench(folder: str | Path | None = None, *, settings: Settings | None = None, **options: Any) -> Workbench:
    """The workbench in `folder`, else in the settings' WENLAN_WORKBENCH."""
    chosen = settings if settings is not None else Settings()
    place = folder if folder is not None else chosen.workbench
    if place is None:
        raise InvalidRequest("which workbench? Name a folder, e.g. open('lab.wenlan'), or set WENLAN_WORKBENCH.")
    return Workbench(place, settings=chosen, **options)

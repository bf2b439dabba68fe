"""wenlan_lab: typed, sourced, reviewable memory inside Jupyter, and the laboratory that measures it.

    import wenlan_lab
    wb = wenlan_lab.open("lab.wenlan")
    wb.capture("The pump stalls below 4 °C.", type="gotcha")
    wb.recall("why did the pump stop?")

Importing this package loads nothing heavy: every name below is fetched on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Actor": "model.actors",
    "Memory": "model.memories",
    "NewEvidence": "model.memories",
    "Source": "model.sources",
    "Passage": "model.sources",
    "NewPassage": "model.sources",
    "Space": "model.spaces",
    "Receipt": "model.outcomes",
    "Hit": "model.recall",
    "Trace": "model.recall",
    "RecallResult": "model.results",
    "Forgetting": "model.results",
    "Embedder": "model.ports",
    "VectorIndex": "model.ports",
    "Reranker": "model.ports",
    "Workbench": "engine.workbench",
    "NewCapture": "engine.capture",
    "Settings": "engine.settings",
    "ImportReport": "engine.importing",
    "FEATURE_GROUPS": "engine.ranking",
    "WenlanError": "errors",
    "InvalidRequest": "errors",
    "NotFound": "errors",
    "StaleRevision": "errors",
    "StoreError": "errors",
    "SchemaTooNew": "errors",
    "MigrationFailed": "errors",
    "IntegrityBroken": "errors",
    "ProviderError": "errors",
    "ProviderContractError": "errors",
    "ProviderUnavailable": "errors",
    "MissingExtra": "errors",
}

__all__ = [
    "__version__",
    "history_figure",
    "load_ipython_extension",
    "open",
    "review_panel",
    "unload_ipython_extension",
    *sorted(_HOMES),
]

if TYPE_CHECKING:
    from wenlan_lab.engine.capture import NewCapture as NewCapture
    from wenlan_lab.engine.importing import ImportReport as ImportReport
    from wenlan_lab.engine.ranking import FEATURE_GROUPS as FEATURE_GROUPS
    from wenlan_lab.engine.settings import Settings as Settings
    from wenlan_lab.engine.workbench import Workbench as Workbench
    from wenlan_lab.errors import (
        IntegrityBroken as IntegrityBroken,
    )
    from wenlan_lab.errors import (
        InvalidRequest as InvalidRequest,
    )
    from wenlan_lab.errors import (
        MigrationFailed as MigrationFailed,
    )
    from wenlan_lab.errors import (
        MissingExtra as MissingExtra,
    )
    from wenlan_lab.errors import (
        NotFound as NotFound,
    )
    from wenlan_lab.errors import (
        ProviderContractError as ProviderContractError,
    )
    from wenlan_lab.errors import (
        ProviderError as ProviderError,
    )
    from wenlan_lab.errors import (
        ProviderUnavailable as ProviderUnavailable,
    )
    from wenlan_lab.errors import (
        SchemaTooNew as SchemaTooNew,
    )
    from wenlan_lab.errors import (
        StaleRevision as StaleRevision,
    )
    from wenlan_lab.errors import (
        StoreError as StoreError,
    )
    from wenlan_lab.errors import (
        WenlanError as WenlanError,
    )
    from wenlan_lab.model.actors import Actor as Actor
    from wenlan_lab.model.memories import Memory as Memory
    from wenlan_lab.model.memories import NewEvidence as NewEvidence
    from wenlan_lab.model.outcomes import Receipt as Receipt
    from wenlan_lab.model.ports import Embedder as Embedder
    from wenlan_lab.model.ports import Reranker as Reranker
    from wenlan_lab.model.ports import VectorIndex as VectorIndex
    from wenlan_lab.model.recall import Hit as Hit
    from wenlan_lab.model.recall import Trace as Trace
    from wenlan_lab.model.results import Forgetting as Forgetting
    from wenlan_lab.model.results import RecallResult as RecallResult
    from wenlan_lab.model.sources import NewPassage as NewPassage
    from wenlan_lab.model.sources import Passage as Passage
    from wenlan_lab.model.sources import Source as Source
    from wenlan_lab.model.spaces import Space as Space
    from wenlan_lab.surfaces.widgets.history_figure import HistoryFigure
    from wenlan_lab.surfaces.widgets.review_panel import ReviewPanel


def open(folder: Any = None, **options: Any) -> Workbench:
    """Open the workbench in `folder`, creating it when missing. Options are those of `Workbench`.

    Without a folder the one named by WENLAN_WORKBENCH is opened; InvalidRequest when there is none either.
    """
    from wenlan_lab.engine.opening import open_workbench

    return open_workbench(folder, **options)


def review_panel(
    wb: Workbench, *, kind: str | None = None, space: str | None = None, actor: Actor | str | None = None
) -> ReviewPanel:
    """A panel of ipywidgets on the review queue of `wb`, as `%wenlan review` shows it; text where no widget can draw.

    kind, space: show this part at first. actor: who decides, the workbench's own when not stated; only a person may.
    Raises InvalidRequest for an unknown kind or space.
    """
    from wenlan_lab.surfaces.widgets.review_panel import ReviewPanel
    from wenlan_lab.surfaces.widgets.view_state import Asked

    return ReviewPanel(wb, Asked(kind, space), actor)


def history_figure(wb: Workbench, *ids: str) -> HistoryFigure:
    """A figure of these memories' versions: when each was true in the world, against when `wb` knew it.

    Raises NotFound for an id that never was, InvalidRequest for none or more than six of them.
    """
    from wenlan_lab.surfaces.widgets.history_figure import history_figure

    return history_figure(wb, *ids)


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext wenlan_lab`."""
    from wenlan_lab.surfaces.notebook.extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext wenlan_lab`."""
    from wenlan_lab.surfaces.notebook.extension import unload

    unload(shell)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'wenlan_lab' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"wenlan_lab.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

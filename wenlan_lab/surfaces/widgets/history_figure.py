"""The versions of memories on both time axes: when each was true in the world, against when the workbench knew it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.shown import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wenlan_lab.engine.memory_views import History
    from wenlan_lab.engine.workbench import Workbench

HELD_TRUE = ("live", "superseded")
COLOURS = ("#1f77b4", "#d95f02", "#7570b3", "#1b9e77", "#a6761d", "#666666")


@dataclass(frozen=True, slots=True, repr=False)
class HistoryFigure:
    """A drawn history: an image in a notebook, the histories as tables elsewhere. `figure` is matplotlib's, to save."""

    figure: Figure
    histories: tuple[History, ...]

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.histories))

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        self.figure.savefig(image, format="png", dpi=100, metadata={"Software": None})
        return image.getvalue()


def history_figure(wb: Workbench, *ids: str) -> HistoryFigure:
    """A figure with one rectangle for each version of the memories `ids`.

    Across: from when to when the version was on record. Up: the time in the world it spoke of. Filled where it was held
    true, hollow where it was held in review, retracted or rejected. What is open ends at the edge of the figure. All
    times in UTC. Raises NotFound for an id that never was, InvalidRequest without any or with more than six.
    """
    if not 1 <= len(ids) <= len(COLOURS):
        raise InvalidRequest(f"history_figure draws 1 to {len(COLOURS)} memories, not {len(ids)}.")
    histories = tuple(wb.history(memory_id) for memory_id in ids)
    from matplotlib.figure import Figure

    versions = [(colour, one) for colour, history in zip(COLOURS, histories, strict=False) for one in history.versions]
    recorded = _span([(one.recorded_from, one.recorded_to) for _, one in versions], wb.clock())
    valid = _span([(one.valid_from, one.valid_to) for _, one in versions], wb.clock())
    figure = Figure(figsize=(7.5, 3.8), layout="constrained")
    axes: Any = figure.add_subplot()
    for colour, one in versions:
        _draw(axes, one, (recorded[1], valid[1]), colour)
    for colour, memory_id in zip(COLOURS, ids, strict=False):
        text = wb.memory(memory_id).text or "[erased]"
        axes.plot([], [], color=colour, linewidth=6, alpha=0.5, label=_legend(memory_id, text))
    axes.set(xlabel="known to the workbench (UTC)", ylabel="true in the world (UTC)", xlim=recorded, ylim=valid)
    axes.xaxis_date()
    axes.yaxis_date()
    axes.tick_params(axis="x", rotation=30)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize="small", frameon=False)
    return HistoryFigure(figure, histories)


def _span(intervals: Sequence[tuple[str, str | None]], now: datetime) -> tuple[datetime, datetime]:
    """From before the first moment to behind the last one and now: what is open ends there."""
    moments = [now, *(_at(moment) for interval in intervals for moment in interval if moment)]
    margin = max((max(moments) - min(moments)) / 12, timedelta(minutes=1))
    return min(moments) - margin, max(moments) + margin


def _draw(axes: Any, version: Any, edge: tuple[datetime, datetime], colour: str) -> None:
    from matplotlib.dates import date2num
    from matplotlib.patches import Rectangle

    left, right = _at(version.recorded_from), _at(version.recorded_to) if version.recorded_to else edge[0]
    low, high = _at(version.valid_from), _at(version.valid_to) if version.valid_to else edge[1]
    state = version.state
    filled = state.get("status") in HELD_TRUE and state.get("trust") not in ("draft", "rejected")
    corner = (date2num(left), date2num(low))
    size = (date2num(right) - corner[0], date2num(high) - corner[1])
    how: dict[str, Any] = (
        {"facecolor": colour, "alpha": 0.5} if filled else {"fill": False, "hatch": "///", "alpha": 0.4}
    )
    axes.add_patch(Rectangle(corner, *size, edgecolor=colour, **how))
    if size[0] > 0:  # a version that was replaced in the same moment takes no room
        axes.text(*corner, f" {version.version}", color=colour, fontsize="small", va="bottom", clip_on=True)


def _legend(memory_id: str, text: str) -> str:
    return f"…{memory_id[-6:]} {one_line(text, 60)}".replace("$", r"\$")


def _at(moment: str) -> datetime:
    return datetime.fromisoformat(moment)

"""The versions of memories on both time axes: when each was true in the world, against when the workbench knew it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.shown import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wenlan_lab.engine.workbench import Workbench

HELD_TRUE = ("live", "superseded")
COLOURS = ("#1f77b4", "#d95f02", "#7570b3", "#1b9e77", "#a6761d", "#666666")


def history_figure(wb: Workbench, *ids: str) -> Figure:
    """A figure with one rectangle for each version of the memories `ids`.

    Across: from when to when the version was on record. Up: the time in the world it spoke of. Filled where it was held
    true, hollow where it was held in review, retracted or rejected. What is open ends at the edge of the figure. All
    times in UTC. Raises NotFound for an id that never was, InvalidRequest without any or with more than six.
    """
    if not 1 <= len(ids) <= len(COLOURS):
        raise InvalidRequest(f"history_figure draws 1 to {len(COLOURS)} memories, not {len(ids)}.")
    from matplotlib.figure import Figure

    told = [(memory_id, wb.history(memory_id).versions) for memory_id in ids]
    moments = [wb.clock()]
    for _, versions in told:
        for version in versions:
            ends = (version.recorded_from, version.recorded_to, version.valid_from, version.valid_to)
            moments += [_at(moment) for moment in ends if moment]
    margin = max((max(moments) - min(moments)) / 12, timedelta(minutes=1))
    edge = max(moments) + margin
    figure = Figure(figsize=(7.5, 3.8), layout="constrained")
    axes: Any = figure.add_subplot()
    for colour, (memory_id, versions) in zip(COLOURS, told, strict=False):
        for version in versions:
            _draw(axes, version, edge, colour)
        text = wb.memory(memory_id).text or "[erased]"
        axes.plot([], [], color=colour, linewidth=6, alpha=0.5, label=_legend(memory_id, text))
    axes.set(xlabel="known to the workbench (UTC)", ylabel="true in the world (UTC)")
    axes.set_xlim(min(_at(v.recorded_from) for _, versions in told for v in versions) - margin, edge)
    axes.set_ylim(min(moments) - margin, edge)
    axes.tick_params(axis="x", rotation=30)
    axes.legend(loc="upper left", fontsize="small", framealpha=0.8)
    return figure


def _draw(axes: Any, version: Any, edge: datetime, colour: str) -> None:
    from matplotlib.dates import date2num
    from matplotlib.patches import Rectangle

    left, right = _at(version.recorded_from), _at(version.recorded_to) if version.recorded_to else edge
    low, high = _at(version.valid_from), _at(version.valid_to) if version.valid_to else edge
    state = version.state
    filled = state.get("status") in HELD_TRUE and state.get("trust") not in ("draft", "rejected")
    corner = (date2num(left), date2num(low))
    size = (date2num(right) - corner[0], date2num(high) - corner[1])
    how: dict[str, Any] = (
        {"facecolor": colour, "alpha": 0.5} if filled else {"fill": False, "hatch": "///", "alpha": 0.4}
    )
    axes.add_patch(Rectangle(corner, *size, edgecolor=colour, **how))
    axes.text(corner[0], corner[1], f" {version.version}", color=colour, fontsize="small", va="bottom", clip_on=True)
    axes.xaxis_date()
    axes.yaxis_date()


def _legend(memory_id: str, text: str) -> str:
    return f"…{memory_id[-6:]} {one_line(text, 60)}".replace("$", r"\$")


def _at(moment: str) -> datetime:
    return datetime.fromisoformat(moment)

"""How the laboratory's results are shown: a table and a drawing, each with a plain face and a rich one.

What is written in a cell came from a dataset or from a person: the rich face escapes all of it, the plain one shows
control characters as blanks, so that neither can draw over its surroundings.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

Cell = str | int | float | None
LONGEST = 48  # characters of a cell in the plain face
_DOTS = 96  # to the inch


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A titled table. Numbers stand to the right; None is shown as a dash. `notes` go below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def to_polars(self) -> pl.DataFrame:
        """One row a row; values as they are."""
        import polars as pl

        return pl.DataFrame([dict(zip(self.columns, row, strict=True)) for row in self.rows], infer_schema_length=None)

    def __repr__(self) -> str:
        shown = [[_short(plain(cell)) for cell in row] for row in self.rows]
        widths = [max(len(line[at]) for line in (list(self.columns), *shown)) for at in range(len(self.columns))]
        right = [_is_numeric(self.rows, at) for at in range(len(self.columns))]
        lines = [self.title]
        for line in (list(self.columns), *shown):
            cells = (
                cell.rjust(wide) if to_right else cell.ljust(wide)
                for cell, wide, to_right in zip(line, widths, right, strict=True)
            )
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, *(f"note: {plain(note)}" for note in self.notes)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in self.rows)
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        below = f"<ul>{notes}</ul>" if notes else ""
        return f"<table><caption>{escape(self.title)}</caption><tr>{head}</tr>{body}</table>{below}"


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A matplotlib figure that shows itself in a notebook as a PNG, whatever backend is set, and elsewhere as text."""

    figure: Figure
    said: str

    def __repr__(self) -> str:
        return self.said

    def _repr_png_(self) -> bytes:
        held = BytesIO()
        # Without the software's version and the date, the same figures give the same bytes.
        self.figure.savefig(held, format="png", dpi=_DOTS, metadata={"Software": None})
        return held.getvalue()


def blank_figure(width: float = 7.0, height: float = 3.2) -> Figure:
    """An empty figure, in inches, that belongs to no window and no global list."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def plain(cell: Cell) -> str:
    """A cell as text on one line: three decimals, a dash for None, no control characters."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return "".join(" " if unicodedata.category(sign) in ("Cc", "Cf", "Cs") else sign for sign in str(cell))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _html_cell(cell: Cell) -> str:
    side = "right" if isinstance(cell, int | float) else "left"
    return f"<td style='text-align:{side}'>{escape(plain(cell))}</td>"


def _is_numeric(rows: Sequence[Sequence[Cell]], at: int) -> bool:
    return all(isinstance(row[at], int | float) or row[at] is None for row in rows)

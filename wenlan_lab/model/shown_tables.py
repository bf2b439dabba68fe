"""Tables and short messages as plain text and as HTML: two faces of one value that say the same.

HTML carries its style inline and no script, and takes its colours from JupyterLab where that is around it, so it reads
in light and dark, in an exported page and in an untrusted notebook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wenlan_lab.model.shown_text import WIDTH, Html, escape, excerpt, joined, tag, visible, width, wrapped

Cell = str | int | float | None
Tone = Literal["good", "plain", "bad"]

WHOLE = 20_000
NARROWEST = 8
LONGEST_WORD = 40
GAP = "  "

FAINT = "opacity:.7"
LINE = "1px solid var(--jp-border-color2,rgba(127,127,127,.35))"
CELL = f"text-align:left;vertical-align:top;padding:4px 14px 4px 0;border:none;border-bottom:{LINE}"
NUMBER = CELL.replace("text-align:left", "text-align:right")
HEAD = f"{CELL.replace('vertical-align:top', 'vertical-align:bottom')};font-weight:600;{FAINT}"
GRID = "border-collapse:collapse;margin:4px 0;font-size:var(--jp-ui-font-size1,13px);color:inherit"
FRAME = "font-size:var(--jp-ui-font-size1,13px);line-height:1.45;color:inherit"
EDGES: dict[Tone, str] = {
    "good": "var(--jp-success-color1,#388e3c)",
    "plain": "var(--jp-warn-color1,#c77700)",
    "bad": "var(--jp-error-color1,#d32f2f)",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns. `total` is how many there are when not all are shown, `empty` what is said of none."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int | None = None
    empty: str = "nothing yet"
    notes: tuple[str, ...] = ()

    @property
    def caption(self) -> str:
        """The title, and "n of N shown" when rows are left out."""
        if self.total is None or self.total == len(self.rows):
            return self.title
        return f"{self.title} · {len(self.rows):,} of {self.total:,} shown"


def cell_text(cell: Cell) -> str:
    """A cell in words: no decimals for counts, three for measures, yes and no."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.3f}" if isinstance(cell, float) else cell


def text_table(*tables: Table, most: int = WIDTH) -> str:
    """Tables as plain text of at most `most` columns, one under the other."""
    return "\n\n".join("\n".join(_text_lines(table, most)) for table in tables)


def _text_lines(table: Table, most: int) -> list[str]:
    lines = wrapped(table.caption, most) if table.caption else []
    if table.rows:
        lines += _grid(table, most)
    else:
        lines += wrapped(table.empty, most)
    for note in table.notes:
        lines += wrapped(f"note: {note}", most)
    return lines


def _grid(table: Table, most: int) -> list[str]:
    texts = [[_short(cell_text(cell)) for cell in row] for row in table.rows]
    numeric = [_is_number_column(table, at) for at in range(len(table.columns))]
    widths = _widths([list(table.columns), *texts], most)
    head = [_row(list(table.columns), widths, numeric), GAP.join("─" * size for size in widths)]
    lines = head if any(table.columns) else []
    for row in texts:
        wrapped_cells = [wrapped(cell, size) for cell, size in zip(row, widths, strict=True)]
        for at in range(max(len(cell) for cell in wrapped_cells)):
            lines.append(_row([cell[at] if at < len(cell) else "" for cell in wrapped_cells], widths, numeric))
    return lines


def _short(text: str) -> str:
    start, end = excerpt(text)
    if end - start == len(text):
        return text.rstrip("\n")
    return f"{text[start:end]}… ({len(text):,} characters)"


def _widths(rows: Sequence[Sequence[str]], most: int) -> list[int]:
    """The width of each column: its own when there is room, else the widest give way, first those that can break."""
    columns = [[visible(cell) for cell in column] for column in zip(*rows, strict=True)]
    sizes = [max(width(line) for cell in column for line in cell.split("\n")) for column in columns]
    words = [max((width(word) for cell in column for word in cell.split()), default=0) for column in columns]
    room = most - len(GAP) * (len(sizes) - 1)
    for floors in ([min(size, LONGEST_WORD) for size in words], [NARROWEST] * len(sizes)):
        while sum(sizes) > room:
            able = [at for at, size in enumerate(sizes) if size > floors[at]]
            if not able:
                break
            sizes[max(able, key=lambda at: sizes[at])] -= 1
    return sizes


def _row(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = [
        " " * (size - width(cell)) + cell if number else cell + " " * (size - width(cell))
        for cell, size, number in zip(cells, widths, numeric, strict=True)
    ]
    return GAP.join(padded).rstrip()


def _is_number_column(table: Table, at: int) -> bool:
    cells = [row[at] for row in table.rows if row[at] is not None]
    return bool(cells) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)


def html_table(*tables: Table) -> Html:
    """The same tables as HTML."""
    return tag("div", *(_html(table) for table in tables), style=FRAME)


def _html(table: Table) -> Html:
    parts = [tag("div", escape(table.caption), style="font-weight:600;margin-top:4px")] if table.caption else []
    if table.rows:
        numeric = [_is_number_column(table, at) for at in range(len(table.columns))]
        head = tag(
            "tr", *(tag("th", escape(name), style=HEAD) for name in table.columns), style="background:transparent"
        )
        body = [
            tag(
                "tr",
                *(td(cell, number) for cell, number in zip(row, numeric, strict=True)),
                style="background:transparent",
            )
            for row in table.rows
        ]
        heads = [tag("thead", head)] if any(table.columns) else []
        parts.append(tag("table", *heads, tag("tbody", *body), style=GRID))
    else:
        parts.append(tag("div", escape(table.empty), style=FAINT))
    parts += [note_html(note) for note in table.notes]
    return joined(parts)


def td(cell: Cell, number: bool = False) -> Html:
    """One table cell; its direction is that of its own text."""
    text = cell_text(cell)
    if number:
        return tag("td", escape(text), style=NUMBER)
    return tag("td", long_text(text), style=CELL, dir="auto")


def long_text(text: str) -> Html:
    """A text on its lines; when it is long, its beginning with the whole folded away behind it."""
    start, end = excerpt(text)
    if end - start == len(text):
        return lines_html(text.rstrip("\n"))
    return joined([lines_html(text[start:end] + "…"), whole_text(text)])


def lines_html(text: str) -> Html:
    """A text with its line breaks kept."""
    return Html("<br>".join(escape(line) for line in visible(text).split("\n")))


def whole_text(text: str) -> Html:
    """A fold that holds the whole text, and says how much is left out beyond 20,000 characters."""
    shown = text[:WHOLE]
    more = f"… and {len(text) - WHOLE:,} more characters" if len(text) > WHOLE else ""
    return fold(f"all {len(text):,} characters", joined([lines_html(shown), escape(more)]))


def fold(summary: str, content: Html) -> Html:
    """Something that opens on a click, without a script."""
    head = tag("summary", escape(summary), style=f"cursor:pointer;{FAINT}")
    return tag("details", head, tag("div", content, style="margin:2px 0 6px 14px"), style="margin-top:2px")


def note_html(note: str) -> Html:
    """A line below a table."""
    return tag("div", escape(f"note: {note}"), style=FAINT)


def message_html(lines: Sequence[str], tone: Tone = "plain") -> Html:
    """A short message: its first line stands out, an edge tells how it went."""
    head, *rest = lines
    parts = [
        tag("div", escape(head), style="font-weight:600"),
        *(tag("div", lines_html(line.strip())) for line in rest),
    ]
    return tag("div", *parts, style=f"{FRAME};border-left:3px solid {EDGES[tone]};padding:1px 0 1px 10px;margin:4px 0")

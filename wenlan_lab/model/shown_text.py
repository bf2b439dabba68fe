"""Text made safe to look at: the one place that escapes.

What a person or a file wrote reaches a screen through `visible` (plain text) or `escape` (HTML, attributes as well), so
it can't end a tag, start a script, move a terminal's cursor or turn the reading direction of what stands beside it.
`Html` is a type of its own: mypy tells a text that was escaped from one that was not.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NewType

Html = NewType("Html", str)
"""Markup whose texts are escaped. Made by `escape`, `tag` and `joined` only."""

Span = tuple[int, int]

EXCERPT = 300
WIDTH = 100

_TABLE = (
    {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}  # NUL is ␀, ESC is ␛
    | {0x7F: "\u2421", 0x2028: "\n", 0x2029: "\n"}
    | {
        code: f"⟨U+{code:04X}⟩"
        for code in (
            *range(0x80, 0xA0),  # C1 controls
            *range(0x202A, 0x202F),  # bidirectional embeddings and overrides
            *range(0x2066, 0x206A),  # and isolates
            *range(0xD800, 0xE000),  # lone surrogates: no encoding holds them
            *range(0xE0000, 0xE0080),  # tag characters: text that nobody sees
        )
    }
)


def visible(text: str) -> str:
    """The text with control characters, overrides of direction and lone surrogates shown instead of obeyed."""
    return text.replace("\r\n", "\n").translate(_TABLE)


def escape(text: str) -> Html:
    """The text for HTML, between tags or in an attribute's quotes."""
    return Html(html.escape(visible(text), quote=True))


def joined(parts: Iterable[Html], between: str = "") -> Html:
    """Markup put together; `between` is a text."""
    return Html(escape(between).join(parts))


def tag(name: str, *content: Html, style: str = "", **attributes: str) -> Html:
    """One element. `name` and `style` are ours; attribute values are escaped."""
    told = f' style="{style}"' if style else ""
    told += "".join(f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{told}>{''.join(content)}</{name}>")


def one_line(text: str, most: int = WIDTH) -> str:
    """Visible text on one line of at most `most` columns; an ellipsis stands for what is left out."""
    flat = " ".join(visible(text[: 4 * most]).split())
    if width(flat) <= most and len(text) <= 4 * most:
        return flat
    kept, used = [], 0
    for char in flat:
        used += width(char)
        if used > most - 1:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def width(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def wrapped(text: str, most: int) -> list[str]:
    """Visible text in lines of at most `most` columns, at least one line. Words that are longer are cut."""
    lines: list[str] = []
    for paragraph in visible(text).expandtabs(4).split("\n"):
        line, used = "", 0
        for word in paragraph.split(" "):
            for piece in _pieces(word, most):
                size = width(piece)
                if line and used + 1 + size > most:
                    lines.append(line)
                    line, used = piece, size
                else:
                    line, used = (f"{line} {piece}", used + 1 + size) if line else (piece, size)
        lines.append(line)
    return lines


def _pieces(word: str, most: int) -> Iterator[str]:
    if width(word) <= most:
        yield word
        return
    piece, used = "", 0
    for char in word:
        size = _char_width(char)
        if piece and used + size > most:
            yield piece
            piece, used = "", 0
        piece, used = piece + char, used + size
    yield piece


def sound_marks(marks: Sequence[Span], length: int) -> list[Span]:
    """Marks sorted, within the text, none over another."""
    found: list[Span] = []
    for start, end in sorted(marks):
        start, end = max(start, found[-1][1] if found else 0), min(end, length)
        if start < end:
            found.append((start, end))
    return found


def excerpt(text: str, marks: Sequence[Span] = (), most: int = EXCERPT) -> Span:
    """The part of about `most` characters that holds the most marked text, cut between words; the first one wins."""
    if len(text) <= most * 5 // 4:
        return 0, len(text)
    sound = sound_marks(marks, len(text))
    best, start = 0, 0
    for first, _ in sound:
        begin = max(0, min(first - most // 6, len(text) - most))
        held = sum(end - at for at, end in sound if at >= begin and end <= begin + most)
        if held > best:
            best, start = held, begin
    end = min(len(text), start + most)
    return _after_blank(text, start), _before_blank(text, end)


def _after_blank(text: str, at: int) -> int:
    found = text.find(" ", at, at + 30) if at else -1
    return found + 1 if found >= 0 else at


def _before_blank(text: str, at: int) -> int:
    found = text.rfind(" ", at - 30, at) if at < len(text) else -1
    return found if found > 0 else at


def segments(text: str, marks: Sequence[Span], part: Span) -> Iterator[tuple[str, bool]]:
    """The pieces of one part of a text in order, each with whether it is marked."""
    at, end = part
    for first, last in sound_marks(marks, len(text)):
        first, last = max(first, at), min(last, end)
        if first < last:
            if at < first:
                yield text[at:first], False
            yield text[first:last], True
            at = last
    if at < end:
        yield text[at:end], False

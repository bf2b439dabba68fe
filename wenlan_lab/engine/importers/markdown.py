"""Where the sections and blocks of a Markdown text lie, as CommonMark reads it (with tables).

A heading is what the parser calls one: `#` in fenced code, in a list or in a quotation opens no section. Front matter
is parsed apart. Sections and blocks are places in the text, so everything between them belongs to the one before: link
definitions, comments and whatever else the parser swallows stay where they were written.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from wenlan_lab.engine.importers.chunks import Block

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_PROSE = frozenset({"paragraph_open", "heading_open", "blockquote_open", "hr"})
_TITLE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading. `path`: the headings from the outermost to its own; empty before the first."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The YAML at the head of a file: its members and the text behind it; `fault` says that it can't be read."""

    members: Mapping[str, object]
    body: str
    fault: str | None = None


def front_matter(text: str) -> FrontMatter:
    """The front matter and the rest. What can't be read as YAML members stays in the body: nothing is lost."""
    import frontmatter
    from frontmatter.default_handlers import YAMLHandler
    from yaml import YAMLError

    handler = YAMLHandler()
    if not handler.detect(text):
        return FrontMatter({}, text)
    if "<<" in text.split("\n---", 1)[0]:  # a few merge keys can ask for more memory than there is
        return FrontMatter({}, text, "it has YAML merge keys")
    try:
        members, body = frontmatter.parse(text, handler=handler)
    except (YAMLError, ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError) as problem:
        return FrontMatter({}, text, f"it is no YAML ({type(problem).__name__})")
    return (
        FrontMatter({str(name): value for name, value in members.items()}, body) if members else FrontMatter({}, text)
    )


def plain(value: object) -> str:
    """A member of the front matter as a short text; empty when it is none (a list, a mapping, nothing)."""
    wanted = str | int | float | datetime.date
    return str(value)[:_TITLE_CHARACTERS] if isinstance(value, wanted) and not isinstance(value, bool) else ""


def sections(text: str) -> tuple[Section, ...]:
    """The sections of a Markdown text without front matter, in order; together they hold all of it but white space.

    Line ends are line feeds alone. A heading with nothing under it but deeper headings is joined to the first of these.
    """
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    own: list[Block] = []
    waiting: int | None = None  # where a heading starts that has no block yet; `own` is empty then
    for region in _regions(text):
        if region.heading is None:
            own.append(Block(region.start if waiting is None else waiting, region.end, region.prose))
            waiting = None
            continue
        level, title = region.heading
        if waiting is None or level <= path[-1][0]:
            found += _closed(path, own, waiting, region.start)
            own, waiting = [], region.start
        path = [*((depth, above) for depth, above in path if depth < level), (level, title)]
    return (*found, *_closed(path, own, waiting, len(text)))


def _closed(path: list[tuple[int, str]], own: list[Block], waiting: int | None, end: int) -> Iterator[Section]:
    blocks = own if waiting is None else [Block(waiting, end)]
    if blocks:
        yield Section(tuple(title for _, title in path), tuple(blocks))


@dataclass(frozen=True, slots=True)
class _Region:
    """From the start of one block at the top level to the start of the next. `heading` is its level and words."""

    start: int
    end: int
    prose: bool
    heading: tuple[int, str] | None


def _regions(text: str) -> Iterator[_Region]:
    from markdown_it import MarkdownIt

    parser = (
        MarkdownIt("commonmark").enable("table").disable("inline")
    )  # what is within a line is nobody's concern here
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    tokens = parser.parse(text)
    tops = [at for at, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0 and token.map]
    if not tops:  # white space alone, or link definitions, which leave no token
        if text.strip():
            yield _Region(0, len(text), prose=True, heading=None)
        return
    bounds = [0, *(starts[(tokens[at].map or [0])[0]] for at in tops[1:]), len(text)]
    for at, (start, end) in zip(tops, pairwise(bounds), strict=True):
        token = tokens[at]
        heading = (int(token.tag[1:]), _words(tokens[at + 1].content)) if token.type == "heading_open" else None
        yield _Region(start, end, token.type in _PROSE, heading)


def _words(heading: str) -> str:
    """A heading without its marks."""
    parts = _within_lines().parseInline(heading[:_TITLE_CHARACTERS])[0].children or []
    words = " ".join("".join(part.content or " " for part in parts if not part.nesting).split())
    return words or "(no words)"


@cache
def _within_lines() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")

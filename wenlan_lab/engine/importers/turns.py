"""Plain turns: JSON lines, or a JSON array, of objects with `role` or `speaker`, `content`, `time` and `thread`.

Only `content` is needed. A line that can't be used never stops the import: it is left out and named with its number
and the reason. The lines of a thread are its turns, in their order; `time` doesn't reorder them.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike

from wenlan_lab.engine.importers.batches import ImportBatch, Tally, distinct, imported_source
from wenlan_lab.engine.importers.files import FilePath, file_bytes, located, text_of
from wenlan_lab.engine.importers.moments import moment
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.sources import NewPassage

FORMAT = "turns"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the file: how a person finds it ("line 12"), its decoded value, or why it has none."""

    where: str
    value: object
    fault: str | None = None


def read_turns(path_or_lines: FilePath | Iterable[str], space: str | None = None, name: str = "turns") -> ImportBatch:
    """A file of turns, or the lines of one, as one source of kind "chat".

    A passage has the row's own `id` as `ref`, else its number ("line 12", in an array "item 12"); a reference that
    comes again gets a suffix ("~2"). Its thread is the row's `thread`, else the file's name without its ending; its
    speaker is `speaker`, else `role`. A `time` that is no complete date is dropped and counted; one without a zone is
    taken to be UTC.

    Args:
        path_or_lines: A path, or the lines themselves (any iterable of str that is no str).
        space: The name of the space the source belongs into.
        name: For lines: what stands in place of the file as `ref`, title and default thread.

    Raises:
        NotFound: there is no such file.
        InvalidRequest: it holds no turn at all; the message gives the first reason.
    """
    if isinstance(path_or_lines, str | PathLike):
        found = located(path_or_lines)
        return parse_turns(file_bytes(found), str(found), found.stem, space)
    return _batch(_decoded_lines(path_or_lines), name, name, space)


def parse_turns(content: bytes, ref: str, stem: str, space: str | None = None) -> ImportBatch:
    """As `read_turns`, from the content of the file `ref`."""
    return _batch(rows_of(content), ref, stem, space)


def rows_of(content: bytes) -> Iterator[Row]:
    """The rows of a file: the items of a JSON array, else its lines. Blank lines are none."""
    text = text_of(content)
    if text is None:  # some line has a bad byte; the others are good
        return _decoded_lines(content.removeprefix(BOM_UTF8).split(b"\n"))
    if text.lstrip().startswith("["):
        try:
            decoded = json.loads(text)
        except (ValueError, RecursionError):
            decoded = None
        if isinstance(decoded, list):
            return (Row(f"item {number}", item) for number, item in enumerate(decoded, 1))
    return _decoded_lines(text.split("\n"))  # not splitlines(): JSON may hold U+2028 as it is


def _decoded_lines(lines: Iterable[str | bytes]) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        value, fault = None, None
        try:
            value = json.loads(line if isinstance(line, str) else line.decode())
        except UnicodeDecodeError:
            fault = "it isn't UTF-8"
        except ValueError as problem:
            fault = f"it is no JSON ({problem})"
        except RecursionError:
            fault = "it is nested too deeply"
        yield Row(f"line {number}", value, fault)


def _batch(rows: Iterable[Row], ref: str, stem: str, space: str | None) -> ImportBatch:
    tally = Tally()
    positions: Counter[str] = Counter()
    passages = [passage for row in rows if (passage := _passage(row, tally.name(stem), positions, tally)) is not None]
    if not passages:
        first = f"{tally.skipped[0].reference}: {tally.skipped[0].reason}" if tally.skipped else "it has no lines"
        raise InvalidRequest(
            f"{ref} holds no turn ({first}): each line should be an object like "
            '{"role": "user", "content": "…", "time": "2024-05-08T13:56"}.'
        )
    refs = distinct([passage.ref for passage in passages])
    repeated = sum(new != passage.ref for new, passage in zip(refs, passages, strict=True))
    tally.count("references repeated", repeated)
    if repeated:
        passages = [replace(passage, ref=new) for new, passage in zip(refs, passages, strict=True)]
    return tally.batch([imported_source("chat", tally.name(ref), tally.name(stem), space, passages)], FORMAT)


def _passage(row: Row, stem: str, positions: Counter[str], tally: Tally) -> NewPassage | None:
    members = row.value if isinstance(row.value, Mapping) else {}
    content = members.get("content")
    fault = row.fault or _fault(row.value)
    if fault is not None or not isinstance(content, str):
        tally.count("rows that are no turn")
        tally.skip(row.where, fault or "its content is no text")
        return None
    speaker = _named(members, "speaker", tally) or _named(members, "role", tally)
    thread = _named(members, "thread", tally) or stem
    given = members.get("time")
    at = moment(given)
    tally.count("times that are no complete date", at is None and given not in (None, ""))
    text, redactions = tally.storable(content)
    position = positions[thread]
    positions[thread] += 1
    ref = _named(members, "id", tally) or row.where
    return NewPassage(ref, thread, position, speaker, at, text, redactions=redactions)


def _fault(value: object) -> str | None:
    if not isinstance(value, Mapping):
        return "it is no object"
    if "content" not in value:
        return "it has no content"
    content = value["content"]
    return "its content is empty" if isinstance(content, str) and not content.strip() else None


def _named(row: Mapping[str, object], field: str, tally: Tally) -> str:
    """A member that names something: text, or a whole number as text; anything else counts and is nothing."""
    value = row.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return tally.name(value)
    tally.count(f"values of {field!r} that are no text", value is not None)
    return ""

"""Opening what is to be imported: bytes, text and JSON of a file, with one clear error for each way that can fail.

A JSON member that is missing or of another kind is refused with the place where it stands: a file that is read as
something it isn't must fail at once, not import half of itself.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from wenlan_lab.engine.scopes import near_spellings
from wenlan_lab.errors import InvalidRequest, NotFound

FilePath = str | PathLike[str]
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def located(path: FilePath) -> Path:
    """The path, absolute and without links, of something that is there.

    Raises:
        NotFound: nothing is there.
        InvalidRequest: no such path can be.
    """
    shown = str(path)
    try:
        resolved = Path(path).expanduser().resolve()
        there = resolved.exists()
    except (OSError, RuntimeError, ValueError) as problem:
        raise InvalidRequest(f"{shown[:200]!r} can't be a path here ({problem}): check how it is spelt.") from problem
    if not there:
        raise NotFound(f"there is nothing at {shown!r}: check the path; it is read from {Path.cwd()}.")
    return resolved


def file_bytes(path: FilePath) -> bytes:
    """The content of a file that isn't empty.

    Raises:
        NotFound: nothing is there.
        InvalidRequest: it is a folder, no regular file, empty, or can't be read.
    """
    found = located(path)
    if found.is_dir():
        raise InvalidRequest(f"{found} is a folder: name a file in it, or import it with the format 'folder'.")
    if not found.is_file():
        raise InvalidRequest(f"{found} is no regular file: copy what it gives into a file and import that.")
    try:
        content = found.read_bytes()
    except OSError as problem:
        raise InvalidRequest(f"{found} can't be read ({problem.strerror}): check who may read it.") from problem
    if not content.strip():
        raise InvalidRequest(f"{found} is empty: there is nothing to import.")
    return content


def text_of(content: bytes) -> str | None:
    """The bytes as text: by their byte order mark, else as UTF-8. None when they are no text."""
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def json_of(content: bytes, where: str) -> object:
    """The decoded JSON document.

    Raises:
        InvalidRequest: it is no text, or no JSON; the message says where it breaks.
    """
    text = text_of(content)
    if text is None:
        raise InvalidRequest(f"{where} is no text in UTF-8 or UTF-16: save it as UTF-8 and import it again.")
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InvalidRequest(f"{where} is no JSON ({problem}): check that it was saved whole.") from problem
    return decoded


def read_json(path: FilePath) -> object:
    """The decoded JSON of a file; errors as `file_bytes` and `json_of`."""
    return json_of(file_bytes(path), str(path))


def member(entry: object, name: str, where: str) -> object:
    """A member of a JSON object; a file of another shape is refused with the place where it differs."""
    if not isinstance(entry, Mapping) or name not in entry:
        raise InvalidRequest(f"{where} has no field {name!r}: name the file's real format with `--format`.")
    value: object = entry[name]
    return value


def text_member(entry: object, name: str, where: str) -> str:
    """A member that must be text."""
    value = member(entry, name, where)
    if not isinstance(value, str):
        raise InvalidRequest(f"{name!r} of {where} is no text: name the file's real format with `--format`.")
    return value


def as_list(value: object, where: str) -> Sequence[object]:
    """A JSON array; anything else is refused."""
    if not isinstance(value, list):
        raise InvalidRequest(f"{where} is no list: name the file's real format with `--format`.")
    return value


def chosen(names: Sequence[str], wanted: str | None, what: str) -> list[int]:
    """The places of `wanted` among the names; all of them when nothing is wanted.

    Raises:
        InvalidRequest: there is none at all, or none of that name; near spellings are named.
    """
    if not names:
        raise InvalidRequest(f"the file holds no {what}: check that it was saved whole.")
    if wanted is None:
        return list(range(len(names)))
    places = [place for place, name in enumerate(names) if name == wanted]
    if not places:
        near = near_spellings(wanted, tuple(dict.fromkeys(names))) or list(names[:3])
        raise InvalidRequest(f"there is no {what} {wanted!r} in the file: did you mean {' or '.join(map(repr, near))}?")
    return places

"""The one door: what a file is, told by its content, and the reader for it.

A name can lie, so the ending counts only between plain text and Markdown, and to refuse what is no document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wenlan_lab.engine.importers import documents, locomo, longmemeval, pdf, turns
from wenlan_lab.engine.importers.batches import ImportBatch
from wenlan_lab.engine.importers.chunks import CountTokens, estimate_tokens
from wenlan_lab.engine.importers.files import FilePath, file_bytes, json_of, located, text_of
from wenlan_lab.engine.scopes import near_spellings
from wenlan_lab.errors import InvalidRequest

FORMATS = (locomo.FORMAT, longmemeval.FORMAT, turns.FORMAT, documents.FORMAT, documents.FOLDER_FORMAT)
_WITH_CONVERSATIONS = (locomo.FORMAT, longmemeval.FORMAT)
_LINES_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class _Found:
    """A format, with what was read to tell it, so that nothing is read twice."""

    format: str
    path: Path
    content: bytes = b""
    decoded: object = None


def detect_format(path: FilePath) -> str:
    """What is at the path: "locomo", "longmemeval", "turns", "document" or "folder".

    Raises:
        NotFound: nothing is there.
        InvalidRequest: it is empty, or nothing that can be imported; the message lists what can.
    """
    return _look(path).format


def read(
    path: FilePath,
    format: str | None = None,
    *,
    conversation: str | None = None,
    space: str | None = None,
    count_tokens: CountTokens = estimate_tokens,
) -> ImportBatch:
    """Everything at the path as one batch.

    Args:
        path: A file or folder.
        format: One of FORMATS; by default what its content says.
        conversation: Of a LoCoMo or LongMemEval file, only the conversation or question of this id.
        space: The name of the space all of it belongs into; by default, LoCoMo and LongMemEval have one for each
            conversation or question, and everything else has none.
        count_tokens: How many tokens a text has for the embedder; documents are cut by it.

    Raises:
        NotFound: nothing is there.
        InvalidRequest: no such format or conversation, or the file is empty, damaged or of another format.
        MissingExtra: it is a PDF, and pypdf isn't installed.
    """
    if format is not None and format not in FORMATS:
        near = near_spellings(format, FORMATS)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "leave it out, and the content tells."
        raise InvalidRequest(f"there is no format {format!r} ({', '.join(FORMATS)}): {hint}")
    found = _look(path) if format is None else _taken_as(format, path)
    if conversation is not None and found.format not in _WITH_CONVERSATIONS:
        raise InvalidRequest(f"{found.path} is a {found.format}: leave `conversation` out, it holds none by name.")
    batch = _read(found, conversation, space, count_tokens)
    if space is None:
        return batch
    return replace(batch, sources=tuple(replace(source, space=space) for source in batch.sources))


def _read(found: _Found, conversation: str | None, space: str | None, count_tokens: CountTokens) -> ImportBatch:
    if found.format == locomo.FORMAT:
        return locomo.parse_locomo(found.decoded, conversation)
    if found.format == longmemeval.FORMAT:
        return longmemeval.parse_longmemeval(found.decoded, conversation)
    if found.format == turns.FORMAT:
        return turns.parse_turns(found.content, str(found.path), found.path.stem, space)
    if found.format == documents.FOLDER_FORMAT:
        return documents.read_folder(found.path, count_tokens, space)
    return documents.read_document(found.path, count_tokens, space)


def _taken_as(format: str, path: FilePath) -> _Found:
    found = located(path)
    if format == documents.FOLDER_FORMAT or (format == documents.FORMAT and found.is_dir()):
        return _Found(documents.FOLDER_FORMAT, found)
    content = file_bytes(found)
    return _Found(format, found, content, json_of(content, str(found)) if format in _WITH_CONVERSATIONS else None)


def _look(path: FilePath) -> _Found:
    found = located(path)
    if found.is_dir():
        return _Found(documents.FOLDER_FORMAT, found)
    content = file_bytes(found)
    if content.startswith(pdf.MARK):
        return _Found(documents.FORMAT, found, content)
    ending = found.suffix.lower()
    start = (text_of(content) or content.decode("utf-8", "replace")).lstrip()[:1]
    if start in ("[", "{"):
        told = _json_format(found, content)
        if told is not None:
            return told
        if ending == ".json":
            json_of(content, str(found))  # says where it breaks
    if ending in documents.ENDINGS:
        return _Found(documents.FORMAT, found, content)
    if ending in (".jsonl", ".ndjson") or _has_turn_lines(content):
        return _Found(turns.FORMAT, found, content)
    raise InvalidRequest(
        f"{found} is nothing that is known here: what can be imported is LoCoMo, LongMemEval, turns (JSON lines with "
        "`content`), .md, .txt, .pdf, and folders of these. Name its format to have it read as that."
    )


def _json_format(path: Path, content: bytes) -> _Found | None:
    """The format of a file that is JSON as a whole or by lines; None when it isn't, or is JSON of another kind."""
    try:
        decoded = json.loads(text_of(content) or "")
    except (ValueError, RecursionError):
        return _Found(turns.FORMAT, path, content) if _has_turn_lines(content) else None
    entries = decoded if isinstance(decoded, list) else [decoded]
    first = next((entry for entry in entries if isinstance(entry, Mapping)), {})
    if "haystack_sessions" in first:
        return _Found(longmemeval.FORMAT, path, content, entries)
    if "sample_id" in first and "conversation" in first:
        return _Found(locomo.FORMAT, path, content, entries)
    return _Found(turns.FORMAT, path, content) if "content" in first else None


def _has_turn_lines(content: bytes) -> bool:
    """Whether one of the first lines is a turn; the others may be damaged."""
    looked_at = (row for row, _ in zip(turns.rows_of(content), range(_LINES_LOOKED_AT), strict=False))
    return any(isinstance(row.value, Mapping) and "content" in row.value for row in looked_at)

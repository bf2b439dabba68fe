"""Documents: .md, .txt and .pdf files, and folders of them, cut into chunks that fit the embedder whole.

A chunk is a verbatim piece of the text (see `chunks`); its title is the path of headings above it. Line ends are
made one kind, front matter becomes title and date, and nothing else is changed. A PDF gives the text of its pages.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wenlan_lab.engine.importers import pdf
from wenlan_lab.engine.importers.batches import (
    ImportBatch,
    ImportedSource,
    Tally,
    distinct,
    imported_source,
    redactions_in,
)
from wenlan_lab.engine.importers.chunks import CountTokens, chunk_spans, estimate_tokens, paragraphs
from wenlan_lab.engine.importers.files import FilePath, file_bytes, located, text_of
from wenlan_lab.engine.importers.markdown import Section, front_matter, plain, sections
from wenlan_lab.engine.importers.moments import moment
from wenlan_lab.errors import InvalidRequest, MissingExtra, NotFound
from wenlan_lab.model.sources import NewPassage

FORMAT = "document"
FOLDER_FORMAT = "folder"
MARKDOWN_ENDINGS = (".md", ".markdown")
ENDINGS = (*MARKDOWN_ENDINGS, ".txt", ".text", ".pdf")
BETWEEN_HEADINGS = " > "


def read_document(path: FilePath, count_tokens: CountTokens = estimate_tokens, space: str | None = None) -> ImportBatch:
    """A Markdown, text or PDF file as one source of kind "file", cut into chunks of at most 256 tokens.

    A passage has the path of headings above it as title ("Guide > Install"), that path and its number under it as `ref`
    ("Guide > Install#2"), and the file's name as thread. Text above any heading goes under the file's name, a PDF's
    under its page ("page 3"). A file that doesn't end in .md or .markdown and is no PDF is read as plain text.

    Args:
        path: The file; its full path becomes the source's `ref`.
        count_tokens: How many tokens a text has for the embedder; by default an estimate that errs on the high side.
        space: The name of the space the source belongs into.

    Raises:
        NotFound: there is no such file.
        InvalidRequest: it is empty, or no text.
        MissingExtra: it is a PDF, and pypdf isn't installed.
    """
    found, tally = located(path), Tally()
    return tally.batch([_document(found, tally, count_tokens, space)], FORMAT)


def read_folder(path: FilePath, count_tokens: CountTokens = estimate_tokens, space: str | None = None) -> ImportBatch:
    """Every .md, .txt and .pdf file below a folder, each a source as `read_document` makes it, by path.

    Hidden files and folders, workbenches, links, and files that can't be read are left out and named with the reason;
    files that end otherwise are counted. No link is followed: what it leads to inside the folder is read where it lies.

    Raises:
        NotFound: there is no such folder.
        InvalidRequest: it is a file, or nothing in it can be imported.
    """
    root, tally = located(path), Tally()
    if not root.is_dir():
        raise InvalidRequest(f"{root} is no folder: import it with the format 'document'.")
    sources = []
    for file in _files(root, tally):
        try:
            sources.append(_document(file, tally, count_tokens, space))
        except (InvalidRequest, MissingExtra, NotFound) as problem:
            tally.skip(file.relative_to(root).as_posix(), str(problem))
    if not sources:
        first = f" ({tally.skipped[0].reference}: {tally.skipped[0].reason})" if tally.skipped else ""
        raise InvalidRequest(
            f"{root} holds no .md, .txt or .pdf file that can be imported{first}: name another folder."
        )
    return tally.batch(sources, FOLDER_FORMAT)


def _files(root: Path, tally: Tally) -> list[Path]:
    files: list[Path] = []

    def unreadable(problem: OSError) -> None:
        tally.skip(str(problem.filename), f"the folder can't be read ({problem.strerror})")

    for here, folders, names in os.walk(root, onerror=unreadable):
        place = Path(here)
        folders.sort()
        for name in tuple(folders):
            reason = _refused(place / name, root)
            if reason is not None:
                folders.remove(name)
                tally.skip(f"{(place / name).relative_to(root).as_posix()}/", reason)
        for name in sorted(names):
            if not name.lower().endswith(ENDINGS):
                tally.count("files of other kinds")
                continue
            reason = _refused(place / name, root)
            if reason is None:
                files.append(place / name)
            else:
                tally.skip((place / name).relative_to(root).as_posix(), reason)
    return files


def _refused(path: Path, root: Path) -> str | None:
    if path.name.startswith("."):
        return "it is hidden"
    if path.is_symlink():
        try:
            inside = path.resolve().is_relative_to(root)
        except (OSError, RuntimeError):
            return "it is a link that leads nowhere"
        return "it is a link; what it leads to is read where it lies" if inside else "it is a link out of the folder"
    if (path / "truth.db").is_file():
        return "it is a workbench"
    return None


def _document(path: Path, tally: Tally, count_tokens: CountTokens, space: str | None) -> ImportedSource:
    content = file_bytes(path)
    name = tally.storable(path.name)[0]
    at: str | None = None
    if content.startswith(pdf.MARK):
        title = tally.name(path.stem)
        passages = _pdf_passages(content, path, name, tally, count_tokens)
    else:
        raw = text_of(content)
        if raw is None or raw.count("\0") * 100 > len(raw):
            raise InvalidRequest(f"{path} is no text in UTF-8 or UTF-16: save it as UTF-8 and import it again.")
        text, _ = tally.storable(raw.replace("\r\n", "\n").replace("\r", "\n"))
        title, at, passages = _text_passages(text, path, name, tally, count_tokens)
    if not passages:
        raise InvalidRequest(f"{path} holds no text: there is nothing to import.")
    refs = distinct([passage.ref for passage in passages])
    placed = [
        replace(passage, ref=ref, position=position, at=at)
        for position, (ref, passage) in enumerate(zip(refs, passages, strict=True))
    ]
    return imported_source("file", tally.storable(path.as_posix())[0], title, space, placed)


def _text_passages(
    text: str, path: Path, name: str, tally: Tally, count_tokens: CountTokens
) -> tuple[str, str | None, list[NewPassage]]:
    """Title, date and passages of a text file."""
    if not name.lower().endswith(MARKDOWN_ENDINGS):
        whole = Section((), paragraphs(text))
        return path.stem, None, _chunked(text, [whole], name, path.stem, count_tokens)
    matter = front_matter(text)
    tally.count("front matter that can't be read", matter.fault is not None)
    known = {"title", "date", "created"}
    tally.count("front matter fields left out", len(set(matter.members) - known))
    given = matter.members.get("date", matter.members.get("created"))
    at = moment(given)
    tally.count("times that are no complete date", given is not None and at is None)
    found = sections(matter.body)
    first = next((section.path[0] for section in found if section.path), "")
    title = tally.name(plain(matter.members.get("title")) or first or path.stem)
    return title, at, _chunked(matter.body, found, name, title, count_tokens)


def _pdf_passages(content: bytes, path: Path, name: str, tally: Tally, count_tokens: CountTokens) -> list[NewPassage]:
    passages: list[NewPassage] = []
    for number, raw in enumerate(pdf.page_texts(content, str(path)), 1):
        if raw is None:
            tally.skip(f"{name}, page {number}", "its text can't be read")
            continue
        tally.count("pages without text", not raw.strip())
        text, _ = tally.storable(raw)
        page = Section((f"page {number}",), paragraphs(text))
        passages += _chunked(text, [page], name, path.stem, count_tokens)
    return passages


def _chunked(text: str, found: Sequence[Section], name: str, title: str, count_tokens: CountTokens) -> list[NewPassage]:
    """The chunks of all sections; `title` is for what stands under no heading. Positions and dates come later."""
    counted: Counter[str] = Counter()
    passages = []
    for section in found:
        heading = BETWEEN_HEADINGS.join(section.path)
        for start, end in chunk_spans(text, section.blocks, count_tokens):
            counted[heading] += 1
            ref = f"{heading or name}#{counted[heading]}"
            piece = text[start:end]
            passages.append(NewPassage(ref, name, 0, "", None, piece, heading or title, redactions_in(piece)))
    return passages

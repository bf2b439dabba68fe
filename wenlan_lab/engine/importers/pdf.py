"""The text of a PDF's pages. Needs the extra `pdf`; pictures of text have none, and are counted as such."""

from __future__ import annotations

import io

from wenlan_lab.errors import InvalidRequest, MissingExtra

MARK = b"%PDF-"


def page_texts(content: bytes, where: str) -> list[str | None]:
    """The text of each page, None for a page that can't be read.

    Raises:
        MissingExtra: pypdf isn't installed.
        InvalidRequest: it is encrypted or no whole PDF.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as problem:
        raise MissingExtra("Reading PDF files", "pdf") from problem
    # What a damaged file makes pypdf run into, beside its own errors.
    faults = (PyPdfError, ValueError, TypeError, LookupError, AttributeError, RecursionError, NotImplementedError)
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted:
            raise InvalidRequest(f"{where} is encrypted: save it without a password and import it again.")
        pages = list(reader.pages)
    except faults as problem:
        if isinstance(problem, InvalidRequest):
            raise
        raise InvalidRequest(
            f"{where} is no PDF that can be read ({problem}): save it anew from where it came."
        ) from problem
    texts: list[str | None] = []
    for page in pages:
        try:
            texts.append(page.extract_text())
        except faults:
            texts.append(None)
    return texts

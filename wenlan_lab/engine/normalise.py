"""Texts made comparable, and texts made storable.

`text_key` is the identity of a statement within a space: it forgives case, white space, compatibility forms and end
punctuation, and nothing else. What can't be stored is refused for captures and replaced visibly for imports.
"""

from __future__ import annotations

import unicodedata

from wenlan_lab.errors import InvalidRequest

LONGEST = 1_000_000
_END = " \t.!?…。！？;,"


def text_key(text: str) -> str:
    """The normalised words of a statement: NFKC, case folded, white space joined, end punctuation dropped."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(_END) or text.strip()


def check_storable(text: str) -> None:
    """Raise InvalidRequest when a text can't be stored as it is, and say where and what to do."""
    if not text.strip():
        raise InvalidRequest("the text is empty: write what is to be remembered.")
    if len(text) > LONGEST:
        raise InvalidRequest(
            f"the text has {len(text):,} characters, a memory at most {LONGEST:,}: import it as a file, or split it."
        )
    at = text.find("\0")
    if at >= 0:
        raise InvalidRequest(
            f"the text holds a NUL character at position {at}: remove it with text.replace('\\0', '')."
        )
    if not text.isascii():
        at = next((at for at, letter in enumerate(text) if "\ud800" <= letter <= "\udfff"), -1)
        if at >= 0:
            raise InvalidRequest(
                f"the text holds half a character (a lone surrogate) at position {at}: "
                "decode its source as UTF-8, or remove it."
            )


def replace_unstorable(text: str) -> tuple[str, int]:
    """The text with NUL and lone surrogates as U+FFFD, and how many those were."""
    count = text.count("\0") + (0 if text.isascii() else sum("\ud800" <= letter <= "\udfff" for letter in text))
    if count == 0:
        return text, 0
    return "".join("\ufffd" if letter == "\0" or "\ud800" <= letter <= "\udfff" else letter for letter in text), count


def excerpt(text: str, limit: int = 160) -> str:
    """The beginning of a text on one line, with an ellipsis when there is more."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"

"""The keyword arm: an FTS5 table, what goes into it, and the one function that builds a MATCH string.

Porter stems, diacritics folded. Chinese, Japanese and Korean runs are indexed as overlapping pairs of characters, so
any piece of two characters finds them. The read scope is a token of the `scope` column (weight 0), so it narrows the
search itself instead of its result.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CREATE = """create virtual table if not exists lexical using fts5 (
    text, title, cue, context, date_words, scope, tokenize = 'porter unicode61 remove_diacritics 2')"""
INSERT = "insert into lexical (rowid, text, title, cue, context, date_words, scope) values (?, ?, ?, ?, ?, ?, ?)"
DELETE = "delete from lexical where rowid = ?"
# One pass, two readings of it: the ranking over all columns, and the same with the entry's own words only.
SEARCH = """select rowid, -bm25(lexical, ?, ?, ?, ?, ?, 0.0) as score from lexical
    where lexical match ? order by score desc, rowid limit ?"""
OPTIMIZE = "insert into lexical (lexical) values ('optimize')"
CHECK = "insert into lexical (lexical) values ('integrity-check')"

# Column weights, in the order of the table: text, title, cue, context, date_words. Fitted on the dev data.
WEIGHTS = (1.0, 0.5, 0.5, 0.4, 0.6)

MOST_TERMS = 64
_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
CJK_RUN = re.compile(f"[{_CJK}\U00020000-\U0003ffff]+")
WORD = re.compile(r"[^\W_]+")


def pairs(run: str) -> list[str]:
    """The overlapping two-character pieces of a CJK run; a lone character is itself."""
    return [run[at : at + 2] for at in range(len(run) - 1)] if len(run) > 1 else [run]


def indexed_text(text: str) -> str:
    """`text` as it goes into the index: its tokens, so that the index never cuts it otherwise than a question."""
    return " ".join(tokens(text))


def storable(text: str) -> str:
    """`text` without what SQLite can't hold: NUL and lone surrogates become a space."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def tokens(text: str) -> list[str]:
    """The searchable pieces of any text, lower-cased, in order: words, and pairs of CJK characters."""
    found: list[str] = []
    plain = text if text.isascii() else unicodedata.normalize("NFKC", storable(text))
    for word in WORD.findall(plain.lower()):
        if word.isascii():
            found.append(word)
            continue
        at = 0
        for match in CJK_RUN.finditer(word):
            if match.start() > at:
                found.append(_known(word[at : match.start()]))
            found.extend(pairs(match.group()))
            at = match.end()
        if at < len(word):
            found.append(_known(word[at:]))
    return found


def _known(word: str) -> str:
    """A word in letters that every SQLite knows: its tables are older than Python's, and unknown letters split words."""
    return "".join(
        letter if unicodedata.ucd_3_2_0.category(letter)[0] in "LN" else f"u{ord(letter):x}" for letter in word
    )


def scope_token(name: str) -> str:
    """A token of the scope column: letters and digits only, ending in a digit so that the stemmer leaves it alone."""
    return "".join(WORD.findall(name)).lower() + "0"


def match_query(
    terms: Sequence[str],
    *,
    phrases: Sequence[str] = (),
    scope: Sequence[Sequence[str]] = (),
    without: str | None = None,
) -> str | None:
    """The MATCH string for any words, whatever is in them; None when nothing in them can be searched.

    terms: pieces of text, each split with `tokens` and joined by OR; phrases: searched word by word in their order;
    scope: groups of scope tokens, of which every group must hold (any token within a group does); without: a scope
    token that must not be there.
    """
    wanted = dict.fromkeys(f'"{token}"' for term in terms for token in tokens(term))
    options = list(wanted)[:MOST_TERMS]
    for phrase in phrases:
        words = tokens(phrase)[:16]
        if len(words) > 1:
            options.append('"' + " ".join(words) + '"')
    if not options:
        return None
    query = f"{{text title cue context date_words}} : ({' OR '.join(options)})"
    for group in scope:
        query = f"(scope : ({' OR '.join(scope_token(name) for name in group)})) AND ({query})"
    if without is not None:
        query = f"({query}) NOT (scope : {scope_token(without)})"
    return query


def optimize(index: sqlite3.Connection) -> None:
    """Merge the segments, so that deleted words are gone from the file's bytes too."""
    index.execute(OPTIMIZE)


def search(
    index: sqlite3.Connection, match: str, limit: int, weights: Sequence[float] = WEIGHTS
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The `limit` best rows of a MATCH string: rowids (n,) and BM25 scores (n,), higher is better, ties by rowid."""
    import numpy as np

    rows = index.execute(SEARCH, (*weights, match, limit)).fetchall()
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    scores = np.fromiter((row[1] for row in rows), dtype=np.float64, count=len(rows))
    return ids, scores

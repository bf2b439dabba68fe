"""Words as ranking compares them: content words, Porter-stemmed, each as a 32-bit hash.

FTS5 finds candidates by the same stems; the hashes of each entry are kept beside it, so that ranking can count the
question's words in a candidate and its neighbours without asking the database for each.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wenlan_lab.derived.lexical import tokens

STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being between both but by can could
    d did do does doing don down during each few for from further had has have having he her here hers him his how i if
    in into is it its itself just kind know ll m many may me might more most much my no nor not now of off on once only
    or other our out over own please re s same she should so some such t tell than that the their them then there these
    they this those through to too under until up us ve very was we were what when where which while who whom why will
    with would you your yours""".split()
)

StemArray = NDArray[np.uint32]


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("porter")


@lru_cache(maxsize=200_000)
def stem_hash(word: str) -> int:
    """The hash of a lower-case word's stem."""
    return zlib.crc32(_stemmer().stemWord(word).encode())


def content_words(text: str) -> list[str]:
    """The words of a text that carry meaning, in order, repeats kept."""
    return [word for word in tokens(text) if word not in STOP_WORDS]


def all_hashes(text: str) -> StemArray:
    """uint32 (n,): the stems of all words, stop words too ("may" is a month as well)."""
    words = tokens(text)
    return np.fromiter((stem_hash(word) for word in words), dtype=np.uint32, count=len(words))


def stem_hashes(text: str) -> StemArray:
    """uint32 (n,): the stems of a text's content words, in order."""
    words = content_words(text)
    return np.fromiter((stem_hash(word) for word in words), dtype=np.uint32, count=len(words))

"""The embedder without a model: near for the same words, the same everywhere, whatever the text."""

from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from wenlan_lab.derived.embeddings import check_vectors
from wenlan_lab.derived.hash_embedder import HashEmbedder
from wenlan_lab.errors import InvalidRequest

RESTATEMENTS = [
    ("Ada prefers tea over coffee.", "ada prefers tea over coffee"),
    ("Ada prefers tea over coffee.", "Over coffee, Ada prefers tea!"),
    ("We decided to use SQLite for the store.", "We decided to use SQLite for our store."),
    ("The calibration run starts every Monday at nine.", "The calibration run started every Monday at nine."),
    ("The sensor drifts when the lab is warm.", "The sensor drifts when the lab is warm, badly."),
]
OTHERS = [
    "The invoice for the printer toner is overdue.",
    "Melanie painted a sunrise over the lake.",
    "Deadlines move to Friday from now on.",
]


def cosine(a: str, b: str) -> float:
    return float(HashEmbedder().embed_query(a) @ HashEmbedder().embed_query(b))


@pytest.mark.parametrize(("a", "b"), RESTATEMENTS)
def test_a_restatement_with_the_same_words_is_near(a: str, b: str):
    assert cosine(a, b) >= 0.75


@pytest.mark.parametrize("other", OTHERS)
def test_other_statements_are_far(other: str):
    assert all(cosine(text, other) < 0.5 for text, _ in RESTATEMENTS)


def test_a_vector_is_the_same_on_every_machine():
    vector = HashEmbedder().embed_query("Ada prefers tea")
    assert set(np.argsort(-np.abs(vector))[:3].tolist()) == {154, 197, 247}
    assert vector[197] == pytest.approx(0.7706571)
    assert HashEmbedder().identity == "hash-256"


@given(st.lists(st.text(alphabet=st.characters(), max_size=80), max_size=8))
def test_any_text_has_a_vector_of_length_one(texts: list[str]):
    rows = HashEmbedder(16).embed_documents(texts)
    check_vectors(rows, len(texts), 16)
    assert all((HashEmbedder(16).embed_query(text) == row).all() for text, row in zip(texts, rows, strict=True))


@given(st.integers(0, 1500))
def test_windows_have_200_words_and_share_30(count: int):
    words = [f"w{n}" for n in range(count)]
    windows = [window.split() for window in HashEmbedder().windows("  ".join(words))]
    assert all(len(window) <= 200 for window in windows)
    assert list(dict.fromkeys(word for window in windows for word in window)) == words
    assert all(before[-30:] == after[:30] for before, after in pairwise(windows))


def test_too_few_dimensions_are_refused():
    with pytest.raises(InvalidRequest, match="at least 16"):
        HashEmbedder(8)

"""What every Embedder must do, shown for the one without a model and for the real one."""

from itertools import pairwise

import numpy as np
import pytest

from wenlan_lab.derived.embeddings import check_vectors, text_digest
from wenlan_lab.derived.hash_embedder import HashEmbedder
from wenlan_lab.derived.sentence_embedder import SentenceEmbedder
from wenlan_lab.model.ports import Embedder

HOSTILE = [
    "",
    " \n\t",
    "\0",
    "NUL \0 inside",
    "lone \ud800 surrogate",
    "\udfff" * 600,
    "<script>alert('x')</script>",
    '" OR 1=1; -- NEAR(a b) *',
    "{braces} $dollar {{name}} %s",
    "שלום עולם \u202egnihtemos",
    "漢字だけの文章です。次の文。",
    "é e\u0301 " + "\u0301" * 500,
    "👩‍👩‍👧‍👦" * 100,
    "x" * 5000,
    "\ufffd\ufeff\u200b\u00ad",
]


@pytest.fixture(
    scope="module", params=["hash", pytest.param("sentence", marks=pytest.mark.slow)], ids=["hash", "sentence"]
)
def embedder(request) -> Embedder:
    return HashEmbedder() if request.param == "hash" else SentenceEmbedder()


def test_it_fulfils_the_port(embedder: Embedder):
    assert isinstance(embedder, Embedder)
    assert str(embedder.dimensions) in embedder.identity


def test_vectors_have_length_one_and_the_right_shape(embedder: Embedder):
    texts = ["Ada went home.", "x", "", "a longer sentence about nothing in particular"]
    made = embedder.embed_documents(texts)
    assert made.dtype == np.float32
    check_vectors(made, len(texts), embedder.dimensions)
    query = embedder.embed_query("who went home?")
    assert query.dtype == np.float32
    check_vectors(query[None], 1, embedder.dimensions)
    assert embedder.embed_documents([]).shape == (0, embedder.dimensions)


def test_the_order_of_texts_is_kept_and_company_changes_nothing(embedder: Embedder):
    texts = [("word " * n + f"number {n}").strip() for n in (40, 1, 90, 3, 3, 150, 0, 12, 60, 2)] * 3
    together = embedder.embed_documents(texts)
    alone = np.concatenate([embedder.embed_documents([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-5
    backwards = embedder.embed_documents(texts[::-1])[::-1]
    assert np.abs(together - backwards).max() < 1e-5


def test_near_texts_are_nearer_than_others(embedder: Embedder):
    vectors = embedder.embed_documents([
        "Caroline went to the LGBTQ support group on Sunday.",
        "On Sunday Caroline visited the LGBTQ support group.",
        "The invoice for the printer toner is overdue.",
    ])  # fmt: skip
    assert vectors[0] @ vectors[1] > 0.75 > vectors[0] @ vectors[2] + 0.2


def test_a_query_is_near_the_document_with_the_same_words(embedder: Embedder):
    text = "Melanie painted a sunrise over the lake."
    assert embedder.embed_query(text) @ embedder.embed_documents([text])[0] > 0.999


def test_a_short_text_is_its_own_window(embedder: Embedder):
    for text in ("", "one", "  spaces kept  ", "two\nlines."):
        assert tuple(embedder.windows(text)) == (text,)


def test_a_long_text_has_several_windows_that_overlap_and_cover_it(embedder: Embedder):
    words = [f"word{n}" for n in range(1200)]
    windows = embedder.windows(" ".join(words))
    assert len(windows) > 2
    assert all(window in " ".join(words) for window in windows)
    assert {word for window in windows for word in window.split()} == set(words)
    for before, after in pairwise(windows):
        assert set(before.split()) & set(after.split())


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_has_windows_and_vectors(embedder: Embedder, text: str):
    windows = embedder.windows(text)
    assert len(windows) >= 1
    assert len({text_digest(window) for window in windows}) >= 1
    check_vectors(embedder.embed_documents([text, *windows]), 1 + len(windows), embedder.dimensions)
    check_vectors(embedder.embed_query(text)[None], 1, embedder.dimensions)


def test_a_megabyte_is_cut_into_windows(embedder: Embedder):
    text = ("The quick brown fox, who had been reading, jumped over 13 lazy dogs. " * 16_000)[:1_000_000]
    windows = embedder.windows(text)
    assert len(windows) > 500
    assert text.startswith(windows[0])
    assert text.rstrip().endswith(windows[-1])
    assert sum(map(len, windows)) < 1.5 * len(text)


def test_progress_goes_up_to_the_number_of_texts(embedder: Embedder):
    seen: list[tuple[int, int]] = []
    embedder.embed_documents([f"text {n} " * 30 for n in range(60)], lambda done, total: seen.append((done, total)))
    assert seen[-1] == (60, 60)
    assert {total for _, total in seen} == {60}
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


def test_an_interrupt_leaves_the_embedder_usable(embedder: Embedder):
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = embedder.embed_documents(["still the same"])
    with pytest.raises(KeyboardInterrupt):
        embedder.embed_documents([f"text {n}" * 40 for n in range(40)], interrupt)
    assert np.abs(embedder.embed_documents(["still the same"]) - before).max() < 1e-6

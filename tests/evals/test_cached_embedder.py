"""The cache of vectors: it changes no vector, survives kills, damage and other processes, and keeps no text."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wenlan_lab
from wenlan_lab import Embedder, InvalidRequest
from wenlan_lab.evals.cached_embedder import CachedEmbedder, named_embedder
from wenlan_lab.evals.vector_shelf import VectorShelf, digest_of
from wenlan_lab.testing import FixedClock, HashEmbedder

TEXTS = ("the pump stalls", "it rains", "the pump stalls", "", "\ud800 alone", "日本語", "nul\x00byte", "x" * 5000)


class Other(HashEmbedder):
    @property
    def identity(self):
        return "other"

    def embed_documents(self, texts, progress=None):
        return np.roll(super().embed_documents(texts, progress), 1, axis=1)


def test_it_is_an_embedder_and_changes_no_vector(tmp_path):
    cached, bare = CachedEmbedder(HashEmbedder(), tmp_path), HashEmbedder()
    assert isinstance(cached, Embedder)
    assert (cached.identity, cached.dimensions) == (bare.identity, bare.dimensions)
    assert cached.windows("a b c") == bare.windows("a b c")
    for _ in range(2):
        assert (cached.embed_documents(TEXTS) == bare.embed_documents(TEXTS)).all()
        assert (cached.embed_query("rain") == bare.embed_query("rain")).all()
    assert (cached.computed, cached.taken) == (7, 8)  # seven distinct texts


@given(texts=st.lists(st.text(max_size=12), max_size=8))
def test_any_texts_in_any_order_give_their_own_vectors(tmp_path_factory, texts):
    cached = CachedEmbedder(HashEmbedder(32), tmp_path_factory.mktemp("cache"))
    cached.embed_documents(texts[::2])
    assert (cached.embed_documents(texts) == HashEmbedder(32).embed_documents(texts)).all()


def test_a_second_embedder_takes_what_the_first_one_made(tmp_path):
    with_first = CachedEmbedder(HashEmbedder(), tmp_path)
    with_first.embed_documents(TEXTS)
    second = CachedEmbedder(HashEmbedder(), tmp_path)
    second.embed_documents(TEXTS)
    assert second.computed == 0


def test_progress_counts_what_has_to_be_embedded(tmp_path):
    seen = []
    cached = CachedEmbedder(HashEmbedder(32), tmp_path)
    cached.embed_documents(["a"])
    cached.embed_documents(["a", *map(str, range(300))], lambda done, total: seen.append((done, total)))
    assert seen == [(256, 300), (300, 300)]


def test_two_identities_never_meet(tmp_path):
    CachedEmbedder(HashEmbedder(), tmp_path).embed_documents(TEXTS)
    other = CachedEmbedder(Other(), tmp_path)
    assert (other.embed_documents(TEXTS) == Other().embed_documents(TEXTS)).all()
    smaller = CachedEmbedder(HashEmbedder(32), tmp_path)
    assert smaller.embed_documents(TEXTS).shape == (8, 32)
    assert len(list(tmp_path.iterdir())) == 3


def test_rows_that_were_cut_off_are_embedded_again(tmp_path):
    first = CachedEmbedder(HashEmbedder(32), tmp_path)
    expected = first.embed_documents(["a", "b", "c"])
    for name, cut in (("vectors", 50), ("digests", 20)):
        (path,) = tmp_path.glob(f"*/000000.{name}")
        path.write_bytes(path.read_bytes()[:-cut])
    second = CachedEmbedder(HashEmbedder(32), tmp_path)
    assert (second.embed_documents(["a", "b", "c"]) == expected).all()
    assert second.computed == 1


@pytest.mark.parametrize("bytes_", [b"\x00", b"\xff"])
def test_a_damaged_row_is_embedded_again(tmp_path, bytes_):
    first = CachedEmbedder(HashEmbedder(32), tmp_path)
    expected = first.embed_documents(["a", "b"])
    (path,) = tmp_path.glob("*/*.vectors")
    path.write_bytes(bytes_ * 128 + path.read_bytes()[128:])
    second = CachedEmbedder(HashEmbedder(32), tmp_path)
    assert (second.embed_documents(["a", "b"]) == expected).all()
    assert second.computed == 1


def test_writers_at_the_same_time_each_have_files_of_their_own(tmp_path):
    def write(number):
        shelf = VectorShelf(tmp_path, "hash-32", 32)
        for at in range(20):
            text = f"{number} {at}"
            shelf.add([digest_of(text)], HashEmbedder(32).embed_documents([text]))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    shelf = VectorShelf(tmp_path, "hash-32", 32)
    assert len(shelf) == 120
    for number in range(6):
        row = shelf.get(digest_of(f"{number} 7"))
        assert row is not None
        assert (row == HashEmbedder(32).embed_query(f"{number} 7")).all()
    assert shelf.get(digest_of("never")) is None


def test_an_interrupt_between_the_two_parts_of_a_row_spoils_no_later_one(tmp_path):
    shelf = VectorShelf(tmp_path, "hash-32", 32)
    rows = HashEmbedder(32).embed_documents(["a", "b"])
    shelf.add([digest_of("a")], rows[:1])
    (vectors,) = tmp_path.glob("*/*.vectors")
    vectors.write_bytes(vectors.read_bytes() + b"\x01" * 128)
    shelf.add([digest_of("b")], rows[1:])
    read = VectorShelf(tmp_path, "hash-32", 32)
    for text, row in (("a", rows[0]), ("b", rows[1])):
        stored = read.get(digest_of(text))
        assert stored is not None
        assert (stored == row).all()


def test_no_text_is_kept(tmp_path):
    CachedEmbedder(HashEmbedder(), tmp_path).embed_documents(["a secret sentence"])
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_workbench_recalls_the_same_with_it(tmp_path):
    texts = ["The pump stalls below four degrees.", "The mast at the lake was struck by lightning in May."]
    found = []
    for name, embedder in (("a", HashEmbedder()), ("b", CachedEmbedder(HashEmbedder(), tmp_path / "cache"))):
        with wenlan_lab.open(tmp_path / name, embedder=embedder, clock=FixedClock()) as wb:
            wb.capture_many(texts)
            found.append([(hit.text, hit.score) for hit in wb.recall("why did the pump stop?").hits])
    assert found[0] == found[1]


def test_named_embedders_are_those_of_a_workbench(tmp_path):
    named = named_embedder("hash")
    assert named is not None
    assert named.identity == HashEmbedder().identity
    assert named_embedder("none") is None
    with pytest.raises(InvalidRequest):
        CachedEmbedder.named("none", tmp_path)


def test_nothing_is_made_before_the_first_text(tmp_path):
    CachedEmbedder.default(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()

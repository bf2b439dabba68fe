"""The vector cache: nothing is embedded twice, nothing finished is lost, nothing forgotten stays."""

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from wenlan_lab.derived import embeddings
from wenlan_lab.derived.catalog import transaction
from wenlan_lab.derived.embeddings import forget_vectors, open_vectors, prune, stored, text_digest, vectors_for
from wenlan_lab.derived.hash_embedder import HashEmbedder
from wenlan_lab.errors import ProviderContractError


class Counting(HashEmbedder):
    """Notes which texts it was asked for; fails on one of them when told to."""

    def __init__(self, dimensions: int = 32, *, fails_on: str | None = None) -> None:
        super().__init__(dimensions)
        self.asked: list[str] = []
        self.fails_on = fails_on

    def embed_documents(self, texts: Sequence[str], progress=None):
        if self.fails_on in texts:
            raise KeyboardInterrupt
        self.asked.extend(texts)
        return super().embed_documents(texts, progress)


@pytest.fixture
def cache(tmp_path: Path):
    connection, notes = open_vectors(tmp_path)
    assert notes == ()
    yield connection
    connection.close()


def test_vectors_are_those_of_the_embedder_in_the_order_of_the_texts(cache):
    texts = ["b", "a", "b", "", "lone \ud800", "c"]
    made = vectors_for(cache, HashEmbedder(32), texts)
    assert (made == HashEmbedder(32).embed_documents(texts)).all()
    assert (vectors_for(cache, HashEmbedder(32), texts[::-1]) == made[::-1]).all()


def test_no_text_is_embedded_twice(cache):
    embedder = Counting()
    vectors_for(cache, embedder, ["a", "b", "a"])
    vectors_for(cache, embedder, ["c", "b", "a", "c"])
    assert sorted(embedder.asked) == ["a", "b", "c"]


def test_no_text_gives_no_row(cache):
    assert vectors_for(cache, HashEmbedder(32), []).shape == (0, 32)


def test_a_few_and_many_look_ups_find_the_same(cache):
    texts = [f"text {n}" for n in range(1000)]
    made = vectors_for(cache, HashEmbedder(32), texts)
    for wanted in ([3], [999, 0, 5, 5], list(range(1000)), list(range(0, 1000, 3))):
        vectors, found = stored(cache, "hash-32", [text_digest(texts[at]) for at in wanted])
        assert found.all()
        assert (vectors == made[wanted]).all()


def test_what_is_not_there_is_said_to_be_missing(cache):
    made = vectors_for(cache, HashEmbedder(32), ["a", "b"])
    vectors, found = stored(cache, "hash-32", [text_digest(text) for text in ("b", "x", "a", "b")])
    assert found.tolist() == [True, False, True, True]
    assert (vectors == made[[1, 0, 1]]).all()
    assert stored(cache, "another", [text_digest("a")])[1].tolist() == [False]
    assert stored(cache, "another", [])[1].tolist() == []


def test_another_identity_is_never_mixed_in(cache):
    class Opposite(HashEmbedder):
        identity = "opposite"

        def embed_documents(self, texts, progress=None):
            return -super().embed_documents(texts, progress)

    texts = ["a", "b"]
    plain, opposite = (vectors_for(cache, embedder, texts) for embedder in (HashEmbedder(32), Opposite(32)))
    assert (plain == -opposite).all()
    for _ in range(2):
        assert (vectors_for(cache, HashEmbedder(32), texts) == plain).all()
        assert (vectors_for(cache, Opposite(32), texts) == opposite).all()
        vectors_for(cache, HashEmbedder(32), [f"text {n}" for n in range(100)])  # now single rows are looked up


def test_an_interrupt_loses_nothing_that_was_finished(cache):
    texts = [f"text {n}" for n in range(3 * embeddings.CHUNK)]
    with pytest.raises(KeyboardInterrupt):
        vectors_for(cache, Counting(fails_on=texts[2 * embeddings.CHUNK + 5]), texts)
    embedder = Counting()
    vectors_for(cache, embedder, texts)
    assert embedder.asked == texts[2 * embeddings.CHUNK :]


def test_progress_counts_what_has_to_be_embedded(cache):
    vectors_for(cache, HashEmbedder(32), ["known"])
    seen: list[tuple[int, int]] = []
    texts = ["known", *[f"text {n}" for n in range(600)]]
    vectors_for(cache, HashEmbedder(32), texts, lambda *at: seen.append(at))
    assert seen == [(256, 600), (512, 600), (600, 600)]


@pytest.mark.parametrize(
    "wrong",
    [
        np.ones((2, 32), dtype=np.float32),
        np.full((2, 32), np.nan, dtype=np.float32),
        np.full((2, 32), np.inf, dtype=np.float32),
        np.zeros((2, 32), dtype=np.float32),
        np.eye(3, 32, dtype=np.float32),
        np.eye(2, 31, dtype=np.float32),
    ],
    ids=["too long", "NaN", "infinite", "zero", "one row too many", "too narrow"],
)
def test_an_embedder_that_breaks_its_contract_is_refused_and_nothing_kept(cache, wrong):
    class Broken(HashEmbedder):
        def embed_documents(self, texts, progress=None):
            return wrong

    with pytest.raises(ProviderContractError, match="fix the embedder"):
        vectors_for(cache, Broken(32), ["a", "b"])
    assert not stored(cache, "hash-32", [text_digest("a")])[1].any()


def test_an_identity_that_changes_its_dimensions_is_refused(cache):
    class Changed(HashEmbedder):
        identity = "hash-32"

    vectors_for(cache, HashEmbedder(32), ["a"])
    with pytest.raises(ProviderContractError, match="another identity"):
        vectors_for(cache, Changed(64), ["a"])


def test_forgetting_erases_the_bytes_under_every_identity(cache, tmp_path: Path):
    texts = [f"text {n}" for n in range(50)]
    for dimensions in (32, 64):
        vectors_for(cache, HashEmbedder(dimensions), texts)
    secrets = [HashEmbedder(dimensions).embed_query("text 7").tobytes() for dimensions in (32, 64)]
    cache.execute("pragma wal_checkpoint(truncate)")
    assert all(secret in on_disk(tmp_path) for secret in secrets)
    assert forget_vectors(cache, [text_digest("text 7"), text_digest("never seen")]) == 2
    assert not any(secret in on_disk(tmp_path) for secret in secrets)
    assert text_digest("text 7").encode() not in on_disk(tmp_path)
    assert stored(cache, "hash-32", [text_digest(text) for text in texts])[1].sum() == 49


def on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_pruning_keeps_one_identity_and_gives_the_space_back(cache, tmp_path: Path):
    texts = [f"text {n}" for n in range(400)]
    for dimensions in (32, 256):
        vectors_for(cache, HashEmbedder(dimensions), texts)
    cache.execute("pragma wal_checkpoint(truncate)")
    before = (tmp_path / "vectors.db").stat().st_size
    assert prune(cache, "hash-32") == 400
    cache.execute("pragma wal_checkpoint(truncate)")
    assert (tmp_path / "vectors.db").stat().st_size < before / 2
    assert stored(cache, "hash-32", [text_digest(text) for text in texts])[1].all()
    assert prune(cache, "hash-32") == 0


def test_a_damaged_row_counts_as_absent_and_is_made_again(cache):
    texts = [f"text {n}" for n in range(20)]
    made = vectors_for(cache, HashEmbedder(32), texts)
    damage = "update vector set vector = ? where digest = ?"
    with transaction(cache):
        cache.execute(damage, (b"\0" * 128, text_digest("text 3")))
        cache.execute(damage, (b"\xff" * 128, text_digest("text 4")))
        for text in ("text 5", "text 19"):
            cache.execute(damage, (b"short", text_digest(text)))
    embedder = Counting()
    assert (vectors_for(cache, embedder, texts) == made).all()
    assert embedder.asked == ["text 3", "text 4", "text 5", "text 19"]


@pytest.mark.parametrize(
    "content",
    [b"not a database at all, and long enough to be read as one " * 100, b"", b"SQLite format 3\0" + b"\xff" * 8000],
)
def test_a_file_that_can_not_be_read_is_discarded_with_a_note(tmp_path: Path, content: bytes):
    (tmp_path / "vectors.db").write_bytes(content)
    cache, notes = open_vectors(tmp_path)
    assert len(notes) == (1 if content else 0)  # an empty file is a new one
    assert all("embedded again" in note for note in notes)
    assert vectors_for(cache, HashEmbedder(32), ["a"]).shape == (1, 32)
    cache.close()


@pytest.mark.parametrize(
    "change", ["pragma user_version = 99", "drop table vector", "alter table vector rename column digest to other"]
)
def test_a_file_of_another_layout_is_discarded_with_a_note(tmp_path: Path, change: str):
    cache, _ = open_vectors(tmp_path)
    cache.execute(change)
    cache.close()
    cache, notes = open_vectors(tmp_path)
    assert len(notes) == 1
    assert vectors_for(cache, HashEmbedder(32), ["a"]).shape == (1, 32)
    cache.close()


def test_a_place_that_can_not_be_opened_is_no_reason_to_delete(tmp_path: Path):
    (tmp_path / "vectors.db").mkdir()
    with pytest.raises(sqlite3.OperationalError):
        open_vectors(tmp_path)
    assert (tmp_path / "vectors.db").is_dir()


def test_opening_again_finds_what_was_made(tmp_path: Path):
    cache, _ = open_vectors(tmp_path)
    vectors_for(cache, HashEmbedder(32), ["a"])
    cache.close()
    cache, notes = open_vectors(tmp_path)
    embedder = Counting()
    vectors_for(cache, embedder, ["a"])
    assert (notes, embedder.asked) == ((), [])
    cache.close()


WRITER = """
import sys
from pathlib import Path
from wenlan_lab.derived.embeddings import open_vectors, vectors_for
from wenlan_lab.testing import HashEmbedder
cache, notes = open_vectors(Path(sys.argv[1]))
assert notes == (), notes
for start in range(0, 600, 50):
    vectors_for(cache, HashEmbedder(32), [f"text {n}" for n in range(start, start + 100)])
"""


def test_processes_that_write_the_same_vectors_at_once_do_not_fail(tmp_path: Path):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)]) for _ in range(4)]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * 4
    cache, _ = open_vectors(tmp_path)
    texts = [f"text {n}" for n in range(650)]
    vectors, found = stored(cache, "hash-32", [text_digest(text) for text in texts])
    assert found.all()
    assert (vectors == HashEmbedder(32).embed_documents(texts)).all()
    cache.close()


def test_digests_tell_texts_apart_that_look_alike():
    texts = ["a", "a ", "A", "é", "e\u0301", "\ud800", "\udfff", "\ufffd", "\0", ""]
    assert len({text_digest(text) for text in texts}) == len(texts)

"""The edges of capture: exactly 0.75, minimal pairs, five hundred hostile texts, and no secret on any path."""

from __future__ import annotations

import random
import string
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import wenlan_lab
from tests.engine.life import on_disk, opened, state
from tests.engine.pairs import SPLITS, pairs
from tests.engine.secrets_made_up import EVERY, key
from wenlan_lab.engine.statements import MinimalPair, compare
from wenlan_lab.engine.workbench import Workbench
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.testing import FixedClock, SequentialIds


@pytest.fixture
def wb(tmp_path: Path) -> Iterator[Workbench]:
    made = opened(tmp_path / "w")
    yield made
    assert made.verify() == ()
    made.close()


class Angle:
    """An embedder whose vectors have the cosine that a text names: "cosine 0.7500" against any text without a number."""

    identity, dimensions = "angle-32", 32

    def windows(self, text: str) -> Sequence[str]:
        return (text,)

    def embed_query(self, text: str) -> np.ndarray:
        told = [word for word in text.split() if word.startswith("cosine=")]
        cosine = float(told[0].removeprefix("cosine=")) if told else 1.0
        vector = np.zeros(32, dtype=np.float32)
        vector[0], vector[1] = cosine, (1 - cosine * cosine) ** 0.5
        return vector

    def embed_documents(self, texts: Sequence[str], progress: object = None) -> np.ndarray:
        return np.stack([self.embed_query(text) for text in texts])


@pytest.mark.parametrize(
    ("cosine", "named"), [("0.75", True), ("0.7499", False), ("0.7501", True), ("0.9999", True), ("0.1", False)]
)
def test_a_neighbour_is_named_from_three_quarters_on(tmp_path: Path, cosine: str, *, named: bool) -> None:
    wb = wenlan_lab.open(tmp_path / "v", embedder=Angle(), clock=FixedClock(), new_id=SequentialIds())
    first = wb.capture(f"cosine=1.0 the pump stalls in the cold next to {cosine}")
    near = wb.capture(f"cosine={cosine} in the cold the pump stalls next to 1.0")
    assert near.outcome == "Captured"
    found = near.near_duplicate
    assert (found is not None) == named
    if found is not None:
        assert found.id == first.id
        assert found.similarity == pytest.approx(float(cosine), abs=1e-4)
    wb.close()


@pytest.mark.parametrize("split", SPLITS)
def test_no_minimal_pair_that_is_told_apart_is_swallowed_by_a_capture(tmp_path: Path, split: str) -> None:
    wb = opened(tmp_path / "w")
    for row in pairs("minimal_pairs", split):
        wb.spaces.create(row["id"])
        one, two = wb.capture(row["a"], space=row["id"]), wb.capture(row["b"], space=row["id"])
        assert (one.outcome, two.outcome) == ("Captured", "Captured"), row["id"]
        if isinstance(compare(row["a"], row["b"]), MinimalPair):
            assert two.near_duplicate is None, row["id"]
        assert len(wb.memories(space=row["id"])) == 2
    wb.close()


def hostile(chance: random.Random) -> str:
    alphabets = [
        string.printable, "\0\ud800\udfff\u202e\u200b\ufeff", "机器学习很有趣。！", "مرحبا بكم", "<script>&\"'`{}$%_\\*();--",
        "".join(chr(chance.randrange(0x110000)) for _ in range(20)), "a b c d e f ", "\n\t\r\v\f\x85\u2028",
    ]  # fmt: skip
    return "".join(chance.choice(chance.choice(alphabets)) for _ in range(chance.randint(0, 80)))


def test_five_hundred_hostile_texts_are_kept_as_they_are_or_refused_and_are_questions(wb: Workbench) -> None:
    chance, kept, refused = random.Random(11), 0, 0
    for _ in range(500):
        text = hostile(chance)
        try:
            receipt = wb.capture(text)
        except InvalidRequest as told:
            refused += 1
            assert str(told)
            assert not text.strip() or "\0" in text or any(unicodedata.category(letter) == "Cs" for letter in text)
        else:
            assert receipt.outcome in ("Captured", "AlreadyKnown", "Rejected")
            if receipt.outcome == "Captured":
                kept += 1
                assert wb.memory(str(receipt.id)).text == text.strip()
            repr(receipt)
            receipt._repr_html_()
        assert len(wb.recall(text, k=3)) <= 3
    assert kept > 50
    assert refused > 50


def test_no_secret_of_any_kind_reaches_the_disk_by_any_part_of_a_capture(wb: Workbench) -> None:
    items: list[object] = [{"text": "The cobalt heron is kept as it should be"}]
    for at, (_, secret) in enumerate(EVERY):
        items += [
            f"Reading {at} was pasted with {secret} beside it",
            {"text": f"A harmless text with a bad field {at}", "fields": {"claim": f"it was {secret} then"}},
            {"text": f"A harmless text with a bad tag {at}", "tags": [secret]},
            {"text": f"A harmless text with bad evidence {at}", "evidence": [f"he wrote {secret} there"]},
        ]
    receipts = wb.capture_many(items)  # type: ignore[arg-type]
    wb.recall("reading pasted harmless")
    assert [receipt.outcome for receipt in receipts] == ["Captured"] + ["Rejected"] * (4 * len(EVERY))
    assert {receipt.reason.reason for receipt in receipts if receipt.reason} == {"credential_leak"}
    stored = on_disk(wb)
    assert b"cobalt heron" in stored  # the scan would see it
    assert key(9).encode() not in stored
    assert all(secret.encode() not in stored for _, secret in EVERY)
    assert not any(key(9) in repr(receipt) + receipt._repr_html_() for receipt in receipts)
    assert len(wb.journal.rejections(most=1000)) == 4 * len(EVERY)


def test_a_secret_as_the_name_of_a_field_is_refused_as_well(wb: Workbench) -> None:
    receipt = wb.capture("A harmless text with a bad name", fields={EVERY[0][1]: "x"})
    assert receipt.outcome == "Rejected"
    assert EVERY[0][1].encode() not in on_disk(wb)


def test_a_batch_in_which_one_is_wrong_writes_nothing(wb: Workbench) -> None:
    before = state(wb)
    with pytest.raises(InvalidRequest):
        wb.capture_many(["The dome leaks in heavy rain", "a\0b is what it says"])
    assert state(wb) == before


@pytest.mark.parametrize(
    "wild", ["100% sure of it", "under_score is a name", "back\\slash in it", 'it\'s "quoted" here']
)
def test_signs_that_mean_something_to_a_database_are_letters(wb: Workbench, wild: str) -> None:
    first = wb.capture(f"{wild}, says the north wall")
    assert wb.capture(f"{wild.translate(str.maketrans('%_', 'xx'))} says the south wall").outcome == "Captured"
    assert wb.capture(f"{wild}, says the north wall").id == first.id


def test_the_same_first_two_hundred_letters_are_not_the_same_statement(wb: Workbench) -> None:
    head = "The level of the lake was read again at noon " * 5
    assert [wb.capture(head + tail).outcome for tail in ("by Ada", "by Ben", "")] == ["Captured"] * 3


def test_no_secret_comes_in_by_a_reason_or_a_tag(wb: Workbench) -> None:
    first = str(wb.capture("The dome leaks in heavy rain").id)
    secret = EVERY[0][1]
    with pytest.raises(InvalidRequest, match="credential"):
        wb.retag(first, ["roof", secret])
    receipt = wb.retract(first, f"it was {secret} and \ud800 all along")
    assert receipt.outcome == "Applied"
    assert secret.encode() not in on_disk(wb)
    assert b"all along" in on_disk(wb)

"""What every reader shares: unique names, digests of content, and nothing unstorable or secret on its way through."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab.engine.importers.batches import REDACTED, REPLACED, Skipped, Tally, distinct, imported_source
from wenlan_lab.model.sources import NewPassage

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
PASSAGE = NewPassage("D1:1", "session_1", 0, "Ann", None, "Hello there")


def test_a_name_that_comes_again_gets_a_suffix():
    assert distinct(["a", "b", "a", "a"]) == ("a", "b", "a~2", "a~3")


def test_a_suffix_never_takes_a_name_that_is_given():
    assert distinct(["a", "a", "a~2"]) == ("a", "a~3", "a~2")


@given(st.lists(st.sampled_from(["a", "a~2", "a~2~2", "a~3", "b", ""])))
def test_names_are_unique_afterwards_and_first_ones_unchanged(names):
    unique = distinct(names)
    assert len(set(unique)) == len(names)
    assert all(unique[names.index(name)] == name for name in names)


def test_many_equal_names_are_told_apart_in_linear_time():
    assert distinct(["a"] * 50_000)[-1] == "a~50000"


def test_the_same_content_has_the_same_digest_wherever_it_lies():
    here = imported_source("file", "/here/a.md", "A", None, [PASSAGE])
    assert imported_source("file", "/there/a.md", "A", "notes", [PASSAGE]).digest == here.digest


def test_a_changed_speaker_or_time_or_word_changes_the_digest():
    digests = {
        imported_source("chat", "x", "A", None, [passage]).digest
        for passage in (
            PASSAGE,
            replace(PASSAGE, speaker="Bo"),
            replace(PASSAGE, at="2024-01-01T00:00:00+00:00"),
            replace(PASSAGE, text="Hello There"),
            replace(PASSAGE, position=1),
        )
    }
    assert len(digests) == 5


def test_what_can_not_be_stored_is_replaced_and_counted():
    tally = Tally()
    assert tally.storable("a\0b\ud800c")[0] == "a\ufffdb\ufffdc"
    assert tally.storable("fine") == ("fine", 0)
    assert tally.batch([], "turns").quirks == {REPLACED: 1}


def test_a_credential_is_redacted_and_counted_wherever_it_stands():
    tally = Tally()
    text, redactions = tally.storable(f"the token is {TOKEN}")
    assert TOKEN not in text
    assert redactions == 1
    assert TOKEN not in tally.name(f"Ann {TOKEN}")
    tally.skip(f"line 1 {TOKEN}", f"bad: {TOKEN}")
    batch = tally.batch([], "turns")
    assert TOKEN not in repr(batch)
    assert batch.quirks == {REDACTED: 4}


def test_a_name_stands_on_one_line():
    assert Tally().name(" Ann \n Smith ") == "Ann Smith"


def test_nothing_odd_is_no_quirk():
    tally = Tally()
    tally.count("odd things", 0)
    tally.skip("line 2", "it is empty")
    batch = tally.batch([imported_source("chat", "x", "A", None, [PASSAGE, PASSAGE])], "turns")
    assert batch.quirks == {}
    assert batch.skipped == (Skipped("line 2", "it is empty"),)
    assert batch.passage_count == 2

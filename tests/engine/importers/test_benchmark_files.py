"""The facts of the real benchmark files, where they are. Each file is read once."""

import json

import pytest

from tests.evals.samples import real_file
from wenlan_lab.importers import parse_longmemeval, read_locomo


@pytest.fixture(scope="module")
def locomo():
    return read_locomo(real_file("locomo10.json"))


@pytest.fixture(scope="module")
def oracle():
    return json.loads(real_file("longmemeval_oracle.json").read_bytes())


@pytest.fixture(scope="module")
def oracle_batch(oracle):
    return parse_longmemeval(oracle)


@pytest.fixture(scope="module")
def dev64():
    return parse_longmemeval(json.loads(real_file("longmemeval_s_dev64.json").read_bytes()))


def test_locomo_has_ten_conversations_with_every_turn(locomo):
    assert len(locomo.sources) == 10
    assert locomo.passage_count == 5_882
    assert locomo.quirks == {"session dates without a session": 16, "turns with an image": 1_226}
    assert locomo.skipped == ()


def test_the_turn_about_the_support_group_is_where_the_question_expects_it(locomo):
    (source,) = (source for source in locomo.sources if source.ref == "conv-26")
    (turn,) = (passage for passage in source.passages if passage.ref == "D1:3")
    assert (turn.speaker, turn.thread, turn.position) == ("Caroline", "session_1", 2)
    assert turn.at == "2023-05-08T13:56:00+00:00"
    assert "support group" in turn.text


def test_every_locomo_turn_has_a_time_a_speaker_and_a_reference_of_its_own(locomo):
    for source in locomo.sources:
        assert len({passage.ref for passage in source.passages}) == len(source.passages)
        assert all(passage.at and passage.speaker and passage.redactions == 0 for passage in source.passages)


def test_the_oracle_file_has_five_hundred_haystacks_with_every_turn(oracle_batch):
    assert len(oracle_batch.sources) == 500
    assert oracle_batch.passage_count + oracle_batch.quirks.get("empty turns", 0) == 10_960
    assert oracle_batch.quirks["haystacks with a session dated after the question"] == 43
    assert all(passage.redactions == 0 for source in oracle_batch.sources for passage in source.passages)


def test_no_oracle_passage_holds_what_only_a_label_says(oracle, oracle_batch):
    types = {entry["question_type"] for entry in oracle}
    for source in oracle_batch.sources:
        for passage in source.passages:
            assert {passage.speaker, passage.title, passage.thread}.isdisjoint(types)
            assert passage.speaker in ("user", "assistant")


def test_one_question_alone_is_what_it_is_among_all(oracle, oracle_batch):
    assert parse_longmemeval(oracle, oracle_batch.sources[7].ref).sources == oracle_batch.sources[7:8]


def test_the_dev_file_has_its_haystacks_and_repeated_sessions(dev64):
    assert (len(dev64.sources), dev64.passage_count) == (64, 31_656)
    assert dev64.quirks["haystacks with a repeated session id"] == 2
    suffixed = {passage.thread for source in dev64.sources for passage in source.passages if "~2" in passage.thread}
    assert len(suffixed) == 2
    for source in dev64.sources:
        assert len({(passage.thread, passage.position) for passage in source.passages}) == len(source.passages)

"""What capture and recall see is the same whatever the labels say.

LongMemEval's `wenlan` protocol is left out, and must be: it chooses its corpus by has_answer, and that is a leak.
LoCoMo's `wenlan` corpus is made of shipped observations, whose own dialog ids are labels of another kind: they are
scrambled here as well and may change the gold, not the corpus.
"""

import copy
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals.samples import SHA, locomo_sample, longmemeval_sample
from wenlan_lab.evals import locomo, longmemeval
from wenlan_lab.evals.cases import Asked, EvalTurn

LONGMEMEVAL = ("turns", "official-turn", "official-session")
labels = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.lists(st.text(max_size=4), max_size=3)
)
evidence = st.lists(st.sampled_from(["D1:1", "D2:2", "D1:2; D2:1", "D", "D99:1", ""]), max_size=4)


def seen(benchmark):
    """Everything of a benchmark that reaches a store: its turns, and its questions without labels."""
    return [(case.id, case.turns, [question.label_free for question in case.questions]) for case in benchmark.cases]


@pytest.mark.parametrize("protocol", LONGMEMEVAL)
@given(data=st.data())
def test_longmemeval_turns_do_not_depend_on_its_labels(protocol, data):
    raw = longmemeval_sample()
    scrambled = copy.deepcopy(raw)
    for entry in scrambled:
        entry["question_type"] = data.draw(st.text(max_size=8))
        entry["answer"] = data.draw(labels)
        entry["answer_session_ids"] = data.draw(st.lists(st.text(max_size=4), max_size=3))
        for session in entry["haystack_sessions"]:
            for turn in session:
                turn.pop("has_answer", None)
                if data.draw(st.booleans()):
                    turn["has_answer"] = data.draw(labels)
    parsed = [longmemeval.parse(x, SHA, protocol) for x in (raw, scrambled)]
    assert seen(parsed[0]) == seen(parsed[1])


@pytest.mark.parametrize("protocol", locomo.PROTOCOLS)
@given(data=st.data())
def test_locomo_turns_do_not_depend_on_its_labels(protocol, data):
    raw = locomo_sample()
    scrambled = copy.deepcopy(raw)
    for conversation in scrambled:
        for question in conversation["qa"]:
            question["category"] = data.draw(st.integers(1, 5))
            question["evidence"] = data.draw(evidence)
            question["answer"] = data.draw(labels)
            question["adversarial_answer"] = data.draw(labels)
        conversation["event_summary"] = data.draw(labels)
    parsed = [locomo.parse(x, SHA, protocol) for x in (raw, scrambled)]
    assert seen(parsed[0]) == seen(parsed[1])


def test_scrambling_is_noticed_where_a_corpus_is_chosen_by_labels():
    """The positive control: the protocol that leaks does change."""
    raw = longmemeval_sample()
    scrambled = copy.deepcopy(raw)
    for turn in scrambled[0]["haystack_sessions"][1]:
        turn["has_answer"] = not turn["has_answer"]
    parsed = [longmemeval.parse(x, SHA, "wenlan") for x in (raw, scrambled)]
    assert seen(parsed[0]) != seen(parsed[1])


def test_the_name_of_a_session_reaches_identity_alone():
    """LongMemEval calls its evidence sessions answer_…: under other names, text, speaker, place and time stay."""
    raw = longmemeval_sample()
    renamed = copy.deepcopy(raw)
    for entry in renamed:
        entry["haystack_session_ids"] = [name.replace("answer", "plain") for name in entry["haystack_session_ids"]]
    for protocol in LONGMEMEVAL:
        for here, there in zip(
            longmemeval.parse(raw, SHA, protocol).cases, longmemeval.parse(renamed, SHA, protocol).cases, strict=True
        ):
            assert [(t.text, t.speaker, t.position, t.time) for t in here.turns] == [
                (t.text, t.speaker, t.position, t.time) for t in there.turns
            ]


def test_neither_a_turn_nor_an_asked_question_has_room_for_a_label():
    assert {field.name for field in fields(EvalTurn)} == {"ref", "text", "speaker", "thread", "position", "time"}
    assert {field.name for field in fields(Asked)} == {"id", "text", "at"}

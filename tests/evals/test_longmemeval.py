"""LongMemEval as four protocols see it: by a small file with every fault, then by the facts of the real ones."""

import json
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256

import pytest

from tests.evals.samples import OTHER_SHA, SHA, longmemeval_sample, real_file
from wenlan_lab import InvalidRequest
from wenlan_lab.evals import longmemeval
from wenlan_lab.importers import parse_longmemeval


def case_of(protocol, number=0):
    return longmemeval.parse(longmemeval_sample(), SHA, protocol).cases[number]


def refs_of(case):
    return [turn.ref for turn in case.turns]


def test_turns_holds_both_roles_and_any_of_them_may_be_gold():
    case = case_of("turns")
    assert refs_of(case) == [
        "noise#0", "noise#1", "answer_1#0", "answer_1#1", "answer_1#2", "answer_1#3",
        "noise~2#0", "noise~2#1", "only#0",
    ]  # fmt: skip
    assert case.questions[0].gold == {"answer_1#0", "answer_1#2", "answer_1#3"}
    assert [turn.speaker for turn in case.turns][:3] == ["user", "assistant", "user"]


def test_official_turn_holds_user_turns_and_their_gold():
    case = case_of("official-turn")
    assert refs_of(case) == ["noise#0", "answer_1#0", "answer_1#2", "noise~2#0"]
    assert case.questions[0].gold == {"answer_1#0", "answer_1#2"}


def test_official_session_joins_the_user_turns_of_a_session():
    case = case_of("official-session")
    assert [(turn.ref, turn.text) for turn in case.turns] == [
        ("noise", "How do I cook rice?"),
        ("answer_1", "I bought a bike It is red"),
        ("noise~2", "How do I cook rice?"),
    ]
    assert case.questions[0].gold == {"answer_1"}


def test_wenlan_drops_the_assistant_turns_that_are_no_evidence():
    case = case_of("wenlan")
    assert refs_of(case) == ["noise#0", "answer_1#0", "answer_1#2", "answer_1#3", "noise~2#0"]
    assert case.questions[0].gold == {"answer_1#0", "answer_1#2", "answer_1#3"}


@pytest.mark.parametrize(
    ("protocol", "graded"),
    [
        ("turns", [True, False, True]),
        ("wenlan", [True, False, True]),
        ("official-turn", [True, False, False]),
        ("official-session", [True, False, False]),
    ],
)
def test_each_protocol_grades_what_has_gold_of_its_kind(protocol, graded):
    cases = longmemeval.parse(longmemeval_sample(), SHA, protocol).cases
    assert [case.questions[0].graded for case in cases] == graded
    assert [case.questions[0].abstention for case in cases] == [False, True, False]


def test_an_abstention_question_with_gold_is_graded_in_turns_and_flagged_but_never_official():
    raw = longmemeval_sample()
    raw[1]["haystack_sessions"][0][0]["has_answer"] = True
    asked = {p: longmemeval.parse(raw, SHA, p).cases[1].questions[0] for p in longmemeval.PROTOCOLS}
    assert {protocol: question.graded for protocol, question in asked.items()} == {
        "turns": True, "wenlan": True, "official-turn": False, "official-session": False,
    }  # fmt: skip
    assert all(question.abstention for question in asked.values())


def test_a_session_that_occurs_twice_is_two_threads_and_never_takes_anothers_name():
    raw = longmemeval_sample()
    raw[0]["haystack_session_ids"] = ["noise", "answer_1", "noise", "noise~2"]
    threads = list(dict.fromkeys(turn.thread for turn in longmemeval.parse(raw, SHA).cases[0].turns))
    assert threads == ["noise", "answer_1", "noise~3", "noise~2"]


def test_a_turn_keeps_its_place_in_the_session_and_the_sessions_time():
    turns = {turn.ref: turn for turn in case_of("turns").turns}
    assert (turns["answer_1#3"].position, turns["answer_1#3"].thread) == (3, "answer_1")
    assert turns["answer_1#3"].time == datetime(2023, 5, 19, 21, 44, tzinfo=UTC)
    assert turns["noise~2#0"].time == datetime(2023, 5, 21, 7, 0, tzinfo=UTC)


def test_sessions_after_the_question_are_kept_and_counted():
    case = case_of("turns")
    assert [turn.ref for turn in case.turns if turn.time > case.questions[0].at] == ["only#0"]
    raw = longmemeval_sample()
    raw[0]["haystack_dates"][3] = raw[0]["question_date"]  # in the same minute is not after
    assert longmemeval.parse(raw, SHA).quirks["sessions dated after the question"] == 0


def test_every_fault_is_counted():
    quirks = longmemeval.parse(longmemeval_sample(), SHA).quirks
    assert {quirk.name: quirk.count for quirk in quirks.found} == {
        "answers that are no text": 1,
        "empty turns": 2,
        "sessions without a user turn": 1,
        "session ids repeated in one haystack": 1,
        "haystacks with a repeated session id": 1,
        "sessions dated after the question": 1,
        "haystacks with a session dated after the question": 1,
        "haystacks whose dates are not in order": 1,
        "abstention questions": 1,
        "abstention questions without a gold turn": 1,
        "questions without a gold turn": 1,
        "questions without a gold user turn": 2,
    }


def test_the_question_carries_its_date_type_and_answer_as_text():
    question = case_of("turns").questions[0]
    assert question.at == datetime(2023, 5, 30, 10, 18, tzinfo=UTC)
    assert (question.id, question.kind, question.answer) == ("q1", "multi-session", "7")
    assert question.evidence == ("answer_1",)


def test_the_same_question_of_another_file_is_another_case():
    ids = [[case.id for case in longmemeval.parse(longmemeval_sample(), sha).cases] for sha in (SHA, OTHER_SHA)]
    assert ids[0] == ["q1@abababababab", "q2_abs@abababababab", "q3@abababababab"]
    assert set(ids[0]).isdisjoint(ids[1])


def test_official_names_two_protocols_and_every_other_name_itself():
    assert longmemeval.expand("official") == ("official-turn", "official-session")
    assert longmemeval.expand("turns") == ("turns",)


def test_official_alone_is_refused_with_the_two_it_stands_for():
    with pytest.raises(InvalidRequest, match="official-turn, official-session"):
        longmemeval.parse(longmemeval_sample(), SHA, "official")


def test_dates_are_read_whatever_the_day_is_called():
    assert longmemeval.haystack_time("2023/04/10 (星期一) 23:07") == datetime(2023, 4, 10, 23, 7, tzinfo=UTC)
    assert longmemeval.haystack_time("2023/04/10 23:07") == datetime(2023, 4, 10, 23, 7, tzinfo=UTC)
    with pytest.raises(InvalidRequest, match="LongMemEval date"):
        longmemeval.haystack_time("10 April 2023")


def broken(change):
    raw = longmemeval_sample()[:1]
    change(raw[0])
    return raw


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("[]", "is no list"),
        ([{}], "question_id"),
        (broken(lambda e: e["haystack_dates"].pop()), "3 dates"),
        (broken(lambda e: e["haystack_sessions"][0][0].pop("role")), "'role'"),
        (broken(lambda e: e["haystack_sessions"].__setitem__(0, None)), "is no list"),
        (longmemeval_sample()[:1] * 2, "one question id twice"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(raw, says):
    with pytest.raises(InvalidRequest, match=says):
        longmemeval.parse(raw, SHA)


FACTS = {
    "longmemeval_oracle.json": {
        "turns": (500, 10960, 479), "official-turn": (500, 5479, 419),
        "official-session": (500, 948, 419), "wenlan": (500, 5533, 479),
    },
    "longmemeval_s_published84.json": {
        "turns": (84, 41039, 84), "official-turn": (84, 20370, 72),
        "official-session": (84, 3927, 72), "wenlan": (84, 20381, 84),
    },
    "longmemeval_s_dev64.json": {
        "turns": (64, 31656, 61), "official-turn": (64, 15702, 52),
        "official-session": (64, 3071, 52), "wenlan": (64, 15710, 61),
    },
}  # fmt: skip


@cache
def read(name):
    """The decoded file, its digest, and its turns: read once, for they hold for every protocol."""
    content = real_file(name).read_bytes()
    raw = json.loads(content)
    return raw, sha256(content).hexdigest(), parse_longmemeval(raw)


def parsed(name, protocol="turns"):
    raw, digest, batch = read(name)
    return longmemeval.parse(raw, digest, protocol, batch=batch)


@pytest.mark.parametrize("name", FACTS)
def test_the_real_files_have_the_published_counts(name):
    for protocol, facts in FACTS[name].items():
        benchmark = parsed(name, protocol)
        counts = benchmark.counts
        assert (counts["cases"], counts["turns"], counts["graded"]) == facts, protocol
        for case in benchmark.cases:
            refs = refs_of(case)
            assert len(set(refs)) == len(refs)
            assert case.questions[0].gold <= set(refs)


def test_the_real_files_have_the_known_faults():
    oracle = parsed("longmemeval_oracle.json").quirks
    assert oracle["abstention questions"] == 30
    assert oracle["abstention questions without a gold turn"] == 21
    assert oracle["answers that are no text"] == 32
    assert oracle["haystacks with a session dated after the question"] == 43
    published = parsed("longmemeval_s_published84.json").quirks
    assert published["session ids repeated in one haystack"] == 4
    assert published["haystacks with a session dated after the question"] == 12


def test_our_official_gold_is_what_the_authors_read_from_the_session_names():
    """They take for gold whatever keeps `answer` in its id; we take has_answer. On the real file it is the same."""
    raw = read("longmemeval_oracle.json")[0]
    for entry, case in zip(raw, parsed("longmemeval_oracle.json", "official-session").cases, strict=True):
        theirs = {
            name
            for name, session in zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True)
            if "answer" in name and any(t["has_answer"] for t in session if t["role"] == "user")
        }
        assert case.questions[0].gold == theirs


def test_a_question_of_both_files_can_not_be_mixed_up():
    oracle = parsed("longmemeval_oracle.json")
    published = parsed("longmemeval_s_published84.json")
    shared = {q.id for c in oracle.cases for q in c.questions} & {q.id for c in published.cases for q in c.questions}
    assert len(shared) == 84
    assert {case.id for case in oracle.cases}.isdisjoint(case.id for case in published.cases)

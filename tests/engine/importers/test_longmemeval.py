"""A LongMemEval file becomes one source a haystack, one passage a turn, and no label gets into either."""

import json

import pytest

from wenlan_lab import InvalidRequest
from wenlan_lab.importers import parse_longmemeval, read_longmemeval
from wenlan_lab.model.sources import NewPassage

APRIL = "2023/04/10 (Mon) 17:50"
AT = "2023-04-10T17:50:00+00:00"


def turn(content, role="user", **more):
    return {"role": role, "content": content, **more}


def entry(*sessions, name="q1", ids=None, dates=None, asked="2023/05/01 (Mon) 10:00", **more):
    return {
        "question_id": name,
        "question_type": "temporal-reasoning",
        "question": "What was THEQUESTION?",
        "answer": "THEANSWER",
        "question_date": asked,
        "answer_session_ids": ["s0"],
        "haystack_dates": dates or [APRIL] * len(sessions),
        "haystack_session_ids": ids or [f"s{n}" for n in range(len(sessions))],
        "haystack_sessions": [list(session) for session in sessions],
        **more,
    }


def test_each_haystack_is_a_chat_and_names_its_space():
    batch = parse_longmemeval([entry([turn("Hi")]), entry([turn("Ho")], name="q2_abs")])
    assert [(s.kind, s.ref, s.space) for s in batch.sources] == [("chat", "q1", "q1"), ("chat", "q2_abs", "q2_abs")]
    assert batch.format == "longmemeval"


def test_a_turn_of_either_role_is_a_passage_with_its_session_place_role_and_time():
    (source,) = parse_longmemeval([entry([turn("Hi"), turn("Hello", "assistant")])]).sources
    assert source.passages == (
        NewPassage("s0#0", "s0", 0, "user", AT, "Hi"),
        NewPassage("s0#1", "s0", 1, "assistant", AT, "Hello"),
    )


def test_an_empty_turn_is_left_out_counted_and_named_and_its_place_stays_empty():
    batch = parse_longmemeval([entry([turn("a"), turn(" \n"), turn("b")])])
    assert [passage.ref for passage in batch.sources[0].passages] == ["s0#0", "s0#2"]
    assert batch.quirks == {"empty turns": 1}
    assert [(s.reference, s.reason) for s in batch.skipped] == [("q1: s0#1", "it is empty")]


def test_a_session_that_comes_twice_is_two_threads_and_counted():
    batch = parse_longmemeval([entry([turn("a")], [turn("a")], ids=["s", "s"])])
    assert [(p.thread, p.ref) for p in batch.sources[0].passages] == [("s", "s#0"), ("s~2", "s~2#0")]
    assert batch.quirks == {"haystacks with a repeated session id": 1, "session ids repeated in one haystack": 1}


def test_sessions_after_the_question_are_kept_and_counted():
    dates = [APRIL, "2024/01/01 (Mon) 00:00", "2023/04/09 (Sun) 00:00"]
    batch = parse_longmemeval([entry([turn("a")], [turn("b")], [turn("c")], dates=dates)])
    assert batch.passage_count == 3
    assert batch.quirks == {
        "haystacks whose dates are not in order": 1,
        "haystacks with a session dated after the question": 1,
        "sessions dated after the question": 1,
    }


def test_a_session_in_the_minute_of_the_question_is_not_after_it():
    assert parse_longmemeval([entry([turn("a")], asked=APRIL)]).quirks == {}


def test_labels_never_reach_a_passage():
    sessions = [turn("a", has_answer=True), turn("b", "assistant", has_answer=False)]
    plain = parse_longmemeval([entry(sessions)])
    scrambled = entry(
        [turn("a", has_answer=False), turn("b", "assistant")], answer=7, question="?", question_type="x",
        answer_session_ids=[],
    )  # fmt: skip
    assert parse_longmemeval([scrambled]) == plain
    assert "THE" not in repr(plain)
    assert "temporal" not in repr(plain)


def test_faults_of_turns_and_dates_are_handled_and_counted():
    sessions = [["no turn", turn(None), turn(3), {"content": "who?"}], []]
    batch = parse_longmemeval([entry(*sessions, dates=["some day", APRIL], asked="later")])
    assert [(p.ref, p.speaker, p.at) for p in batch.sources[0].passages] == [("s0#3", "", None)]
    assert batch.quirks == {"sessions without a date that can be read": 1, "sessions without turns": 1}
    assert [s.reason for s in batch.skipped] == ["its content is no text"] * 3


def test_one_haystack_is_read_alone_and_the_others_are_not_even_looked_into(tmp_path):
    path = tmp_path / "two.json"
    path.write_text(json.dumps([entry(name="q1", haystack_sessions="damaged"), entry([turn("Hi")], name="q2")]))
    assert [source.ref for source in read_longmemeval(path, conversation="q2").sources] == ["q2"]
    with pytest.raises(InvalidRequest, match="'haystack_sessions' of q1 is no list"):
        read_longmemeval(path)


def test_an_unknown_question_is_refused_with_near_spellings():
    with pytest.raises(InvalidRequest, match=r"no question 'gpt4_2655b83'.*did you mean 'gpt4_2655b836'"):
        parse_longmemeval([entry(name="gpt4_2655b836")], "gpt4_2655b83")


def test_a_haystack_whose_lists_differ_in_length_is_refused():
    with pytest.raises(InvalidRequest, match="2 session ids, 1 dates and 1 sessions"):
        parse_longmemeval([entry([turn("a")], ids=["a", "b"])])


def test_a_question_that_comes_twice_is_two_sources():
    batch = parse_longmemeval([entry([turn("a")]), entry([turn("a")])])
    assert [source.ref for source in batch.sources] == ["q1", "q1~2"]
    assert batch.quirks == {"question ids repeated": 1}


@pytest.mark.parametrize("decoded", [{}, [[]], None, "text", [{"question_id": 3}], [{"question_id": "q"}]])
def test_a_file_of_another_shape_is_refused_at_once(decoded):
    with pytest.raises(InvalidRequest, match="format"):
        parse_longmemeval(decoded)

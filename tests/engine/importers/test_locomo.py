"""A LoCoMo file becomes one source a conversation, one passage a turn."""

import json

import pytest

from tests.evals.samples import dialog, locomo_sample
from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.importers import parse_locomo, read_locomo
from wenlan_lab.model.sources import NewPassage

MAY = "2023-05-08T13:56:00+00:00"


def conversation(name="conv-1", **sessions):
    talk = {"speaker_a": "Ann", "speaker_b": "Bo"}
    for key, turns in sessions.items():
        talk |= {key: turns, f"{key}_date_time": "1:56 pm on 8 May, 2023"}
    return {"sample_id": name, "conversation": talk, "qa": [{"answer": "the answer"}]}


def passages(*turns):
    return parse_locomo([conversation(session_1=list(turns))]).sources[0].passages


def test_each_conversation_is_a_chat_and_names_its_space():
    batch = parse_locomo([conversation("conv-1", session_1=[dialog("D1:1", "Hi")]), conversation("conv-2")])
    assert [(s.kind, s.ref, s.title, s.space) for s in batch.sources] == [
        ("chat", "conv-1", "Ann and Bo", "conv-1"),
        ("chat", "conv-2", "Ann and Bo", "conv-2"),
    ]
    assert batch.format == "locomo"


def test_a_turn_is_a_passage_with_its_dialog_id_session_speaker_and_time():
    assert passages(dialog("D1:1", " Hi  Bo!\n")) == (NewPassage("D1:1", "session_1", 0, "Ann", MAY, " Hi  Bo!\n"),)


def test_a_picture_is_its_caption_behind_the_text_or_alone():
    found = passages(
        dialog("D1:1", "Look", blip_caption="a red bicycle"),
        dialog("D1:2", "", blip_caption="a lake"),
        dialog("D1:3", "no picture", blip_caption=""),
    )
    assert [passage.text for passage in found] == ["Look [image: a red bicycle]", "[image: a lake]", "no picture"]


def test_an_empty_turn_is_left_out_counted_and_named_and_its_place_stays_empty():
    batch = parse_locomo([conversation(session_1=[dialog("D1:1", "a"), dialog("D1:2", "  "), dialog("D1:3", "b")])])
    assert [passage.position for passage in batch.sources[0].passages] == [0, 2]
    assert batch.quirks["empty turns"] == 1
    assert [(s.reference, s.reason) for s in batch.skipped] == [("turn 1 of session_1 in conv-1", "it is empty")]


def test_sessions_come_by_number_not_by_spelling():
    batch = parse_locomo([conversation(session_10=[dialog("D10:1", "ten")], session_2=[dialog("D2:1", "two")])])
    assert [passage.thread for passage in batch.sources[0].passages] == ["session_2", "session_10"]


def test_a_dialog_id_that_comes_again_is_kept_apart_and_counted():
    batch = parse_locomo([conversation(session_1=[dialog("D1:1", "a"), dialog("D1:1", "b")])])
    assert [passage.ref for passage in batch.sources[0].passages] == ["D1:1", "D1:1~2"]
    assert batch.quirks["dialog ids repeated in one conversation"] == 1


def test_two_turns_of_the_same_words_are_two_passages():
    assert len(passages(dialog("D1:1", "Thanks!"), dialog("D1:2", "Thanks!"))) == 2


def test_faults_of_turns_and_sessions_are_handled_and_counted():
    entry = conversation(
        session_1=["no turn", {"text": "who said it?"}, {"dia_id": "D1:3", "speaker": 7}], session_2=[]
    )
    entry["conversation"] |= {"session_3": [dialog("D3:1", "when?")], "session_9_date_time": "1:56 pm on 8 May, 2023"}
    batch = parse_locomo([entry])
    assert [(p.ref, p.speaker, p.at) for p in batch.sources[0].passages] == [
        ("session_1#1", "", MAY),
        ("D3:1", "Ann", None),
    ]
    assert batch.quirks == {
        "empty turns": 1,
        "session dates without a session": 1,
        "sessions without a date that can be read": 1,
        "sessions without turns": 1,
        "turns without a dialog id": 1,
    }
    assert [s.reason for s in batch.skipped] == ["it is no object", "it is empty"]


def test_one_conversation_is_read_alone(tmp_path):
    path = tmp_path / "two.json"
    path.write_text(json.dumps([conversation("conv-1"), conversation("conv-2", session_1=[dialog("D1:1", "Hi")])]))
    batch = read_locomo(path, conversation="conv-2")
    assert [source.ref for source in batch.sources] == ["conv-2"]


def test_other_conversations_are_not_even_looked_into():
    broken = {"sample_id": "conv-1", "conversation": "damaged"}
    assert parse_locomo([broken, conversation("conv-2")], "conv-2").sources[0].ref == "conv-2"
    with pytest.raises(InvalidRequest, match="conv-1 is no object"):
        parse_locomo([broken])


def test_an_unknown_conversation_is_refused_with_near_spellings():
    with pytest.raises(InvalidRequest, match=r"no conversation 'conv26'.*did you mean 'conv-26'"):
        parse_locomo([conversation("conv-26"), conversation("x")], "conv26")


def test_a_conversation_that_comes_twice_is_two_sources():
    batch = parse_locomo([conversation("conv-1"), conversation("conv-1")])
    assert [source.ref for source in batch.sources] == ["conv-1", "conv-1~2"]
    assert batch.quirks == {"conversation ids repeated": 1}


def test_labels_never_reach_a_passage():
    sample = locomo_sample()
    plain = parse_locomo(sample)
    for entry in sample:
        entry |= {"qa": "x", "observation": None, "event_summary": 3, "session_summary": []}
    assert parse_locomo(sample) == plain
    assert "the answer" not in repr(parse_locomo([conversation()]))


@pytest.mark.parametrize("decoded", [{}, [[]], None, "text", [{"sample_id": 3}], [{"sample_id": "conv-1"}]])
def test_a_file_of_another_shape_is_refused_at_once(decoded):
    with pytest.raises(InvalidRequest, match="format"):
        parse_locomo(decoded)


def test_a_file_without_a_conversation_is_refused():
    with pytest.raises(InvalidRequest, match="no conversation"):
        parse_locomo([])


def test_hostile_words_and_names_come_through_as_words(tmp_path):
    turn = dialog("D1:1\n<b>", '<script>alert(1)</script> "AND" NEAR( \u202e{{x}} \0\ud800', speaker="Ann\0 OR")
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps([conversation(session_1=[turn])]))
    (found,) = read_locomo(path).sources[0].passages
    assert found.text == '<script>alert(1)</script> "AND" NEAR( \u202e{{x}} \ufffd\ufffd'
    assert (found.ref, found.speaker) == ("D1:1 <b>", "Ann\ufffd OR")


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(NotFound, match="nothing at"):
        read_locomo(tmp_path / "none.json")

"""Plain turns: what a line may hold, and that no line stops the others."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.importers import Skipped, read_turns
from wenlan_lab.model.sources import NewPassage


def saved(tmp_path, *rows, name="talk.jsonl", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode(encoding))
    return path


def test_a_line_is_a_passage_with_its_number_as_reference_and_the_files_name_as_thread(tmp_path):
    path = saved(tmp_path, {"role": "user", "content": " Hi ", "time": "2024-05-08T13:56"}, "", {"content": "Ho"})
    batch = read_turns(path, space="talks")
    (source,) = batch.sources
    assert (source.kind, source.ref, source.title, source.space) == ("chat", str(path), "talk", "talks")
    assert source.passages == (
        NewPassage("line 1", "talk", 0, "user", "2024-05-08T13:56:00+00:00", " Hi "),
        NewPassage("line 3", "talk", 1, "", None, "Ho"),
    )
    assert (batch.quirks, batch.skipped, batch.format) == ({}, (), "turns")


def test_threads_count_their_own_positions_and_a_speaker_goes_before_a_role():
    lines = [
        json.dumps({"content": "1", "thread": "a", "speaker": "Ann", "role": "user"}),
        json.dumps({"content": "2", "thread": "b"}),
        json.dumps({"content": "3", "thread": "a", "id": "x7"}),
        json.dumps({"content": "4", "thread": 5, "id": 12}),
    ]
    found = read_turns(lines, name="pasted").sources[0]
    assert [(p.ref, p.thread, p.position, p.speaker) for p in found.passages] == [
        ("line 1", "a", 0, "Ann"),
        ("line 2", "b", 0, ""),
        ("x7", "a", 1, ""),
        ("12", "5", 0, ""),
    ]
    assert found.ref == "pasted"


def test_an_id_that_comes_again_gets_a_suffix():
    batch = read_turns(['{"content": "a", "id": "x"}', '{"content": "b", "id": "x"}'])
    assert [passage.ref for passage in batch.sources[0].passages] == ["x", "x~2"]
    assert batch.quirks == {"references repeated": 1}


def test_an_array_of_the_same_objects_is_read_too(tmp_path):
    path = saved(tmp_path, json.dumps([{"content": "a"}, 3, {"content": "b"}], indent=2), name="talk.json")
    batch = read_turns(path)
    assert [(p.ref, p.position) for p in batch.sources[0].passages] == [("item 1", 0), ("item 3", 1)]
    assert batch.skipped == (Skipped("item 2", "it is no object"),)


def test_bad_lines_are_left_out_with_number_and_reason_and_stop_nothing(tmp_path):
    path = tmp_path / "bad.jsonl"
    rows = [
        b'{"content": "first"}', b"{broken", b"[]", b'"text"', b"null", b'{"role": "user"}', b'{"content": 3}',
        b'{"content": "  "}', b'{"content": "caf\xe9"}', b"[" * 5000, b'{"n": ' + b"9" * 5000 + b"}",
        b'{"content": "last"}',
    ]  # fmt: skip
    path.write_bytes(b"\r\n".join(rows))
    batch = read_turns(path)
    assert [(p.ref, p.text, p.position) for p in batch.sources[0].passages] == [
        ("line 1", "first", 0),
        ("line 12", "last", 1),
    ]
    assert batch.quirks == {"rows that are no turn": 10}
    assert [s.reference for s in batch.skipped] == [f"line {n}" for n in range(2, 12)]
    reasons = [s.reason for s in batch.skipped]
    assert reasons[0].startswith("it is no JSON")
    assert reasons[1:8] == [
        "it is no object", "it is no object", "it is no object", "it has no content", "its content is no text",
        "its content is empty", "it isn't UTF-8",
    ]  # fmt: skip
    assert reasons[8] in ("it is nested too deeply", "it is no JSON")
    assert reasons[9].startswith("it is no JSON")


def test_a_time_that_is_no_complete_date_is_dropped_and_counted():
    times: list[object] = ["yesterday", [], "", None, "2024-05-08", 1715176560]
    batch = read_turns([json.dumps({"content": "x", "time": time}) for time in times])
    assert [bool(passage.at) for passage in batch.sources[0].passages] == [False] * 4 + [True] * 2
    assert batch.quirks == {"times that are no complete date": 2}


def test_members_of_the_wrong_kind_are_nothing_and_counted():
    batch = read_turns(['{"content": "x", "speaker": ["Ann"], "thread": {}, "id": true, "role": "user"}'])
    (found,) = batch.sources[0].passages
    assert (found.ref, found.thread, found.speaker) == ("line 1", "turns", "user")
    assert sum(batch.quirks.values()) == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_understood(tmp_path, encoding):
    path = saved(tmp_path, {"content": "é"}, '{"content": "日本"}', encoding=encoding)
    assert [passage.text for passage in read_turns(path).sources[0].passages] == ["é", "日本"]
    array = saved(tmp_path, '[{"content": "é"}]', encoding=encoding)
    assert read_turns(array).sources[0].passages[0].ref == "item 1"


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path):
    path = saved(tmp_path, json.dumps({"content": "one\u2028two\x85three"}, ensure_ascii=False))
    assert read_turns(path).sources[0].passages[0].text == "one\u2028two\x85three"


@pytest.mark.parametrize("content", ["no json", "[1, 2]", '{"role": "user"}', "{}"])
def test_a_file_without_a_turn_is_refused_with_the_first_reason(tmp_path, content):
    with pytest.raises(InvalidRequest, match=r"holds no turn \((line|item) 1: "):
        read_turns(saved(tmp_path, content))


def test_nothing_at_all_is_refused(tmp_path):
    with pytest.raises(InvalidRequest, match="no lines"):
        read_turns([])
    with pytest.raises(InvalidRequest, match="empty"):
        read_turns(saved(tmp_path, " \n"))
    with pytest.raises(NotFound):
        read_turns(tmp_path / "none.jsonl")


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_every_text_comes_back_or_is_named(texts):
    lines = [json.dumps({"content": text}) for text in [*texts, "end"]]
    batch = read_turns(lines)
    assert batch.passage_count + len(batch.skipped) == len(lines)
    for passage in batch.sources[0].passages:
        given_text = json.loads(lines[int(passage.ref.removeprefix("line ")) - 1])["content"]
        assert passage.text == given_text.replace("\0", "\ufffd") or passage.redactions


def test_a_megabyte_is_one_passage_unclipped():
    text = "word " * 200_000
    assert read_turns([json.dumps({"content": text})]).sources[0].passages[0].text == text

"""The one door: content tells the format, and everything that is none is refused with what to do."""

import json

import pytest

from tests.engine.importers.test_longmemeval import entry, turn
from tests.evals.samples import locomo_sample
from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.importers import FORMATS, detect_format, read

LOCOMO = json.dumps(locomo_sample())
LONGMEMEVAL = json.dumps([entry([turn("Hi")])])
TURNS = '{"role": "user", "content": "Hi"}\n{"content": "Ho"}'


def saved(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("x.json", LOCOMO, "locomo"),
        ("x.txt", LOCOMO, "locomo"),
        ("x.json", json.dumps(locomo_sample()[0]), "locomo"),
        ("x.json", LONGMEMEVAL, "longmemeval"),
        ("x", "\ufeff" + LONGMEMEVAL, "longmemeval"),
        ("x.jsonl", TURNS, "turns"),
        ("x.log", TURNS, "turns"),
        ("x.md", TURNS, "turns"),
        ("x.jsonl", "{broken\n" + TURNS, "turns"),
        ("x.jsonl", "not one turn", "turns"),
        ("x.json", '[{"content": "Hi"}]', "turns"),
        ("x.json", '\n {"content": "Hi"}', "turns"),
        ("x.jsonl", b'{"content": "caf\xe9"}\n{"content": "Hi"}', "turns"),
        ("x.jsonl", TURNS.encode("utf-16"), "turns"),
        ("x.md", "# Title\n\ntext", "document"),
        ("x.md", "[a link](x) first", "document"),
        ("x.md", "{% raw %}", "document"),
        ("x.txt", "[]", "document"),
        ("x.TXT", "text", "document"),
        ("x.bin", b"%PDF-1.4\n", "document"),
    ],
)
def test_content_tells_the_format(tmp_path, name, content, format):
    assert detect_format(saved(tmp_path, name, content)) == format


def test_a_folder_is_one(tmp_path):
    assert detect_format(tmp_path) == "folder"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.json", "{broken", "no JSON"),
        ("x.json", "[" * 5000, "no JSON"),
        ("x.json", "{}", "nothing that is known"),
        ("x.json", "[]", "nothing that is known"),
        ("x.json", "[[1]]", "nothing that is known"),
        ("x.json", "3", "nothing that is known"),
        ("x.json", '{"cells": [], "nbformat": 4}', "nothing that is known"),
        ("x.csv", "a,b\n1,2", "nothing that is known"),
        ("x.png", b"\x89PNG\r\n\x1a\n\0", "nothing that is known"),
        ("x", "plain words", "nothing that is known"),
        ("x.json", "", "empty"),
    ],
)
def test_what_is_no_format_is_refused_with_what_can_be_imported(tmp_path, name, content, words):
    with pytest.raises(InvalidRequest, match=words):
        detect_format(saved(tmp_path, name, content))


def test_nothing_there_is_not_found(tmp_path):
    with pytest.raises(NotFound, match="check the path"):
        read(tmp_path / "none.json")
    with pytest.raises(NotFound):
        read(tmp_path / "none.json", format="locomo")


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [("x.json", LOCOMO, "locomo"), ("x.json", LONGMEMEVAL, "longmemeval"), ("x.jsonl", TURNS, "turns"),
     ("x.md", "# A\n\ntext", "document")],
)  # fmt: skip
def test_a_named_format_and_the_found_one_read_the_same(tmp_path, name, content, format):
    path = saved(tmp_path, name, content)
    assert read(path, format) == read(path)
    assert read(path).format == format


def test_a_format_that_the_file_has_not_is_refused(tmp_path):
    path = saved(tmp_path, "x.md", "# A\n\ntext")
    for format in ("locomo", "longmemeval", "turns"):
        with pytest.raises(InvalidRequest):
            read(path, format)
    with pytest.raises(InvalidRequest, match="no folder"):
        read(path, "folder")
    with pytest.raises(InvalidRequest, match="is a folder"):
        read(tmp_path, "locomo")


def test_a_named_format_opens_what_is_not_recognised(tmp_path):
    path = saved(tmp_path, "notes.org", "* plain words")
    assert read(path, "document").sources[0].passages[0].text == "* plain words"
    saved(tmp_path, "a.md", "text")
    assert read(tmp_path, "document").format == "folder"


def test_an_unknown_format_is_refused_with_near_spellings(tmp_path):
    with pytest.raises(InvalidRequest, match="did you mean 'locomo'"):
        read(saved(tmp_path, "x.json", LOCOMO), "lokomo")
    assert set(FORMATS) == {"locomo", "longmemeval", "turns", "document", "folder"}


def test_a_space_that_is_named_holds_all_of_it(tmp_path):
    for name, content in (("x.json", LOCOMO), ("y.jsonl", TURNS), ("z.md", "text")):
        assert {source.space for source in read(saved(tmp_path, name, content), space="all").sources} == {"all"}


def test_one_conversation_is_read_alone_where_there_are_some(tmp_path):
    path = saved(tmp_path, "x.json", LOCOMO)
    assert [source.ref for source in read(path, conversation="conv-1").sources] == ["conv-1"]
    with pytest.raises(InvalidRequest, match="did you mean"):
        read(path, conversation="conv-9")
    with pytest.raises(InvalidRequest, match="leave `conversation` out"):
        read(saved(tmp_path, "y.jsonl", TURNS), conversation="conv-1")


def test_the_given_count_of_tokens_reaches_the_document(tmp_path):
    saved(tmp_path, "a.txt", "one\n\ntwo")
    assert read(tmp_path, count_tokens=lambda text: 200 * len(text.split())).passage_count == 2
    assert read(tmp_path / "a.txt", count_tokens=lambda text: 200 * len(text.split())).passage_count == 2

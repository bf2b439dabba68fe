"""The keyword arm: a MATCH string for any text, CJK by pairs, the scope inside the search."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wenlan_lab.derived import lexical

ANY_TEXT = st.text(st.characters(), max_size=80)


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute(lexical.CREATE)
    rows = [
        (1, "The pump stalls: a pump below four degrees", "", "", "", "2026 may 8 friday", "spca0 memory0"),
        (2, "Die Pumpe läuft über Nacht", "", "", "The pump stalls", "", "spcb0 memory0"),
        (3, lexical.indexed_text("机器学习很有趣"), "", "", "", "", "spca0 passage0"),
        (4, 'C++ and "quotes" near (brackets) AND OR NOT', "title words", "", "", "", "spca0 hidden0"),
    ]
    connection.executemany(lexical.INSERT, rows)
    yield connection
    connection.close()


def found(index: sqlite3.Connection, *terms: str, **options: object) -> list[int]:
    match = lexical.match_query(terms, **options)  # type: ignore[arg-type]
    return [] if match is None else lexical.search(index, match, 10)[0].tolist()


@given(ANY_TEXT, ANY_TEXT)
@settings(max_examples=500)
def test_any_text_makes_a_query_that_runs(first: str, second: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(lexical.CREATE)
    connection.execute(lexical.INSERT, (1, lexical.indexed_text(first), "", "", "", "", "x0"))
    match = lexical.match_query([first, second], phrases=[second], scope=[("x", second)], without="hidden")
    if match is not None:
        numbers, _ = lexical.search(connection, match, 5)
        if lexical.tokens(first):
            assert numbers.tolist() == [1]
    connection.close()


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "AND OR NOT NEAR(",
        "text:pump",
        "pump*",
        "-pump",
        "(pump",
        "pump)",
        "a^2",
        "{pump}",
        "\0pump",
        "\ud800pump",
        "'; drop table lexical; --",
        "pump" * 5000,
        "pump " * 5000,
    ],
)
def test_fts_operators_and_hostile_text_are_only_words(index: sqlite3.Connection, query: str) -> None:
    found(index, query)
    assert 1 in found(index, query + " stalls")


def test_nothing_to_search_for_is_no_query() -> None:
    assert lexical.match_query(["", "  ", "!?…", "\0"]) is None


def test_words_are_found_by_their_stem_and_without_diacritics(index: sqlite3.Connection) -> None:
    assert found(index, "stalling") == [1, 2]
    assert found(index, "LAUFT") == [2]
    assert found(index, "quote") == [4]


@pytest.mark.parametrize("piece", ["机器", "器学", "学习", "习很", "有趣", "学习很有"])
def test_cjk_is_found_by_any_piece_of_two_characters(index: sqlite3.Connection, piece: str) -> None:
    assert found(index, piece) == [3]


def test_the_own_words_weigh_more_than_the_neighbours(index: sqlite3.Connection) -> None:
    assert found(index, "pump") == [1, 2]


def test_the_scope_narrows_the_search_itself(index: sqlite3.Connection) -> None:
    assert found(index, "pump", scope=[("spc_b",)]) == [2]
    assert found(index, "pump", "quotes", scope=[("spc_a",), ("memory",)]) == [1]
    assert found(index, "quotes", without="hidden") == []
    assert found(index, "quotes") == [4]


def test_a_scope_word_in_the_text_opens_no_door(index: sqlite3.Connection) -> None:
    assert found(index, "spca0") == []
    assert found(index, "hidden0 memory0") == []


def test_the_words_of_a_date_are_searchable(index: sqlite3.Connection) -> None:
    assert found(index, "May", "2026") == [1]

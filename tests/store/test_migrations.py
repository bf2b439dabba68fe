"""Migrations: each in one transaction with its record; a newer schema is left alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from wenlan_lab.errors import MigrationFailed, SchemaTooNew, StoreError
from wenlan_lab.store import migrate
from wenlan_lab.store.connection import open_truth, writing


def test_migrating_twice_runs_everything_once(tmp_path: Path) -> None:
    truth = open_truth(tmp_path)
    assert migrate.migrate(truth, "x", "now") == tuple(migrate.available())
    assert migrate.migrate(truth, "x", "later") == ()
    assert migrate.applied(truth) == tuple(migrate.available())


def test_a_newer_schema_is_refused_and_not_touched(tmp_path: Path) -> None:
    truth = open_truth(tmp_path)
    migrate.migrate(truth, "x", "now")
    with writing(truth) as tx:
        tx.execute("insert into migration values ('9999_from_the_future.sql', 'now')")
    before = list(truth.iterdump())
    with pytest.raises(SchemaTooNew, match="9999_from_the_future"):
        migrate.migrate(truth, "x", "now")
    assert list(truth.iterdump()) == before


def test_a_failing_migration_leaves_the_database_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = open_truth(tmp_path)
    migrate.migrate(truth, "x", "now")
    before = list(truth.iterdump())
    scripts = {**migrate.available(), "9000_bad.sql": "create table a (b text) strict; create table a (c text) strict;"}
    monkeypatch.setattr(migrate, "available", lambda: scripts)
    with pytest.raises(MigrationFailed, match="9000_bad"):
        migrate.migrate(truth, "x", "now")
    assert list(truth.iterdump()) == before


def test_a_file_that_is_no_database_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "truth.db").write_bytes(b"this is a letter, not a database" * 40)
    with pytest.raises(StoreError, match="can't be opened"):
        open_truth(tmp_path)


def test_statements_are_split_where_they_end_and_comments_are_no_statement() -> None:
    script = "create table a (b text);\n-- a; comment\ncreate table c (\n d text -- with ; in it\n);\n"
    parts = migrate.split_statements(script)
    connection = sqlite3.connect(":memory:")
    for part in parts:
        connection.execute(part)
    assert [row[0] for row in connection.execute("select name from sqlite_schema order by name")] == ["a", "c"]

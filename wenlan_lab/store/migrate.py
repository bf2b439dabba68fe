"""Numbered .sql files, each applied in one transaction together with the row that says it ran.

Released files are never edited. A schema from a newer wenlan_lab is refused before anything is touched.
"""

from __future__ import annotations

import sqlite3
from importlib import resources

from wenlan_lab.errors import MigrationFailed, SchemaTooNew
from wenlan_lab.store.connection import writing

HAS_RECORD = "select 1 from sqlite_schema where type = 'table' and name = 'migration'"
CREATE_RECORD = "create table migration (name text primary key, at text not null) strict, without rowid"
APPLIED = "select name from migration order by name"
RECORD = "insert into migration (name, at) values (?, ?)"


def available() -> dict[str, str]:
    """The migrations this version ships, name -> SQL, in order."""
    folder = resources.files("wenlan_lab.store").joinpath("migrations")
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return {item.name: item.read_text(encoding="utf-8") for item in files}


def applied(truth: sqlite3.Connection) -> tuple[str, ...]:
    """The migrations that have run here. Reads only."""
    if truth.execute(HAS_RECORD).fetchone() is None:
        return ()
    return tuple(row[0] for row in truth.execute(APPLIED))


def migrate(truth: sqlite3.Connection, path: str, at: str) -> tuple[str, ...]:
    """Bring the schema up to this version and return the names that ran now (usually none)."""
    scripts = available()
    unknown = [name for name in applied(truth) if name not in scripts]
    if unknown:
        raise SchemaTooNew(path, unknown)
    ran = []
    for name, script in scripts.items():
        if name in applied(truth):
            continue
        try:
            if _run(truth, name, script, at):
                ran.append(name)
        except sqlite3.Error as error:
            raise MigrationFailed(name, str(error)) from error
    return tuple(ran)


def _run(truth: sqlite3.Connection, name: str, script: str, at: str) -> bool:
    with writing(truth) as tx:
        if tx.execute(HAS_RECORD).fetchone() is None:
            tx.execute(CREATE_RECORD)
        if name in applied(tx):  # another process was faster
            return False
        for statement in split_statements(script):
            tx.execute(statement)
        tx.execute(RECORD, (name, at))
        return True


def split_statements(script: str) -> list[str]:
    """The statements of a script, one by one: `executescript` would commit behind our back."""
    statements, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    if pending.strip() and not pending.strip().startswith("--"):
        statements.append(pending)
    return statements

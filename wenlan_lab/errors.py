"""Everything wenlan_lab raises, drawn as one tree.

    WenlanError
    ├── InvalidRequest (ValueError)   the caller can fix an argument
    ├── NotFound (LookupError)        no such memory, space, source, page, review item
    ├── StaleRevision                 someone changed it first; carries the current revision
    ├── StoreError
    │   ├── SchemaTooNew              written by a newer wenlan_lab; nothing was touched
    │   ├── MigrationFailed           carries the file name; the database is unchanged
    │   └── IntegrityBroken           verify() found broken invariants; carries the list
    ├── ProviderError
    │   ├── ProviderContractError     wrong shape, NaN, out of range: a bug, never degraded
    │   └── ProviderUnavailable       may be degraded, and then is always reported
    └── MissingExtra (ImportError)    names the exact pip command

Expected results (already known, rejected, tombstoned, nothing relevant) are returned values, never errors.
Every message says what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence


class WenlanError(Exception):
    """The root: catch it to catch everything wenlan_lab raises on purpose."""


class InvalidRequest(WenlanError, ValueError):
    """An argument can't be used as it is; the message names it and what would work."""


class NotFound(WenlanError, LookupError):
    """What was asked for isn't in this workbench."""


class StaleRevision(WenlanError):
    """The thing was changed after the caller read it. Read it again, then decide again."""

    def __init__(self, subject: str, *, expected: int, current: int | None) -> None:
        self.subject = subject
        self.expected = expected
        self.current = current
        super().__init__(
            f"{subject} was changed meanwhile (you had revision {expected}, it is now {current}): "
            "read it again and repeat the change."
        )


class StoreError(WenlanError):
    """The workbench's files can't be used."""


class SchemaTooNew(StoreError):
    """A newer wenlan_lab wrote this workbench. Nothing was touched."""

    def __init__(self, path: str, migrations: Sequence[str]) -> None:
        self.path = path
        self.migrations = tuple(migrations)
        super().__init__(
            f"{path} was written by a newer wenlan_lab (unknown migrations: {', '.join(migrations)}). "
            "Nothing was touched: update with `pip install -U wenlan-lab` and open it again."
        )


class MigrationFailed(StoreError):
    """A schema migration failed; its transaction was rolled back and the database is as before."""

    def __init__(self, migration: str, reason: str) -> None:
        self.migration = migration
        super().__init__(
            f"migration {migration} failed ({reason}); the database is unchanged. "
            "Back up truth.db and report this with the message above."
        )


class IntegrityBroken(StoreError):
    """verify() found broken invariants; `problems` names each of them."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        head = "; ".join(self.problems[:3])
        super().__init__(
            f"{len(self.problems)} broken invariant(s): {head}. "
            "Restore truth.db from a backup, or run `wenlan-lab verify` for the whole list."
        )


class ProviderError(WenlanError):
    """An embedder, index, reranker or text generator let us down."""


class ProviderContractError(ProviderError):
    """A provider returned something its port forbids (wrong row count, NaN, out of range): fix the provider."""


class ProviderUnavailable(ProviderError):
    """A provider can't work now (weights missing, endpoint down). What can go on without it goes on, and says so."""


class MissingExtra(WenlanError, ImportError):
    """An optional dependency is absent."""

    def __init__(self, feature: str, extra: str) -> None:
        self.feature = feature
        self.extra = extra
        super().__init__(f"{feature} needs an optional package: run `pip install 'wenlan-lab[{extra}]'`.")

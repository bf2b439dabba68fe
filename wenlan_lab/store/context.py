"""What every handler of a change is given: the open transaction, the moment, who acts, and where ids come from."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from wenlan_lab.model.actors import Actor
from wenlan_lab.model.ports import NewId


@dataclass(frozen=True, slots=True)
class Context:
    """Made by `write.apply_all` for one change, inside its transaction."""

    tx: sqlite3.Connection
    at: str
    actor: Actor
    new_id: NewId

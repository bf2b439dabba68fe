"""Who did it: a person, an agent with a name, or a process with a name. Never empty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from wenlan_lab.errors import InvalidRequest

ActorKind = Literal["person", "agent", "process"]


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change. `str(actor)` and `parse` are each other's inverse: "person", "agent:claude"."""

    kind: ActorKind
    name: str = ""

    def __post_init__(self) -> None:
        if self.kind not in get_args(ActorKind):
            raise InvalidRequest(
                f"actor kind {self.kind!r} is unknown: choose one of {', '.join(get_args(ActorKind))}."
            )
        if self.kind != "person" and not self.name.strip():
            raise InvalidRequest(f"an actor of kind {self.kind!r} needs a name, e.g. Actor({self.kind!r}, 'importer').")

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


PERSON = Actor("person")


def parse_actor(text: str) -> Actor:
    """Read "person", "person:ada", "agent:claude" or "process:import"; raises InvalidRequest on anything else."""
    kind, _, name = text.strip().partition(":")
    if kind not in get_args(ActorKind):
        raise InvalidRequest(f"actor {text!r} is unknown: write person, agent:NAME or process:NAME.")
    return Actor(kind, name.strip())  # type: ignore[arg-type]  # membership in the Literal was checked just above

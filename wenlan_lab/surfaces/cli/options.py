"""The options that many commands share, and the workbench that they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.model.spaces import UNCATEGORIZED
from wenlan_lab.surfaces.cli.output import note

if TYPE_CHECKING:
    from wenlan_lab.engine.settings import Settings
    from wenlan_lab.engine.workbench import Workbench

DEFAULT_WORKBENCH = Path("lab.wenlan")
TRUTH = "truth.db"

At = Annotated[
    Path | None,
    typer.Option("--workbench", "-w", help="The workbench's folder; else WENLAN_WORKBENCH, else ./lab.wenlan."),
]
InSpace = Annotated[str | None, typer.Option("--space", "-s", help="A space by its name, or 'uncategorized'.")]
By = Annotated[str | None, typer.Option("--actor", help="Who does it: person, agent:NAME or process:NAME.")]
With = Annotated[
    str | None, typer.Option("--embedder", help="default, hash, none, or the name of a sentence-transformers model.")
]
Most = Annotated[int, typer.Option("--most", "-n", min=1, help="How many at most.")]


def read_settings() -> Settings:
    """The settings of this environment. Raises InvalidRequest that names the variable that can't be used."""
    from wenlan_lab.engine.settings import Settings

    try:
        return Settings()
    except ValueError as error:  # pydantic's errors are some
        found: list[dict[str, Any]] = getattr(error, "errors", list)()
        which = ", ".join(f"WENLAN_{'_'.join(map(str, one['loc']))}".upper() + f" ({one['msg']})" for one in found)
        raise InvalidRequest(f"a setting can't be used: {which or error}. Set it anew, or unset it.") from error


def place_of(at: Path | None, settings: Settings) -> Path | None:
    """The folder that was named, else the one of the settings, else ./lab.wenlan where there is one, else None."""
    return at or settings.workbench or (DEFAULT_WORKBENCH if DEFAULT_WORKBENCH.is_dir() else None)


@contextmanager
def opened(at: Path | None, embedder: str | None = None, *, create: bool = False) -> Iterator[Workbench]:
    """The workbench of a command, closed afterwards.

    embedder: "none" for what needs no vectors, so that no model is looked for. create: make it where it is missing.
    """
    settings = read_settings()
    place = place_of(at, settings)
    if place is None:
        raise InvalidRequest("which workbench? Name a folder with --workbench, or set WENLAN_WORKBENCH.")
    if not create and not (place / TRUTH).exists():
        if place.is_file():
            raise InvalidRequest(f"{place} is a file: a workbench is a folder, name another path.")
        raise NotFound(f"there is no workbench at {place}: `wenlan-lab capture` and `wenlan-lab import` make one.")
    from wenlan_lab.engine.workbench import Workbench

    with Workbench(place, embedder=embedder or "default", settings=settings, say=note) as wb:
        yield wb


def target_space(name: str) -> str | None:
    """The space to move something to; None takes it out of any."""
    return None if name.strip().lower() == UNCATEGORIZED else name

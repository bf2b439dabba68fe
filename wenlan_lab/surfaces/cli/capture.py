"""`wenlan-lab capture`: one statement, or each line of a file. A receipt is printed when it is on disk, never before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wenlan_lab.errors import InvalidRequest, NotFound
from wenlan_lab.surfaces.cli.options import At, By, InSpace, With, opened
from wenlan_lab.surfaces.cli.output import USER_ERROR, AsJson, progress, receipt, show, stdin_text, text_of

if TYPE_CHECKING:
    from wenlan_lab.engine.capture import NewCapture
    from wenlan_lab.engine.workbench import Workbench

STDIN = Path("-")


def capture(
    text: Annotated[
        list[str] | None, typer.Argument(help="The statement; '-' reads it from stdin.", show_default=False)
    ] = None,
    type: Annotated[
        str | None,
        typer.Option("--type", "-t", help="identity, preference, decision, fact, lesson or gotcha; else a fact."),
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A tag; repeat it.")] = None,
    field: Annotated[
        list[str] | None, typer.Option("--field", metavar="NAME=VALUE", help="A field of its type; repeat it.")
    ] = None,
    evidence: Annotated[
        list[str] | None, typer.Option("--evidence", help="A passage's id or a quote; repeat it.")
    ] = None,
    supersedes: Annotated[str | None, typer.Option("--supersedes", help="The id of the memory this replaces.")] = None,
    valid_from: Annotated[
        str | None, typer.Option("--from", "--valid-from", help="Since when it is true, e.g. 2026-11-30.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", help="Capture each line of a JSONL file ('-' for stdin): a text, or text, type, space …"
        ),
    ] = None,
    allow_unembedded: Annotated[
        bool, typer.Option("--allow-unembedded", help="Store even when no embedder works; the vector waits.")
    ] = False,
    space: InSpace = None,
    workbench: At = None,
    actor: By = None,
    embedder: With = None,
    as_json: AsJson = False,
) -> None:
    """Store a statement, unless the gate refuses it or it is known; the receipt says which."""
    allowed = allow_unembedded or None  # left out, the settings decide
    if file is not None:
        if text or tag or field or evidence or supersedes or valid_from:
            raise InvalidRequest(
                "with --file each line says all about itself; only --type and --space may stand beside."
            )
        items = _items(file, type, space)
        with opened(workbench, embedder, create=True) as wb:
            _capture_lines(wb, file, items, actor, allowed, as_json=as_json)
        return
    if not text:
        raise InvalidRequest("capture what? Write the statement behind the command, '-' for stdin, or --file.")
    statement, fields = text_of(text), _fields(field or [])
    with opened(workbench, embedder, create=True) as wb:
        done = wb.capture(
            statement, type, space, fields, tag or [], evidence or [], supersedes, valid_from, actor,
            allow_unembedded=allowed,
        )  # fmt: skip
        receipt(done, as_json=as_json)


def _capture_lines(
    wb: Workbench,
    file: Path,
    items: Mapping[int, NewCapture],
    actor: str | None,
    allowed: bool | None,
    *,
    as_json: bool,
) -> None:
    """A batch, which is one transaction, at a time: its receipts are printed before the next one begins."""
    numbers, refused = list(items), False
    with progress("capturing") as advance:
        for at in range(0, len(numbers), wb.settings.batch):
            part = numbers[at : at + wb.settings.batch]
            try:
                receipts = wb.capture_many([items[number] for number in part], actor, allow_unembedded=allowed)
            except (InvalidRequest, NotFound) as error:
                raise InvalidRequest(
                    f"in lines {part[0]} to {part[-1]} of {file}: {error} None of these was captured; "
                    "every receipt that was printed is stored."
                ) from error
            for done in receipts:
                show(done, as_json=as_json)
            refused = refused or any(done.outcome == "Rejected" for done in receipts)
            advance(at + len(part), len(numbers))
    if refused:
        raise typer.Exit(USER_ERROR)


def _items(file: Path, type: str | None, space: str | None) -> dict[int, NewCapture]:
    """What each line of the file wants captured, by line number from 1; all are looked at before any is captured."""
    from wenlan_lab.engine.capture import as_capture

    found = {}
    for number, line in enumerate(_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = as_capture(json.loads(line))
        except (ValueError, RecursionError) as error:  # InvalidRequest is a ValueError, and so is what json raises
            raise InvalidRequest(f"line {number} of {file}: {error} Nothing was captured.") from error
        found[number] = replace(item, type=item.type or type, space=item.space if item.space is not None else space)
    if not found:
        raise InvalidRequest(f"{file} holds no line: write a JSON text or object on each.")
    return found


def _text(file: Path) -> str:
    if file == STDIN:
        return stdin_text()
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InvalidRequest(
            f"{file} can't be read ({error.strerror}): name a file with one JSON value a line."
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{file} is no UTF-8 ({error.reason} at byte {error.start}): save it as UTF-8.") from error


def _fields(given: list[str]) -> dict[str, str] | None:
    pairs = [item.partition("=") for item in given]
    for name, sign, _ in pairs:
        if not sign or not name.strip():
            raise InvalidRequest("--field is NAME=VALUE, e.g. --field claim='the pump stalls'.")
    return {name.strip(): value for name, _, value in pairs} or None

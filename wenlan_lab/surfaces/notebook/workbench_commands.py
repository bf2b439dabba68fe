"""Commands about the workbench: open it, its spaces and sources, its journal, its upkeep."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from IPython.core.error import UsageError

from wenlan_lab.model.results import Listing
from wenlan_lab.model.shown import Table, escape
from wenlan_lab.surfaces.notebook.arguments import CommandParser
from wenlan_lab.surfaces.notebook.commands import Command, nothing, within, written_by
from wenlan_lab.surfaces.notebook.session import Session

SPACE_ACTIONS = ("list", "create", "rename", "describe", "delete")
SOURCE_ACTIONS = ("list", "remove")
CONTENTS = ("unassign", "move", "delete")


@dataclass(frozen=True, slots=True)
class HelpText:
    """A text of ours, kept in its columns."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def _open_takes(parser: CommandParser) -> None:
    parser.text("path", "a folder, made when it is missing; WENLAN_WORKBENCH when not stated", required=False)
    parser.option(
        "--embedder", metavar="NAME", default="default", help="default, hash, none, or a sentence-transformers model"
    )
    within(parser, "an existing space that captures go to when they name none")


def open_(session: Session, args: argparse.Namespace) -> object:
    """Open and work on it from now on."""
    wb = session.open(args.path, embedder=args.embedder, default_space=args.space)
    if args.space is not None:
        wb.spaces.find(args.space)
    return wb


def _spaces_takes(parser: CommandParser) -> None:
    parser.word("action", f"{', '.join(SPACE_ACTIONS)}; list when not stated", required=False)
    parser.word("name", "the space; in quotes when it holds blanks", required=False)
    parser.text("text", "create, describe: the description; rename: the new name", required=False)
    parser.option("--contents", choices=CONTENTS, metavar="WHAT", help="delete: unassign, move or delete what is in it")
    parser.option("--to", metavar="SPACE", help="delete --contents move: where to")
    written_by(parser)


def spaces(session: Session, args: argparse.Namespace) -> object:
    """List, create, rename, describe, delete."""
    action, of = args.action or "list", session.current().spaces
    if action not in SPACE_ACTIONS:
        raise UsageError(f"spaces: there is no action {action!r}: choose one of {', '.join(SPACE_ACTIONS)}.")
    if action == "list":
        return of.list()
    if not args.name or (args.text is None and action in ("rename", "describe")):
        more = {"rename": " NEW-NAME", "describe": " DESCRIPTION"}.get(action, "")
        raise UsageError(f"spaces: {action} needs more: `%wenlan spaces {action} NAME{more}`.")
    match action:
        case "create":
            return of.create(args.name, args.text or "", args.actor)
        case "rename":
            return of.rename(args.name, args.text, args.actor)
        case "describe":
            return of.describe(args.name, args.text, args.actor)
        case _:
            return _delete_space(session, args)


def _delete_space(session: Session, args: argparse.Namespace) -> object:
    of = session.current().spaces
    if args.text is not None:
        raise UsageError(
            f"spaces: delete takes one name, but {args.text!r} was left over: put a name with blanks in quotes."
        )
    space = of.find(args.name)
    if args.contents is None and (space.memories or space.passages):
        raise UsageError(
            f"space {space.name!r} holds {space.memories} memories and {space.passages} passages, nothing was deleted: "
            "say --contents unassign (they stay, in no space), --contents move --to SPACE, or --contents delete."
        )
    return of.delete(space.name, args.contents, args.to, args.actor)


def _import_takes(parser: CommandParser) -> None:
    parser.text("path", "a file or folder: LoCoMo, LongMemEval, turns as JSONL, .md, .txt")
    parser.option("--format", metavar="NAME", help="what it is, when its content doesn't tell")
    parser.option("--conversation", metavar="ID", help="one LoCoMo conversation or LongMemEval question alone")
    within(parser, "an existing space for all of it, instead of those it names")
    parser.option("--no-embed", action="store_true", help="leave the vectors for later; `embed` makes them")
    written_by(parser)


def import_(session: Session, args: argparse.Namespace) -> object:
    """Bring in what is outside."""
    wb = session.current()
    with session.progress("importing") as progress:
        return wb.sources.import_file(
            args.path,
            format=args.format,
            conversation=args.conversation,
            space=args.space,
            actor=args.actor,
            progress=progress,
            embed=not args.no_embed,
        )


def _sources_takes(parser: CommandParser) -> None:
    parser.word("action", f"{', '.join(SOURCE_ACTIONS)}; list when not stated", required=False)
    parser.word("id", "remove: the source's id, as the list shows it", required=False)
    parser.option("--dry-run", action="store_true", help="remove: say what would go and what rests on it")
    parser.option("--even-if-resting", action="store_true", help="remove: although memories rest on it; they stay")
    written_by(parser)


def sources(session: Session, args: argparse.Namespace) -> object:
    """List, or remove one."""
    action, of = args.action or "list", session.current().sources
    if action not in SOURCE_ACTIONS:
        raise UsageError(f"sources: there is no action {action!r}: choose one of {', '.join(SOURCE_ACTIONS)}.")
    if action == "list":
        return of.list()
    if not args.id:
        raise UsageError("sources: remove needs an id: `%wenlan sources` lists them.")
    removal = of.removal(args.id)
    if args.dry_run:
        return removal
    if removal.resting and not args.even_if_resting:
        raise UsageError(
            f"{len(removal.resting)} memories rest on {removal.source.ref!r}, nothing was removed: "
            f"`sources remove {args.id} --dry-run` lists them, --even-if-resting removes it anyway, and they stay."
        )
    return of.remove(args.id, even_if_resting=args.even_if_resting, actor=args.actor)


def _journal_takes(parser: CommandParser) -> None:
    parser.option("-n", "--most", type=int, default=20, metavar="N", help="how many at most; 20 when not stated")
    parser.option("--id", metavar="ID", help="only what touched this memory, space or source")
    parser.option("--actor", metavar="WHO", help="only what this actor did")
    parser.option("--since", metavar="DATE", help="from this ISO date or time on, in UTC")
    parser.option("--until", metavar="DATE", help="before this ISO date or time, in UTC")
    parser.option("--rejections", action="store_true", help="the captures that were refused, instead")


def journal(session: Session, args: argparse.Namespace) -> object:
    """The newest entries."""
    of = session.current().journal
    if args.rejections:
        return of.rejections(args.most)
    return of.entries(args.id, actor=args.actor, since=args.since, until=args.until, most=args.most)


def status(session: Session, args: argparse.Namespace) -> object:
    """Counts and sizes."""
    del args
    return session.current().status()


def verify(session: Session, args: argparse.Namespace) -> object:
    """What is broken."""
    del args
    wb = session.current()
    found = wb.verify()
    rows = tuple((problem,) for problem in found)
    title = f"{len(found)} broken: restore truth.db from a backup" if found else ""
    sound = f"all is sound: {len(wb.journal):,} journal entries, the chain and the rows agree."
    return Listing(found, Table(title, ("what is broken",), rows, empty=sound))


def rebuild(session: Session, args: argparse.Namespace) -> object:
    """The derived index anew."""
    del args
    wb = session.current()
    with session.progress("rebuilding") as progress:
        return wb.rebuild(progress)


def embed(session: Session, args: argparse.Namespace) -> object:
    """Every vector that waits."""
    del args
    wb = session.current()
    with session.progress("embedding") as progress:
        notes = wb.embed(progress)
    for note in notes:
        session.say(f"note: {note}")
    return wb.status()


def doctor(session: Session, args: argparse.Namespace) -> object:
    """Check everything."""
    del args
    return session.current().doctor()


COMMANDS = (
    Command("open", "Open a workbench and work on it from now on.", _open_takes, open_),
    Command("spaces", "List spaces; create, rename, describe or delete one.", _spaces_takes, spaces),
    Command("import", "Bring in conversations, notes and texts, verbatim.", _import_takes, import_),
    Command("sources", "List what was imported; remove one with its passages.", _sources_takes, sources),
    Command("journal", "The record of every change, newest first.", _journal_takes, journal),
    Command("status", "What is in the workbench, its size, and what is waiting.", nothing, status),
    Command("verify", "Check every invariant of the truth.", nothing, verify),
    Command("rebuild", "Delete the derived index and make it anew from the truth.", nothing, rebuild),
    Command("embed", "Make every vector that waits.", nothing, embed),
    Command("doctor", "Check the installation and this workbench, and say what to do.", nothing, doctor),
)

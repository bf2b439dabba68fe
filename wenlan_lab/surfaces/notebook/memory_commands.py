"""Commands about memories: capture, recall, look, confirm, change, forget."""

from __future__ import annotations

import argparse
import re

from IPython.core.error import UsageError

from wenlan_lab.model.results import Listing
from wenlan_lab.model.shown import receipts_table
from wenlan_lab.model.spaces import UNCATEGORIZED
from wenlan_lab.model.types import MEMORY_TYPES
from wenlan_lab.surfaces.notebook.arguments import CommandParser
from wenlan_lab.surfaces.notebook.commands import Command, within, written_by
from wenlan_lab.surfaces.notebook.session import Session

PARAGRAPHS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
TYPES = ", ".join(MEMORY_TYPES)


def _capture_takes(parser: CommandParser) -> None:
    parser.text("text", "the statement, verbatim; in a cell, the whole body")
    parser.option("-t", "--type", metavar="TYPE", help=f"{TYPES}; a fact when not stated")
    within(parser, "an existing space to put it in")
    parser.option("--tag", action="append", default=[], metavar="TAG", help="a tag; may be given again")
    parser.option(
        "--field", action="append", default=[], metavar="NAME=VALUE", help="a field of its type; may be given again"
    )
    parser.option("--from", dest="valid_from", metavar="DATE", help="since when it is true, as an ISO date")
    parser.option(
        "--evidence", action="append", default=[], metavar="QUOTE", help="a passage's id or a quote; may be given again"
    )
    parser.option("--supersedes", metavar="ID", help="the memory that this one replaces")
    parser.option("--allow-unembedded", action="store_true", default=None, help="store it even when no embedder works")
    parser.option("--split", action="store_true", help="in a cell: one memory for each paragraph")
    written_by(parser)


def capture(session: Session, args: argparse.Namespace) -> object:
    """Store a statement, or one for each paragraph."""
    wb = session.current()
    fields = dict(_field(told) for told in args.field) or None
    common = {
        "type": args.type,
        "space": args.space,
        "fields": fields,
        "tags": tuple(args.tag),
        "evidence": tuple(args.evidence),
        "valid_from": args.valid_from,
    }
    if args.split and args.supersedes:
        raise UsageError("capture: --split stores many and --supersedes is for one: leave one of them out.")
    if not args.split:
        more = {"supersedes": args.supersedes, "actor": args.actor, "allow_unembedded": args.allow_unembedded}
        return wb.capture(args.text, **common, **more)
    texts = [text for text in PARAGRAPHS.split(args.text) if text.strip()]
    with session.progress("capturing") as progress:
        receipts = wb.capture_many(
            [{"text": text, **common} for text in texts],
            args.actor,
            allow_unembedded=args.allow_unembedded,
            progress=progress,
        )
    return Listing(tuple(receipts), receipts_table(receipts))


def _field(told: str) -> tuple[str, str]:
    name, equals, value = told.partition("=")
    if not equals or not name.strip():
        raise UsageError(f'capture: --field is NAME=VALUE, not {told!r}, e.g. --field "applies_when=writing code".')
    return name.strip(), value


def _recall_takes(parser: CommandParser) -> None:
    parser.text("query", "the question or the words, verbatim; in a cell, the whole body")
    parser.option("-k", "--k", type=int, default=8, metavar="N", help="how many hits at most; 8 when not stated")
    within(parser, "look in this space only; `uncategorized` for what is in none")
    parser.option(
        "-t",
        "--type",
        action="append",
        metavar="TYPE",
        help=f"only these: {TYPES}, memory, passage; may be given again",
    )
    parser.option(
        "--include",
        action="append",
        default=[],
        metavar="WHAT",
        help="what is hidden otherwise: drafts, held, superseded, retracted, rejected; may be given again",
    )
    parser.option("--as-of", metavar="DATE", help="what was true in the world then, as an ISO date or time")
    parser.option("--known-at", metavar="DATE", help="what this workbench knew then, as an ISO date or time")


def recall(session: Session, args: argparse.Namespace) -> object:
    """The hits that answer best."""
    return session.current().recall(
        args.query,
        args.k,
        args.space,
        types=args.type,
        as_of=args.as_of,
        known_at=args.known_at,
        include=args.include,
    )


def _memories_takes(parser: CommandParser) -> None:
    within(parser, "of this space only; `uncategorized` for those in none")
    parser.option("-t", "--type", metavar="TYPE", help=f"of this type only: {TYPES}")
    parser.option("-n", "--most", type=int, default=50, metavar="N", help="how many at most; 50 when not stated")


def memories(session: Session, args: argparse.Namespace) -> object:
    """Live memories."""
    return session.current().memories(args.space, args.type, args.most)


def _id(parser: CommandParser) -> None:
    parser.word("id", "the memory's id, as recall and receipts show it")


def memory(session: Session, args: argparse.Namespace) -> object:
    """One memory."""
    return session.current().memory(args.id)


def _history_takes(parser: CommandParser) -> None:
    _id(parser)
    parser.option("--figure", action="store_true", help="draw its versions on both time axes")


def history(session: Session, args: argparse.Namespace) -> object:
    """What a memory was."""
    if not args.figure:
        return session.current().history(args.id)
    from wenlan_lab.surfaces.widgets.history_figure import history_figure

    return history_figure(session.current(), args.id)


def why(session: Session, args: argparse.Namespace) -> object:
    """What a memory rests on."""
    return session.current().why(args.id)


def _undoable(parser: CommandParser) -> None:
    _id(parser)
    parser.option("--undo", action="store_true", help="take it back")
    written_by(parser)


def confirm(session: Session, args: argparse.Namespace) -> object:
    """Accept, or take that back."""
    wb = session.current()
    return wb.unconfirm(args.id, args.actor) if args.undo else wb.confirm(args.id, args.actor)


def pin(session: Session, args: argparse.Namespace) -> object:
    """Pin, or unpin."""
    wb = session.current()
    return wb.unpin(args.id, args.actor) if args.undo else wb.pin(args.id, args.actor)


def _retype_takes(parser: CommandParser) -> None:
    _id(parser)
    parser.word("type", TYPES)
    written_by(parser)


def retype(session: Session, args: argparse.Namespace) -> object:
    """Another type."""
    return session.current().retype(args.id, args.type, args.actor)


def _retag_takes(parser: CommandParser) -> None:
    _id(parser)
    parser.text("tags", "the tags it shall have, between blanks; none takes all away", required=False)
    written_by(parser)


def retag(session: Session, args: argparse.Namespace) -> object:
    """Other tags."""
    return session.current().retag(args.id, (args.tags or "").replace(",", " ").split(), args.actor)


def _move_takes(parser: CommandParser) -> None:
    _id(parser)
    parser.text("space", "an existing space; `uncategorized` takes it out of any")
    written_by(parser)


def move(session: Session, args: argparse.Namespace) -> object:
    """To another space."""
    target = None if args.space.strip().lower() == UNCATEGORIZED else args.space
    return session.current().move(args.id, target, args.actor)


def _forget_takes(parser: CommandParser) -> None:
    _id(parser)
    parser.text("reason", "why; it stays in the journal, so don't repeat the text here", required=False)
    parser.option("--dry-run", action="store_true", help="list what would be erased, erase nothing")
    parser.option("--as-false", action="store_true", help="keep a digest, so that the claim is refused from now on")
    written_by(parser)


def forget(session: Session, args: argparse.Namespace) -> object:
    """Erase, or say what would be."""
    return session.current().forget(args.id, args.reason or "", args.as_false, args.actor, dry_run=args.dry_run)


COMMANDS = (
    Command(
        "capture", "Store a statement, unless the gate refuses it or it is known.", _capture_takes, capture, cell=True
    ),
    Command(
        "recall",
        "Bring back what answers a question: memories and passages together.",
        _recall_takes,
        recall,
        cell=True,
    ),
    Command("memories", "List memories, last changed first.", _memories_takes, memories),
    Command("memory", "Show one memory whole.", _id, memory),
    Command("confirm", "Stand behind a memory: it is accepted and no longer fades.", _undoable, confirm),
    Command("pin", "Keep a memory from fading.", _undoable, pin),
    Command("retype", "Change the type of a memory; its cue follows.", _retype_takes, retype),
    Command("retag", "Replace the tags of a memory.", _retag_takes, retag),
    Command("move", "Move a memory to another space, or to none.", _move_takes, move),
    Command("forget", "Erase a memory's text from every place. Can't be undone.", _forget_takes, forget),
    Command("history", "Every state a memory was in, and what made it so.", _history_takes, history),
    Command("why", "What a memory rests on.", _id, why),
)

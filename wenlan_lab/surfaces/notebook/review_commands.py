"""Commands that decide, doubt and take back: the review queue, retracting, tombstones, undo, feedback."""

from __future__ import annotations

import argparse

from IPython.core.error import UsageError

from wenlan_lab.engine import faces
from wenlan_lab.model.results import Listing
from wenlan_lab.model.reviews import REVIEW_KINDS
from wenlan_lab.surfaces.notebook.arguments import CommandParser
from wenlan_lab.surfaces.notebook.commands import Command, nothing, within, written_by
from wenlan_lab.surfaces.notebook.session import Session

VERDICTS = ("used", "helpful", "wrong")


def _review_takes(parser: CommandParser) -> None:
    parser.word("id", "one item, as the list shows it; the whole queue when not stated", required=False)
    parser.option("--kind", choices=REVIEW_KINDS, metavar="KIND", help=f"of this kind only: {', '.join(REVIEW_KINDS)}")
    within(parser, "of this space only; `uncategorized` for what is in none")
    parser.option("--table", action="store_true", help="the queue as a polars frame")
    parser.option("--plain", action="store_true", help="the queue to read, without buttons")
    parser.option("--stats", action="store_true", help="the queue in numbers")


def review(session: Session, args: argparse.Namespace) -> object:
    """The queue as a panel, a frame, a text or numbers; or one item."""
    wb = session.current()
    forms = [name for name in ("table", "plain", "stats") if getattr(args, name)]
    if len(forms) > 1:
        raise UsageError(f"review: --{forms[0]} and --{forms[1]} are two ways to show it: choose one.")
    if args.id is not None:
        if forms or args.kind or args.space:
            raise UsageError("review: one item is shown as it is: leave the options out, or leave the id out.")
        return wb.reviews.get(args.id)
    if args.stats:
        if args.kind:
            raise UsageError("review: --stats counts every kind: leave --kind out, or use --table.")
        return wb.reviews.stats(space=args.space)
    from wenlan_lab.surfaces.widgets import view_state

    if args.table:
        return view_state.queue_frame(wb, kind=args.kind, space=args.space)
    asked = view_state.Asked(args.kind, args.space)
    if args.plain:
        return view_state.review_view(wb, asked)
    from wenlan_lab.surfaces.widgets.review_panel import ReviewPanel

    return ReviewPanel(wb, asked)


def _accept_takes(parser: CommandParser) -> None:
    parser.word("id", "the review item's id, as `review` shows it")
    parser.option("--text", metavar="WORDS", help="in quotes: accept with these words instead of the proposed ones")
    parser.option("--reason", metavar="WHY", help="in quotes; it is kept with the item")
    written_by(parser)


def accept(session: Session, args: argparse.Namespace) -> object:
    """Perform what waits."""
    return session.current().reviews.accept(args.id, args.reason or "", text=args.text, actor=args.actor)


def _dismiss_takes(parser: CommandParser) -> None:
    parser.word("id", "the review item's id, as `review` shows it")
    parser.option("--reason", metavar="WHY", help="in quotes; it is kept with the item")
    written_by(parser)


def dismiss(session: Session, args: argparse.Namespace) -> object:
    """Say no to what waits."""
    return session.current().reviews.dismiss(args.id, args.reason or "", args.actor)


def _retract_takes(parser: CommandParser) -> None:
    parser.word("id", "the memory's id, as recall and receipts show it")
    parser.option("--reason", metavar="WHY", help="in quotes; it stays in the journal")
    parser.option("--as-false", action="store_true", help="it was never true: the claim is refused from now on")
    written_by(parser)


def retract(session: Session, args: argparse.Namespace) -> object:
    """No longer held true."""
    return session.current().retract(args.id, _reason("retract", args), args.as_false, args.actor)


def _reason(command: str, args: argparse.Namespace) -> str:
    if not (args.reason or "").strip():
        raise UsageError(f'{command}: say why, e.g. `%wenlan {command} {args.id} --reason "measured again"`.')
    return str(args.reason)


def _unforget_takes(parser: CommandParser) -> None:
    parser.word("id", "the tombstone's id, or that of the memory that left it")
    parser.option("--reason", metavar="WHY", help="in quotes; it stays in the journal")
    written_by(parser)


def unforget(session: Session, args: argparse.Namespace) -> object:
    """Lift a tombstone."""
    return session.current().unforget(args.id, _reason("unforget", args), args.actor)


def tombstones(session: Session, args: argparse.Namespace) -> object:
    """What may not be told again."""
    del args
    found = session.current().tombstones()
    return Listing(found, faces.tombstones_table(found))


def _undo_takes(parser: CommandParser) -> None:
    parser.word("seq", "the number of a journal entry, as receipts and `journal` show it")
    written_by(parser)


def undo(session: Session, args: argparse.Namespace) -> object:
    """Take an entry back."""
    if not args.seq.isascii() or not args.seq.isdigit():
        raise UsageError(f"undo: SEQ is the number of a journal entry, not {args.seq!r}: `%wenlan journal` lists them.")
    return session.current().undo(int(args.seq), args.actor)


def _feedback_takes(parser: CommandParser) -> None:
    parser.word("id", "the memory's id, as recall shows it")
    parser.word("verdict", ", ".join(VERDICTS))
    written_by(parser)


def feedback(session: Session, args: argparse.Namespace) -> object:
    """How a recalled memory did."""
    return session.current().feedback(args.id, args.verdict, args.actor)


COMMANDS = (
    Command("review", "What waits for a person's decision, as a panel to decide in.", _review_takes, review),
    Command("accept", "Perform a change that waits in review.", _accept_takes, accept),
    Command("dismiss", "Say no to a change that waits in review; it never comes back.", _dismiss_takes, dismiss),
    Command("retract", "Take a memory out of recall; it stays in history. Can be undone.", _retract_takes, retract),
    Command("tombstones", "Claims that were rejected and may not be told again.", nothing, tombstones),
    Command("unforget", "Lift a tombstone, so that its claim may be told again.", _unforget_takes, unforget),
    Command("undo", "Take back a journal entry, unless later ones rest on it.", _undo_takes, undo),
    Command("feedback", "Say that a recalled memory was used, helpful or wrong.", _feedback_takes, feedback),
)

"""LoCoMo files (Maharana et al., ACL 2024): each conversation is a source, each dialog turn a passage.

Only what was said is read: the questions, evidence, observations and summaries of the file never reach a passage.
A turn's picture is its caption, as " [image: CAPTION]" behind the text. All turns of a session carry the session's
time; `position` orders them, and counts empty turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from wenlan_lab.engine.importers.batches import ImportBatch, ImportedSource, Tally, distinct, imported_source
from wenlan_lab.engine.importers.files import FilePath, as_list, chosen, member, read_json, text_member
from wenlan_lab.engine.importers.moments import session_moment
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.sources import NewPassage

FORMAT = "locomo"
_SESSION = re.compile(r"session_([0-9]{1,6})")


def read_locomo(path: FilePath, conversation: str | None = None) -> ImportBatch:
    """The conversations of a LoCoMo file, each a source of kind "chat" with its id as `ref` and as space.

    A passage has the dialog id as `ref` ("D1:3"), the session as thread ("session_1"), and the session's time, taken to
    be UTC. A dialog id that comes again in its conversation gets a suffix ("D1:3~2").

    Args:
        path: The file.
        conversation: Only the conversation of this id ("conv-26"); the others are not built.

    Raises:
        NotFound: there is no such file.
        InvalidRequest: it isn't LoCoMo, or it has no such conversation; near spellings are named.
    """
    return parse_locomo(read_json(path), conversation)


def parse_locomo(decoded: object, conversation: str | None = None) -> ImportBatch:
    """As `read_locomo`, from the decoded file."""
    entries = as_list(decoded, "the LoCoMo file")
    tally = Tally()
    names = [
        tally.name(text_member(entry, "sample_id", f"conversation {number} of the file"))
        for number, entry in enumerate(entries)
    ]
    places = chosen(names, conversation, "conversation")
    refs = distinct(names)
    tally.count("conversation ids repeated", sum(refs[place] != names[place] for place in places))
    return tally.batch([_source(entries[place], refs[place], tally) for place in places], FORMAT)


def _source(entry: object, ref: str, tally: Tally) -> ImportedSource:
    talk = member(entry, "conversation", ref)
    if not isinstance(talk, Mapping):
        raise InvalidRequest(f"the conversation of {ref} is no object: name the file's real format with `--format`.")
    numbers = sorted((int(match[1]), key) for key in talk if (match := _SESSION.fullmatch(str(key))))
    dated = {key for key in talk if str(key).endswith("_date_time")}
    tally.count("session dates without a session", len(dated - {f"{key}_date_time" for _, key in numbers}))
    passages = []
    for number, key in numbers:
        turns = as_list(talk[key], f"{key} of {ref}")
        at = _session_time(talk.get(f"{key}_date_time"), tally)
        tally.count("sessions without turns", not turns)
        passages += _passages(turns, f"session_{number}", at, ref, tally)
    named = distinct([passage.ref for passage in passages])
    repeated = sum(new != passage.ref for new, passage in zip(named, passages, strict=True))
    tally.count("dialog ids repeated in one conversation", repeated)
    if repeated:
        passages = [replace(passage, ref=new) for new, passage in zip(named, passages, strict=True)]
    speakers = (tally.name(_text(talk, name)) for name in ("speaker_a", "speaker_b"))
    return imported_source("chat", ref, " and ".join(filter(None, speakers)) or ref, ref, passages)


def _session_time(text: object, tally: Tally) -> str | None:
    at = session_moment(text) if isinstance(text, str) else None
    tally.count("sessions without a date that can be read", at is None)
    return at


def _passages(turns: Sequence[object], thread: str, at: str | None, ref: str, tally: Tally) -> list[NewPassage]:
    passages = []
    for position, turn in enumerate(turns):
        where = f"turn {position} of {thread} in {ref}"
        if not isinstance(turn, Mapping):
            tally.skip(where, "it is no object")
            continue
        text, caption = _text(turn, "text"), _text(turn, "blip_caption")
        tally.count("turns with an image", bool(caption))
        said = f"{text} [image: {caption}]" if caption and text.strip() else f"[image: {caption}]" if caption else text
        if not said.strip():
            tally.count("empty turns")
            tally.skip(where, "it is empty")
            continue
        dialog_id = tally.name(_text(turn, "dia_id"))
        tally.count("turns without a dialog id", not dialog_id)
        storable, redactions = tally.storable(said)
        passages.append(
            NewPassage(
                ref=dialog_id or f"{thread}#{position}",
                thread=thread,
                position=position,
                speaker=tally.name(_text(turn, "speaker")),
                at=at,
                text=storable,
                redactions=redactions,
            )
        )
    return passages


def _text(turn: Mapping[str, object], name: str) -> str:
    value = turn.get(name)
    return value if isinstance(value, str) else ""

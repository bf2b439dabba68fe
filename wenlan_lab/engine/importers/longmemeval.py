"""LongMemEval files (Wu et al., ICLR 2025): the haystack of each question is a source, each of its turns a passage.

The question, its answer, its type and which turns hold the answer never reach a passage; the question's date is only
compared with the sessions' dates, to count those that lie after it. A session that comes twice in a haystack is two
threads: the second is named "ID~2". All turns of a session carry the session's time; `position` orders them, and
counts empty turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wenlan_lab.engine.importers.batches import ImportBatch, ImportedSource, Tally, distinct, imported_source
from wenlan_lab.engine.importers.files import FilePath, as_list, chosen, member, read_json, text_member
from wenlan_lab.engine.importers.moments import haystack_moment
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.sources import NewPassage

FORMAT = "longmemeval"


def read_longmemeval(path: FilePath, conversation: str | None = None) -> ImportBatch:
    """The haystacks of a LongMemEval file, each a source of kind "chat" with its question id as `ref` and as space.

    A passage has "SESSION_ID#TURN" as `ref` (turns count from 0), the session id as thread, the role (user, assistant)
    as speaker and the session's time, taken to be UTC.

    Args:
        path: The file.
        conversation: Only the haystack of this question id; the others are not built.

    Raises:
        NotFound: there is no such file.
        InvalidRequest: it isn't LongMemEval, or it has no such question; near spellings are named.
    """
    return parse_longmemeval(read_json(path), conversation)


def parse_longmemeval(decoded: object, conversation: str | None = None) -> ImportBatch:
    """As `read_longmemeval`, from the decoded file."""
    entries = as_list(decoded, "the LongMemEval file")
    tally = Tally()
    names = [
        tally.name(text_member(entry, "question_id", f"entry {number} of the file"))
        for number, entry in enumerate(entries)
    ]
    places = chosen(names, conversation, "question")
    refs = distinct(names)
    tally.count("question ids repeated", sum(refs[place] != names[place] for place in places))
    return tally.batch([_source(entries[place], refs[place], tally) for place in places], FORMAT)


def session_threads(session_ids: Sequence[object]) -> tuple[str, ...]:
    """The thread of each session of a haystack: its id, with a suffix when that was there before."""
    tally = Tally()
    return distinct([tally.name(str(session_id)) for session_id in session_ids])


def _source(entry: object, ref: str, tally: Tally) -> ImportedSource:
    ids, dates, sessions = (
        as_list(member(entry, name, ref), f"{name!r} of {ref}")
        for name in ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    )
    if not len(ids) == len(dates) == len(sessions):
        raise InvalidRequest(
            f"{ref} has {len(ids)} session ids, {len(dates)} dates and {len(sessions)} sessions: get the file again."
        )
    times = [haystack_moment(str(date)) for date in dates]
    threads = session_threads(ids)
    repeated = len(ids) - len({str(session_id) for session_id in ids})
    tally.count("session ids repeated in one haystack", repeated)
    tally.count("haystacks with a repeated session id", repeated > 0)
    _count_times(times, member(entry, "question_date", ref), tally)
    passages: list[NewPassage] = []
    for thread, at, session in zip(threads, times, sessions, strict=True):
        passages += _passages(as_list(session, f"session {thread} of {ref}"), thread, at, ref, tally)
    return imported_source("chat", ref, f"haystack of {ref}", ref, passages)


def _count_times(times: Sequence[str | None], question_date: object, tally: Tally) -> None:
    known = [time for time in times if time is not None]  # one format and one zone: as texts they sort by time
    asked = haystack_moment(str(question_date))
    late = sum(time > asked for time in known) if asked is not None else 0
    tally.count("sessions without a date that can be read", len(times) - len(known))
    tally.count("sessions dated after the question", late)
    tally.count("haystacks with a session dated after the question", late > 0)
    tally.count("haystacks whose dates are not in order", known != sorted(known))


def _passages(turns: Sequence[object], thread: str, at: str | None, ref: str, tally: Tally) -> list[NewPassage]:
    passages = []
    tally.count("sessions without turns", not turns)
    for position, turn in enumerate(turns):
        where = f"{ref}: {thread}#{position}"
        role, text = (turn.get("role"), turn.get("content")) if isinstance(turn, Mapping) else (None, None)
        if not isinstance(text, str):
            tally.skip(where, "its content is no text")
            continue
        if not text.strip():
            tally.count("empty turns")
            tally.skip(where, "it is empty")
            continue
        storable, redactions = tally.storable(text)
        speaker = tally.name(role) if isinstance(role, str) else ""
        passages.append(
            NewPassage(f"{thread}#{position}", thread, position, speaker, at, storable, redactions=redactions)
        )
    return passages

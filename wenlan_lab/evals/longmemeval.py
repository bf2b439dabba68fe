"""LongMemEval for evaluation: one haystack and one question a case, as four protocols see them (Wu et al., ICLR 2025).

- `turns` (primary): every turn of both roles is a passage; gold is every turn with `has_answer`; graded are the
  questions with at least one. `_abs` questions are flagged and reported apart.
- `official-turn`, `official-session`: the authors' own corpus, user turns only, one passage a turn or one a session
  (its user turns joined by a blank); gold is the user turns with `has_answer`, or their sessions; graded are the
  questions with at least one, `_abs` left out. `official` names the two together: see `expand`.
- `wenlan`: user turns and those assistant turns that are evidence. **This corpus is chosen by the labels** and so
  leaks them; it exists for comparison with published figures only.

Turns come from `wenlan_lab.importers`, which reads no label. A session id that occurs again in one haystack gets a
thread of its own (`ID~2`). Sessions dated after the question are kept, as the authors keep them, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from wenlan_lab import InvalidRequest
from wenlan_lab.evals.cases import (
    Benchmark,
    EvalCase,
    EvalQuestion,
    EvalTurn,
    Quirk,
    Quirks,
    as_list,
    case_id,
    field,
    known_protocol,
    list_field,
    nothing_was_dropped,
    text_field,
    turns_of,
)
from wenlan_lab.importers import ImportBatch, ImportedSource, haystack_moment, parse_longmemeval, session_threads

PROTOCOLS = ("turns", "official-turn", "official-session", "wenlan")
ABSTENTION_MARK = "_abs"

_HANDLING = {
    "answers that are no text": "read as text",
    "empty turns": "kept out of the corpus",
    "sessions without a user turn": "left out of the session corpus",
    "session ids repeated in one haystack": "each gets a thread of its own",
    "haystacks with a repeated session id": "kept",
    "sessions dated after the question": "kept",
    "haystacks with a session dated after the question": "kept",
    "haystacks whose dates are not in order": "kept in the file's order, each session under its own date",
    "abstention questions": "flagged and reported apart",
    "abstention questions without a gold turn": "not graded for retrieval",
    "questions without a gold turn": "not graded for retrieval",
    "questions without a gold user turn": "not graded in the official protocols",
}


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn of the haystack with its label, before a protocol chooses."""

    value: EvalTurn
    is_user: bool
    is_gold: bool


def expand(protocol: str) -> tuple[str, ...]:
    """The protocols that a name stands for: `official` is two, every other is itself."""
    return ("official-turn", "official-session") if protocol == "official" else (protocol,)


def haystack_time(text: str) -> datetime:
    """`2023/04/10 (Mon) 23:07` as an aware datetime, taken to be UTC (the dataset names no zone)."""
    moment = haystack_moment(text)
    if moment is None:
        raise InvalidRequest(f"{text!r} is no LongMemEval date: it should read like '2023/04/10 (Mon) 23:07'.")
    return datetime.fromisoformat(moment)


def parse(
    raw: object, sha256: str, protocol: str = "turns", dataset: str = "longmemeval", batch: ImportBatch | None = None
) -> Benchmark:
    """The decoded file under one protocol. `sha256` is the digest of the file's bytes and goes into every case id.

    `batch` is what `parse_longmemeval(raw)` returned, given by whoever asks for several protocols of one file.

    Raises:
        InvalidRequest: the protocol is unknown (`official` is two of them), or the file has another shape.
    """
    known_protocol(protocol, PROTOCOLS, "LongMemEval")
    batch = parse_longmemeval(raw) if batch is None else batch
    if "question ids repeated" in batch.quirks:
        raise InvalidRequest(f"{dataset} holds one question id twice: a result could not be told from the other.")
    nothing_was_dropped(batch, dataset)
    counts = Counter(batch.quirks)
    cases = tuple(
        _case(entry, source, sha256, protocol, counts)
        for entry, source in zip(as_list(raw, dataset), batch.sources, strict=True)
    )
    found = tuple(Quirk(name, counts[name], handling) for name, handling in _HANDLING.items())
    return Benchmark(dataset, sha256, protocol, cases, Quirks(dataset, found))


def _case(entry: object, source: ImportedSource, sha256: str, protocol: str, counts: Counter[str]) -> EvalCase:
    name = source.ref
    asked_at = haystack_time(text_field(entry, "question_date", name))
    labelled = _labelled(entry, name)
    turns = [_Turn(turn, turn.speaker == "user", turn.ref in labelled) for turn in turns_of(source)]
    with_user = {turn.value.thread for turn in turns if turn.is_user}
    counts["sessions without a user turn"] += len(list_field(entry, "haystack_sessions", name)) - len(with_user)
    gold = [turn for turn in turns if turn.is_gold]
    user_gold = [turn for turn in gold if turn.is_user]
    abstention = ABSTENTION_MARK in name
    _count_labels(counts, abstention=abstention, gold=bool(gold), user_gold=bool(user_gold))
    if protocol.startswith("official"):
        graded, chosen = bool(user_gold) and not abstention, [turn for turn in turns if turn.is_user]
        gold = user_gold
    else:
        graded = bool(gold)
        chosen = turns if protocol == "turns" else [turn for turn in turns if turn.is_user or turn.is_gold]
    corpus = tuple(turn.value for turn in chosen)
    refs = frozenset(turn.value.ref for turn in gold)
    if protocol == "official-session":
        corpus, refs = _joined(corpus), frozenset(turn.value.thread for turn in gold)
    answer = field(entry, "answer", name)
    counts["answers that are no text"] += not isinstance(answer, str)
    question = EvalQuestion(
        id=name,
        text=text_field(entry, "question", name),
        at=asked_at,
        kind=text_field(entry, "question_type", name),
        gold=refs,
        graded=graded,
        abstention=abstention,
        evidence=tuple(str(session) for session in list_field(entry, "answer_session_ids", name)),
        answer=str(answer),
    )
    return EvalCase(case_id(name, sha256), corpus, (question,))


def _labelled(entry: object, name: str) -> frozenset[str]:
    """The refs of the turns that hold the answer, by the dataset."""
    threads = session_threads(list_field(entry, "haystack_session_ids", name))
    sessions = list_field(entry, "haystack_sessions", name)
    return frozenset(
        f"{thread}#{position}"
        for thread, session in zip(threads, sessions, strict=True)
        for position, turn in enumerate(as_list(session, f"session {thread} of {name}"))
        if isinstance(turn, dict) and turn.get("has_answer") is True
    )


def _joined(turns: Sequence[EvalTurn]) -> tuple[EvalTurn, ...]:
    """One passage a session: the user turns of a thread joined by a blank."""
    texts: dict[str, list[str]] = {}
    first: dict[str, EvalTurn] = {}
    for turn in turns:
        texts.setdefault(turn.thread, []).append(turn.text)
        first.setdefault(turn.thread, turn)
    return tuple(
        EvalTurn(thread, " ".join(texts[thread]), turn.speaker, thread, 0, turn.time) for thread, turn in first.items()
    )


def _count_labels(counts: Counter[str], *, abstention: bool, gold: bool, user_gold: bool) -> None:
    counts["abstention questions"] += abstention
    counts["abstention questions without a gold turn"] += abstention and not gold
    counts["questions without a gold turn"] += not gold
    counts["questions without a gold user turn"] += not user_gold

"""LoCoMo for evaluation: conversations, questions and gold, as three protocols see them (Maharana et al., ACL 2024).

- `turns` (primary): every dialog turn is a passage, text and image caption together; gold is the normalised evidence;
  graded are the questions of categories 1 to 4 with at least one valid evidence id. Category 5 stands apart.
- `official`: the same passages; all questions are graded against the evidence strings exactly as they are, so that a
  malformed one can never be found and an empty list counts 1 (`metrics.recall_official_locomo_at`).
- `wenlan`: the observations shipped with the dataset are the passages; gold is the *last* observation of each evidence
  id, which leaves other observations of the same turn wrong by definition. For comparison with published figures only.

Turns are read without a look at any label. LoCoMo dates sessions, not questions: a question is asked a day after the
last session.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

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
    text_field,
)

PROTOCOLS = ("turns", "official", "wenlan")
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5
DEV_CONVERSATIONS = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")  # the only ones that anything is tuned on

_DIALOG_ID = re.compile(r"D\s*:?\s*([0-9]{1,6})\s*:\s*([0-9]{1,6})")
_SESSION = re.compile(r"session_([0-9]{1,6})")
_DATE = re.compile(r"\s*(\d{1,2}):(\d{2})\s*([ap])m\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})\s*", re.IGNORECASE)
_MONTHS = (
    "january february march april may june july august september october november december".split()
)  # not strptime's %B: that one speaks the machine's language

_HANDLING = {
    "empty turns": "kept out of the corpus",
    "session dates without a session": "ignored",
    "evidence strings naming several turns": "split",
    "evidence strings misspelt": "normalised",
    "evidence strings without a turn id": "ignored",
    "evidence ids of turns that don't exist": "ignored",
    "evidence ids repeated in one question": "counted once",
    "questions without evidence": "not graded in turns; recall 1 in official",
    "questions of categories 1-4 without a valid evidence id": "not graded in turns",
    "answers that are no text": "read as text",
    "category 5 questions with a plain answer": "kept apart like the rest of category 5",
    "observations whose dialog id is a list": "left out of the wenlan corpus",
    "observations whose dialog id is several ids in one string": "in the wenlan corpus, never gold",
    "observations hidden by a later one of the same turn": "in the wenlan corpus, never gold",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One evidence string: the dialog ids found in it and the fault it has, if any."""

    ids: tuple[str, ...]
    fault: str | None


def normalise_evidence(value: object) -> Evidence:
    """The dialog ids that an evidence label names: "D8:6; D9:17" names two, "D:11:26" is D11:26, "D30:05" is D30:5."""
    if not isinstance(value, str):
        return Evidence((), "evidence strings without a turn id")
    ids = tuple(f"D{int(session)}:{int(turn)}" for session, turn in _DIALOG_ID.findall(value))
    if not ids:
        return Evidence((), "evidence strings without a turn id")
    if len(ids) > 1:
        return Evidence(ids, "evidence strings naming several turns")
    return Evidence(ids, None if ids[0] == value else "evidence strings misspelt")


def session_time(text: str) -> datetime:
    """`1:56 pm on 8 May, 2023` as an aware datetime, taken to be UTC (the dataset names no zone)."""
    match = _DATE.fullmatch(text)
    if match is None or match[5].lower() not in _MONTHS:
        raise InvalidRequest(f"{text!r} is no LoCoMo session date: it should read like '1:56 pm on 8 May, 2023'.")
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    month = _MONTHS.index(match[5].lower()) + 1
    return datetime(int(match[6]), month, int(match[4]), hour, int(match[2]), tzinfo=UTC)


def parse(raw: object, sha256: str, protocol: str = "turns", dataset: str = "locomo10") -> Benchmark:
    """The decoded file under one protocol. `sha256` is the digest of the file's bytes and goes into every case id.

    Raises:
        InvalidRequest: the protocol is unknown, or the file has another shape.
    """
    known_protocol(protocol, PROTOCOLS, "LoCoMo")
    counts: Counter[str] = Counter()
    cases = tuple(
        _case(entry, sha256, protocol, counts, f"conversation {n} of {dataset}")
        for n, entry in enumerate(as_list(raw, dataset))
    )
    if len({case.id for case in cases}) != len(cases):
        raise InvalidRequest(f"{dataset} holds one conversation twice: a result could not be told from the other.")
    found = tuple(Quirk(name, counts[name], handling) for name, handling in _HANDLING.items())
    return Benchmark(dataset, sha256, protocol, cases, Quirks(dataset, found))


def conversation_of(case: EvalCase) -> str:
    """The conversation's own name (`conv-26`), to split dev from report."""
    return case.id.partition("@")[0]


def _case(entry: object, sha256: str, protocol: str, counts: Counter[str], where: str) -> EvalCase:
    name = text_field(entry, "sample_id", where)
    sessions = _sessions(field(entry, "conversation", where), name, counts)
    turns = tuple(_turns(sessions, name, counts))
    observations, last = _observations(entry, sessions, name, counts)
    asked_at = max((time for _, time, _ in sessions), default=datetime(1970, 1, 1, tzinfo=UTC)) + timedelta(days=1)
    known = frozenset(turn.ref for turn in turns)
    questions = []
    for number, label in enumerate(list_field(entry, "qa", name)):
        here = f"{name}/q{number}"
        question = _question(label, here, asked_at, known, counts)
        if protocol == "official":
            question = _official(question)
        elif protocol == "wenlan":
            question = _wenlan(question, last)
        questions.append(question)
    corpus = observations if protocol == "wenlan" else turns
    return EvalCase(case_id(name, sha256), corpus, tuple(questions))


def _sessions(conversation: object, name: str, counts: Counter[str]) -> list[tuple[int, datetime, Sequence[object]]]:
    """(number, time, turns) of each session that is there, by number."""
    if not isinstance(conversation, dict):
        raise InvalidRequest(f"the conversation of {name} is no object: this isn't the dataset that it was read as.")
    numbers = sorted(int(m[1]) for key in conversation if (m := _SESSION.fullmatch(str(key))))
    dated = {key for key in conversation if str(key).endswith("_date_time")}
    counts["session dates without a session"] += len(dated - {f"session_{n}_date_time" for n in numbers})
    return [
        (
            number,
            session_time(text_field(conversation, f"session_{number}_date_time", name)),
            list_field(conversation, f"session_{number}", name),
        )
        for number in numbers
    ]


def _turns(
    sessions: Sequence[tuple[int, datetime, Sequence[object]]], name: str, counts: Counter[str]
) -> Iterator[EvalTurn]:
    seen: set[str] = set()
    for number, time, session in sessions:
        for position, turn in enumerate(session):
            where = f"turn {position} of session {number} in {name}"
            ref = text_field(turn, "dia_id", where)
            if ref in seen:
                raise InvalidRequest(f"{name} holds the dialog id {ref} twice: gold would be ambiguous.")
            seen.add(ref)
            caption = turn.get("blip_caption") if isinstance(turn, dict) else None
            text = text_field(turn, "text", where)
            if caption:
                text = f"{text} [image: {caption}]" if text.strip() else f"[image: {caption}]"
            if not text.strip():
                counts["empty turns"] += 1
                continue
            yield EvalTurn(ref, text, text_field(turn, "speaker", where), f"session_{number}", position, time)


def _question(label: object, where: str, at: datetime, known: frozenset[str], counts: Counter[str]) -> EvalQuestion:
    """The question as the `turns` protocol sees it."""
    category = field(label, "category", where)
    if not isinstance(category, int) or category not in KINDS:
        raise InvalidRequest(f"{where} has the category {category!r}: LoCoMo's are 1 to 5.")
    evidence = list_field(label, "evidence", where)
    named: list[str] = []
    for value in evidence:
        read = normalise_evidence(value)
        if read.fault is not None:
            counts[read.fault] += 1
        named += read.ids
    gold = frozenset(named) & known
    counts["evidence ids of turns that don't exist"] += len(set(named) - known)
    counts["evidence ids repeated in one question"] += len(named) - len(set(named))
    counts["questions without evidence"] += not evidence
    counts["questions of categories 1-4 without a valid evidence id"] += not gold and category != ADVERSARIAL
    answer = label.get("answer") if isinstance(label, dict) else None
    counts["answers that are no text"] += answer is not None and not isinstance(answer, str)
    counts["category 5 questions with a plain answer"] += answer is not None and category == ADVERSARIAL
    return EvalQuestion(
        id=where,
        text=text_field(label, "question", where),
        at=at,
        kind=KINDS[category],
        gold=gold,
        graded=bool(gold) and category != ADVERSARIAL,
        abstention=category == ADVERSARIAL,
        evidence=tuple(str(value) for value in evidence),
        answer="" if answer is None else str(answer),
    )


def _official(question: EvalQuestion) -> EvalQuestion:
    """Every question is graded, and its gold is what the label says letter by letter."""
    return replace(question, gold=frozenset(question.evidence), graded=True)


def _wenlan(question: EvalQuestion, last: dict[str, str]) -> EvalQuestion:
    """Gold is the observation that a dialog id maps to; raw strings are looked up, so malformed ones map to none."""
    gold = frozenset(last[dialog_id] for dialog_id in question.evidence if dialog_id in last)
    return replace(question, gold=gold, graded=bool(gold) and not question.abstention)


def _observations(
    entry: object, sessions: Sequence[tuple[int, datetime, Sequence[object]]], name: str, counts: Counter[str]
) -> tuple[tuple[EvalTurn, ...], dict[str, str]]:
    """The observations as passages, by session and then in the file's order, and the last one of each dialog id."""
    shipped = field(entry, "observation", name)
    corpus: list[EvalTurn] = []
    last: dict[str, str] = {}
    for number, time, _ in sessions:
        by_speaker = shipped.get(f"session_{number}_observation", {}) if isinstance(shipped, dict) else {}
        position = 0
        for speaker, pairs in by_speaker.items():
            for pair in pairs:
                fact, dialog_id = pair
                if not isinstance(dialog_id, str):
                    counts["observations whose dialog id is a list"] += 1
                    continue
                ref = f"obs_{len(corpus)}"
                if normalise_evidence(dialog_id).fault is not None:
                    counts["observations whose dialog id is several ids in one string"] += 1
                counts["observations hidden by a later one of the same turn"] += dialog_id in last
                last[dialog_id] = ref
                corpus.append(EvalTurn(ref, str(fact), str(speaker), f"session_{number}", position, time))
                position += 1
    return tuple(corpus), last

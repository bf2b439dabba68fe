"""LoCoMo for evaluation: conversations, questions and gold, as three protocols see them (Maharana et al., ACL 2024).

- `turns` (primary): every dialog turn is a passage, text and image caption together; gold is the normalised evidence;
  graded are the questions of categories 1 to 4 with at least one valid evidence id. Category 5 stands apart.
- `official`: the same passages; all questions are graded against the evidence strings exactly as they are, so that a
  malformed one can never be found and an empty list counts 1 (`metrics.recall_official_locomo_at`).
- `wenlan`: the observations shipped with the dataset are the passages; gold is the *last* observation of each evidence
  id, which leaves other observations of the same turn wrong by definition. For comparison with published figures only.

Turns come from `wenlan_lab.importers`, which reads no label. LoCoMo dates, not questions: a question is asked a day after the
last session.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
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
    nothing_was_dropped,
    text_field,
    turns_of,
)
from wenlan_lab.importers import ImportBatch, ImportedSource, parse_locomo

PROTOCOLS = ("turns", "official", "wenlan")
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5
DEV_CONVERSATIONS = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")  # the only ones that anything is tuned on

_DIALOG_ID = re.compile(r"D\s*:?\s*([0-9]{1,6})\s*:\s*([0-9]{1,6})")

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


def parse(
    raw: object, sha256: str, protocol: str = "turns", dataset: str = "locomo10", batch: ImportBatch | None = None
) -> Benchmark:
    """The decoded file under one protocol. `sha256` is the digest of the file's bytes and goes into every case id.

    `batch` is what `parse_locomo(raw)` returned, given by whoever asks for several protocols of one file.

    Raises:
        InvalidRequest: the protocol is unknown, or the file has another shape.
    """
    known_protocol(protocol, PROTOCOLS, "LoCoMo")
    batch = parse_locomo(raw) if batch is None else batch
    if "conversation ids repeated" in batch.quirks:
        raise InvalidRequest(f"{dataset} holds one conversation twice: a result could not be told from the other.")
    if "dialog ids repeated in one conversation" in batch.quirks:
        raise InvalidRequest(f"{dataset} holds a dialog id twice in one conversation: gold would be ambiguous.")
    nothing_was_dropped(batch, dataset)
    counts = Counter(batch.quirks)
    cases = tuple(
        _case(entry, source, sha256, protocol, counts)
        for entry, source in zip(as_list(raw, dataset), batch.sources, strict=True)
    )
    found = tuple(Quirk(name, counts[name], handling) for name, handling in _HANDLING.items())
    return Benchmark(dataset, sha256, protocol, cases, Quirks(dataset, found))


def conversation_of(case: EvalCase) -> str:
    """The conversation's own name (`conv-26`), to split dev from report."""
    return case.id.partition("@")[0]


def _case(entry: object, source: ImportedSource, sha256: str, protocol: str, counts: Counter[str]) -> EvalCase:
    name = source.ref
    turns = turns_of(source)
    sessions = {turn.thread: turn.time for turn in turns}
    observations, last = _observations(entry, sessions, name, counts)
    asked_at = max(sessions.values(), default=datetime(1970, 1, 1, tzinfo=UTC)) + timedelta(days=1)
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
    entry: object, sessions: Mapping[str, datetime], name: str, counts: Counter[str]
) -> tuple[tuple[EvalTurn, ...], dict[str, str]]:
    """The observations as passages, by session and then in the file's order, and the last one of each dialog id."""
    shipped = field(entry, "observation", name)
    corpus: list[EvalTurn] = []
    last: dict[str, str] = {}
    for thread, time in sessions.items():
        by_speaker = shipped.get(f"{thread}_observation", {}) if isinstance(shipped, dict) else {}
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
                corpus.append(EvalTurn(ref, str(fact), str(speaker), thread, position, time))
                position += 1
    return tuple(corpus), last

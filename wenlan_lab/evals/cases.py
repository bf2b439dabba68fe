"""What a benchmark file becomes: cases of turns and questions, and the faults that were found on the way.

One case is one store: a LoCoMo conversation with all its questions, or one LongMemEval question with its haystack. A
turn holds nothing that was labelled; a label (gold, kind, answer) stands on the question and never reaches capture or
recall, which see `EvalCase.turns` and `EvalQuestion.label_free` alone. Nothing here reads a file or judges a ranking.

One leak lies in the data and can't be parsed away: LongMemEval names its evidence sessions `answer_…`, and a turn's
`ref` and `thread` are made from that name. They identify; nothing may search them or break a tie by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape

from wenlan_lab import InvalidRequest, NewPassage
from wenlan_lab.importers import ImportBatch, ImportedSource

DIGEST_PREFIX = 12  # hex digits of the dataset's sha256 in a case id


@dataclass(frozen=True, slots=True)
class EvalTurn:
    """One passage of the corpus.

    `ref` is unique in its case, `position` is the zero-based place of the turn in its `thread`, with empty turns
    counted; `time` is aware, in UTC, and is the session's: the datasets date no single turn.
    """

    ref: str
    text: str
    speaker: str
    thread: str
    position: int
    time: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """All that recall may see of a question. `at` is the clock it is asked under."""

    id: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """A question with its labels.

    `gold` holds refs of the case's turns (for LoCoMo's `official` protocol the evidence strings as they are).
    `graded` says whether the protocol scores it; `abstention`, whether "nothing relevant" is the right answer by
    the dataset (LoCoMo category 5, LongMemEval `_abs`): those are reported apart. `evidence` is the label as the
    file holds it, with its faults and in its order; `answer` is the reference answer as text.
    """

    id: str
    text: str
    at: datetime
    kind: str
    gold: frozenset[str]
    graded: bool
    abstention: bool
    evidence: tuple[str, ...] = ()
    answer: str = ""

    @property
    def label_free(self) -> Asked:
        """The question without its labels."""
        return Asked(self.id, self.text, self.at)


@dataclass(frozen=True, slots=True)
class EvalCase:
    """One store: import `turns`, then ask `questions`. `id` ends in the dataset's digest: no two files share a case."""

    id: str
    turns: tuple[EvalTurn, ...]
    questions: tuple[EvalQuestion, ...]


@dataclass(frozen=True, slots=True)
class Quirk:
    """A fault of the dataset itself: how often it occurs, and what is done about it."""

    name: str
    count: int
    handling: str


@dataclass(frozen=True, slots=True, repr=False)
class Quirks:
    """The faults of one dataset file, counted."""

    dataset: str
    found: tuple[Quirk, ...]

    def __getitem__(self, name: str) -> int:
        for quirk in self.found:
            if quirk.name == name:
                return quirk.count
        raise KeyError(name)

    def __repr__(self) -> str:
        wide = max((len(quirk.name) for quirk in self.found), default=0)
        lines = [f"{quirk.count:>6}  {quirk.name:<{wide}}  {quirk.handling}" for quirk in self.found]
        return "\n".join([f"Quirks of {self.dataset}", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:right'>{quirk.count}</td><td>{escape(quirk.name)}</td>"
            f"<td>{escape(quirk.handling)}</td></tr>"
            for quirk in self.found
        )
        head = "<tr><th>count</th><th>fault of the dataset</th><th>what is done</th></tr>"
        return f"<table><caption>Quirks of {escape(self.dataset)}</caption>{head}{rows}</table>"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One dataset file under one protocol: what a run goes through."""

    dataset: str
    sha256: str
    protocol: str
    cases: tuple[EvalCase, ...]
    quirks: Quirks

    @property
    def counts(self) -> dict[str, int]:
        """How many cases, turns, questions, graded and abstention questions there are."""
        questions = [question for case in self.cases for question in case.questions]
        return {
            "cases": len(self.cases),
            "turns": sum(len(case.turns) for case in self.cases),
            "questions": len(questions),
            "graded": sum(question.graded for question in questions),
            "abstention": sum(question.abstention for question in questions),
        }


def turns_of(source: ImportedSource) -> tuple[EvalTurn, ...]:
    """The passages of a conversation as turns. One without a speaker or a time can't be measured and is refused."""
    return tuple(
        EvalTurn(
            passage.ref, passage.text, passage.speaker, passage.thread, passage.position, _time(passage, source.ref)
        )
        for passage in source.passages
    )


def _time(passage: NewPassage, name: str) -> datetime:
    if passage.at is None:
        raise InvalidRequest(f"{passage.thread} of {name} has no date_time that can be read: get the file again.")
    if not passage.speaker:
        raise InvalidRequest(f"{passage.ref} of {name} has no 'speaker' or 'role': get the file again.")
    return datetime.fromisoformat(passage.at)


def nothing_was_dropped(batch: ImportBatch, dataset: str) -> None:
    """Refuses a file of which more than empty turns was left out: its figures would be those of another corpus."""
    if len(batch.skipped) > batch.quirks.get("empty turns", 0):
        lost = next(skipped for skipped in batch.skipped if skipped.reason != "it is empty")
        raise InvalidRequest(
            f"{dataset} holds something that is no turn ({lost.reference}: {lost.reason}): get the file again."
        )


def case_id(name: str, sha256: str) -> str:
    """The id of a case: its own name and the digest of the file it comes from."""
    return f"{name}@{sha256[:DIGEST_PREFIX]}"


def field(entry: object, name: str, where: str) -> object:
    """A member of a decoded JSON object; a file of another shape is refused with the place where it differs."""
    if not isinstance(entry, Mapping) or name not in entry:
        raise InvalidRequest(f"{where} has no field {name!r}: this isn't the dataset that it was read as.")
    value: object = entry[name]
    return value


def text_field(entry: object, name: str, where: str) -> str:
    """A member that must be text."""
    value = field(entry, name, where)
    if not isinstance(value, str):
        raise InvalidRequest(f"{name!r} of {where} is no text: this isn't the dataset that it was read as.")
    return value


def list_field(entry: object, name: str, where: str) -> Sequence[object]:
    """A member that must be a list."""
    return as_list(field(entry, name, where), f"{name!r} of {where}")


def as_list(value: object, where: str) -> Sequence[object]:
    """A decoded JSON array; anything else is refused."""
    if not isinstance(value, list):
        raise InvalidRequest(f"{where} is no list: this isn't the dataset that it was read as.")
    return value


def known_protocol(protocol: str, known: Sequence[str], dataset: str) -> str:
    """The protocol, when the dataset has it."""
    if protocol not in known:
        raise InvalidRequest(f"{dataset} has no protocol {protocol!r}: use one of {', '.join(known)}.")
    return protocol

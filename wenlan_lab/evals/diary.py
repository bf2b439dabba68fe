"""Our own sample diary as a benchmark: 126 entries, 40 questions, for drift goldens and for fitting on.

It is small, written by hand, and carried by the repository. Everything about it is of the dev split: it may be fitted
on, and no figure over it is a result. A question is asked when it says so (`as_of`), else a day after the last entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from wenlan_lab import InvalidRequest, NotFound
from wenlan_lab.evals.cases import Benchmark, EvalCase, EvalQuestion, EvalTurn, Quirks, case_id

NAME = "diary"
FOLDER = Path(__file__).parents[2] / "data"  # in the repository; a wheel doesn't hold it
ENTRIES, QUESTIONS = "diary.jsonl", "diary_questions.jsonl"
ABSTAIN = "abstain"


def load(folder: Path | str = FOLDER) -> Benchmark:
    """The diary of the repository, or of another folder. Raises NotFound when it isn't there."""
    files = [Path(folder) / name for name in (ENTRIES, QUESTIONS)]
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        raise NotFound(f"{', '.join(missing)} isn't here: the diary comes with a clone of the repository.")
    content = [path.read_bytes() for path in files]
    digest = sha256(b"\n".join(content)).hexdigest()
    entries, questions = ([json.loads(line) for line in text.decode("utf-8").splitlines()] for text in content)
    return parse(entries, questions, digest)


def parse(entries: Sequence[Mapping[str, str]], questions: Sequence[Mapping[str, object]], digest: str) -> Benchmark:
    """The decoded lines as a benchmark of one case. `digest` is that of the files and goes into the case's id."""
    turns: list[EvalTurn] = []
    places: dict[str, int] = {}
    for entry in entries:
        thread = entry["thread"]
        places[thread] = place = places.get(thread, -1) + 1
        time = datetime.fromisoformat(entry["time"]).astimezone(UTC)
        turns.append(EvalTurn(entry["id"], entry["text"], entry["speaker"], thread, place, time))
    if not turns:
        raise InvalidRequest("the diary has no entry: nothing can be asked of it.")
    last = max(turn.time for turn in turns) + timedelta(days=1)
    known = frozenset(turn.ref for turn in turns)
    asked = tuple(_question(question, last, known) for question in questions)
    return Benchmark(NAME, digest, "turns", (EvalCase(case_id(NAME, digest), tuple(turns), asked),), Quirks(NAME, ()))


def _question(question: Mapping[str, object], last: datetime, known: frozenset[str]) -> EvalQuestion:
    shipped = question["gold"]
    gold = frozenset(map(str, shipped)) if isinstance(shipped, list) else frozenset()
    if not gold <= known:
        raise InvalidRequest(f"{question['id']} names entries that the diary doesn't have: {sorted(gold - known)}.")
    as_of = question.get("as_of")
    return EvalQuestion(
        id=str(question["id"]),
        text=str(question["question"]),
        at=last if as_of is None else datetime.fromisoformat(str(as_of)).astimezone(UTC),
        kind=str(question["kind"]),
        gold=gold,
        graded=bool(gold),
        abstention=question["kind"] == ABSTAIN,
        evidence=tuple(sorted(gold)),
        answer=str(question.get("answer") or ""),
    )

"""What a reader hands over: sources with their passages, what was odd, and what was left out and why.

A batch is complete in itself: whoever stores it decides nothing more about its content. Every text that comes from a
file goes through `Tally.storable` on its way into a batch, so no credential and nothing that can't be stored gets past.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wenlan_lab.engine.credentials import redact
from wenlan_lab.engine.normalise import replace_unstorable
from wenlan_lab.model.sources import NewPassage, SourceKind

_REDACTED_HERE = re.compile(r"\[redacted:\w+\]")
REPLACED = "texts with characters that can't be stored (now U+FFFD)"
REDACTED = "credentials redacted"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not in the batch, and why. `reference` is how a person finds it again: "line 12", a path."""

    reference: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """One source with its passages in reading order.

    `space` is the name of the space it belongs into, None for no space. `digest` covers everything that is stored of
    it but its place (ref, space): the same content has the same digest.
    """

    kind: SourceKind
    ref: str
    title: str
    space: str | None
    digest: str
    passages: tuple[NewPassage, ...]


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """All that one file or folder came to. `quirks` counts what was odd and handled; what is not odd isn't named."""

    sources: tuple[ImportedSource, ...]
    quirks: Mapping[str, int]
    skipped: tuple[Skipped, ...]
    format: str

    @property
    def passage_count(self) -> int:
        """How many passages its sources hold together."""
        return sum(len(source.passages) for source in self.sources)


@dataclass(slots=True)
class Tally:
    """What a reader notes on its way through a file. No value: it grows, and the batch is made from it."""

    quirks: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)

    def count(self, quirk: str, times: int = 1) -> None:
        """Note something odd; zero times is not at all."""
        if times:
            self.quirks[quirk] += times

    def skip(self, reference: str, reason: str) -> None:
        """Note something that is left out."""
        self.skipped.append(Skipped(self.storable(reference)[0], self.storable(reason)[0]))

    def storable(self, text: str) -> tuple[str, int]:
        """The text with what can't be stored replaced and credentials redacted, and how many credentials there were."""
        text, replaced = replace_unstorable(text)
        redacted = redact(text)
        self.count(REPLACED, int(replaced > 0))
        self.count(REDACTED, redacted.count)
        return redacted.text, redacted.count

    def name(self, text: str) -> str:
        """A speaker, thread, title or reference: storable too, on one line."""
        return " ".join(self.storable(text)[0].split())

    def batch(self, sources: Sequence[ImportedSource], format: str) -> ImportBatch:
        """Everything noted, with the sources, as the value to hand over."""
        return ImportBatch(tuple(sources), dict(sorted(self.quirks.items())), tuple(self.skipped), format)


def imported_source(
    kind: SourceKind, ref: str, title: str, space: str | None, passages: Sequence[NewPassage]
) -> ImportedSource:
    """A source with the digest of its content."""
    content = [
        [title],
        *([p.ref, p.thread, p.position, p.speaker, p.at, p.text, p.title] for p in passages),
    ]
    digest = hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()
    return ImportedSource(kind, ref, title, space, "sha256:" + digest, tuple(passages))


def redactions_in(text: str) -> int:
    """How many credentials were redacted in a piece of a text that was made storable as a whole."""
    return len(_REDACTED_HERE.findall(text))


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each made unique: the second `a` becomes `a~2`, and never a name that is in the list already."""
    given, used = set(names), set[str]()
    last: dict[str, int] = {}
    unique = []
    for name in names:
        chosen = name
        while chosen in used or (chosen != name and chosen in given):
            last[name] = last.get(name, 1) + 1
            chosen = f"{name}~{last[name]}"
        used.add(chosen)
        unique.append(chosen)
    return tuple(unique)

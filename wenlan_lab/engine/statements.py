"""Do two statements say the same, or do they differ in what matters?

Asked of texts that a cosine already calls near: two sentences that share almost all words may still contradict each
other by one slot. A minimal pair differs in order, negation, a number, a date or a name; it is never a restatement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wenlan_lab.derived.stems import stem_hash
from wenlan_lab.engine.normalise import text_key
from wenlan_lab.engine.slots import Slots, slots_of

Difference = Literal["order", "negation", "number", "date", "name"]


@dataclass(frozen=True, slots=True)
class Same:
    """The same words."""


@dataclass(frozen=True, slots=True)
class Restatement:
    """Other words, no slot differs."""


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Almost the same words, but a slot differs: `detail` says how."""

    differs: Difference
    detail: str


Comparison = Same | Restatement | MinimalPair


def compare(first: str, second: str) -> Comparison:
    """Compare two near statements slot by slot. Symmetric, pure, never fails."""
    if text_key(first) == text_key(second):
        return Same()
    return compare_slots(slots_of(first), slots_of(second))


def compare_slots(a: Slots, b: Slots) -> Comparison:
    """The same on slots that were read before."""
    if _dates_differ(a, b) or (a.weekdays != b.weekdays and a.weekdays and b.weekdays):
        return MinimalPair("date", f"{_told(a)} against {_told(b)}")
    if _unmatched(a, b) or _unmatched(b, a):
        return MinimalPair("number", f"{_list(a.numbers - b.numbers)} against {_list(b.numbers - a.numbers)}")
    if a.negations % 2 != b.negations % 2 or opposed(a, b) or opposed(b, a):
        return MinimalPair("negation", "one of them denies it")
    only_a, only_b = a.names - b.names, b.names - a.names
    if _names_differ(a, b, only_a, only_b) or _one_letter_off(a.letters, b.letters):
        return MinimalPair("name", f"{_list(only_a)} against {_list(only_b)}")
    if _order_differs(a, b):
        return MinimalPair("order", "the same words in another order")
    return Restatement()


def _unmatched(a: Slots, b: Slots) -> bool:
    """A number of one that the other doesn't hold, in digits or in words."""
    return bool(a.numbers - b.numbers - ({"1"} if b.one else set()))


def opposed(a: Slots, b: Slots) -> bool:
    """Tell "unreachable" on one side, "reachable" on the other."""
    return any(stem in b.words and stem not in a.words for stem in a.opposites)


def _one_letter_off(a: str, b: str) -> bool:
    """CJK texts of one length that differ in one place only: a name or a number was exchanged, not the wording."""
    if len(a) != len(b) or len(a) < 4:
        return False
    return len([at for at, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]) == 1


def _dates_differ(a: Slots, b: Slots) -> bool:
    """Dates without a year match those with any."""

    def matched(date: tuple[int, int, int], others: frozenset[tuple[int, int, int]]) -> bool:
        return any(date[1:] == other[1:] and (date[0] == other[0] or 0 in (date[0], other[0])) for other in others)

    if not a.dates and not b.dates:
        return False
    return not all(matched(date, b.dates) for date in a.dates) or not all(matched(date, a.dates) for date in b.dates)


def _names_differ(a: Slots, b: Slots, only_a: frozenset[str], only_b: frozenset[str]) -> bool:
    """A name of one that the other doesn't even hold as a plain word, on either side."""

    def absent(names: frozenset[str], other: Slots) -> bool:
        return any(stem_hash(part) not in other.words for name in names for part in name.replace("-", " ").split())

    return absent(only_a, b) or absent(only_b, a)


def _order_differs(a: Slots, b: Slots) -> bool:
    """The same bag of words, but two of them changed places: "prefers A over B" against "prefers B over A".

    A phrase of place or time may stand anywhere ("in the cellar the pump stalls"), so its words are left out.
    """
    if a.words != b.words or len(a.order) < 2 or a.passive != b.passive:
        return False
    movable = _placed(a)
    if movable != _placed(b):
        movable = ()  # two places changed places: "at the lake" against "at the outlet"
    mine, theirs = (tuple(word for word in slots.order if word not in movable) for slots in (a, b))
    return mine != theirs and _swapped(mine, theirs)


def _placed(slots: Slots) -> tuple[int, ...]:
    """The words behind a preposition of place or time, in order."""
    return tuple(word for clause in slots.clauses for word, placed in clause if placed)


def _swapped(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """True when two words, or two pairs of words, are exchanged; a clause that moved as a whole is a restatement."""
    at = [place for place, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    mine, theirs = [a[place] for place in at], [b[place] for place in at]
    if len(at) == 2:
        return mine == theirs[::-1]
    return len(at) == 4 and mine[:2] == theirs[2:] and mine[2:] == theirs[:2]


def _told(slots: Slots) -> str:
    return _list(frozenset("-".join(map(str, date)) for date in slots.dates) | slots.weekdays)


def _list(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


# The same slots read one way only, for "does the source hold what the claim says?" ------------------------------------


def numbers_missing(claim: Slots, source: Slots) -> bool:
    """A number of the claim that the source doesn't hold."""
    return _unmatched(claim, source)


def dates_missing(claim: Slots, source: Slots) -> bool:
    """A date or weekday of the claim that the source doesn't hold, when the source holds any."""

    def held(date: tuple[int, int, int]) -> bool:
        return any(
            date[1:] == other[1:] and (date[0] == other[0] or 0 in (date[0], other[0])) for other in source.dates
        )

    return not all(held(date) for date in claim.dates) or bool(claim.weekdays and not claim.weekdays <= source.weekdays)


def names_missing(claim: Slots, source: Slots) -> bool:
    """A name of the claim that the source doesn't hold, not even as a plain word."""
    parts = [part for name in claim.names - source.names for part in name.replace("-", " ").split()]
    return any(stem_hash(part) not in source.words for part in parts)


def swapped_within(claim: Slots, source: Slots) -> bool:
    """The claim says of one what the source says of the other: by names, or by words of direction and comparison."""
    if claim.passive != source.passive:
        return False
    return _names_swapped(claim, source) or _directions_swapped(claim, source)


def _names_swapped(claim: Slots, source: Slots) -> bool:
    """What follows one name in the claim follows another in the source."""
    names = {stem_hash(part) for name in claim.names | source.names for part in name.replace("-", " ").split()}
    told, given = _attached(claim, names), _attached(source, names)
    both = sorted(name for name in told if name in given)
    for at, one in enumerate(both):
        for other in both[at + 1 :]:
            straight = len(told[one] & given[one]) + len(told[other] & given[other])
            crossed = len(told[one] & given[other]) + len(told[other] & given[one])
            if crossed > straight:
                return True
    return False


def _attached(slots: Slots, names: set[int]) -> dict[int, set[int]]:
    """For each name the content words after it in its clause, up to the next name. Names of places hold nothing."""
    found: dict[int, set[int]] = {}
    for clause in slots.clauses:
        holder: int | None = None
        for word, placed in clause:
            if word in names:
                if not placed:
                    holder = word
                    found.setdefault(word, set())
            elif holder is not None:
                found[holder].add(word)
    return found


def _directions_swapped(claim: Slots, source: Slots) -> bool:
    """Under the same word of direction stand other things, and each of them is told elsewhere by the other side."""
    for word, told in claim.governed.items():
        given = source.governed.get(word)
        if not told or not given or told & given:
            continue
        if all(stem in source.words for stem in told) and all(stem in claim.words for stem in given):
            return True
    return False

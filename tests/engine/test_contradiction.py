"""The pre-filter: which statements can't both be true, by their key fields alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab.engine.contradiction import (
    CLAIM_OVERLAP,
    CONTEXT_OVERLAP,
    Consistent,
    Contradicts,
    Statement,
    Supersedes,
    contradicts,
    overlap,
)
from wenlan_lab.model.types import MEMORY_TYPES


def said(kind: str, at: str = "2026-01-01", space: str | None = None, text: str = "", **fields: str) -> Statement:
    return Statement(kind, space, text, fields, at)  # type: ignore[arg-type]  # a test's own types


LOW, HIGH = "The station is at 1200 metres", "The station is at 1250 metres"


@pytest.mark.parametrize(
    ("new", "old", "verdict"),
    [
        (said("preference", preference="tea"), said("preference", preference="coffee"), Contradicts),
        (said("preference", "2026-02-01", preference="tea"), said("preference", preference="coffee"), Supersedes),
        (said("preference", preference=" TEA. "), said("preference", preference="tea"), Consistent),
        (said("preference", preference="tea", applies_when="mornings"), said("preference", preference="coffee", applies_when="mornings"), Contradicts),
        (said("preference", preference="tea", applies_when="mornings"), said("preference", preference="coffee", applies_when="at night"), Consistent),
        (said("preference", preference="tea", applies_when="mornings"), said("preference", preference="coffee"), Contradicts),
        (said("decision", "2026-02-01", decision="polars", context="tables"), said("decision", decision="pandas", context="tables"), Supersedes),
        (said("decision", decision="polars", context="tables"), said("decision", "2026-02-01", decision="pandas", context="tables"), Contradicts),
        (said("decision", decision="polars", context="tables"), said("decision", decision="red", context="the dome's paint"), Consistent),
        (said("fact", claim=LOW), said("fact", claim=HIGH), Contradicts),
        (said("fact", claim=LOW), said("fact", text=HIGH), Contradicts),
        (said("lesson", claim=LOW), said("lesson", claim=HIGH), Contradicts),
        (said("gotcha", claim=LOW), said("gotcha", claim=HIGH), Contradicts),
        (said("identity", claim="I live in Oslo by the sea"), said("identity", claim="I live in Bergen by the sea"), Contradicts),
        (said("fact", claim=LOW), said("fact", claim="Bread rises"), Consistent),
        (said("fact", claim=LOW, domain="map"), said("fact", claim=HIGH, domain="survey"), Consistent),
        (said("fact", claim=LOW, domain="map"), said("fact", claim=HIGH, domain="MAP "), Contradicts),
        (said("fact", claim=LOW, domain="map"), said("fact", claim=HIGH), Contradicts),
        (said("fact", claim=LOW), said("lesson", claim=HIGH), Consistent),
        (said("fact", space="a", claim=LOW), said("fact", space="b", claim=HIGH), Consistent),
        (said("fact", space="a", claim=LOW), said("fact", claim=HIGH), Consistent),
        (said("identity", claim="I use vim"), said("identity", claim="I  use Vim."), Consistent),
        (said("decision", context="tables"), said("decision", decision="pandas"), Consistent),
        (said("preference"), said("preference"), Consistent),
    ],
)  # fmt: skip
def test_what_can_not_both_be_true_is_found(new: Statement, old: Statement, verdict: type) -> None:
    found = contradicts(new, old)
    assert isinstance(found, verdict)
    if not isinstance(found, Consistent):
        assert found.before
        assert found.after
        assert found.before != found.after


def test_a_field_that_is_no_text_is_consistent() -> None:
    odd = Statement("preference", None, "", {"preference": ["tea"]}, "2026-01-01")  # type: ignore[dict-item]
    assert contradicts(odd, said("preference", preference="coffee")) == Consistent()


def with_overlap(shared: int, own: int) -> tuple[str, str]:
    """Two texts whose character pairs overlap by shared / (shared + 2·own)."""
    letters = "".join(chr(0x0430 + at % 32) + chr(0x0561 + at) for at in range(40))  # no pair occurs twice
    return letters[: shared + 1] + "abcdefghij"[:own], letters[: shared + 1] + "klmnopqrst"[:own]


@pytest.mark.parametrize(
    ("kind", "shared", "own", "found"),
    [
        # overlap 6/(6+14) is 0.3 exactly, 7/(7+14) is above it
        ("fact", 6, 7, False), ("fact", 7, 7, True), ("fact", 5, 7, False),
        # overlap 4/(4+4) is 0.5 exactly, 5/(5+4) is above it
        ("preference", 4, 2, False), ("preference", 5, 2, True), ("decision", 4, 2, False), ("decision", 5, 2, True),
    ],
)  # fmt: skip
def test_the_overlap_has_to_be_more_than_its_bound(kind: str, shared: int, own: int, *, found: bool) -> None:
    a, b = with_overlap(shared, own)
    assert overlap(a, b) == shared / (shared + 2 * own)
    bound = CLAIM_OVERLAP if kind == "fact" else CONTEXT_OVERLAP
    assert (overlap(a, b) > bound) == found
    if kind == "fact":
        verdict = contradicts(said(kind, claim=a), said(kind, claim=b))
    elif kind == "preference":
        verdict = contradicts(said(kind, preference="x y", applies_when=a), said(kind, preference="z", applies_when=b))
    else:
        verdict = contradicts(said(kind, decision="x y", context=a), said(kind, decision="z", context=b))
    assert isinstance(verdict, Contradicts) == found


def test_overlap_is_jaccard_over_character_pairs() -> None:
    assert overlap("night", "nacht") == 1 / 7
    assert overlap("a", "b") == 1.0
    assert overlap("same", "SAME.") == 1.0
    assert overlap("same", "") == 0.0


@given(st.sampled_from(MEMORY_TYPES), st.text(st.characters(), max_size=40), st.text(st.characters(), max_size=40))
def test_any_words_are_compared_and_the_same_ones_never_contradict(kind: str, first: str, second: str) -> None:
    for name in ("claim", "preference", "decision"):
        a, b = said(kind, **{name: first}), said(kind, **{name: second})
        assert isinstance(contradicts(a, a), Consistent)
        assert isinstance(contradicts(a, b), Consistent) == isinstance(contradicts(b, a), Consistent)

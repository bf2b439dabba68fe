"""The faces of a review item and of the queue's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wenlan_lab.model.shown_diff import diff_html, diff_text, shared_words, word_diff
from wenlan_lab.model.shown_tables import FAINT, FRAME, Table, lines_html
from wenlan_lab.model.shown_text import WIDTH, Html, escape, joined, segments, tag, visible, wrapped

if TYPE_CHECKING:
    from wenlan_lab.model.memories import Evidence
    from wenlan_lab.model.reviews import ReviewItem, ReviewStats

KIND_TITLES = {
    "supersede": "replaces a memory",
    "contradiction": "contradicts a memory",
    "near_tombstone": "nearly repeats a rejected claim",
    "page_revision": "revises a page",
    "page_merge": "merges pages",
    "entity_merge": "merges entities",
    "relation_conflict": "conflicting relations",
    "new_vocabulary": "new vocabulary",
    "stale_evidence": "evidence that changed",
}
SHOWN = 4_000


def item_lines(item: ReviewItem) -> list[str]:
    """Who proposed it, when and why, and what became of it; one thought a line."""
    at = item.created[:16].replace("T", " ")
    lines = [f"proposed by {item.proposed_by}, {at} UTC"]
    if item.why:
        lines.append(f"why: {item.why}")
    if item.resolved:
        told = f": {item.resolution}" if item.resolution else ""
        lines.append(f"{item.status} by {item.resolved_by}, {item.resolved[:16].replace('T', ' ')} UTC{told}")
    return lines


def head_line(item: ReviewItem) -> str:
    """The line that names it."""
    return f"{item.id} · {KIND_TITLES[item.kind]} · {item.space or 'uncategorized'} · {item.status}"


def item_text(item: ReviewItem, most: int = WIDTH) -> str:
    """One item as plain text, with the word diff and the evidence."""
    told = wrapped(head_line(item), most)
    body = [_cut(diff_text(word_diff(item.before, item.after))) or "[erased]", *item_lines(item)]
    body += [evidence_text(row, item.after) for row in item.evidence]
    return "\n".join(told + ["  " + line for part in body for line in wrapped(part, most - 2)])


def item_html(item: ReviewItem) -> str:
    """One item as HTML."""
    return tag("div", tag("div", escape(head_line(item)), style="font-weight:600"), card_html(item), style=FRAME)


def card_html(item: ReviewItem, *more: str) -> Html:
    """The body of one item: what changes, who proposed it, why, and what speaks for it. `more`: lines to add."""
    before, after = item.before[:SHOWN], item.after[:SHOWN]
    left_out = max(len(item.before), len(item.after)) - SHOWN
    diff = diff_html(word_diff(before, after)) or tag("span", escape("[erased]"), style=FAINT)
    parts = [tag("div", diff, style="margin:2px 0;white-space:pre-wrap;overflow-wrap:anywhere", dir="auto")]
    if left_out > 0:
        parts.append(tag("div", escape(f"… and up to {left_out:,} more characters"), style=FAINT))
    parts += [tag("div", lines_html(line), style=FAINT, dir="auto") for line in (*item_lines(item), *more)]
    parts += [evidence_html(row, item.after) for row in item.evidence]
    return joined(parts)


def evidence_text(row: Evidence, claim: str) -> str:
    """A quote with the words it shares with the claim between « »."""
    marked = segments(row.quote, shared_words(row.quote, claim), (0, min(len(row.quote), SHOWN)))
    told = "".join(f"«{visible(text)}»" if mark else visible(text) for text, mark in marked)
    return f"rests on “{told}” ({_standing(row)})"


def evidence_html(row: Evidence, claim: str) -> Html:
    """A quote with the words it shares with the claim marked."""
    marked = segments(row.quote, shared_words(row.quote, claim), (0, min(len(row.quote), SHOWN)))
    told = joined(tag("mark", escape(text)) if mark else escape(text) for text, mark in marked)
    standing = tag("span", escape(f" ({_standing(row)})"), style=FAINT)
    return tag("div", escape("rests on “"), told, escape("”"), standing, dir="auto")


def _standing(row: Evidence) -> str:
    place = (row.passage_id or row.source_id or "quoted") if row.located else "not located"
    support = {True: "supports it", False: "does not support it", None: ""}[row.supports]
    return ", ".join(part for part in (place, support) if part)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


def stats_table(stats: ReviewStats) -> Table:
    """The queue in numbers."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in stats.by_kind.items())
    rows = (
        ("proposed", f"{stats.arrivals:,}", kinds),
        ("waiting", f"{stats.waiting:,}", stats.backlog),
        ("accepted", f"{stats.accepted:,}", ""),
        ("dismissed", f"{stats.dismissed:,}", ""),
        ("expired", f"{stats.expired:,}", "could not be performed any more"),
        ("age", f"{days(stats.age_p50)}", f"the median; 95 % within {days(stats.age_p95)}"),
        (
            "stopped",
            f"{stats.protected_stopped:,} of {stats.protected_writes:,}",
            f"writes against protected memories had to wait: {100 * stats.stopped_share:.0f} %",
        ),
    )
    return Table("review", ("", "", ""), rows)


def days(amount: float) -> str:
    """A span of days in the unit that suits it."""
    if amount >= 2:
        return f"{amount:.0f} days"
    hours = 24 * amount
    return f"{hours:.0f} hours" if hours >= 2 else f"{max(60 * hours, 0):.0f} minutes"

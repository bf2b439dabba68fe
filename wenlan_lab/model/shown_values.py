"""The faces of receipts, memories, spaces, sources and of what forgetting would reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from wenlan_lab.model.shown_tables import (
    FAINT,
    FRAME,
    WHOLE,
    Table,
    Tone,
    html_table,
    lines_html,
    long_text,
    message_html,
    text_table,
)
from wenlan_lab.model.shown_text import WIDTH, escape, one_line, tag, visible, wrapped

if TYPE_CHECKING:
    from wenlan_lab.model.memories import Memory
    from wenlan_lab.model.outcomes import Receipt
    from wenlan_lab.model.results import Forgetting
    from wenlan_lab.model.sources import Source
    from wenlan_lab.model.spaces import Space

TONES: Mapping[str, Tone] = {"Captured": "good", "Applied": "good", "Rejected": "bad"}
COUNTED = {
    "Captured": "captured",
    "AlreadyKnown": "already known",
    "Held": "held",
    "Rejected": "not stored",
    "Applied": "done",
    "Unchanged": "unchanged",
}


def receipt_lines(receipt: Receipt) -> list[str]:
    """The receipt in plain words, one thought a line; every surface shows these."""
    place = receipt.space or "uncategorized"
    match receipt.outcome:
        case "Captured":
            lines = [f"captured {receipt.id} in {place}"]
        case "AlreadyKnown":
            lines = [f"already known as {receipt.id} in {place}: nothing was written"]
        case "Held":
            lines = [f"held {receipt.id} in {place}: it waits in review"]
        case "Rejected":
            lines = ["not stored"]
        case "Applied":
            lines = [f"done: {receipt.detail}" if receipt.detail else f"done: {receipt.id}"]
        case "Unchanged":
            lines = [f"nothing changed: {receipt.detail or receipt.id}"]
    if receipt.reason is not None:
        lines.append(f"  {receipt.reason.reason}: {receipt.reason.detail}")
        lines.append(f"  {receipt.reason.next_step}")
    if receipt.near_duplicate is not None:
        near = receipt.near_duplicate
        lines.append(f"  close to {near.id} ({near.similarity:.2f}): {one_line(near.text, 120)}")
    lines.extend(f"  note: {warning}" for warning in receipt.warnings)
    if receipt.seq is not None:
        lines.append(f"  journal {receipt.seq}")
    return [visible(line) for line in lines]


def receipt_text(receipt: Receipt, most: int = WIDTH) -> str:
    """The same lines as plain text of at most `most` columns."""
    lines = []
    for line in receipt_lines(receipt):
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + part for part in wrapped(line.lstrip(), most - len(indent))]
    return "\n".join(lines)


def receipt_html(receipt: Receipt) -> str:
    """The same lines; the edge says how it went."""
    return message_html(receipt_lines(receipt), TONES.get(receipt.outcome, "plain"))


def receipts_table(receipts: Sequence[Receipt]) -> Table:
    """Many receipts: how many came to what, then one row each."""
    counts = [f"{n} {told}" for name, told in COUNTED.items() if (n := sum(r.outcome == name for r in receipts))]
    rows = []
    for receipt in receipts:
        told = [line.strip() for line in receipt_lines(receipt)[1:] if not line.startswith("  journal ")]
        rows.append(
            (COUNTED[receipt.outcome], receipt.id, receipt.space or "uncategorized", receipt.seq, "\n".join(told))
        )
    return Table(
        ", ".join(counts), ("outcome", "id", "space", "journal", "details"), tuple(rows), empty="nothing to capture"
    )


def memory_lines(memory: Memory) -> list[str]:
    """All about one memory but its text, one thought a line; the first line names it."""
    place = memory.space or "uncategorized"
    lines = [f"{memory.id} · {memory.type} · {place} · {memory.trust} · {memory.status}"]
    if memory.tags or memory.pinned:
        lines.append(" · ".join([*(["pinned"] if memory.pinned else []), *(f"#{tag}" for tag in memory.tags)]))
    lines += [f"{name}: {value}" for name, value in memory.fields.items()]
    if memory.cue:
        lines.append(f"answers: {memory.cue}")
    until = f" until {memory.valid_to[:10]}" if memory.valid_to else ""
    lines.append(f"true from {memory.valid_from[:10]}{until} ({memory.time_rule})")
    lines.append(f"captured {memory.created[:16].replace('T', ' ')} by {memory.author}, revision {memory.revision}")
    for item in memory.evidence:
        place = f" ({item.passage_id or item.source_id})" if item.located else " (not located)"
        lines.append(f"rests on “{item.quote}”{place}")
    return lines


def memory_text(memory: Memory, width: int = WIDTH) -> str:
    """One memory as plain text: what it is, its whole text, what is known about it."""
    first, *rest = memory_lines(memory)
    told = [*wrapped(first, width), *wrapped(memory.text or "[erased]", width)]
    return "\n".join(told + ["  " + line for item in rest for line in wrapped(item, width - 2)])


def memory_html(memory: Memory) -> str:
    """One memory as HTML."""
    first, *rest = memory_lines(memory)
    told = memory.text or "[erased]"
    whole = lines_html(told) if len(told) <= WHOLE else long_text(told)
    text = tag("div", whole, style="margin:2px 0", dir="auto")
    lines = [tag("div", escape(line), style=FAINT, dir="auto") for line in rest]
    return tag("div", tag("div", escape(first), style="font-weight:600"), text, *lines, style=FRAME)


def memories_table(memories: Iterable[Memory], *, title: str = "memories", notes: Sequence[str] = ()) -> Table:
    """Memories as a list, in the order given."""
    rows = tuple(
        (
            memory.id,
            memory.type,
            memory.space or "uncategorized",
            memory.trust if memory.status == "live" else f"{memory.trust}, {memory.status}",
            memory.text,
            " ".join(f"#{name}" for name in memory.tags) + (" pinned" if memory.pinned else ""),
            memory.changed[:10],
        )
        for memory in memories
    )
    columns = ("id", "type", "space", "trust", "text", "tags", "changed")
    return Table(title, columns, rows, empty="no memories here yet: capture one.", notes=tuple(notes))


def spaces_table(spaces: Iterable[Space]) -> Table:
    """Spaces with what is in them."""
    rows = tuple((space.name, space.memories, space.passages, space.description) for space in spaces)
    return Table("spaces", ("name", "memories", "passages", "description"), rows, empty="no spaces yet: create one.")


def sources_table(sources: Iterable[Source], space_names: Mapping[str, str] | None = None) -> Table:
    """Sources in the order given; `space_names` gives the name for each space id."""
    names = space_names or {}
    rows = tuple(
        (
            source.id,
            source.kind,
            source.ref,
            source.title,
            names.get(source.space_id or "", source.space_id or ""),
            source.added[:10],
        )
        for source in sources
    )
    return Table(
        "sources", ("id", "kind", "ref", "title", "space", "added"), rows, empty="no sources yet: import a file."
    )


def forgetting_table(report: Forgetting) -> Table:
    """The places that forgetting would reach."""
    rows = tuple((place.kind, place.id, place.detail) for place in report.places)
    notes = ("nothing was erased yet; forgetting can't be undone.",)
    return Table(
        f"forgetting {report.id} would erase",
        ("place", "id", "what"),
        rows,
        empty="nothing: no text of it is left.",
        notes=notes,
    )


def forgetting_text(report: Forgetting) -> str:
    """The places as plain text."""
    return text_table(forgetting_table(report))


def forgetting_html(report: Forgetting) -> str:
    """The places as HTML."""
    return html_table(forgetting_table(report))

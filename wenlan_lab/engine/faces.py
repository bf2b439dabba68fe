"""The faces of what the engine and the store return: which tables a person sees of it. Rendering is `model.shown`'s."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wenlan_lab.model.shown import Table

if TYPE_CHECKING:
    from wenlan_lab.engine.doctor import Diagnosis
    from wenlan_lab.engine.importing import ImportReport, Removal
    from wenlan_lab.engine.memory_views import History, Why
    from wenlan_lab.engine.status import WorkbenchStatus
    from wenlan_lab.model.reviews import ReviewItem
    from wenlan_lab.store.journal import Entry
    from wenlan_lab.store.rejections import RejectedCapture
    from wenlan_lab.store.tombstones import Tombstone
    from wenlan_lab.store.versions import Version

# What changes with every change and tells a reader nothing.
UNTOLD = {"id", "text_key", "origin", "changed", "touched", "revision", "created"}
SKIPPED_SHOWN = 20


def moment(at: str | None) -> str:
    """An ISO time to the second, for people; it is in UTC."""
    return (at or "")[:19].replace("T", " ")


def entries_table(entries: Iterable[Entry], *, title: str = "journal", notes: Sequence[str] = ()) -> Table:
    """Journal entries in the order given."""
    rows = tuple(
        (entry.seq, moment(entry.at), entry.actor, entry.change, entry.summary.removeprefix(entry.change).strip())
        for entry in entries
    )
    return Table(title, ("seq", "at (UTC)", "actor", "change", "what"), rows, empty="no entries.", notes=tuple(notes))


def rejections_table(rejections: Iterable[RejectedCapture], *, notes: Sequence[str] = ()) -> Table:
    """Refused captures in the order given."""
    rows = tuple((moment(item.at), item.actor, item.reason, item.detail, item.excerpt) for item in rejections)
    columns = ("at (UTC)", "actor", "reason", "details", "excerpt")
    return Table("refused captures", columns, rows, empty="nothing was refused.", notes=tuple(notes))


def history_tables(history: History) -> tuple[Table, Table]:
    """Every state with what changed in it, and the journal entries."""
    rows = []
    before: Version | None = None
    for version in history.versions:
        told = differences(before.state, version.state) if before is not None else str(version.state.get("text") or "")
        rows.append((version.version, moment(version.recorded_from), moment(version.recorded_to), version.seq, told))
        before = version
    columns = ("version", "recorded from", "until", "journal", "what it said, then what changed")
    versions = Table(f"history of {history.id}", columns, tuple(rows), empty="no versions: it was erased.")
    return versions, entries_table(history.entries, title="what touched it")


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What differs between two states of a row, one line each."""
    told = [
        f"{name}: {_told(before.get(name))} → {_told(value)}"
        for name, value in after.items()
        if name not in UNTOLD and value != before.get(name)
    ]
    return "\n".join(told) or "nothing a reader would see"


def _told(value: object) -> str:
    return "none" if value in (None, "", "[]", "{}") else str(value)


def why_tables(why: Why) -> tuple[Table, ...]:
    """The answer in a sentence, and the evidence behind it."""
    rows = tuple(
        (
            item.quote,
            item.passage_id or item.source_id,
            f"{item.start}–{item.end}" if item.located else "not located",
            {True: "supports it", False: "does not support it", None: ""}[item.supports],
        )
        for item in why.evidence
    )
    columns = ("quote", "in", "characters", "")
    return (Table(f"{why.memory.id} {why.answer}", columns, rows, empty=why.memory.text or "[erased]"),)


def status_table(status: WorkbenchStatus) -> Table:
    """Counts, sizes and what is waiting."""
    types = ", ".join(f"{count} {name}" for name, count in status.by_type.items() if count)
    trusts = ", ".join(f"{count} {name}" for name, count in status.by_trust.items() if count)
    waits = f"{status.waiting:,} vectors wait: embed them with `embed`" if status.waiting else ""
    rows = (
        ("memories", f"{status.memories:,}", "; ".join(part for part in (types, trusts) if part)),
        ("passages", f"{status.passages:,}", f"in {status.sources:,} sources"),
        ("spaces", f"{status.spaces:,}", ""),
        ("journal", f"{status.journal:,}", f"{status.rejections:,} captures refused"),
        ("index", f"{status.behind:,} behind", waits or "it follows at the next recall" if status.behind else waits),
        ("embedder", status.embedder, ""),
        (
            "on disk",
            sized(sum(status.bytes.values())),
            ", ".join(f"{name} {sized(n)}" for name, n in status.bytes.items()),
        ),
    )
    return Table(f"workbench {status.folder}", ("", "", ""), rows)


def sized(count: int) -> str:
    """A number of bytes in the unit that suits it."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def diagnosis_table(diagnosis: Diagnosis) -> Table:
    """Every check; what is not fine says what to do."""
    bad = sum(not check.ok for check in diagnosis.checks)
    rows = tuple(
        ("ok" if check.ok else "FAIL", check.name, check.detail, check.next_step) for check in diagnosis.checks
    )
    title = f"{bad} of {len(rows)} checks failed" if bad else f"all {len(rows)} checks passed"
    columns = ("", "check", "found", "what to do") if any(row[3] for row in rows) else ("", "check", "found")
    return Table(title, columns, tuple(row[: len(columns)] for row in rows))


def import_table(report: ImportReport) -> Table:
    """What an import came to, what it met and what it left out."""
    rows: list[tuple[str, int | str, str]] = [
        ("added", report.added, f"passages from {report.sources:,} sources"),
        ("known already", report.known, "left as they were"),
    ]
    if report.gone:
        rows.append(("gone", report.gone, "no longer there outside; kept for what rests on them"))
    if report.redactions:
        rows.append(("redacted", report.redactions, "credentials, in place"))
    rows += [("met", count, quirk) for quirk, count in report.quirks.items()]
    rows += [("skipped", item.reference, item.reason) for item in report.skipped[:SKIPPED_SHOWN]]
    notes = list(report.notes)
    if len(report.skipped) > SKIPPED_SHOWN:
        notes.insert(0, f"{SKIPPED_SHOWN} of {len(report.skipped):,} skipped shown; `.skipped` holds them all")
    where = ", ".join(report.spaces[:8]) + (f" and {len(report.spaces) - 8} more" if len(report.spaces) > 8 else "")
    title = f"imported {report.path} ({report.format}) into {where}" if where else f"nothing to import in {report.path}"
    return Table(title, ("", "", ""), tuple(rows), notes=tuple(notes))


def removal_table(removal: Removal) -> Table:
    """What removing a source would take, and what rests on it."""
    rows = tuple((memory_id,) for memory_id in removal.resting)
    title = f"removing {removal.source.ref} would delete {removal.passages:,} passages"
    return Table(title, ("memories that rest on it",), rows, empty="no memory rests on it.")


def reviews_table(items: Iterable[ReviewItem]) -> Table:
    """Review items in the order given."""
    rows = tuple(
        (item.id, item.kind, item.status, item.before, item.after, item.why, item.proposed_by, moment(item.created))
        for item in items
    )
    columns = ("id", "kind", "status", "before", "after", "why", "proposed by", "created (UTC)")
    return Table("review", columns, rows, empty="nothing waits.")


def tombstones_table(stones: Sequence[Tombstone]) -> Table:
    """Tombstones in the order given. The claim itself is not kept: a digest of it is."""
    rows = tuple(
        (
            stone.id,
            stone.memory_id,
            stone.at[:10],
            stone.actor,
            f"{stone.reason}\nlifted: {stone.lifted_reason}" if stone.lifted else stone.reason,
        )
        for stone in stones
    )
    columns = ("id", "left by", "on (UTC)", "actor", "reason")
    standing = sum(not stone.lifted for stone in stones)
    notes = ("`unforget ID --reason WHY` lifts one.",) if standing else ()
    return Table("tombstones", columns, rows, empty="no claim was rejected.", notes=notes)

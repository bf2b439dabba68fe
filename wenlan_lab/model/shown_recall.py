"""The faces of a recall: hits as a table, and why each of them is where it is.

Text and HTML say the same: rank, text with the matched words marked, type, space, trust, date, source, score, the
factors behind the score, what was left out, and everything that went less well than it should.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from wenlan_lab.model.shown_tables import (
    CELL,
    FAINT,
    FRAME,
    GRID,
    HEAD,
    NUMBER,
    fold,
    lines_html,
    note_html,
    whole_text,
)
from wenlan_lab.model.shown_text import WIDTH, Html, escape, excerpt, joined, one_line, segments, tag, wrapped

if TYPE_CHECKING:
    from wenlan_lab.model.recall import Hit, Trace
    from wenlan_lab.model.results import RecallResult

MARK = "background:rgba(255,179,0,.32);color:inherit;border-radius:2px;padding:0 1px"
FOR = "var(--jp-brand-color1,#1976d2)"
AGAINST = "var(--jp-error-color1,#d32f2f)"
COLUMNS = ("", "text", "type", "space", "trust", "date", "source", "score")
INDENT = "    "


def hit_row(rank: int, hit: Hit) -> dict[str, Any]:
    """A hit as one flat row: what a data frame holds of it. `at` is ISO 8601 or None, `found_by` a list of arms."""
    source = hit.source
    return {
        "rank": rank,
        "id": hit.id,
        "kind": hit.kind,
        "type": hit.type,
        "space": hit.space,
        "trust": hit.trust,
        "status": hit.status,
        "score": hit.score,
        "text": hit.text,
        "source_kind": source.kind,
        "source_ref": source.ref,
        "thread": source.thread,
        "position": source.position,
        "speaker": source.speaker,
        "at": source.at,
        "found_by": list(hit.found_by),
    }


def trust_of(hit: Hit) -> str:
    """Trust, and the status when it is not simply live."""
    return hit.trust if hit.status == "live" else f"{hit.trust}, {hit.status}"


def date_of(hit: Hit) -> str:
    """The day of a hit, empty when nobody knows it."""
    return (hit.source.at or "")[:10]


def source_of(hit: Hit) -> tuple[str, ...]:
    """Where a hit comes from: speaker, thread and reference, without what is empty, doubled or its own id."""
    told = (hit.source.speaker, hit.source.thread, hit.source.ref)
    return tuple(dict.fromkeys(part for part in told if part and part != hit.id))


def score_line(hit: Hit) -> str:
    """The score as the product of its factors."""
    factors = " × ".join(f"{name} {value:.3f}" for name, value in hit.factors.items())
    return f"score {hit.score:.3f} = {factors}" if factors else f"score {hit.score:.3f}"


def relevance_line(hit: Hit) -> str:
    """The relevance as the sum of its parts, or the sum of which it is the logistic; the largest part first."""
    if not hit.parts:
        return ""
    told = "".join(f" {'−' if value < 0 else '+'} {name} {abs(value):.3f}" for name, value in ordered_parts(hit))
    told = told.removeprefix(" + ").removeprefix(" ")
    relevance, total = hit.factors.get("relevance", 0.0), sum(hit.parts.values())
    if math.isclose(relevance, total, abs_tol=1e-6):
        return f"relevance {relevance:.3f} = {told}"
    return f"relevance {relevance:.3f} = logistic of {signed(total)} = {told}"


def signed(value: float) -> str:
    """Three decimals, with a minus sign that is as wide as a plus."""
    return f"{value:.3f}".replace("-", "−")


def ordered_parts(hit: Hit) -> list[tuple[str, float]]:
    """The parts of the relevance, the largest first."""
    return sorted(hit.parts.items(), key=lambda part: (-abs(part[1]), part[0]))


def found_line(hit: Hit) -> str:
    """Its id, the arms that found it, and what was folded into it."""
    arms = f" · found by {', '.join(hit.found_by)}" if hit.found_by else ""
    folded = f" · says the same: {', '.join(hit.folded)}" if hit.folded else ""
    return f"{hit.id}{arms}{folded}"


def evidence_lines(hit: Hit) -> list[str]:
    """What a memory rests on, one quote a line."""
    lines = []
    for item in hit.evidence:
        place = f" ({item.passage_id or item.source_id})" if item.located else " (not located)"
        lines.append(f"rests on “{item.quote}”{place}")
    return lines


def _detail_lines(hit: Hit) -> list[str]:
    return [line for line in (score_line(hit), relevance_line(hit), found_line(hit), *evidence_lines(hit)) if line]


def count_line(result: RecallResult) -> str:
    """How many of the candidates are shown, from where, and how long it took."""
    total = max(result.trace.candidates, len(result.hits))
    parts = [f"{len(result.hits):,} of {total:,} shown", f"in {result.trace.scope}"]
    if "total" in result.trace.milliseconds:
        parts.append(f"{result.trace.milliseconds['total']:.0f} ms")
    return " · ".join(parts)


def trace_lines(trace: Trace) -> list[str]:
    """What the arms did, and what was dropped for another reason than its rank."""
    arms = [
        f"{arm.name} found {arm.found:,} in {arm.milliseconds:.1f} ms"
        + ("" if arm.status == "ok" else f" ({arm.status})")
        for arm in trace.arms
    ]
    lines = ["; ".join(arms)] if arms else []
    dropped = Counter(drop.reason for drop in trace.dropped if drop.reason != "beyond_k")
    if dropped:
        lines.append("left out: " + ", ".join(f"{count} {reason}" for reason, count in sorted(dropped.items())))
    return lines


def recall_text(result: RecallResult, width: int = WIDTH) -> str:
    """A recall as plain text of at most `width` columns; matched words stand in «»."""
    lines = [*wrapped(f"recall: {one_line(result.query, 400)}", width), *wrapped(count_line(result), width)]
    if result.message:
        lines += wrapped(result.message, width)
    for rank, hit in enumerate(result.hits, 1):
        lines += ["", *_hit_lines(rank, hit, width)]
    if result.hits:
        lines.append("")
    for told in trace_lines(result.trace):
        lines += wrapped(told, width)
    for note in result.trace.notes:
        lines += wrapped(f"note: {note}", width)
    return "\n".join(lines)


def _hit_lines(rank: int, hit: Hit, width: int) -> list[str]:
    room = width - len(INDENT)
    head = [f"{hit.score:.3f}", hit.type, hit.space or "uncategorized", trust_of(hit), date_of(hit), *source_of(hit)]
    first, *more = wrapped(" · ".join(one_line(part, 60) for part in head if part), room)
    lines = [f"{rank:>2}. {first}", *(INDENT + line for line in more)]
    body = wrapped(marked_text(hit), room) + [line for told in _detail_lines(hit) for line in wrapped(told, room)]
    return lines + [INDENT + line for line in body]


def marked_text(hit: Hit) -> str:
    """About 300 characters around the matched words, which stand in «»; says how long the whole is."""
    start, end = excerpt(hit.text, hit.marks)
    told = "".join(f"«{piece}»" if marked else piece for piece, marked in segments(hit.text, hit.marks, (start, end)))
    told = ("…" if start else "") + told.rstrip("\n") + ("…" if end < len(hit.text) else "")
    return told if end - start == len(hit.text) else f"{told} ({len(hit.text):,} characters)"


def recall_html(result: RecallResult) -> str:
    """A recall as an HTML table, with the reasons of each hit behind a fold."""
    head = [
        tag("b", escape(one_line(result.query, 400)), dir="auto"),
        tag("span", escape(count_line(result)), style=FAINT),
    ]
    parts = [tag("div", joined(head, " · "))]
    if result.message:
        parts.append(tag("div", escape(result.message), style="margin:4px 0"))
    if result.hits:
        titles = tag("tr", *(tag("th", escape(name), style=HEAD) for name in COLUMNS), style="background:transparent")
        rows = [_row(rank, hit) for rank, hit in enumerate(result.hits, 1)]
        parts.append(tag("table", tag("thead", titles), tag("tbody", *rows), style=GRID))
    parts += [tag("div", escape(line), style=FAINT) for line in trace_lines(result.trace)]
    parts += [note_html(note) for note in result.trace.notes]
    return tag("div", *parts, style=FRAME)


def _row(rank: int, hit: Hit) -> Html:
    text = [marked_html(hit)]
    start, end = excerpt(hit.text, hit.marks)
    if end - start < len(hit.text):
        text.append(whole_text(hit.text))
    text.append(fold("why", _reasons(hit)))
    source = Html("<br>".join(escape(one_line(part, 60)) for part in source_of(hit)))
    cells = [
        tag("td", escape(str(rank)), style=f"{NUMBER};{FAINT}"),
        tag("td", *text, style=f"{CELL};min-width:20em", dir="auto"),
        *(
            tag("td", escape(value), style=f"{CELL};white-space:nowrap" if len(value) <= 24 else CELL, dir="auto")
            for value in (hit.type, hit.space or "uncategorized", trust_of(hit))
        ),
        tag("td", escape(date_of(hit)), style=f"{CELL};white-space:nowrap", title=hit.source.at or ""),
        tag("td", source, style=CELL, dir="auto"),
        tag("td", escape(f"{hit.score:.3f}"), _bar(hit.score), style=NUMBER),
    ]
    return tag("tr", *cells, style="background:transparent")


def marked_html(hit: Hit) -> Html:
    """The same part of the text as `marked_text`, with <mark> around the matched words."""
    start, end = excerpt(hit.text, hit.marks)
    pieces = [
        tag("mark", lines_html(piece), style=MARK) if marked else lines_html(piece)
        for piece, marked in segments(hit.text, hit.marks, (start, end))
    ]
    return joined([escape("…" if start else ""), *pieces, escape("…" if end < len(hit.text) else "")])


def _bar(share: float, color: str = FOR) -> Html:
    percent = f"{100 * min(max(share, 0.0), 1.0):.0f}%" if math.isfinite(share) else "0%"
    inner = tag("div", style=f"width:{percent};height:3px;background:{color}")
    return tag("div", inner, style="width:56px;height:3px;margin:3px 0 0 auto;background:rgba(127,127,127,.25)")


def _reasons(hit: Hit) -> Html:
    return joined([tag("div", lines_html(line)) for line in _detail_lines(hit)])


def hit_text(hit: Hit, width: int = WIDTH) -> str:
    """One hit with everything that put it where it is."""
    return "\n".join(_hit_lines(1, hit, width))


def hit_html(hit: Hit) -> str:
    """One hit, explained: its text, where it is from, then score and relevance taken apart into bars."""
    about = (hit.type, hit.space or "uncategorized", trust_of(hit), date_of(hit), *source_of(hit))
    rows = [_measure("score", hit.score, 1.0, "the product of")]
    rows += [_measure(name, value, 1.0, "") for name, value in hit.factors.items()]
    if hit.parts:
        relevance, total = hit.factors.get("relevance", 0.0), sum(hit.parts.values())
        how = "" if math.isclose(relevance, total, abs_tol=1e-6) else f"the logistic of {signed(total)}, which is "
        rows.append(_measure("relevance", relevance, 1.0, f"{how}the sum of"))
        most = max(abs(value) for value in hit.parts.values()) or 1.0
        rows += [_measure(name, value, most, "") for name, value in ordered_parts(hit)]
    parts = [
        tag("div", marked_html(hit), style="margin:2px 0", dir="auto"),
        tag("div", escape(" · ".join(part for part in about if part)), style=FAINT, dir="auto"),
        tag("table", tag("tbody", *rows), style=GRID),
        *(tag("div", lines_html(line), style=FAINT) for line in (found_line(hit), *evidence_lines(hit))),
    ]
    if excerpt(hit.text, hit.marks) != (0, len(hit.text)):
        parts.insert(1, whole_text(hit.text))
    return tag("div", *parts, style=FRAME)


def _measure(name: str, value: float, most: float, told: str) -> Html:
    """A row of the explanation: a total is named in bold and says what it is made of."""
    weight = ";font-weight:600" if told else ";padding-left:14px"
    cells = [
        tag("td", escape(name), style=CELL + weight),
        tag("td", escape(signed(value)), style=NUMBER),
        tag("td", _bar(abs(value) / most, AGAINST if value < 0 else FOR), style=CELL),
        tag("td", escape(told), style=f"{CELL};{FAINT}"),
    ]
    return tag("tr", *cells, style="background:transparent")

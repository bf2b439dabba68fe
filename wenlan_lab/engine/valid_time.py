"""From when a claim is true: what the caller stated, else the event's date among the fields, else the capture."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.memories import TimeRule


def decide(stated: str | None, fields: Mapping[str, str], now: datetime) -> tuple[str | None, TimeRule]:
    """(valid_from as ISO in UTC or None for "from now", the rule that won). Precedence: stated > event > capture."""
    if stated is not None:
        return parse_moment(stated, now, name="valid_from"), "stated"
    event = fields.get("event_date", "").strip()
    if event:
        try:
            return parse_moment(event, now, name="event_date"), "event"
        except InvalidRequest:
            return None, "capture"  # a field may hold any words; only an argument is refused
    return None, "capture"


def parse_moment(text: str, now: datetime, *, name: str) -> str:
    """ISO dates and times first, then what dateparser reads, relative to `now`; InvalidRequest for the rest."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        import dateparser

        settings = {"RELATIVE_BASE": now.replace(tzinfo=None), "PREFER_DATES_FROM": "past"}
        found = dateparser.parse(text, settings=settings)
        if found is None:
            raise InvalidRequest(f"{name} {text!r} can't be read as a date: write it as 2026-11-30.") from None
        moment = found
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(given: str | datetime | None, now: datetime, name: str) -> str | None:
    """A moment as stored times are written; a bare date is the end of that day, so that it holds what happened on it."""
    if given is None:
        return None
    if isinstance(given, datetime):
        aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat(timespec="microseconds")
    if len(given.strip()) == len("2026-11-30"):
        return parse_moment(given, now, name=name)[:11] + "23:59:59.999999+00:00"
    return parse_moment(given, now, name=name)

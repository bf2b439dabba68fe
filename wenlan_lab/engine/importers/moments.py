"""When something was said, as ISO 8601 in UTC. A time without a zone is taken to be UTC.

Only a complete date counts. "yesterday", "10:30" or "May 2023" depend on the day they are read, so they are no moment:
an import gives the same batch on every day.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from functools import lru_cache

MOST_CHARACTERS = 64  # no date is longer, and looking for one in a novel takes its time
_MILLISECONDS_FROM = 1e11  # as seconds that is the year 5138; as milliseconds, 1973
_EPOCH = re.compile(r"\d{9,10}(\.\d{1,9})?|\d{12,13}")
_CLOCK_TIME = re.compile(r"\s*(\d{1,2}):(\d{2})\s*([ap])m\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})\s*", re.IGNORECASE)
_HAYSTACK = re.compile(r"\s*(\d{4})/(\d{1,2})/(\d{1,2})\s*(?:\([^)]*\))?\s*(\d{1,2}):(\d{2})\s*")
_MONTHS = (
    "january february march april may june july august september october november december".split()
)  # not strptime's %B: that one speaks the machine's language
_DATEPARSER = {
    "PARSERS": ["absolute-time"],
    "REQUIRE_PARTS": ["day", "month", "year"],
    "TIMEZONE": "UTC",
    "TO_TIMEZONE": "UTC",
    "RETURN_AS_TIMEZONE_AWARE": True,
}


def moment(value: object) -> str | None:
    """The moment that a value of a file stands for, None when it stands for none.

    Understood are ISO 8601, seconds or milliseconds since 1970, dates and datetimes, and what dateparser reads as a
    complete date in any language; where day and month can't be told apart, its order counts (month first in English).
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _since_1970(value)
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, date):
        return _in_utc(datetime.combine(value, time()))
    if not isinstance(value, str) or not 0 < len(value.strip()) <= MOST_CHARACTERS:
        return None
    return _read(value.strip())


def session_moment(text: str) -> str | None:
    """LoCoMo's `1:56 pm on 8 May, 2023`."""
    match = _CLOCK_TIME.fullmatch(text)
    if match is None or match[5].lower() not in _MONTHS or not 1 <= int(match[1]) <= 12:
        return None
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    return _made(int(match[6]), _MONTHS.index(match[5].lower()) + 1, int(match[4]), hour, int(match[2]))


def haystack_moment(text: str) -> str | None:
    """LongMemEval's `2023/04/10 (Mon) 23:07`."""
    match = _HAYSTACK.fullmatch(text)
    return None if match is None else _made(*(int(part) for part in match.groups()))


@lru_cache(maxsize=4096)
def _read(text: str) -> str | None:
    if _EPOCH.fullmatch(text):
        return _since_1970(float(text))
    try:
        return _in_utc(datetime.fromisoformat(text))
    except ValueError:
        pass
    import dateparser

    try:
        found = dateparser.parse(text, settings=_DATEPARSER)
    except (ValueError, OverflowError):
        return None
    return None if found is None else _in_utc(found)


def _made(year: int, month: int, day: int, hour: int, minute: int) -> str | None:
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC).isoformat()
    except ValueError:
        return None


def _since_1970(value: float) -> str | None:
    try:
        seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _in_utc(value: datetime) -> str | None:
    aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value
    try:
        return aware.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return None

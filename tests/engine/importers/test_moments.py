"""A moment is a complete date, in UTC, whatever day the import runs on."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab.engine.importers.moments import haystack_moment, moment, session_moment


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2024-05-08T13:56:00Z", "2024-05-08T13:56:00+00:00"),
        ("2024-05-08T13:56+02:00", "2024-05-08T11:56:00+00:00"),
        ("2024-05-08 13:56", "2024-05-08T13:56:00+00:00"),
        ("2024-05-08", "2024-05-08T00:00:00+00:00"),
        ("8 May 2024", "2024-05-08T00:00:00+00:00"),
        ("Wed, 08 May 2024 13:56:00 +0200", "2024-05-08T11:56:00+00:00"),
        ("2024年5月8日", "2024-05-08T00:00:00+00:00"),
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
        ("1715176560", "2024-05-08T13:56:00+00:00"),
        (1715176560, "2024-05-08T13:56:00+00:00"),
        (1715176560.5, "2024-05-08T13:56:00.500000+00:00"),
        (1715176560000, "2024-05-08T13:56:00+00:00"),
        (date(2024, 5, 8), "2024-05-08T00:00:00+00:00"),
        (datetime(2024, 5, 8, 13, 56, tzinfo=timezone(timedelta(hours=2))), "2024-05-08T11:56:00+00:00"),
    ],
)
def test_a_complete_date_is_read_in_utc(written, at):
    assert moment(written) == at


@pytest.mark.parametrize("vague", ["yesterday", "3 days ago", "10:30", "May 2024", "Monday", "now", "2024"])
def test_what_depends_on_the_day_of_reading_is_no_moment(vague):
    assert moment(vague) is None


@pytest.mark.parametrize(
    "junk",
    [
        None, True, "", "   ", "no date", "2024-02-30", "\0", "\ud800", "<b>", [], {}, "9" * 5000, "1 May 2024 " * 50,
        float("nan"), float("inf"), 10**30, -(10**30), "0001-01-01T00:00+14:00", "' OR 1=1 --",
    ],
)  # fmt: skip
def test_junk_is_no_moment(junk):
    assert moment(junk) is None


@given(st.text(max_size=20))
def test_no_text_raises(text):
    found = moment(text)
    assert found is None or datetime.fromisoformat(found).utcoffset() == timedelta(0)


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_iso_moment_comes_back_as_it_was(at):
    assert moment(at.isoformat()) == at.isoformat()
    assert moment(at.replace(tzinfo=None).isoformat()) == at.isoformat()


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
        ("12:05 am on 1 January, 2024", "2024-01-01T00:05:00+00:00"),
        ("12:30 pm on 3 February, 2024", "2024-02-03T12:30:00+00:00"),
        ("1:56 PM on 8 may 2023", "2023-05-08T13:56:00+00:00"),
        ("13:56 pm on 8 May, 2023", None),
        ("0:10 am on 8 May, 2023", None),
        ("1:56 pm on 31 February, 2023", None),
        ("1:56 pm on 8 Mai, 2023", None),
        ("", None),
    ],
)
def test_a_locomo_session_date_is_read_whatever_the_machines_language(written, at):
    assert session_moment(written) == at


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2023/04/10 (Mon) 23:07", "2023-04-10T23:07:00+00:00"),
        ("2023/04/10 23:07", "2023-04-10T23:07:00+00:00"),
        ("2023/02/30 (Thu) 23:07", None),
        ("2023/04/10", None),
        ("", None),
    ],
)
def test_a_haystack_date_is_read_in_utc(written, at):
    assert haystack_moment(written) == at

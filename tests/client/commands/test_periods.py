"""Periods as people give them, by the evenings of the club, to every command that takes one."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from client.api import Client
from client.commands.base import Evenings, Period, parse_moment
from tests.client.commands.test_tables import set_up
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import COMPLETE, document_of
from tests.support.server_process import Running, command


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles", "Europe/Berlin"])
def evenings(request: pytest.FixtureRequest, service: Running) -> Iterator[Evenings]:
    """Evenings of the club in another time zone, which begin at 05:30."""
    set_evenings(service, request.param, "05:30")
    yield Evenings(request.param, time(5, 30))
    set_evenings(service, "UTC", "06:00")


def set_evenings(service: Running, zone: str, begins: str) -> None:
    options = ["--time-zone", zone, "--evening-begins", begins, "--data", str(service.directory)]
    assert command("club", "set", "home", *options).returncode == 0


def test_days_begin_with_the_evening_of_the_club() -> None:
    for zone in ("Asia/Tokyo", "America/Los_Angeles", "Europe/Berlin", "UTC", None):
        evenings = Evenings(zone, time(6))
        begin = evenings.begin(evenings.today())
        assert begin <= datetime.now(UTC) < evenings.begin(evenings.today() + timedelta(1))
        assert (begin.astimezone(evenings.zone).hour, begin.astimezone(evenings.zone).minute) == (6, 0)
        for text, days_ago in (("today", 0), ("Yesterday", 1), ("-0d", 0), ("-7d", 7), ("-400d", 400)):
            day = evenings.today() - timedelta(days_ago)
            assert datetime.fromisoformat(parse_moment(text, evenings)) == evenings.begin(day), text


@pytest.mark.parametrize(
    ("zone", "day", "moment"),
    [
        ("Asia/Tokyo", "2026-11-19T21:00:00Z", "2026-07-01T11:15:00Z"),
        ("America/Los_Angeles", "2026-11-20T14:00:00Z", "2026-07-02T03:15:00Z"),
        ("Europe/Berlin", "2026-11-20T05:00:00Z", "2026-07-01T18:15:00Z"),
    ],
)
def test_times_without_an_offset_are_in_the_time_zone_of_the_club(zone: str, day: str, moment: str) -> None:
    evenings = Evenings(zone, time(6))
    assert (parse_moment("2026-11-20", evenings), parse_moment("2026-07-01T20:15", evenings)) == (day, moment)
    assert parse_moment("2026-11-20t20:15:00.5z", evenings) == "2026-11-20T20:15:00.500000Z"
    assert parse_moment("2026-11-20 20:15:30-05:00", evenings) == "2026-11-21T01:15:30Z"


def test_a_period_with_offsets_does_not_need_the_club() -> None:
    assert not Period("2026-11-20T20:15:00Z", "2026-11-20T20:15:00+01:00").needs_club
    assert Period(None, "2026-11-20").needs_club
    assert Period("2026-11-20T20:15", None).needs_club
    assert not Period(None, None).needs_club


@pytest.mark.parametrize(
    "text", ["", "now", "20.11.2026", "2026-11-31", "2026-11", "-7", "7d", "-7w", "-999999d", "2026-11-20T25:00", "-٣d"]
)
def test_an_invalid_time_is_refused_with_the_accepted_forms(text: str) -> None:
    for typed in (
        ("round", "list"),
        ("ledger",),
        ("statement",),
        ("table", "statement", "friday"),
        ("export",),
        ("recompute", "start", "--reason", "audit"),
    ):
        for option in ("--from", "--to"):
            result = ofc(*typed, option, text)
            assert (result.code, result.out) == (2, "")
            assert (
                f"Invalid value for '{option}': {text!r} is not a time; expected today, yesterday, a date" in result.err
            )


def test_every_command_accepts_a_period(
    reached: dict[str, str], client: Client, table: str, evenings: Evenings
) -> None:
    set_up(reached, table)
    two_days_ago, yesterday = (evenings.begin(evenings.today() - timedelta(days)) for days in (2, 1))
    second = timedelta(seconds=1)
    for place, moment in enumerate([two_days_ago - second, two_days_ago, yesterday - second, yesterday]):
        at = moment.isoformat()
        client.play_document(document_of(table=table, hands=COMPLETE, opened_at=at, reference=str(place)))

    def referred(listed: list[dict[str, Any]]) -> list[str]:
        return sorted({each["reference"] for each in listed})

    for period, references in (
        (["--from", "-2d", "--to", "yesterday"], ["1", "2"]),
        (["--from", "yesterday"], ["3"]),
        (["--to", f"{evenings.today() - timedelta(2):%Y-%m-%d}"], ["0"]),
    ):
        listed = ofc("round", "list", "--table", table, *period, "--json", **reached).document["rounds"]
        assert referred(listed) == references
        summed = ofc("table", "statement", table, *period, "--json", **reached).document
        assert summed["rounds"] == len(references)
        summed = ofc("statement", "--table", table, *period, "--json", **reached).document
        assert summed["rounds"] == len(references)
        paid = ofc("ledger", "--table", table, *period, "--json", **reached).document["lines"]
        assert referred(paid) == references
        exported = ofc("export", "--table", table, *period, **reached).out.splitlines()
        assert len(exported) == len(references)
        arguments = ["--reason", "audit", "--table", table, *period, "--json"]
        started = ofc("recompute", "start", *arguments, **reached).document
        assert started["progress"]["total"] in (None, len(references))

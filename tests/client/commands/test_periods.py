"""Periods as people give them, in local time, to every command that takes one."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from client.api import Client
from client.commands.base import parse_moment
from tests.client.commands.test_tables import set_up
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import COMPLETE, document_of


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles", "Europe/Berlin"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Another time zone of this machine."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def midnight(days_ago: int) -> datetime:
    day = datetime.now().astimezone().date() - timedelta(days_ago)
    return datetime(day.year, day.month, day.day).astimezone()


def test_days_begin_at_midnight_local_time(zone: str) -> None:
    for text, days_ago in (("today", 0), ("Yesterday", 1), ("-0d", 0), ("-7d", 7), ("-400d", 400)):
        assert datetime.fromisoformat(parse_moment(text)) == midnight(days_ago), text
    written = {
        "Asia/Tokyo": ("2026-11-19T15:00:00Z", "2026-07-01T11:15:00Z"),
        "America/Los_Angeles": ("2026-11-20T08:00:00Z", "2026-07-02T03:15:00Z"),
        "Europe/Berlin": ("2026-11-19T23:00:00Z", "2026-07-01T18:15:00Z"),
    }[zone]
    assert (parse_moment("2026-11-20"), parse_moment("2026-07-01T20:15")) == written
    assert parse_moment("2026-11-20t20:15:00.5z") == "2026-11-20T20:15:00.500000Z"
    assert parse_moment("2026-11-20 20:15:30-05:00") == "2026-11-21T01:15:30Z"


@pytest.mark.parametrize(
    "text", ["", "now", "20.11.2026", "2026-11-31", "2026-11", "-7", "7d", "-7w", "-999999d", "2026-11-20T25:00", "-٣d"]
)
def test_an_invalid_time_is_refused_with_the_accepted_forms(text: str) -> None:
    for command in (
        ("round", "list"),
        ("table", "statement", "friday"),
        ("export",),
        ("recompute", "start", "--reason", "audit"),
    ):
        for option in ("--from", "--to"):
            said = ofc(*command, option, text)
            assert (said.code, said.out) == (2, "")
            assert (
                f"Invalid value for '{option}': {text!r} is not a time; expected today, yesterday, a date" in said.err
            )


def test_every_command_accepts_a_period(reached: dict[str, str], client: Client, table: str, zone: str) -> None:
    set_up(reached, table)
    moments = [midnight(2) - timedelta(seconds=1), midnight(2), midnight(1) - timedelta(seconds=1), midnight(1)]
    for place, moment in enumerate(moments):
        at = moment.astimezone(UTC).isoformat()
        client.play_document(document_of(table=table, hands=COMPLETE, opened_at=at, reference=str(place)))

    def referred(listed: list[dict[str, Any]]) -> list[str]:
        return sorted(each["reference"] for each in listed)

    for period, wanted in (
        (["--from", "-2d", "--to", "yesterday"], ["1", "2"]),
        (["--from", "yesterday"], ["3"]),
        (["--to", f"{midnight(2):%Y-%m-%d}"], ["0"]),
    ):
        listed = ofc("round", "list", "--table", table, *period, "--json", **reached).document["rounds"]
        assert referred(listed) == wanted
        summed = ofc("table", "statement", table, *period, "--json", **reached).document
        assert summed["rounds"] == len(wanted)
        exported = ofc("export", "--table", table, *period, **reached).out.splitlines()
        assert len(exported) == len(wanted)
        asked = ["--reason", "audit", "--table", table, *period, "--json"]
        started = ofc("recompute", "start", *asked, **reached).document
        assert started["progress"]["total"] in (None, len(wanted))

"""The time zone of a club and its evenings, over HTTP and by `ofc-server club set`."""

import json
from datetime import time
from pathlib import Path

import pytest
from uuid_utils.compat import uuid7

from service.clubs.actions import create_club, set_up_club
from service.server.embedded import Cluster
from service.verification.verify_database import verify_database
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.recomputed_rounds import tamper
from tests.support.import_lines import club_of
from tests.support.sample_rounds import THREE, document_of, hand, post_document
from tests.support.server_process import command

CLOSED = {"after_hand": 1, "reason": "midnight"}


def set_up(house: House, api: Api, time_zone: str, begins: time) -> None:
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    set_up_club(house.owner, name, time_zone=time_zone, evening_begins=begins)


def test_a_club_has_utc_and_six_in_the_morning_unless_it_is_set_up(house: House, api: Api, other_api: Api) -> None:
    assert api.get("/v1/club").document["time_zone"] == "UTC"
    assert api.get("/v1/club").document["evening_begins"] == "06:00"
    set_up(house, api, "America/New_York", time(4, 30))
    shown = api.get("/v1/club").document
    assert (shown["time_zone"], shown["evening_begins"]) == ("America/New_York", "04:30")
    assert shown["name"].startswith("club ")
    assert other_api.get("/v1/club").document["time_zone"] == "UTC"


@pytest.mark.parametrize(
    ("zone", "begins", "evening", "first", "last"),
    [
        ("UTC", time(6), "2026-10-24", "2026-10-24T06:00:00Z", "2026-10-25T05:59:59Z"),
        # Summer time ends in this night.
        ("Europe/Berlin", time(6), "2026-10-24", "2026-10-24T04:00:00Z", "2026-10-25T04:59:59Z"),
        ("Asia/Kolkata", time(5, 15), "2026-10-24", "2026-10-23T23:45:00Z", "2026-10-24T23:44:59Z"),
    ],
)
def test_statements_and_the_ledger_are_of_an_evening(
    house: House, api: Api, zone: str, begins: time, evening: str, first: str, last: str
) -> None:
    set_up(house, api, zone, begins)
    around = ("2026-10-23T20:00:00Z", first, last, "2026-10-25T09:00:00Z")
    for reference, opened_at in enumerate(around):
        played = document_of(hands=[hand(1, 1, THREE)], closed=CLOSED, opened_at=opened_at, reference=f"{reference}")
        assert post_document(api, played).status == 201
    table = api.get("/v1/tables")["tables"][0]["id"]
    assert api.get(f"/v1/tables/{table}/statement?evening={evening}")["rounds"] == 2
    assert api.get(f"/v1/tables/{table}/statement?evening={evening}")["from"] == first
    assert api.get(f"/v1/statement?evening={evening}")["rounds"] == 2
    lines = api.get(f"/v1/ledger?evening={evening}")["lines"]
    assert {line["reference"] for line in lines} == {"1", "2"}


@pytest.mark.parametrize("path", ["/v1/tables/{table}/statement", "/v1/statement", "/v1/ledger"])
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("evening=yesterday", "not-a-date"),
        ("evening=", "not-a-date"),
        ("evening=1899-12-31", "out-of-range"),
        ("evening=2026-11-20&to=2026-11-20T20:00:00Z", "period-ambiguous"),
    ],
)
def test_an_invalid_evening_is_rejected(api: Api, path: str, query: str, code: str) -> None:
    response = api.get(f"{path.format(table='01a1fa84-64a0-7085-97f3-8afdbd6ebc27')}?{query}")
    assert (response.status, response.mistakes) == (422, {"#/query/evening": code})


def test_the_operator_sets_the_evenings_of_a_club(tmp_path: Path) -> None:
    at = ("--data", str(tmp_path))
    with Cluster(tmp_path):
        pass
    assert command("club", "create", "riverside", *at).returncode == 0
    done = command("club", "set", "riverside", "--time-zone", "Europe/Berlin", *at)
    assert done.stderr == "Evenings of the club 'riverside' begin at 06:00 Europe/Berlin.\n"
    changed = json.loads(command("club", "set", "riverside", "--evening-begins", "05:30", "--json", *at).stdout)
    assert (changed["time_zone"], changed["evening_begins"]) == ("Europe/Berlin", "05:30")
    assert "Europe/Berlin  05:30" in command("club", "list", *at).stdout
    for options, code, expected in (
        (["riverside", "--time-zone", "Middle/Earth"], 1, "The time zone 'Middle/Earth' is not known; expected one of"),
        (["nowhere", "--time-zone", "UTC"], 1, "There is no club named 'nowhere'"),
        (["riverside", "--evening-begins", "25:00"], 2, "'25:00' does not match the format '%H:%M'"),
        (["riverside"], 2, "nothing was given to set; expected --time-zone, --evening-begins, --second-auditor"),
    ):
        refused = command("club", "set", *options, *at)
        assert refused.returncode == code, refused
        assert expected in refused.stderr


def test_each_change_of_the_evenings_is_an_event_that_verification_compares(house: House) -> None:
    club = create_club(house.owner, f"changing {uuid7()}")
    set_up_club(house.owner, club.name, time_zone="Europe/Berlin")
    set_up_club(house.owner, club.name, evening_begins=time(0))
    set_up_club(house.owner, club.name, time_zone="Europe/Berlin", evening_begins=time(0))
    events = house.query(
        "SELECT convert_from(content, 'UTF8')::jsonb FROM events WHERE club_id = %s AND kind = 'club.changed'"
        " ORDER BY id",
        club.id,
    )
    assert [(each["time_zone"], each["evening_begins"]) for (each,) in events] == [
        ("Europe/Berlin", "06:00"),
        ("Europe/Berlin", "00:00"),
    ]
    assert [finding for page in verify_database(house.owner, [club.id]) for finding in page.findings] == []
    tamper(house.owner_url, f"UPDATE clubs SET time_zone = 'UTC' WHERE id = '{club.id}'")
    [finding] = [finding for page in verify_database(house.owner, [club.id]) for finding in page.findings]
    assert (finding.column, finding.stored, finding.expected) == ("time_zone", "UTC", "Europe/Berlin")

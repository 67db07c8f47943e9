"""Test clubs: their records can be wiped, and those of no other club."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from uuid_utils.compat import uuid7

from schemas.verification.evidence_file import verify
from service.clubs.actions import create_club, create_key, set_evenings
from service.clubs.queries.clubs import StoredClub
from service.errors import NotFound, OperatorError
from service.models import Base
from service.server.embedded import Cluster
from service.verification.verify_database import find_test_clubs, verify_database
from service.wipe import RETAINED, RETAINED_EVENTS, wipe_club
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House, open_house
from tests.support.check_club import check_everywhere
from tests.support.database.postgres import Server
from tests.support.full_club import live
from tests.support.sample_rounds import COMPLETE, complete_round, play, start_round
from tests.support.server_process import command


@dataclass(frozen=True)
class Clubs:
    """A test club and a real club, each with records of every kind."""

    house: House
    test: StoredClub
    test_api: Api
    real: StoredClub
    real_api: Api

    def count(self, club: StoredClub) -> dict[str, int]:
        """Count the records of a club in each table."""
        counted = {}
        with psycopg.connect(self.house.owner_url) as connection:
            connection.execute("SELECT set_config('ofc.club', %s, false)", [str(club.id)])
            for table in Base.metadata.sorted_tables:
                column = "id" if table.name == "clubs" else "club_id"
                query = f"SELECT count(*) FROM {table.name} WHERE {column} = %s"
                [(counted[table.name],)] = connection.execute(query.encode(), [club.id]).fetchall()
        return counted

    def verify(self) -> list[object]:
        """Return the findings of `ofc-server verify` in both clubs."""
        pages = verify_database(self.house.owner, [self.test.id, self.real.id])
        return [finding for page in pages for finding in page.findings]


def post_once(api: Api) -> ApiResponse:
    """Create a table with an idempotency key."""
    table = {"name": "keyed", "ruleset": "pineapple"}
    return api.request("POST", "/v1/tables", json=table, headers={"Idempotency-Key": "table-1"})


@pytest.fixture(scope="module")
def clubs(embedded_postgres: Server) -> Iterator[Clubs]:
    """Two clubs that tests share, in the order of this file; the first test that wipes the test club is the last."""
    with open_house(embedded_postgres) as house:
        made = {}
        for is_test in (True, False):
            club = create_club(house.owner, f"club {uuid7()}", is_test=is_test)
            made[is_test] = club, Api(house.app, create_key(house.owner, club, name="first").secret)
            live(house, made[is_test][1])
        yield Clubs(house, *made[True], *made[False])


def test_a_club_shows_whether_it_is_a_test_club(house: House, api: Api) -> None:
    assert api.get("/v1/club")["test"] is False
    club = create_club(house.owner, f"club {uuid7()}", is_test=True)
    test_api = Api(house.app, create_key(house.owner, club, name="first").secret)
    assert test_api.get("/v1/club")["test"] is True


def test_checkpoints_of_a_test_club_cannot_be_taken_for_those_of_a_real_one(clubs: Clubs) -> None:
    apis = clubs.test_api, clubs.real_api
    origins = [api.get(api.post("/v1/checkpoints", None).headers["Location"]).text for api in apis]
    assert origins[0].startswith(f"tablestakes/test-clubs/{clubs.test.id}\n")
    assert origins[1].startswith(f"tablestakes/clubs/{clubs.real.id}\n")


def test_the_evidence_of_a_test_club_is_incomplete(clubs: Clubs) -> None:
    reports = []
    for api in (clubs.test_api, clubs.real_api):
        round_id = start_round(api, name=f"evidence {uuid7()}")
        assert api.post("/v1/checkpoints", None).status == 201
        reports.append(verify(api.get(f"/v1/rounds/{round_id}/evidence").document))
    expected = "what the club recorded before: it is a test club, whose records its operator can wipe"
    assert [expected in report.unchecked for report in reports] == [True, False]


def test_verification_expects_checkpoints_of_real_clubs_only(clubs: Clubs) -> None:
    assert find_test_clubs(clubs.house.owner, [clubs.test.id, clubs.real.id]) == {clubs.test.id}
    urls = {"OFC_DATABASE_URL": clubs.house.logins.service, "OFC_OWNER_URL": clubs.house.logins.owner}
    verified = command("verify", **urls)
    assert f"no checkpoint was given for tablestakes/clubs/{clubs.real.id}.\n" in verified.stderr
    assert str(clubs.test.id) not in verified.stderr


def test_a_real_club_is_not_wiped(clubs: Clubs) -> None:
    before = clubs.count(clubs.real)
    with pytest.raises(OperatorError, match="is not a test club, so its records are permanent"):
        wipe_club(clubs.house.owner, clubs.real.name)
    assert clubs.count(clubs.real) == before
    with pytest.raises(NotFound, match="There is no club named 'nobody'"):
        wipe_club(clubs.house.owner, "nobody")


def permit(connection: psycopg.Connection, club: UUID, wiped: UUID) -> None:
    connection.execute("SELECT set_config('ofc.club', %s, true)", [str(club)])
    connection.execute("SELECT set_config('ofc.wiped_club', %s, true)", [str(wiped)])


APPEND_ONLY = ("events", "hands", "hand_scores", "rounds", "tables", "rulesets", "checkpoints", "tree_nodes")


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_the_database_refuses_to_delete_records_of_a_real_club(clubs: Clubs, table: str) -> None:
    admin = clubs.house.logins.owner
    for wiped in (clubs.real.id, clubs.test.id):
        with psycopg.connect(admin) as connection:
            permit(connection, clubs.real.id, wiped)
            with pytest.raises(psycopg.errors.RestrictViolation, match=f"on {table} is refused"):
                connection.execute(f"DELETE FROM {table} WHERE club_id = %s".encode(), [clubs.real.id])


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_records_of_a_test_club_are_append_only_but_in_a_wipe(clubs: Clubs, table: str) -> None:
    for change in ("DELETE FROM {}", "UPDATE {} SET club_id = club_id", "TRUNCATE {} CASCADE"):
        with psycopg.connect(clubs.house.logins.owner) as connection:
            permit(connection, clubs.test.id, clubs.test.id if change[0] != "D" else clubs.real.id)
            with pytest.raises(psycopg.errors.RestrictViolation, match=r"on \w+ is refused"):
                connection.execute(change.format(table).encode())


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_the_service_cannot_delete_records_of_a_test_club(clubs: Clubs, table: str) -> None:
    with psycopg.connect(clubs.house.logins.service) as connection:
        connection.execute("SET LOCAL ROLE ofc_service")
        permit(connection, clubs.test.id, clubs.test.id)
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match=f"permission denied for table {table}"):
            connection.execute(f"DELETE FROM {table}".encode())


def test_a_wipe_deletes_the_records_of_the_test_club_and_no_others(clubs: Clubs) -> None:
    webhook = {"url": "https://example.com/hook", "kinds": ["hand.recorded"]}
    for api in (clubs.test_api, clubs.real_api):
        assert api.post("/v1/webhooks", webhook).status == 201
        complete_round(api, name="with a webhook")
        assert post_once(api).status == 201
        assert api.post(f"/v1/rounds/{start_round(api, name='linked')}/links", {"expires_in": 60}).status == 201
    real, test = clubs.count(clubs.real), clubs.count(clubs.test)
    assert all(test[table] for table in ("hands", "webhook_deliveries", "checkpoints", "players", "link_secrets"))
    wiped = wipe_club(clubs.house.owner, clubs.test.name)
    assert (wiped.rounds, wiped.hands) == (test["rounds"], test["hands"])
    assert clubs.count(clubs.real) == real
    events = test["events"] - wiped.events + 1
    left = {"clubs": 1, "api_keys": test["api_keys"], "webhooks": 1, "events": events, "waiting_events": events}
    assert clubs.count(clubs.test) == dict.fromkeys(test, 0) | left
    assert clubs.verify() == []


def test_a_wiped_club_works_on_with_its_keys_and_is_verified(clubs: Clubs) -> None:
    api, house = clubs.test_api, clubs.house
    assert api.post("/v1/checkpoints", None).status == 201
    keys = api.get("/v1/keys").document
    first = post_once(api)
    round_id = start_round(api, name="before")
    wipe_club(house.owner, clubs.test.name)
    assert api.get("/v1/keys").document == keys
    assert api.get("/v1/rounds")["rounds"] == []
    assert api.get(f"/v1/rounds/{round_id}").status == 404
    assert api.get("/v1/checkpoints")["checkpoints"] == []
    made = post_once(api)
    assert (made.status, made["id"] == first["id"]) == (201, False)
    play(api, start_round(api, name="before"), *COMPLETE)
    check_everywhere(house, api)
    newest = api.get("/v1/checkpoints")["checkpoints"][0]
    assert newest["size"] == clubs.count(clubs.test)["events"]
    wipe_club(house.owner, clubs.test.name)
    check_everywhere(house, api)
    assert clubs.verify() == []


def test_the_events_after_a_wipe_are_those_of_the_club_and_its_keys_and_of_wipes(clubs: Clubs) -> None:
    set_evenings(clubs.house.owner, clubs.test.name, time_zone="Europe/Berlin")
    wiped = wipe_club(clubs.house.owner, clubs.test.name)
    assert clubs.test_api.post("/v1/checkpoints", None).status == 201
    events = [json.loads(line) for line in clubs.test_api.get("/v1/events?limit=100").text.splitlines()]
    assert {event["kind"] for event in events} == {*RETAINED_EVENTS, "checkpoint.sealed"}
    assert [event["position"] for event in events] == list(range(len(events)))
    assert [event["content"] for event in events if event["kind"] == "club.wiped"][-1] == {
        "rounds": wiped.rounds,
        "events": wiped.events,
    }


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE clubs SET test = true WHERE id = %s",
        "UPDATE clubs SET id = gen_random_uuid() WHERE id = %s",
        "DELETE FROM clubs WHERE id = %s",
    ],
)
def test_a_real_club_never_becomes_a_test_club(house: House, change: str) -> None:
    club = create_club(house.owner, f"club {uuid7()}")
    with psycopg.connect(house.logins.owner) as connection:
        connection.execute("SELECT set_config('ofc.club', %s, true)", [str(club.id)])
        with pytest.raises(psycopg.errors.RestrictViolation, match="on clubs is refused: a club and whether it is"):
            connection.execute(change.encode(), [club.id])


def test_verification_finds_a_club_that_was_made_a_test_club(embedded_postgres: Server) -> None:
    with open_house(embedded_postgres) as house:
        club = create_club(house.owner, "riverside")
        house.change("ALTER TABLE clubs DISABLE TRIGGER permanent")
        house.change("UPDATE clubs SET test = true")
        house.change("ALTER TABLE clubs ENABLE TRIGGER permanent")
        found = [finding for page in verify_database(house.owner, [club.id]) for finding in page.findings]
        assert [(str(each.kind), each.table, each.column) for each in found] == [("record-differs", "clubs", "test")]


def test_every_table_of_clubs_is_wiped_or_retained() -> None:
    of_clubs = {table.name for table in Base.metadata.sorted_tables if "club_id" in table.columns}
    assert {"clubs"} | (of_clubs & RETAINED) == RETAINED


def test_the_operator_creates_lists_and_wipes_test_clubs(tmp_path: Path) -> None:
    at = ("--data", str(tmp_path))
    with Cluster(tmp_path):
        pass
    made = command("club", "create", "sandbox", "--test", *at)
    assert made.returncode == 0
    assert "Created the test club 'sandbox'" in made.stderr
    assert command("club", "create", "riverside", *at).returncode == 0
    listed = json.loads(command("club", "list", "--json", *at).stdout)["clubs"]
    assert [(club["name"], club["test"]) for club in listed] == [("sandbox", True), ("riverside", False)]
    assert [line.split()[-2] for line in command("club", "list", *at).stdout.splitlines()] == ["TEST", "yes", "no"]
    unconfirmed = command("club", "wipe", "sandbox", *at)
    assert unconfirmed.returncode == 1
    assert "Delete all records of the test club 'sandbox'? [y/N]" in unconfirmed.stderr
    wiped = command("club", "wipe", "sandbox", "--yes", *at)
    assert wiped.returncode == 0
    assert "Wiped the test club 'sandbox': 0 rounds, 0 hands and 0 events were deleted." in wiped.stderr
    assert json.loads(command("club", "wipe", "sandbox", "--yes", "--json", *at).stdout) == {
        "rounds": 0,
        "hands": 0,
        "events": 0,
    }
    refused = command("club", "wipe", "riverside", "--yes", *at)
    assert refused.returncode == 1
    assert refused.stderr.splitlines() == [
        "Error: The club 'riverside' is not a test club, so its records are permanent; expected a club that was"
        " created with `ofc-server club create --test`."
    ]

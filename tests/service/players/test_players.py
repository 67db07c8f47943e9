"""Display names of players over HTTP: set, replaced, listed and erased."""

from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError

from evidence.events import PlayerNamed
from service.db import Database
from service.players.actions import list_names
from service.players.queries import names
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.database.insert_records import add_club
from tests.support.database.search_tables import tables_that_hold
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import SIXES, THREE, add_table, hand, open_round, play, walk, without

STRANGE = ["a/b", "/a", "a/", "a//b", "../b", "a/..", "..", ".", "%2F", "a b+c", "?x=1#y", "zoë ♣", "\ufffd", "a;b=c,d"]


def path_of(player: str) -> str:
    return f"/v1/players/{quote(player, safe='')}"


def name(api: Api, player: str, display_name: str, **options: Any) -> Any:
    response = api.put(path_of(player), {"display_name": display_name}, **options)
    assert response.status in (200, 201), response
    return response.document


@pytest.mark.smoke
def test_a_display_name_is_set_and_replaced(api: Api) -> None:
    assert api.get("/v1/players/ann").status == 404
    first = api.put("/v1/players/ann", {"display_name": "Ann Example"})
    assert first.status == 201
    named = {"player": "ann", "display_name": "Ann Example", "named_at": first["named_at"], "aliases": []}
    assert first.document == {**named, "metadata": {}}
    assert api.get("/v1/players/ann").document == first.document
    second = api.put("/v1/players/ann", {"display_name": "Annie ♣"})
    assert second.status == 200
    assert second["display_name"] == "Annie ♣"
    assert second["named_at"] > first["named_at"]
    assert api.get("/v1/players/ann").document == second.document


def test_the_same_name_again_changes_nothing(api: Api, house: House) -> None:
    first = name(api, "ann", "Ann")
    before = house.count_records()
    again = api.put("/v1/players/ann", {"display_name": "Ann"})
    assert (again.status, again.document) == (200, first)
    assert house.count_records() == before


@pytest.mark.parametrize("player", STRANGE)
def test_player_ids_can_contain_any_text(api: Api, player: str) -> None:
    named = name(api, player, "Zoë")
    assert named["player"] == player
    assert api.get(path_of(player)).document == named
    assert api.get("/v1/players")["players"] == [without(named, "metadata")]
    assert api.delete(path_of(player)).status == 204
    assert api.get(path_of(player)).status == 404


def test_an_id_that_ends_like_the_path_of_statistics_has_a_name(api: Api) -> None:
    """The URL of the name is that of another player's statistics, so the name is read from the list."""
    named = name(api, "c/statistics", "Cyd")
    assert named["player"] == "c/statistics"
    assert api.get("/v1/players")["players"] == [without(named, "metadata")]
    assert api.delete("/v1/players/c%2Fstatistics").status == 204
    assert api.get("/v1/players")["players"] == []


def test_ids_that_look_alike_are_different_players(api: Api) -> None:
    for player in STRANGE:
        name(api, player, f"the one called {player}")
    assert {player: api.get(path_of(player))["display_name"] for player in STRANGE} == {
        player: f"the one called {player}" for player in STRANGE
    }


@pytest.mark.parametrize(
    ("written", "code"),
    [("a" * 101, "text-length"), ("a%00", "text-characters"), ("a%0A", "text-characters")],
)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_an_invalid_player_id_is_rejected(api: Api, method: str, written: str, code: str) -> None:
    body = {"json": {"display_name": "Ann"}} if method == "PUT" else {}
    response = api.request(method, f"/v1/players/{written}", **body)
    assert response.status == 422
    assert response.mistakes == {"#/path/player": code}


def test_a_player_id_that_is_not_utf_8_is_rejected(api: Api) -> None:
    name(api, "\ufffd", "Somebody")
    response = api.request("GET", "/v1/players/x", environ_overrides={"PATH_INFO": "/v1/players/\xff"})
    assert (response.status, response.mistakes) == (422, {"#/path/player": "text-characters"})


@pytest.mark.parametrize(
    ("document", "mistakes"),
    [
        ({}, {"#/display_name": "field-missing"}),
        ({"display_name": ""}, {"#/display_name": "text-length"}),
        ({"display_name": "a" * 101}, {"#/display_name": "text-length"}),
        ({"display_name": "Ann\nBob"}, {"#/display_name": "text-characters"}),
        ({"display_name": None}, {"#/display_name": "field-null"}),
        ({"display_name": "Ann", "player": "bob"}, {"#/player": "field-unknown"}),
    ],
)
def test_an_invalid_display_name_is_rejected(api: Api, document: object, mistakes: dict[str, str]) -> None:
    response = api.put("/v1/players/ann", document)
    assert (response.status, response.mistakes) == (422, mistakes)
    assert api.get("/v1/players/ann").status == 404


def test_players_are_listed_in_pages_the_newest_first(api: Api, other_api: Api) -> None:
    for player in ("ann", "bob", "cyd", "dan", "eve"):
        name(api, player, player.title())
    name(other_api, "zoe", "Zoe")
    name(api, "ann", "Annie")
    pages = [[player["player"] for player in page["players"]] for page in walk(api, "/v1/players?limit=2")]
    assert pages == [["eve", "dan"], ["cyd", "bob"], ["ann"]]


def test_display_names_are_separate_for_each_club(api: Api, other_api: Api, nobody: Api) -> None:
    name(api, "ann", "Ann")
    assert other_api.get("/v1/players/ann").status == 404
    assert other_api.delete("/v1/players/ann").status == 204
    name(other_api, "ann", "Another Ann")
    assert api.get("/v1/players/ann")["display_name"] == "Ann"
    assert other_api.get("/v1/players")["players"][0]["display_name"] == "Another Ann"
    for method in ("GET", "PUT", "DELETE"):
        assert nobody.request(method, "/v1/players/ann", json={"display_name": "Ann"}).status == 401
    assert set(api.post("/v1/players/ann", {}).headers["Allow"].split(", ")) >= {"GET", "PUT", "DELETE"}


# --- erasure ---


def test_an_erased_name_is_nowhere_and_records_are_unchanged(api: Api, house: House) -> None:
    former, latest = "Annabel Erasable", "Anna Erasable-Jones"
    name(api, "bob", "Bob Example")
    name(api, "ann", former)
    round_id = open_round(api, add_table(api), SIXES)["id"]
    play(api, round_id, hand(1, 1, THREE))
    name(api, "ann", latest, headers={"Idempotency-Key": "name-ann-1"})
    assert api.get(path_of("ann"))["display_name"] == latest
    with psycopg.connect(house.owner_url) as owner:
        owner.execute("ANALYZE")
    assert tables_that_hold(house, latest) == {"players"}
    assert tables_that_hold(house, former) == set()
    before = {view: api.get(f"/v1/rounds/{round_id}{view}").document for view in ("", "/document", "/settlement")}

    assert api.request("DELETE", path_of("ann"), headers={"Idempotency-Key": "erase-ann-1"}).status == 204

    assert api.get(path_of("ann")).status == 404
    assert [player["player"] for player in api.get("/v1/players")["players"]] == ["bob"]
    assert tables_that_hold(house, latest) == tables_that_hold(house, former) == set()
    for view, document in before.items():
        assert api.get(f"/v1/rounds/{round_id}{view}").document == document
    assert "round_seats" in tables_that_hold(house, "ann")


def test_erasing_a_name_is_idempotent(api: Api, house: House) -> None:
    name(api, "ann", "Ann")
    assert [api.delete("/v1/players/ann").status for _ in range(2)] == [204, 204]
    events = house.query(
        "SELECT kind, convert_from(content, 'UTF8')::jsonb - 'digest' FROM events WHERE club_id = %s ORDER BY id",
        club_of(house, api),
    )
    assert events[-2:] == [("player.named", {"player": "ann"}), ("player.erased", {"player": "ann"})]


def test_the_event_of_a_name_has_a_digest_that_the_salt_opens(api: Api, house: House) -> None:
    club = club_of(house, api)
    name(api, "ann", "Ann Example")
    name(api, "bob", "Ann Example")
    stored = house.query("SELECT player, display_name, salt FROM players WHERE club_id = %s ORDER BY player", club)
    events = house.query("SELECT content FROM events WHERE club_id = %s AND kind = 'player.named' ORDER BY id", club)
    assert [PlayerNamed.of(*row).encode() for row in stored] == [content for (content,) in events]
    first, second = (salt for _, _, salt in stored)
    assert (len(first), first == second) == (32, False), "equal names have different digests"
    name(api, "ann", "Anna Example")
    [(renewed,)] = house.query("SELECT salt FROM players WHERE club_id = %s AND player = 'ann'", club)
    assert renewed not in (first, second)
    api.delete("/v1/players/ann")
    assert house.query("SELECT player FROM players WHERE club_id = %s", club) == [("bob",)]


def test_database_errors_do_not_contain_a_name(database: Database, owner_url: str) -> None:
    with pytest.raises(DBAPIError) as failure, database.transaction(add_club(owner_url)) as transaction:
        names.set_name(transaction, "ann", "Ann Erasable\0", bytes(32), b"{}")
    assert "Erasable" not in str(failure.value)


def test_names_of_any_number_of_players_are_read_at_once(house: House, api: Api) -> None:
    api.put("/v1/players/ann", {"display_name": "Ann"})
    with database_of(house).transaction(club_of(house, api)) as transaction:
        assert list_names(transaction, ["ann", *map(str, range(70_000))]) == {"ann": "Ann"}
        assert list_names(transaction, []) == {}

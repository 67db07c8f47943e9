"""The events of a round are a chain, for every kind of change and import."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from uuid_utils.compat import uuid7

from evidence import Event
from scoring.presets import PRESETS
from service.rulesets.actions import store_ruleset
from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.check_chain import check_chains
from tests.support.database.postgres import Server
from tests.support.database.recomputed_rounds import recompute
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    THREE,
    correct_round,
    dealt_again,
    document_of,
    hand,
    record,
    start_round,
    undo,
)

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def lively(embedded_postgres: Server) -> Iterator[House]:
    """A service of its own, with every kind of event."""
    with open_house(embedded_postgres) as opened:
        live(opened, opened.new_client())
        yield opened


def live(house: House, api: Api) -> None:
    round_id = start_round(api, "pineapple-qq", SIXES)
    for played in COMPLETE[:2]:
        assert record(api, round_id, played).status == 201
    assert undo(api, round_id, 2).status == 201
    assert record(api, round_id, hand(2, 2, {**THREE, 1: THREE[2], 2: THREE[1]})).status == 201
    assert api.post(f"/v1/rounds/{round_id}/departures", {"seat": 3}).status == 201
    closed = start_round(api, "pineapple", SIXES, name="closed early")
    assert api.post(f"/v1/rounds/{closed}/close", {"reason": "late"}).status == 200
    patch = [{"op": "replace", "path": "/seats/0/stack", "value": 120}]
    assert correct_round(api, round_id, {"reason": "miscounted", "patch": patch}).status == 201
    assert api.post("/v1/documents", document_of(hands=COMPLETE, table="sent whole")).status == 201
    assert api.put("/v1/players/ann", {"display_name": "Ann Example"}).status == 201
    table = api.get(f"/v1/rounds/{closed}")["table"]
    assert api.patch(f"/v1/tables/{table}", {"is_archived": True}).status == 200
    documents = [json.loads(path.read_bytes()) for path in sorted(EXAMPLES.glob("pineapple-*.json"))]
    assert all(line.status == "stored" for line in import_all(house, club_of(house, api), lines_of(documents)))


def of_kind(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


def test_every_event_of_a_round_is_chained(lively: House) -> None:
    events = check_chains(lively.owner_url)
    assert {event.kind for event in events} >= {
        "club.created",
        "key.created",
        "ruleset.added",
        "table.created",
        "table.changed",
        "player.named",
        "round.opened",
        "hand.recorded",
        "hand.withdrawn",
        "departure.recorded",
        "round.closed",
        "round.corrected",
    }


def test_every_event_waits_to_join_the_tree(lively: House) -> None:
    waiting = lively.query("SELECT club_id, event_id FROM waiting_events ORDER BY 1, 2")
    assert waiting == lively.query("SELECT club_id, id FROM events ORDER BY 1, 2")


def test_a_recomputation_continues_the_chain(house: House, api: Api) -> None:
    other = PRESETS["pineapple-2-4-us-none"]
    assert api.post("/v1/documents", document_of(hands=COMPLETE)).status == 201
    with database_of(house).transaction(club_of(house, api)) as transaction:
        store_ruleset(transaction, other)
        assert recompute(transaction, ruleset=other, applies=True).applied == 1
    assert of_kind(check_chains(house.owner_url), "round.recomputed")


def test_twenty_clients_at_once_make_one_chain_per_round(house: House, api: Api) -> None:
    opened = [start_round(api, "pineapple", SIXES, name=f"table {number}") for number in range(4)]

    def record(place: int) -> None:
        for played in COMPLETE:
            api.post(f"/v1/rounds/{opened[place % 4]}/hands", dealt_again(played))

    with ThreadPoolExecutor(20) as clients:
        list(clients.map(record, range(20)))
    mine = [event for event in check_chains(house.owner_url) if str(event.round_id) in opened]
    assert len(mine) == 4 * (1 + len(COMPLETE))


def test_events_have_everything_that_a_replay_needs(house: House, api: Api) -> None:
    table = api.post("/v1/tables", {"name": "carrying", "ruleset": "pineapple", "point_value": 10, "unit": "EUR"})
    seats = [{"seat": 1, "player": "ann", "stack": 3}, {"seat": 2, "player": "bob", "stack": 50}]
    path = f"/v1/tables/{table['id']}/rounds"
    first = api.post(path, {"seats": seats})
    assert api.post(f"/v1/rounds/{first['id']}/close", {"reason": "late"}).status == 200
    seats = [{"seat": 1, "player": "ann"}, {"seat": 2, "player": "bob"}, {"seat": 3, "player": "cyd", "stack": 50}]
    second = api.post(path, {"seats": seats, "reference": "night/2"})
    played = hand(1, 1, THREE, played_at="2026-11-20T21:05:00Z")
    response = api.post(f"/v1/rounds/{second['id']}/hands", played)
    assert response.status == 201, response
    patch = [{"op": "add", "path": "/hands/0/top_ups/-", "value": {"seat": 1, "points": 7}}]
    correction = {"reason": "ann added points", "patch": patch, "irregular": "accept"}
    corrected = correct_round(api, second["id"], correction)
    assert corrected.status == 201, corrected
    contents = {
        event.kind: json.loads(event.content)
        for event in check_chains(house.owner_url)
        if str(event.round_id) == second["id"]
    }
    opening = contents["round.opened"]
    [(digest, rules)] = house.query(
        "SELECT digest, content FROM rulesets WHERE name = 'pineapple' AND club_id = %s", club_of(house, api)
    )
    assert (opening["ruleset"], opening["ruleset_digest"]) == ("pineapple@1", digest.hex())
    assert rules in [json.loads(event.content) for event in of_kind(check_chains(house.owner_url), "ruleset.added")]
    assert (opening["carried_over"], opening["reference"], opening["table"]) == ([1, 2], "night/2", table["id"])
    assert (opening["point_value"], opening["unit"]) == (10, "EUR")
    assert [seat["stack"] for seat in opening["seats"]] == [3, 50, 50]
    recorded = contents["hand.recorded"]
    assert (recorded["id"], recorded["round"]) == (response["id"], second["id"])
    assert recorded["stacks"] == [response["stacks"][seat] for seat in ("1", "2", "3")]
    stored_hands = house.query(
        "SELECT id, encode(sha256, 'hex'), encode(text, 'hex') FROM submissions WHERE club_id = %s", club_of(house, api)
    )
    named = [contents[kind]["submission"] for kind in ("hand.recorded", "round.corrected")]
    assert sorted((each["id"], each.get("sha256"), each.get("text")) for each in named) == sorted(
        (str(id_), sha256, digest) for id_, sha256, digest in stored_hands
    )
    assert opening["submission"] is None
    now = api.get(f"/v1/rounds/{second['id']}/document").document
    assert recorded["hand"] == {**now["hands"][0], "top_ups": []}
    assert contents["round.corrected"]["document"] == {key: now[key] for key in contents["round.corrected"]["document"]}


def test_events_have_no_display_names(lively: House) -> None:
    assert b"Example" not in b"".join(event.content for event in check_chains(lively.owner_url))


def test_a_hash_is_of_the_bytes_or_is_refused(house: House) -> None:
    with pytest.raises(psycopg.errors.CheckViolation, match="events_hash_check"):
        house.change(
            "INSERT INTO events (club_id, id, kind, at, heading, content, hash)"
            r" VALUES (%s, %s, '', now(), 'a', 'b', sha256('\x00ac'))",
            uuid7(),
            uuid7(),
        )


def test_a_head_has_a_complete_hash_or_none(house: House) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        house.change("UPDATE round_heads SET last_event = '\\x00'")

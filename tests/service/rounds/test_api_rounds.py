"""Opening rounds over HTTP: seats, stacks, carry-over and references."""

from typing import Any

import pytest

from tests.oracle import PRESETS
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    NOBODYS,
    SIXES,
    THREE,
    add_table,
    changed,
    close,
    hand,
    open_round,
    play,
    play_to_the_end,
    seats,
    start_round,
)


def stacks(response: Any) -> dict[str, int]:
    return {seat["player"]: seat["stack"] for seat in response["seats"]}


def test_a_round_is_opened_and_shown(api: Api) -> None:
    table = add_table(api, "pineapple-qq")
    opened = open_round(api, table, {4: "cyd 50", 2: "ann 3"}, reference="2026-11-20/3")
    assert opened.status == 201
    assert opened.document == {
        "id": opened["id"],
        "table": table,
        "ruleset": "pineapple-qq@1",
        "reference": "2026-11-20/3",
        "status": "open",
        "version": 1,
        "hands": 0,
        "point_value": None,
        "unit": None,
        "unit_digits": None,
        "charge_per": None,
        "charge_amount": None,
        "opened_at": opened["opened_at"],
        "recorded_at": opened["opened_at"],
        "state": "open",
        "stakes_scope": "fantasyland",
        "seats": [
            {"seat": 2, "player": "ann", "opening_stack": 3, "top_ups": 0, "stack": 3, "playing": True},
            {"seat": 4, "player": "cyd", "opening_stack": 50, "top_ups": 0, "stack": 50, "playing": True},
        ],
        "next": {"number": 1, "button": None, "seats": [2, 4], "fantasyland": {}},
        "metadata": {},
    }
    assert opened.headers["Location"] == f"/v1/rounds/{opened['id']}"
    assert api.get(opened.headers["Location"]).document == opened.document


def test_a_new_round_has_an_empty_settlement(api: Api) -> None:
    round_id = start_round(api)
    assert api.get(f"/v1/rounds/{round_id}/settlement").document == {
        "round": round_id,
        "table": api.get(f"/v1/rounds/{round_id}")["table"],
        "reference": None,
        "players": {"1": "ann", "2": "bob", "3": "cyd"},
        "standing_charge": None,
        "revision": 1,
        "state": "open",
        "provisional_until": None,
        "confirmed": [],
        "transfers": [],
        "stacks": {"1": 100, "2": 100, "3": 100},
        "net": {"1": 0, "2": 0, "3": 0},
        "standings": [{"seat": seat, "net": 0, "place": 1} for seat in (1, 2, 3)],
        "money": None,
        "reason": None,
        "irregular": [],
        "adjustment": None,
    }
    assert api.get(f"/v1/rounds/{round_id}/hands")["hands"] == []


# --- stacks ---


def test_an_omitted_stack_carries_over_from_the_last_round(api: Api) -> None:
    table = add_table(api)
    first = open_round(api, table)
    play_to_the_end(api, first["id"])
    second = open_round(api, table, {2: "ann", 3: "cyd", 5: "bob 40"})
    assert second.status == 201
    assert stacks(second) == {"ann": 136, "cyd": 64, "bob": 40}
    close(api, second["id"])
    third = open_round(api, table, {1: "bob", 2: "ann"})
    assert stacks(third) == {"bob": 40, "ann": 136}


def test_carried_over_stacks_are_marked_in_the_record(api: Api, house: House) -> None:
    table = add_table(api)
    play_to_the_end(api, open_round(api, table)["id"])
    second = open_round(api, table, {1: "ann", 2: "bob 50", 3: "dan 7"})
    stored = house.query("SELECT player, carried_over FROM round_seats WHERE round_id = %s ORDER BY seat", second["id"])
    assert stored == [("ann", True), ("bob", False), ("dan", False)]


def test_the_first_round_requires_every_stack(api: Api, house: House) -> None:
    table = add_table(api)
    before = house.count_records()
    response = open_round(api, table, {1: "ann", 2: "bob 50", 3: "cyd"})
    assert response.status == 422
    assert response["code"] == "round-invalid"
    assert response.mistakes == {"#/seats/0/stack": "stack-missing", "#/seats/2/stack": "stack-missing"}
    assert "player 'ann' has played no round at the table" in response["errors"][0]["detail"]
    assert house.count_records() == before


def test_new_and_busted_players_need_a_stack(api: Api) -> None:
    table = add_table(api)
    first = open_round(api, table, {1: "ann 100", 2: "bob 100", 3: "cyd 1"})
    play(api, first["id"], hand(1, 1, THREE))
    close(api, first["id"])
    response = open_round(api, table, {1: "ann", 2: "dan", 3: "cyd"})
    assert response.mistakes == {"#/seats/1/stack": "stack-missing", "#/seats/2/stack": "stack-missing"}
    details = {mistake["pointer"]: mistake["detail"] for mistake in response["errors"]}
    assert "player 'dan' has played no round at the table" in details["#/seats/1/stack"]
    assert "player 'cyd' has none left over" in details["#/seats/2/stack"]
    response = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd 30"})
    assert response.status == 201
    assert stacks(response)["cyd"] == 30


def test_a_stack_in_the_request_replaces_the_carried_over_one(api: Api) -> None:
    table = add_table(api)
    play_to_the_end(api, open_round(api, table)["id"])
    assert stacks(open_round(api, table, {1: "ann 5", 2: "bob 500"})) == {"ann": 5, "bob": 500}


def test_a_stack_without_points_is_refused(api: Api) -> None:
    response = open_round(api, add_table(api), {1: "ann 0", 2: "bob 50"})
    assert response.status == 422
    assert response.mistakes == {"#/seats/0/stack": "stack-too-small"}
    assert "seat 1 opens with 0 points; expected 1 or more" in response["detail"]


def test_a_minimum_is_for_stacks_that_do_not_carry_over(api: Api) -> None:
    table = add_table(api, minimum_stack=20)
    response = open_round(api, table, {1: "ann 19", 2: "bob 20"})
    assert response.mistakes == {"#/seats/0/stack": "stack-below-minimum"}
    assert "is 19; expected at least 20, the table's minimum" in response["detail"]
    first = open_round(api, table, {1: "ann 20", 2: "bob 20", 3: "cyd 20"})
    play(api, first["id"], hand(1, 1, THREE))
    close(api, first["id"])
    assert stacks(api.get(f"/v1/rounds/{first['id']}")) == {"ann": 32, "bob": 20, "cyd": 8}
    response = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd 9"})
    assert response.mistakes == {"#/seats/2/stack": "stack-below-minimum"}
    for same in ("cyd", "cyd 8"):
        opened = open_round(api, table, {1: "ann", 2: "bob", 3: same})
        assert opened.status == 201
        assert stacks(opened)["cyd"] == 8
        close(api, opened["id"])


# --- one round at a time ---


def test_a_table_has_one_open_round(api: Api, house: House) -> None:
    table = add_table(api)
    first = open_round(api, table)
    before = house.count_records()
    for sitting in (SIXES, {1: "dan 5", 2: "eve 5"}, {1: "ann", 2: "bob"}):
        response = open_round(api, table, sitting)
        assert response.status == 409
        assert response["code"] == "round-open"
        assert first["id"] in response["detail"]
    assert house.count_records() == before
    assert open_round(api, add_table(api, name="attic")).status == 201
    close(api, first["id"])
    assert open_round(api, table).status == 201


def test_a_round_can_be_opened_after_a_complete_one(api: Api) -> None:
    table = add_table(api)
    first = open_round(api, table)
    assert play_to_the_end(api, first["id"])["round"]["status"] == "complete"
    assert open_round(api, table).status == 201


# --- who may sit where ---


@pytest.mark.parametrize(
    ("ruleset", "sitting", "mistakes", "words"),
    [
        (
            "pineapple",
            {1: "ann 9"},
            {"#/seats": "players-count"},
            "the number of players is 1; expected 2 to 3 under pineapple@1",
        ),
        (
            "pineapple",
            {1: "ann 9", 2: "bob 9", 3: "cyd 9", 4: "dan 9"},
            {"#/seats": "players-count"},
            "the number of players is 4; expected 2 to 3 under pineapple@1",
        ),
        (
            "turbo",
            {1: "ann 9", 2: "bob 9", 3: "ann 9"},
            {"#/seats/2/player": "player-twice"},
            "player 'ann' sits twice; expected one seat per player",
        ),
    ],
)
def test_the_number_of_players_follows_the_ruleset(
    api: Api, house: House, ruleset: str, sitting: dict[int, str], mistakes: dict[str, str], words: str
) -> None:
    table = add_table(api, ruleset)
    before = house.count_records()
    response = open_round(api, table, sitting)
    assert response.status == 422
    assert response["code"] == "round-invalid"
    assert response.mistakes == mistakes
    assert words in response["detail"]
    assert house.count_records() == before


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_accepts_its_numbers_of_players(api: Api, name: str) -> None:
    most = PRESETS[name]["players"]["max"]
    sitting = {seat: f"player-{seat} 10" for seat in range(1, most + 1)}
    assert open_round(api, add_table(api, name), sitting).status == 201
    if most < 4:
        sitting[most + 1] = "one-more 10"
        assert open_round(api, add_table(api, name, "attic"), sitting).codes == {"players-count"}


def test_a_seat_or_player_cannot_be_repeated(api: Api) -> None:
    request = {"seats": [*seats({1: "ann 9", 2: "bob 9"}), *seats({2: "cyd 9"})]}
    response = api.post(f"/v1/tables/{add_table(api)}/rounds", request)
    assert response.mistakes == {"#/seats/2/seat": "seat-twice"}
    assert "seat 2 is taken twice; expected one player per seat" in response["detail"]


def test_all_mistakes_of_an_opening_are_reported_at_once(api: Api) -> None:
    table = add_table(api, minimum_stack=20)
    request = {"seats": [*seats({1: "ann 9", 2: "bob"}), *seats({2: "ann 30"}), *seats({4: "cyd 0"})]}
    response = api.post(f"/v1/tables/{table}/rounds", request)
    assert response.mistakes == {
        "#/seats": "players-count",
        "#/seats/0/stack": "stack-below-minimum",
        "#/seats/1/stack": "stack-missing",
        "#/seats/2/seat": "seat-twice",
        "#/seats/2/player": "player-twice",
        "#/seats/3/stack": "stack-below-minimum",
    }


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        ("seats/0/seat", 0, "out-of-range"),
        ("seats/0/seat", 1001, "out-of-range"),
        ("seats/0/seat", "1", "not-an-integer"),
        ("seats/0/player", "", "text-length"),
        ("seats/0/player", "a" * 101, "text-length"),
        ("seats/0/player", 7, "not-a-text"),
        ("seats/0/player", None, "field-null"),
        ("seats/0/stack", -1, "out-of-range"),
        ("seats/0/stack", 0.5, "not-an-integer"),
        ("seats/0/stack", 2**53, "out-of-range"),
        ("seats/0/name", "Ann", "field-unknown"),
        ("seats", [], "list-length"),
        ("seats", None, "field-null"),
        ("reference", "", "text-length"),
        ("reference", "r" * 201, "text-length"),
        ("reference", 3, "not-a-text"),
        ("status", "open", "field-unknown"),
    ],
)
def test_a_field_of_a_wrong_type_is_refused(api: Api, pointer: str, value: Any, code: str) -> None:
    request = changed({"seats": seats(SIXES), "reference": "one"}, (pointer, value))
    response = api.post(f"/v1/tables/{add_table(api)}/rounds", request)
    assert response.status == 422
    assert response["code"] == "request-invalid"
    assert response.mistakes == {f"#/{pointer}": code}


def test_a_table_of_another_club_or_none_is_not_found(api: Api, other_api: Api) -> None:
    table = add_table(api)
    for client, address in ((other_api, table), (api, NOBODYS)):
        response = open_round(client, address)
        assert response.status == 404
        assert response["code"] == "not-found"
        assert address in response["detail"]
    assert open_round(api, "kitchen").status == 404


def test_an_opening_with_another_result_than_expected_stores_nothing(api: Api, house: House) -> None:
    table = add_table(api)
    before = house.count_records()
    response = open_round(api, table, expected={"seats": [{"stack": 99}, {}, {}], "status": "open"})
    assert response.status == 422
    assert response["code"] == "expected-differs"
    assert response["errors"] == [
        {
            "pointer": "#/expected/seats/0/stack",
            "code": "expected-differs",
            "detail": "`expected.seats[0].stack`: 99 is expected; the result is 100",
        }
    ]
    assert house.count_records() == before
    assert open_round(api, table, expected={"next": {"number": 1, "button": None}}).status == 201


# --- the same round again ---


def test_the_same_round_again_returns_its_current_state(api: Api, house: House) -> None:
    table = add_table(api)
    first = open_round(api, table, reference="friday/1")
    response = play(api, first["id"], hand(1, 1, THREE))
    before = house.count_records()
    for sitting in (SIXES, {3: "cyd 100", 1: "ann 100", 2: "bob 100"}, {1: "ann", 2: "bob", 3: "cyd"}):
        again = open_round(api, table, sitting, reference="friday/1")
        assert again.status == 201
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.headers["Location"] == first.headers["Location"]
        assert again.document == {**response["round"], "metadata": {}}
    assert "Idempotent-Replayed" not in first.headers
    assert house.count_records() == before
    close(api, first["id"])
    assert open_round(api, table, reference="friday/1")["status"] == "closed"


@pytest.mark.parametrize(
    ("other", "differences"),
    [
        ({1: "ann 100", 2: "bob 100", 3: "cyd 99"}, {"#/seats/2/stack": "100 is recorded, 99 was received"}),
        ({1: "ann 100", 2: "bob 100"}, {"#/seats": "seat 3 is recorded, and is not in the request"}),
        (
            {1: "ann 100", 2: "bob 100", 4: "cyd 100"},
            {
                "#/seats/2/seat": "seat 4 is not recorded; expected seats 1, 2, 3",
                "#/seats": "seat 3 is recorded, and is not in the request",
            },
        ),
        (
            {2: "ann 100", 1: "bob 100", 3: "cyd 100"},
            {
                "#/seats/0/player": "'bob' is recorded, 'ann' was received",
                "#/seats/1/player": "'ann' is recorded, 'bob' was received",
            },
        ),
        ({1: "ann 100", 2: "bob 100", 3: "dan 100"}, {"#/seats/2/player": "'cyd' is recorded, 'dan' was received"}),
    ],
)
def test_a_reference_belongs_to_one_round(
    api: Api, house: House, other: dict[int, str], differences: dict[str, str]
) -> None:
    table = add_table(api)
    first = open_round(api, table, reference="friday/1")
    close(api, first["id"])
    before = house.count_records()
    response = open_round(api, table, other, reference="friday/1")
    assert response.status == 409
    assert response["code"] == "round-conflict"
    assert {*response.mistakes.values()} == {"round-conflict"}
    details = {mistake["pointer"]: mistake["detail"].partition("`: ")[2] for mistake in response["errors"]}
    assert details.pop("#/reference") == response["detail"]
    assert details == differences
    assert first["id"] in response["detail"]
    assert "'friday/1'" in response["detail"]
    assert house.count_records() == before


def test_tables_can_use_the_same_reference(api: Api, other_api: Api) -> None:
    rounds = {
        open_round(client, add_table(client, name=name), reference="friday/1")["id"]
        for client, name in ((api, "kitchen"), (api, "attic"), (other_api, "kitchen"))
    }
    assert len(rounds) == 3


def test_a_round_without_a_reference_is_always_a_new_one(api: Api) -> None:
    table = add_table(api)
    first = open_round(api, table)
    close(api, first["id"])
    second = open_round(api, table)
    assert second.status == 201
    assert second["id"] != first["id"]
    assert second["reference"] is None

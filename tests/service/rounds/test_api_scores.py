"""Scoring a hand without storing it, over HTTP."""

from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    FOUL,
    HIGH,
    MID,
    RENEWED,
    WORKED,
    changed,
    player,
    without,
)

FULL_RESPONSE: dict[str, Any] = {
    "ruleset": "pineapple@1",
    "players": [
        {
            "seat": 1,
            "player": None,
            "foul": False,
            "foul_reason": None,
            "royalties": 11,
            "points": 6,
            "fantasyland": 14,
            "rows": {
                "top": {"category": "pair", "description": "pair of queens, four kicker", "royalty": 7},
                "middle": {"category": "pair", "description": "pair of kings, nine-eight-three kickers", "royalty": 0},
                "bottom": {"category": "flush", "description": "flush, ace-jack-seven-six-deuce", "royalty": 4},
            },
        },
        {
            "seat": 2,
            "player": None,
            "foul": False,
            "foul_reason": None,
            "royalties": 6,
            "points": -5,
            "fantasyland": 0,
            "rows": {
                "top": {"category": "high_card", "description": "ace high, eight-deuce kickers", "royalty": 0},
                "middle": {"category": "two_pair", "description": "two pair, tens and fives, six kicker", "royalty": 0},
                "bottom": {"category": "full_house", "description": "full house, sevens over jacks", "royalty": 6},
            },
        },
        {
            "seat": 3,
            "player": None,
            "foul": False,
            "foul_reason": None,
            "royalties": 8,
            "points": -1,
            "fantasyland": 14,
            "rows": {
                "top": {"category": "pair", "description": "pair of kings, three kicker", "royalty": 8},
                "middle": {
                    "category": "two_pair",
                    "description": "two pair, nines and eights, four kicker",
                    "royalty": 0,
                },
                "bottom": {
                    "category": "two_pair",
                    "description": "two pair, aces and queens, deuce kicker",
                    "royalty": 0,
                },
            },
        },
    ],
    "exchanges": [
        {
            "seats": [1, 2],
            "rows": {"top": 1, "middle": -1, "bottom": -1},
            "row_points": -1,
            "bonus": 0,
            "foul": 0,
            "royalties": 5,
            "points": 4,
        },
        {
            "seats": [1, 3],
            "rows": {"top": -1, "middle": -1, "bottom": 1},
            "row_points": -1,
            "bonus": 0,
            "foul": 0,
            "royalties": 3,
            "points": 2,
        },
        {
            "seats": [2, 3],
            "rows": {"top": -1, "middle": 1, "bottom": 1},
            "row_points": 1,
            "bonus": 0,
            "foul": 0,
            "royalties": -2,
            "points": -1,
        },
    ],
    "transfers": [
        {
            "order": 1,
            "payer": 2,
            "payee": 1,
            "due": 4,
            "paid": 3,
            "limited_by": "winner_room",
            "payer_stack": 47,
            "payee_stack": 6,
        },
        {
            "order": 2,
            "payer": 3,
            "payee": 1,
            "due": 2,
            "paid": 2,
            "limited_by": None,
            "payer_stack": 48,
            "payee_stack": 8,
        },
        {
            "order": 3,
            "payer": 2,
            "payee": 3,
            "due": 1,
            "paid": 1,
            "limited_by": None,
            "payer_stack": 46,
            "payee_stack": 49,
        },
    ],
    "stacks": {"1": 8, "2": 46, "3": 49},
}


ROYAL = "AhAs2c / KsKdQsQdJd / AcKcQcJcTc"


def points(response: Any) -> list[int]:
    return [exchange["points"] for exchange in response["exchanges"]]


def payments(response: Any) -> list[tuple[int, int, int, int, str | None]]:
    return [
        (paid["payer"], paid["payee"], paid["due"], paid["paid"], paid["limited_by"]) for paid in response["transfers"]
    ]


def test_the_worked_example_of_the_rules_matches_in_every_field(api: Api, house: House) -> None:
    before = house.count_records()
    response = api.post("/v1/score", WORKED)
    assert response.status == 200
    assert response.document == FULL_RESPONSE
    assert house.count_records() == before, "nothing of it is stored"


def test_under_two_four_and_progressive_the_same_boards_have_the_results_of_the_rules(api: Api) -> None:
    two_four = api.post("/v1/score", {**WORKED, "ruleset": "pineapple-2-4-us-classic"})
    assert points(two_four) == [3, 1, 0]
    assert [exchange["bonus"] for exchange in two_four["exchanges"]] == [-1, -1, 1]
    assert payments(two_four) == [(2, 1, 3, 3, None), (3, 1, 1, 0, "winner_room")]
    assert two_four["stacks"] == {"1": 6, "2": 47, "3": 50}
    progressive = api.post("/v1/score", {**WORKED, "ruleset": "progressive@1"})
    assert [scored["fantasyland"] for scored in progressive["players"]] == [14, 0, 15]


def test_order_of_players_and_of_cards_in_a_row_changes_nothing(api: Api) -> None:
    shuffled = [
        {**played, **{row: list(reversed(played[row])) for row in ("top", "middle", "bottom")}}
        for played in reversed(WORKED["players"])
    ]
    assert api.post("/v1/score", {**WORKED, "players": shuffled}).document == FULL_RESPONSE


def test_players_have_names_if_the_request_has_them(api: Api) -> None:
    response = api.post("/v1/score", changed(WORKED, ("players/1/player", "bob")))
    assert [scored["player"] for scored in response["players"]] == [None, "bob", None]


@pytest.mark.parametrize("left_out", ["button", "a stack", "all stacks"])
def test_without_button_or_stacks_there_are_no_transfers(api: Api, left_out: str) -> None:
    request = without(WORKED, "button") if left_out == "button" else WORKED
    if "stack" in left_out:
        short = len(request["players"]) if left_out == "all stacks" else 1
        players = [without(played, "stack") for played in request["players"][:short]]
        request = {**request, "players": players + request["players"][short:]}
    response = api.post("/v1/score", request)
    assert response.status == 200
    assert response["transfers"] is None
    assert response["stacks"] is None
    assert response["players"] == FULL_RESPONSE["players"]
    assert points(response) == [4, 2, -1]


def test_the_button_decides_the_order_and_may_be_at_an_empty_seat(api: Api) -> None:
    response = api.post("/v1/score", {**WORKED, "button": 1})
    assert [exchange["seats"] for exchange in response["exchanges"]] == [[2, 3], [2, 1], [3, 1]]
    assert api.post("/v1/score", {**WORKED, "button": 9}).document == FULL_RESPONSE


def test_under_win_limit_stack_a_stack_grows_from_opponent_to_opponent(api: Api) -> None:
    """The sources' own example: 2 points win 2 of 10 from the first, then 4 of 10 from the second."""
    players = [
        player(1, ROYAL, stack=2),
        player(2, "9c7s2d / 8s8d5h4c3s / 9s9d6c6d2h", stack=50),
        player(3, "9h7d2s / 8c8h5d4h3d / TsTd6s6h3h", stack=50),
    ]
    response = api.post("/v1/score", {"ruleset": "pineapple", "button": 3, "players": players})
    assert min(points(response)[:2]) >= 10
    assert [paid["paid"] for paid in response["transfers"][:2]] == [2, 4]
    assert response["stacks"]["1"] == 8


@pytest.mark.parametrize("stacks", [(10, 50), (50, 10)])
def test_under_win_limit_opening_ten_points_move_at_most_between_ten_and_fifty(
    api: Api, stacks: tuple[int, int]
) -> None:
    """The sources' own example: stacks 10 and 50, and whoever wins 25, 10 move."""
    players = [
        player(1, ROYAL, stack=stacks[0]),
        player(2, "9c7s2d / 8s8d5h4c3s / 9s9d6c6d2h", stack=stacks[1]),
    ]
    response = api.post("/v1/score", {"ruleset": "pineapple-qq", "button": 2, "players": players})
    [paid] = response["transfers"]
    assert paid["due"] >= 25
    assert paid["paid"] == 10
    assert paid["limited_by"] == ("winner_room" if stacks[0] == 10 else "payer_stack")
    assert response["stacks"] == {"1": stacks[0] + 10, "2": stacks[1] - 10}


def test_the_opening_stack_limits_wins_inside_a_sequence(api: Api) -> None:
    request = changed({**WORKED, "ruleset": "pineapple-qq"}, ("players/0/stack", 7), ("players/0/opening_stack", 4))
    response = api.post("/v1/score", request)
    assert payments(response)[0] == (2, 1, 4, 1, "winner_room")
    assert payments(response)[1] == (3, 1, 2, 0, "winner_room")


def test_a_winner_past_the_limit_wins_nothing_and_loses_normally(api: Api) -> None:
    request = changed({**WORKED, "ruleset": "pineapple-qq"}, ("players/0/stack", 20), ("players/0/opening_stack", 4))
    response = api.post("/v1/score", request)
    assert [paid["paid"] for paid in response["transfers"][:2]] == [0, 0]
    assert response["stacks"]["1"] == 20


def test_under_scope_round_the_hand_is_settled_as_the_last(api: Api) -> None:
    response = api.post("/v1/score", {**WORKED, "ruleset": "progressive-round"})
    assert payments(response) == [(2, 1, 4, 3, "winner_room"), (3, 1, 2, 0, "winner_room"), (2, 3, 1, 1, None)]
    assert response["stacks"] == {"1": 6, "2": 46, "3": 51}


def test_a_player_without_points_neither_wins_nor_pays(api: Api) -> None:
    response = api.post("/v1/score", changed(WORKED, ("players/0/stack", 0)))
    assert [paid["paid"] for paid in response["transfers"]] == [0, 0, 1]
    assert response["transfers"][0]["limited_by"] == "winner_room"
    assert response["stacks"]["1"] == 0


def test_stays_count_towards_the_limit_of_repeats(api: Api) -> None:
    request = {
        "ruleset": "pineapple-1-6-us-classic",
        "players": [player(1, RENEWED, fantasyland=14), player(2, "KhQh7h / 5d5c4h3d2h / JcJhTdTh3c")],
    }
    assert api.post("/v1/score", request)["players"][0]["fantasyland"] == 14
    assert api.post("/v1/score", changed(request, ("players/0/stays", 1)))["players"][0]["fantasyland"] == 0
    without_limit = changed(request, ("players/0/stays", 5), ("ruleset", "pineapple-1-6-us-unlimited"))
    assert api.post("/v1/score", without_limit)["players"][0]["fantasyland"] == 14


def test_a_foul_is_a_result_and_not_an_error(api: Api) -> None:
    request = {"ruleset": "pineapple", "players": [player(1, FOUL), player(2, "KhQh7h / 6s6d3c4h2h / JcJhTdTh3d")]}
    response = api.post("/v1/score", request)
    assert response.status == 200
    foul = response["players"][0]
    assert (foul["foul"], foul["foul_reason"], foul["royalties"], foul["fantasyland"]) == (
        True,
        "top_beats_middle",
        0,
        0,
    )
    assert foul["rows"]["top"]["category"] == "pair"
    assert foul["rows"]["top"]["royalty"] == 0
    assert response["exchanges"][0] == {
        "seats": [1, 2],
        "rows": {"top": 0, "middle": 0, "bottom": 0},
        "row_points": 0,
        "bonus": 0,
        "foul": -6,
        "royalties": 0,
        "points": -6,
    }


def test_a_tie_is_not_a_transfer(api: Api) -> None:
    players = [
        player(1, "AsKd9c / JsJd8c5h2c / TsTd7c7h4s", stack=5),
        player(2, "AdKh9s / JhJc8s5c2d / ThTc7s7d4c", stack=5),
    ]
    response = api.post("/v1/score", {"ruleset": "pineapple", "button": 1, "players": players})
    assert response["exchanges"][0]["rows"] == {"top": 0, "middle": 0, "bottom": 0}
    assert points(response) == [0]
    assert response["transfers"] == []
    assert response["stacks"] == {"1": 5, "2": 5}


def test_an_integer_may_be_written_as_a_float(api: Api) -> None:
    response = api.post("/v1/score", changed(WORKED, ("button", 3.0), ("players/0/stack", 3.0)))
    assert response.document == FULL_RESPONSE


def test_null_means_unknown(api: Api) -> None:
    unknown = dict.fromkeys(("discards", "streets", "player", "opening_stack"))
    players = [{**played, **unknown} for played in WORKED["players"]]
    assert api.post("/v1/score", {**WORKED, "players": players, "expected": None}).document == FULL_RESPONSE


# --- what the sender expects ---


def test_matching_expected_values_change_nothing(api: Api) -> None:
    assert api.post("/v1/score", {**WORKED, "expected": FULL_RESPONSE}).document == FULL_RESPONSE
    part = {"stacks": {"2": 46}, "players": [{}, {"points": -5}, {}]}
    assert api.post("/v1/score", {**WORKED, "expected": part}).document == FULL_RESPONSE


def test_differing_expected_values_are_reported_with_both_values(api: Api) -> None:
    expected = {
        "stacks": {"1": 9, "4": 0},
        "players": [{"foul": True}, {"royalties": 6}, {"foul_reason": "top_beats_middle"}],
        "exchanges": [],
        "winner": 1,
        "ruleset": "pineapple@2",
    }
    response = api.post("/v1/score", {**WORKED, "expected": expected})
    assert response.status == 422
    assert response["code"] == "expected-differs"
    assert {mistake["pointer"]: (mistake["code"], mistake["detail"]) for mistake in response["errors"]} == {
        "#/expected/stacks/1": ("expected-differs", "`expected.stacks['1']`: 9 is expected; the result is 8"),
        "#/expected/stacks/4": (
            "expected-unknown",
            "`expected.stacks['4']` is not part of the result; expected one of 1, 2, 3",
        ),
        "#/expected/players/0/foul": (
            "expected-differs",
            "`expected.players[0].foul`: true is expected; the result is false",
        ),
        "#/expected/players/2/foul_reason": (
            "expected-differs",
            "`expected.players[2].foul_reason`: 'top_beats_middle' is expected; the result is null",
        ),
        "#/expected/exchanges": ("expected-differs", "`expected.exchanges`: 0 items are expected; the result has 3"),
        "#/expected/winner": (
            "expected-unknown",
            "`expected.winner` is not part of the result; expected one of ruleset, players, exchanges,"
            " transfers, stacks",
        ),
        "#/expected/ruleset": (
            "expected-differs",
            "`expected.ruleset`: 'pineapple@2' is expected; the result is 'pineapple@1'",
        ),
    }


@pytest.mark.parametrize(
    ("expected", "differs"),
    [
        ({"stacks": {"1": True}}, True),
        ({"stacks": {"1": 8.0}}, False),
        ({"players": [{"foul": 0}, {}, {}]}, True),
        ({"players": {"0": {}}}, True),
        ({"stacks": None}, True),
        ({"transfers": [{}, {"limited_by": None}, {}]}, False),
    ],
)
def test_expected_values_are_compared_with_their_types(api: Api, expected: Any, differs: bool) -> None:
    assert api.post("/v1/score", {**WORKED, "expected": expected}).status == (422 if differs else 200)


def test_without_a_key_nothing_is_scored(nobody: Api) -> None:
    assert nobody.post("/v1/score", WORKED).status == 401


def test_an_unknown_ruleset_is_refused(api: Api) -> None:
    for reference in ("omaha", "pineapple@2"):
        response = api.post("/v1/score", {**WORKED, "ruleset": reference})
        assert response.status == 422
        assert response["code"] == "ruleset-unknown"
        assert response.mistakes == {"#/ruleset": "ruleset-unknown"}
        assert reference in response["detail"]
        assert "GET /v1/rulesets" in response["detail"]


def test_two_boards_are_enough(api: Api) -> None:
    response = api.post("/v1/score", {"ruleset": "pineapple", "players": [player(7, HIGH), player(3, MID)]})
    assert [exchange["seats"] for exchange in response["exchanges"]] == [[3, 7]]
    assert points(response) == [-6]
    assert points(api.post("/v1/score", {"ruleset": "pineapple", "players": WORKED["players"][:2]})) == [4]

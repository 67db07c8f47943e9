"""The oracle's rounds against the sentences of docs/rules.md 7, The round."""

from typing import Any

import pytest

from tests.oracle import PRESETS, Refused, play
from tests.oracle.presets import changed
from tests.oracle.rows import SIZES

Rows = tuple[str, str, str]

# Disjoint boards: A and B tie in every row, C loses one point to each of them.
A = ("Kc Qd 2c", "9c 9d 8c 4d 3c", "Ac Ad Jc Td 5c")
B = ("Ks Qh 2h", "9h 9s 8h 4s 3h", "Ah As Jh Ts 5h")
C = ("2d 3d 4c", "5d 5s 7c 8d Js", "6c 6d 7d 7h Th")
C_FOUL = ("6c 6d Th", "2d 3d 4c 8d Js", "5d 5s 7c 7d 7h")
# Queens on top beat B by 2 + 7, C by 1 + 7, and a foul C by 6 + 7.
QUEENS = ("Qc Qd 2c", "Kc Kd 9c 8c 3c", "Ac Ad Jc Td 5c")
# These kings beat QUEENS by 6 + 18 - 7, and leave cards for two more boards.
KINGS = ("Ks Kh 2h", "3h 4s 5h 6s 7h", "8h 8s 8d 4h 4d")
REST = ("2d 3d 4c", "5d 5s 7c 9s Js", "6c 6d 7d 7s Th")
# Three queens on top stay; LOW loses to everybody.
TRIPS = ("Qc Qd Qs", "Kc Kd Kh 8c 3c", "Ac Ad As Jc Jd")
LOW = ("2h 3d 5s", "4h 4s 6d 8h Ts", "7h 7d 9h 9s Th")


def hand(
    number: int, button: int, boards: dict[int, Rows], owed: dict[int, int] | None = None, **more: Any
) -> dict[str, Any]:
    players = [
        {"seat": seat, "fantasyland": (owed or {}).get(seat, 0)}
        | {row: text.split() for row, text in zip(SIZES, rows, strict=True)}
        for seat, rows in boards.items()
    ]
    return {"number": number, "button": button, "players": players, **more}


def document(stacks: dict[int, int], *hands: dict[str, Any], **more: Any) -> dict[str, Any]:
    seats = [{"seat": seat, "player": f"player-{seat}", "stack": stack} for seat, stack in stacks.items()]
    return {"seats": seats, "hands": list(hands), **more}


def scoped(scope: str, leaving: str = "between_hands") -> dict[str, Any]:
    return changed("pineapple", stakes={"scope": scope, "win_limit": "opening"}, leaving=leaving)


def reason(played: dict[str, Any], ruleset: dict[str, Any]) -> str:
    with pytest.raises(Refused) as refusal:
        play(played, ruleset)
    return refusal.value.reason


def playing(view: dict[str, Any]) -> list[int]:
    return [seat["seat"] for seat in view["seats"] if seat["playing"]]


FIFTY = {1: 50, 2: 50, 3: 50}
PLAIN = {1: A, 2: B, 3: C}


# --- the button, and who plays ---


def test_before_the_first_hand_everybody_is_next_and_the_button_is_free() -> None:
    result = play(document(FIFTY), PRESETS["pineapple"])
    assert result["round"]["next"] == {"number": 1, "button": None, "seats": [1, 2, 3], "fantasyland": {}}
    assert result["settlement"]["transfers"] == []


def test_the_button_goes_round_once_clockwise() -> None:
    seats = {2: 50, 5: 50, 9: 50}
    boards = {2: A, 5: B, 9: C}
    hands = [hand(1, 5, boards), hand(2, 9, boards), hand(3, 2, boards)]
    result = play(document(seats, *hands), PRESETS["pineapple"])
    assert [played["round"]["status"] for played in result["hands"]] == ["open", "open", "complete"]
    assert result["hands"][0]["round"]["next"] == {"number": 2, "button": 9, "seats": [2, 5, 9], "fantasyland": {}}
    assert result["round"]["next"] is None
    assert reason(document(seats, *hands, hand(4, 5, boards)), PRESETS["pineapple"]) == "round-not-open"


def test_fantasyland_owed_holds_the_button() -> None:
    first = hand(1, 2, {1: QUEENS, 2: B, 3: C})
    result = play(document(FIFTY, first), PRESETS["pineapple"])
    assert result["round"]["next"] == {"number": 2, "button": 2, "seats": [1, 2, 3], "fantasyland": {"1": 14}}
    again = hand(2, 2, PLAIN, {1: 14})
    result = play(document(FIFTY, first, again), PRESETS["pineapple"])
    assert result["round"]["next"] == {"number": 3, "button": 3, "seats": [1, 2, 3], "fantasyland": {}}


def test_a_round_is_not_complete_while_fantasyland_is_owed() -> None:
    two = {1: 50, 2: 50}
    hands = [hand(1, 1, {1: A, 2: B}), hand(2, 2, {1: QUEENS, 2: B})]
    assert play(document(two, *hands), PRESETS["pineapple"])["round"]["status"] == "open"
    hands.append(hand(3, 2, {1: A, 2: B}, {1: 14}))
    assert play(document(two, *hands), PRESETS["pineapple"])["round"]["status"] == "complete"


@pytest.mark.parametrize(
    ("number", "button", "boards", "owed", "expected"),
    [
        (1, 2, PLAIN, {1: 14}, "number"),
        (3, 2, PLAIN, {1: 14}, "number"),
        (2, 3, PLAIN, {1: 14}, "button"),
        (2, 2, {1: A, 2: B}, {1: 14}, "seats"),
        (2, 2, {1: A, 2: B, 4: C}, {1: 14}, "seats"),
        (2, 2, PLAIN, {}, "fantasyland"),
        (2, 2, PLAIN, {1: 15}, "fantasyland"),
        (2, 2, PLAIN, {2: 14}, "fantasyland"),
        (2, 2, PLAIN, {1: 14, 2: 14}, "fantasyland"),
    ],
)
def test_a_hand_that_cannot_follow_is_refused(
    number: int, button: int, boards: dict[int, Rows], owed: dict[int, int], expected: str
) -> None:
    first = hand(1, 2, {1: QUEENS, 2: B, 3: C})
    assert reason(document(FIFTY, first, hand(number, button, boards, owed)), PRESETS["pineapple"]) == expected


def test_a_round_that_cannot_be_seated_is_refused() -> None:
    assert reason(document({1: 50}), PRESETS["pineapple"]) == "players-count"
    assert reason(document({1: 50, 2: 50, 3: 50, 4: 50}), PRESETS["pineapple"]) == "players-count"
    assert reason(document({1: 50, 2: 0}), PRESETS["pineapple"]) == "stack"
    assert reason(document(FIFTY, hand(1, 4, PLAIN)), PRESETS["pineapple"]) == "button"


# --- out, under each scope ---


BUST = {1: QUEENS, 2: KINGS, 3: REST}
HAND_STACK = changed("pineapple", stakes={"scope": "hand", "win_limit": "stack"})
SEQUENCE_STACK = changed("pineapple", stakes={"scope": "fantasyland", "win_limit": "stack"})


def test_under_scope_hand_a_player_without_points_is_busted_at_once_and_loses_their_fantasyland() -> None:
    result = play(document({1: 5, 2: 50, 3: 50}, hand(1, 3, BUST)), HAND_STACK)
    assert [player["fantasyland"] for player in result["hands"][0]["players"]] == [14, 14, 0]
    assert result["settlement"]["stacks"] == {"1": 0, "2": 79, "3": 26}
    assert result["round"]["next"] == {"number": 2, "button": 3, "seats": [2, 3], "fantasyland": {"2": 14}}
    assert playing(result["round"]) == [2, 3]


def test_under_scope_fantasyland_a_player_without_points_plays_until_the_sequence_ends() -> None:
    first = hand(1, 3, BUST)
    result = play(document({1: 5, 2: 50, 3: 50}, first), SEQUENCE_STACK)
    assert result["settlement"]["stacks"]["1"] == 0
    assert result["round"]["next"] == {"number": 2, "button": 3, "seats": [1, 2, 3], "fantasyland": {"1": 14, "2": 14}}
    assert playing(result["round"]) == [1, 2, 3]
    second = hand(2, 3, PLAIN, {1: 14, 2: 14})
    result = play(document({1: 5, 2: 50, 3: 50}, first, second), SEQUENCE_STACK)
    assert result["round"]["next"] == {"number": 3, "button": 2, "seats": [2, 3], "fantasyland": {}}
    assert playing(result["round"]) == [2, 3]


def test_a_player_with_points_at_the_end_of_the_sequence_plays_on() -> None:
    first = hand(1, 1, {1: QUEENS, 2: KINGS})
    won = document({1: 5, 2: 50}, first, hand(2, 1, {1: A, 2: LOW}, {1: 14, 2: 14}))
    result = play(won, scoped("fantasyland"))
    assert result["hands"][0]["stacks"] == {"1": 0, "2": 55}
    assert result["round"]["next"] == {"number": 3, "button": 2, "seats": [1, 2], "fantasyland": {}}
    lost = document({1: 5, 2: 50}, first, hand(2, 1, {1: LOW, 2: A}, {1: 14, 2: 14}))
    assert play(lost, scoped("fantasyland"))["round"]["status"] == "complete"


def test_the_opening_stack_is_the_sequences() -> None:
    boards = hand(1, 1, {1: QUEENS, 2: LOW}), hand(2, 1, {1: TRIPS, 2: LOW}, {1: 14})
    per_sequence = play(document({1: 6, 2: 100}, *boards), scoped("fantasyland"))
    assert [played["stacks"]["1"] for played in per_sequence["hands"]] == [12, 12]
    per_hand = play(document({1: 6, 2: 100}, *boards), scoped("hand"))
    assert [played["stacks"]["1"] for played in per_hand["hands"]] == [12, 24]


def test_a_round_with_fewer_than_two_playing_is_complete_and_fantasyland_is_void() -> None:
    result = play(document({1: 5, 2: 50}, hand(1, 1, {1: QUEENS, 2: KINGS})), HAND_STACK)
    assert result["round"]["status"] == "complete"
    assert result["round"]["next"] is None
    assert [player["fantasyland"] for player in result["hands"][0]["players"]] == [14, 14]


def test_a_button_stays_on_a_seat_that_is_out_and_payment_starts_to_its_left() -> None:
    first = hand(1, 2, {1: KINGS, 2: QUEENS, 3: REST})
    result = play(document({1: 50, 2: 5, 3: 50}, first), HAND_STACK)
    assert [move["payer"] for move in result["settlement"]["transfers"]] == [3, 3, 2]
    assert result["settlement"]["stacks"]["2"] == 0
    assert result["round"]["next"] == {"number": 2, "button": 2, "seats": [1, 3], "fantasyland": {"1": 14}}
    second = hand(2, 2, {1: QUEENS, 3: B}, {1: 14})
    result = play(document({1: 50, 2: 5, 3: 50}, first, second), HAND_STACK)["hands"][1]
    assert result["exchanges"][0]["seats"] == [3, 1]
    assert result["round"]["next"]["button"] == 3


# --- scope round ---

ROUND_HANDS = [
    hand(1, 1, {1: QUEENS, 2: B, 3: C_FOUL}),
    hand(2, 1, PLAIN, {1: 14}),
    hand(3, 2, PLAIN),
    hand(4, 3, PLAIN),
]


def test_scope_round_pays_once_at_the_end_in_the_order_of_the_last_button() -> None:
    result = play(document({1: 5, 2: 50, 3: 50}, *ROUND_HANDS), PRESETS["progressive-round"])
    assert [played["transfers"] for played in result["hands"][:3]] == [[], [], []]
    assert result["hands"][2]["stacks"] == {"1": 5, "2": 50, "3": 50}
    moves = [(move["payer"], move["payee"], move["due"], move["paid"]) for move in result["hands"][3]["transfers"]]
    assert moves == [(2, 1, 9, 5), (3, 1, 16, 0), (3, 2, 9, 9)]
    assert [move["hand"] for move in result["settlement"]["transfers"]] == [4, 4, 4]
    assert result["settlement"]["net"] == {"1": 5, "2": 4, "3": -9}
    assert result["round"]["status"] == "complete"


def test_closing_settles_what_scope_round_has_added_up() -> None:
    closed = {"after_hand": 2, "reason": "late"}
    played = document({1: 5, 2: 50, 3: 50}, *ROUND_HANDS[:2], closed=closed)
    result = play(played, PRESETS["progressive-round"])
    moves = [(move["payer"], move["payee"], move["paid"], move["hand"]) for move in result["settlement"]["transfers"]]
    assert moves == [(3, 2, 7, 2), (2, 1, 5, 2), (3, 1, 0, 2)]
    assert result["hands"][-1]["transfers"] == []
    assert (result["round"]["status"], result["round"]["next"]) == ("closed", None)


def test_a_departure_that_completes_a_round_settles_it() -> None:
    played = document(FIFTY, *ROUND_HANDS[:3], departures=[{"seat": 3, "after_hand": 3}])
    result = play(played, scoped("round"))
    assert result["hands"][-1]["round"]["status"] == "open"
    assert result["round"]["status"] == "complete"
    moves = [(move["payer"], move["payee"], move["paid"], move["hand"]) for move in result["settlement"]["transfers"]]
    assert moves == [(3, 1, 15, 3), (3, 2, 8, 3), (2, 1, 9, 3)]


def test_points_added_in_scope_round_raise_what_can_be_won() -> None:
    topped = [{**ROUND_HANDS[0], "top_ups": [{"seat": 1, "points": 3}]}]
    played = document({1: 5, 2: 50, 3: 50}, *topped, closed={"after_hand": 1, "reason": "late"})
    result = play(played, scoped("round"))
    assert result["settlement"]["stacks"]["1"] == 16
    assert result["settlement"]["net"]["1"] == 8


def test_in_scope_round_no_player_is_busted() -> None:
    result = play(document({1: 1, 2: 50, 3: 50}, hand(1, 1, {1: C_FOUL, 2: QUEENS, 3: B})), scoped("round"))
    assert playing(result["round"]) == [1, 2, 3]


# --- top-ups and departures ---

HANDS = PRESETS["pineapple-qq"]
POOR = {1: 50, 2: 50, 3: 5}
BROKE = hand(1, 1, {1: A, 2: B, 3: C_FOUL})


def test_a_busted_player_continues_with_added_points() -> None:
    result = play(document(POOR, BROKE), HANDS)
    assert result["round"]["next"] == {"number": 2, "button": 2, "seats": [1, 2], "fantasyland": {}}
    again = hand(2, 2, PLAIN, top_ups=[{"seat": 3, "points": 20}])
    result = play(document(POOR, BROKE, again), HANDS)
    assert result["settlement"]["stacks"]["3"] == 18
    assert result["settlement"]["net"]["3"] == -7
    assert result["round"]["seats"][2]["opening_stack"] == 5
    assert result["round"]["next"]["button"] == 3


def test_points_added_are_counted_before_the_button_moves() -> None:
    first = hand(1, 1, {1: A, 2: C_FOUL, 3: B})
    stacks = {1: 50, 2: 5, 3: 50}
    assert play(document(stacks, first), HANDS)["round"]["next"]["button"] == 3
    boards = {1: A, 2: C, 3: B}
    topped = [{"seat": 2, "points": 9}]
    play(document(stacks, first, hand(2, 2, boards, top_ups=topped)), HANDS)
    assert reason(document(stacks, first, hand(2, 3, boards, top_ups=topped)), HANDS) == "button"


def test_the_first_hand_may_carry_points_added() -> None:
    result = play(document(POOR, hand(1, 1, PLAIN, top_ups=[{"seat": 3, "points": 5}])), HANDS)
    assert result["settlement"]["stacks"]["3"] == 8


@pytest.mark.parametrize(
    ("top_up", "expected"),
    [
        ({"seat": 4, "points": 5}, "top-up-seat"),
        ({"seat": 3, "points": 0}, "top-up-points"),
        ({"seat": 3, "points": -5}, "top-up-points"),
    ],
)
def test_points_that_cannot_be_added_are_refused(top_up: dict[str, int], expected: str) -> None:
    assert reason(document(POOR, hand(1, 1, PLAIN, top_ups=[top_up])), HANDS) == expected


def test_points_are_added_only_at_the_start_of_a_sequence_if_the_ruleset_allows_it() -> None:
    top_ups = [{"seat": 3, "points": 5}]
    between_rounds = document(POOR, hand(1, 1, PLAIN, top_ups=top_ups))
    assert reason(between_rounds, PRESETS["pineapple"]) == "top-up-between-rounds-only"
    entered = hand(1, 1, {1: QUEENS, 2: B, 3: C})
    inside = document(FIFTY, entered, hand(2, 1, PLAIN, {1: 14}, top_ups=top_ups))
    assert reason(inside, HANDS) == "top-up-inside-sequence"
    left = document(
        FIFTY,
        hand(1, 1, PLAIN),
        hand(2, 2, {1: A, 2: B}, top_ups=top_ups),
        departures=[{"seat": 3, "after_hand": 1}],
    )
    assert reason(left, HANDS) == "top-up-after-departure"


def test_a_player_who_leaves_does_not_return_in_the_round() -> None:
    departures = [{"seat": 2, "after_hand": 1, "reason": "last train"}]
    result = play(document(FIFTY, hand(1, 1, PLAIN), departures=departures), HANDS)
    assert result["round"]["next"] == {"number": 2, "button": 3, "seats": [1, 3], "fantasyland": {}}
    assert playing(result["round"]) == [1, 3]
    assert result["settlement"]["stacks"] == {"1": 51, "2": 51, "3": 48}
    result = play(document(FIFTY, hand(1, 1, PLAIN), hand(2, 3, {1: A, 3: C}), departures=departures), HANDS)
    assert result["round"]["status"] == "complete"


def test_a_busted_player_can_leave() -> None:
    result = play(document(POOR, BROKE, departures=[{"seat": 3, "after_hand": 1}]), HANDS)
    assert result["round"]["next"]["seats"] == [1, 2]


@pytest.mark.parametrize(
    ("seats_and_hands", "expected"),
    [
        ([(1, 0)], "departure-before-first-hand"),
        ([(4, 1)], "departure-seat"),
        ([(1, 1), (1, 1)], "departure-twice"),
        ([(1, 1), (2, 1), (3, 1)], "round-not-open"),
        ([(1, 2)], "departure-after-hand"),
    ],
)
def test_a_departure_that_cannot_be_is_refused(seats_and_hands: list[tuple[int, int]], expected: str) -> None:
    departures = [{"seat": seat, "after_hand": after} for seat, after in seats_and_hands]
    assert reason(document(FIFTY, hand(1, 1, PLAIN), departures=departures), HANDS) == expected


def test_nobody_leaves_a_sequence_or_where_players_leave_between_rounds() -> None:
    departures = [{"seat": 2, "after_hand": 1}]
    entered = hand(1, 1, {1: QUEENS, 2: B, 3: C})
    assert reason(document(FIFTY, entered, departures=departures), HANDS) == "departure-inside-sequence"
    plain = document(FIFTY, hand(1, 1, PLAIN), departures=departures)
    assert reason(plain, PRESETS["pineapple"]) == "departure-between-rounds-only"


def test_a_closed_round_takes_no_hand() -> None:
    closed = {"after_hand": 1, "reason": "late"}
    assert reason(document(FIFTY, hand(1, 1, PLAIN), hand(2, 2, PLAIN), closed=closed), HANDS) == "round-not-open"
    whole = [hand(1, 1, {1: A, 2: B}), hand(2, 2, {1: A, 2: B})]
    assert reason(document({1: 5, 2: 5}, *whole, closed=closed | {"after_hand": 2}), HANDS) == "round-not-open"


# --- Fantasyland from hand to hand ---


def test_repeats_are_counted_and_entering_again_restarts_the_count() -> None:
    ruleset = PRESETS["pineapple-1-6-us-classic"]
    entering, staying = {1: QUEENS, 2: LOW}, {1: TRIPS, 2: LOW}
    hands = [
        hand(1, 1, entering),
        hand(2, 1, staying, {1: 14}),
        hand(3, 1, staying, {1: 14}),
        hand(4, 2, entering),
        hand(5, 2, staying, {1: 14}),
        hand(6, 2, staying, {1: 14}),
    ]
    result = play(document({1: 500, 2: 500}, *hands), ruleset)
    assert [played["players"][0]["fantasyland"] for played in result["hands"]] == [14, 14, 0, 14, 14, 0]
    assert result["round"]["status"] == "complete"


def test_one_may_enter_from_an_ordinary_hand_inside_a_sequence() -> None:
    hands = [hand(1, 1, {1: QUEENS, 2: LOW}), hand(2, 1, {1: LOW, 2: QUEENS}, {1: 14})]
    result = play(document({1: 500, 2: 500}, *hands), PRESETS["pineapple"])
    assert result["round"]["next"] == {"number": 3, "button": 1, "seats": [1, 2], "fantasyland": {"2": 14}}


# --- the ranking ---


def test_equal_nets_share_a_place_and_money_is_points_times_the_point_value() -> None:
    result = play(document(FIFTY, hand(1, 1, PLAIN), point_value=25, unit="EUR"), PRESETS["pineapple"])
    assert result["settlement"]["standings"] == [
        {"seat": 1, "net": 1, "place": 1},
        {"seat": 2, "net": 1, "place": 1},
        {"seat": 3, "net": -2, "place": 3},
    ]
    assert result["settlement"]["money"] == {
        "point_value": 25,
        "unit": "EUR",
        "unit_digits": 2,
        "net": {"1": 25, "2": 25, "3": -50},
    }

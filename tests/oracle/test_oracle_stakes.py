"""The oracle's payments against docs/rules.md 8, Table stakes, and the worked example of 9."""

import pytest

from tests.oracle import PRESETS, score
from tests.oracle.stakes import paying_order, paying_pairs, settle
from tests.oracle.written import board

WORKED = [
    board("Qs Qd 4c", "Ks Kd 9h 8h 3c", "Ah Jh 7h 6h 2h", seat=1, stack=3),
    board("Ac 8d 2s", "Ts Tc 5d 5c 6s", "7s 7d 7c Jd Js", seat=2, stack=50),
    board("Kh Kc 3s", "9s 9d 8s 8c 4h", "As Ad Qh Qc 2d", seat=3, stack=50),
]


# --- 8. table stakes ---


def test_seats_pay_clockwise_from_the_left_of_the_button() -> None:
    assert paying_order([1, 2, 5], 2) == [5, 1, 2]
    assert paying_order([1, 2, 5], 5) == [1, 2, 5]
    assert paying_order([1, 2, 5], 3) == [5, 1, 2]
    assert paying_pairs([1, 2, 5], 2) == [(5, 1), (5, 2), (1, 2)]


def test_the_sources_own_examples() -> None:
    transfers, stacks = settle([(1, 2, 10), (1, 3, 10)], {1: 2, 2: 50, 3: 50}, {}, "stack")
    assert ([transfer["paid"] for transfer in transfers], stacks) == ([2, 4], {1: 8, 2: 48, 3: 46})
    for won in (25, -25):
        [transfer], _ = settle([(1, 2, won)], {1: 10, 2: 50}, {1: 10, 2: 50}, "opening")
        assert transfer["paid"] == 10


@pytest.mark.parametrize(
    ("due", "stacks", "opening", "win_limit", "paid", "limited_by"),
    [
        (5, {1: 9, 2: 9}, {1: 9, 2: 9}, "stack", 5, None),
        (5, {1: 9, 2: 3}, {1: 9, 2: 9}, "stack", 3, "payer_stack"),
        (5, {1: 3, 2: 9}, {1: 9, 2: 9}, "stack", 3, "winner_room"),
        (5, {1: 3, 2: 3}, {1: 9, 2: 9}, "stack", 3, "payer_stack"),
        (5, {1: 0, 2: 3}, {1: 9, 2: 9}, "stack", 0, "winner_room"),
        (5, {1: 15, 2: 9}, {1: 9, 2: 9}, "opening", 3, "winner_room"),
        (5, {1: 0, 2: 9}, {1: 9, 2: 9}, "opening", 5, None),
        (5, {1: 30, 2: 9}, {1: 9, 2: 9}, "opening", 0, "winner_room"),
        (50, {1: 1, 2: 40}, {1: 1, 2: 9}, "none", 40, "payer_stack"),
    ],
)
def test_an_exchange_is_capped_by_the_payers_stack_and_the_winners_room(
    due: int, stacks: dict[int, int], opening: dict[int, int], win_limit: str, paid: int, limited_by: str | None
) -> None:
    [transfer], after = settle([(1, 2, due)], stacks, opening, win_limit)
    assert (transfer["payer"], transfer["payee"], transfer["due"]) == (2, 1, due)
    assert (transfer["paid"], transfer["limited_by"]) == (paid, limited_by)
    assert after == {1: stacks[1] + paid, 2: stacks[2] - paid}


def test_a_tie_causes_no_transfer() -> None:
    assert settle([(1, 2, 0)], {1: 5, 2: 5}, {}, "stack") == ([], {1: 5, 2: 5})


# --- 9. the worked example ---


def test_the_worked_example() -> None:
    result = score({"button": 3, "players": WORKED}, PRESETS["pineapple"])
    assert result["ruleset"] == "pineapple@1"
    assert [player["royalties"] for player in result["players"]] == [11, 6, 8]
    assert [player["fantasyland"] for player in result["players"]] == [14, 0, 14]
    assert [player["points"] for player in result["players"]] == [6, -5, -1]
    assert [(pair["seats"], list(pair["rows"].values()), pair["row_points"]) for pair in result["exchanges"]] == [
        ([1, 2], [1, -1, -1], -1),
        ([1, 3], [-1, -1, 1], -1),
        ([2, 3], [-1, 1, 1], 1),
    ]
    assert [(pair["royalties"], pair["points"]) for pair in result["exchanges"]] == [(5, 4), (3, 2), (-2, -1)]
    assert result["stacks"] == {"1": 8, "2": 46, "3": 49}
    assert result["transfers"] == [
        {"order": 1, "payer": 2, "payee": 1, "due": 4, "paid": 3, "limited_by": "winner_room"}
        | {"payer_stack": 47, "payee_stack": 6},
        {"order": 2, "payer": 3, "payee": 1, "due": 2, "paid": 2, "limited_by": None}
        | {"payer_stack": 48, "payee_stack": 8},
        {"order": 3, "payer": 2, "payee": 3, "due": 1, "paid": 1, "limited_by": None}
        | {"payer_stack": 46, "payee_stack": 49},
    ]


def test_the_worked_example_under_two_four_and_progressive() -> None:
    two_four = score({"button": 3, "players": WORKED}, PRESETS["pineapple-2-4-us-none"])
    assert [pair["points"] for pair in two_four["exchanges"]] == [3, 1, 0]
    progressive = score({"button": 3, "players": WORKED}, PRESETS["progressive"])
    assert [player["fantasyland"] for player in progressive["players"]] == [14, 0, 15]


def test_without_a_button_or_a_stack_nothing_is_transferred() -> None:
    no_button = score({"players": WORKED}, PRESETS["pineapple"])
    no_stack = score({"button": 1, "players": [*WORKED[:2], WORKED[2] | {"stack": None}]}, PRESETS["pineapple"])
    assert "transfers" not in no_button
    assert "stacks" not in no_stack
    assert [pair["seats"] for pair in no_stack["exchanges"]] == [[2, 3], [2, 1], [3, 1]]


def test_an_opening_stack_sets_the_room() -> None:
    players = [{**WORKED[0], "stack": 5, "opening_stack": 3}, *WORKED[1:]]
    result = score({"button": 3, "players": players}, PRESETS["pineapple-qq"])
    assert [transfer["paid"] for transfer in result["transfers"]] == [1, 0, 1]

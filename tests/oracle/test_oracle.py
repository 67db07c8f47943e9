"""The oracle's boards against docs/rules.md 1 to 5: rows, fouls, points, Fantasyland, presets."""

from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest

from tests.oracle import PRESETS, strength3, strength5, top_beats
from tests.oracle.fantasyland import earned
from tests.oracle.fouls import foul_reason
from tests.oracle.points import exchange, row_winner, royalties
from tests.oracle.presets import changed
from tests.oracle.rows import CATEGORIES, DECK, RANKS, SUITS, category, low_name, qualifies
from tests.oracle.written import board, cards

GOOD: dict[str, Any] = {"top": "Kc Kd 2c", "middle": "9c 9d 8c 8d 3c", "bottom": "Ac Ad Qc Qd 4c"}
FOUL: dict[str, Any] = {"top": "As 7s 7d", "middle": "Qh Js 9s 4h 2d", "bottom": "Td Th 5d 3h 3s"}


# --- 1. rows ---


def test_every_distinct_strength_of_five_cards_is_there_once() -> None:
    strengths = set()
    for ranks in combinations_with_replacement(RANKS, 5):
        if ranks[0] != ranks[4]:
            strengths.add(strength5([rank + SUITS[number % 4] for number, rank in enumerate(ranks)]))
    strengths |= {strength5([rank + "s" for rank in ranks]) for ranks in combinations(RANKS, 5)}
    by_category = [sum(strength[0] == number for strength in strengths) for number in range(len(CATEGORIES))]
    assert by_category == [1277, 2860, 858, 858, 10, 1277, 156, 156, 9, 1]


def test_every_top_row_counts_as_cards_are_dealt() -> None:
    by_category = [0, 0, 0, 0]
    for top in combinations(DECK, 3):
        by_category[strength3(list(top))[0]] += 1
    assert by_category == [18304, 3744, 0, 52]


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("Ac Kd Qh Js 9c", "2c 2d 3h 4s 5c"),
        ("Ac Ad Kh Qs Jc", "2c 2d 3h 3s 4c"),
        ("Ac Ad Kh Ks Qc", "2c 2d 2h 3s 4c"),
        ("Ac Ad Ah Ks Qc", "Ac 2d 3h 4s 5c"),
        ("Ac 2d 3h 4s 5c", "2c 3d 4h 5s 6c"),
        ("9c Td Jh Qs Kc", "Tc Jd Qh Ks Ac"),
        ("Tc Jd Qh Ks Ac", "2c 3c 4c 5c 7c"),
        ("Ac Kc Qc Jc 9c", "2c 2d 2h 3s 3c"),
        ("2c 2d 2h As Ac", "3c 3d 3h 2s 2c"),
        ("Ac Ad Ah Ks Kc", "2c 2d 2h 2s 3c"),
        ("Ac Ad Ah As Kc", "Ac 2c 3c 4c 5c"),
        ("Ac 2c 3c 4c 5c", "2c 3c 4c 5c 6c"),
        ("9c Tc Jc Qc Kc", "Tc Jc Qc Kc Ac"),
        ("Kc Kd Ah Qs Jc", "Ac Ad 4h 3s 2c"),
        ("Kc Kd 3h 3s Ac", "Kc Kd 4h 4s 2c"),
        ("Kc Kd 3h 3s Qc", "Kh Ks 3c 3d Ac"),
    ],
)
def test_five_card_rows_are_ordered(weaker: str, stronger: str) -> None:
    assert strength5(cards(weaker)) < strength5(cards(stronger))


def test_suits_are_equal() -> None:
    assert strength5(cards("Ac Kd Qh Js 9c")) == strength5(cards("9d Jh Qs Kc Ad"))
    assert strength5(cards("Ac Kc Qc Jc 9c")) == strength5(cards("9d Jd Qd Kd Ad"))


def test_a_straight_does_not_go_round_the_corner() -> None:
    assert category(cards("Kc Ad 2h 3s 4c")) == "high_card"


def test_three_cards_make_no_straight_and_no_flush() -> None:
    assert category(cards("Qs Ks As")) == "high_card"
    assert strength3(cards("Qs Ks As")) < strength3(cards("2c 2d 3h")) < strength3(cards("2c 2d 2h"))


@pytest.mark.parametrize(
    ("top", "five", "beats"),
    [
        ("Qc Qd Ac", "Qh Qs Kd 9c 2d", True),
        ("Qc Qd Ac", "Qh Qs Ad 3c 2d", False),
        ("Qc Qd Kc", "Qh Qs Ad 3c 2d", False),
        ("Ac Kd Qh", "As Kc Qd 5h 3c", False),
        ("Ac Kd Qh", "As Kc Jd Th 9c", True),
        ("Ac Ad Kc", "2c 2d 3h 3s 4c", False),
        ("2c 2d 2h", "Ac Ad Kh Ks Qc", True),
        ("Ac Ad Ah", "Kc Kd Kh 3s 2c", True),
        ("Ac Ad Ah", "2c 3d 4h 5s 6c", False),
    ],
)
def test_three_cards_against_five_as_far_as_both_rows_have_cards(top: str, five: str, beats: bool) -> None:
    assert top_beats(cards(top), cards(five)) is beats


@pytest.mark.parametrize(
    ("middle", "name"),
    [
        ("Tc 8d 4h 3s 2c", "ten_low"),
        ("9c 8d 4h 3s 2c", "nine_low"),
        ("8c 7d 4h 3s 2c", "eight_low"),
        ("7c 6d 4h 3s 2c", "seven_low"),
        ("7c 5d 4h 3s 2c", "75432"),
        ("Jc 5d 4h 3s 2c", None),
        ("Ac 5d 4h 3s 2c", None),
        ("6c 5d 4h 3s 2c", None),
        ("7c 5c 4c 3c 2c", None),
        ("7c 7d 4h 3s 2c", None),
    ],
)
def test_a_low_qualifies_ten_high_or_lower_without_pair_straight_or_flush(middle: str, name: str | None) -> None:
    assert qualifies(cards(middle)) is (name is not None)
    if name:
        assert low_name(cards(middle)) == name


def test_lower_is_better_from_the_highest_card_down() -> None:
    ruleset = PRESETS["deuce-to-seven"]
    assert row_winner("middle", cards("7c 5d 4h 3s 2c"), cards("7d 6d 4c 3c 2d"), ruleset) == 1
    assert row_winner("middle", cards("9c 5d 4h 3s 2c"), cards("8d 7d 6c 5c 3d"), ruleset) == -1
    assert row_winner("middle", cards("9c 5d 4h 3s 2c"), cards("9d 5c 4c 3c 2d"), ruleset) == 0
    assert row_winner("middle", cards("7c 5d 4h 3s 2c"), cards("7d 6d 4c 3c 2d"), PRESETS["pineapple"]) == -1


# --- 2. foul ---


def test_a_high_board_is_foul_when_a_row_beats_the_row_below() -> None:
    high = PRESETS["pineapple"]
    assert foul_reason(board("Qc Qd Ac", "Qh Qs Kd 9c 2d", "Ah As 4c 4d 5c"), high) == "top_beats_middle"
    assert foul_reason(board("Qc Qd 3c", "Ah Ad Kd 9c 2d", "Kh Ks Jc 4d 5c"), high) == "middle_beats_bottom"
    both = board("Kc Kd 3c", "Qh Qd Ks 9c 2d", "Jh Js Tc 4d 5c")
    assert foul_reason(both, high) == "top_beats_middle"


def test_equal_rows_are_allowed() -> None:
    high = PRESETS["pineapple"]
    assert foul_reason(board("Qc Qd Ac", "Qh Qs Ad 3c 2d", "Kh Ks 4c 4d 5c"), high) is None
    assert foul_reason(board("2c 3c 4d", "Ah Ad Kd 9c 2d", "As Ac Kc 9d 2h"), high) is None


def test_a_low_board_is_foul_when_its_middle_does_not_qualify_or_top_beats_bottom() -> None:
    low = PRESETS["deuce-to-seven"]
    assert foul_reason(board("Kc Kd Ac", "Td 8c 4h 3s 2c", "Ah Ad 4c 9d 5c"), low) is None
    assert foul_reason(board("Kc Kd Ac", "Td 8c 4h 3s 2c", "Qh Qd 4c 9d 5c"), low) == "top_beats_bottom"
    assert foul_reason(board("Kc Kd Ac", "Jd 8c 4h 3s 2c", "Qh Qd 4c 9d 5c"), low) == "middle_does_not_qualify"


# --- 3. points between two players ---


def between(rows: tuple[int, int, int], name: str) -> int:
    """What an exchange pays when these rows are won, lost or tied and nobody has royalties."""
    one, other = ["5c 4c 3d", "Tc 9d 8h 6s 2d", "Jc 9c 8c 6d 5h"], ["5c 4c 3d", "Tc 9d 8h 6s 2d", "Jc 9c 8c 6d 5h"]
    better = ["6c 4c 3d", "Tc 9d 8h 6s 4d", "Qc 9c 8c 6d 5h"]
    for number, won in enumerate(rows):
        if won:
            (one if won > 0 else other)[number] = better[number]
    return int(
        exchange(board(one[0], one[1], one[2]), board(other[0], other[1], other[2], seat=2), PRESETS[name])["points"]
    )


@pytest.mark.parametrize(
    ("rows", "one_six", "two_four"),
    [
        ((1, 1, 1), 6, 4),
        ((1, 1, -1), 1, 2),
        ((1, 1, 0), 2, 3),
        ((1, -1, 0), 0, 0),
        ((1, 0, 0), 1, 1),
        ((0, 0, 0), 0, 0),
        ((-1, -1, 1), -1, -2),
        ((-1, -1, -1), -6, -4),
    ],
)
def test_rows_pay_by_the_method(rows: tuple[int, int, int], one_six: int, two_four: int) -> None:
    assert between(rows, "pineapple") == one_six
    assert between(rows, "pineapple-2-4-us-none") == two_four


@pytest.mark.parametrize("name", ["pineapple", "pineapple-2-4-us-none"])
def test_a_foul_board_loses_six_and_pays_the_other_boards_royalties(name: str) -> None:
    good, foul = board(**GOOD), board(**FOUL, seat=2)
    assert exchange(good, foul, PRESETS[name]) == {
        "seats": [1, 2],
        "rows": {"top": 0, "middle": 0, "bottom": 0},
        "row_points": 0,
        "bonus": 0,
        "foul": 6,
        "royalties": 8,
        "points": 14,
    }
    assert exchange(foul, good, PRESETS[name])["points"] == -14


def test_two_foul_boards_pay_each_other_nothing() -> None:
    result = exchange(board(**FOUL), board(**FOUL, seat=2), PRESETS["pineapple"])
    assert (result["foul"], result["royalties"], result["points"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("row", "text", "us", "russian"),
    [
        ("bottom", "2c 3d 4h 5s 6c", 2, 2),
        ("bottom", "2c 3c 4c 5c 7c", 4, 4),
        ("bottom", "2c 2d 2h 3s 3c", 6, 6),
        ("bottom", "2c 2d 2h 2s 3c", 10, 8),
        ("bottom", "2c 3c 4c 5c 6c", 15, 10),
        ("bottom", "Tc Jc Qc Kc Ac", 25, 15),
        ("bottom", "2c 2d 2h 4s 3c", 0, 0),
        ("middle", "2c 2d 2h 4s 3c", 2, 2),
        ("middle", "2c 3d 4h 5s 6c", 4, 4),
        ("middle", "2c 3c 4c 5c 7c", 8, 8),
        ("middle", "2c 2d 2h 3s 3c", 12, 12),
        ("middle", "2c 2d 2h 2s 3c", 20, 16),
        ("middle", "2c 3c 4c 5c 6c", 30, 20),
        ("middle", "Tc Jc Qc Kc Ac", 50, 30),
        ("top", "5c 5d Ac", 0, 0),
        ("top", "6c 6d Ac", 1, 1),
        ("top", "7c Ad 7h", 2, 2),
        ("top", "Ac Ad 2c", 9, 9),
        ("top", "2c 2d 2h", 10, 10),
        ("top", "Ac Ad Ah", 22, 22),
    ],
)
def test_royalties_by_table(row: str, text: str, us: int, russian: int) -> None:
    rows: dict[str, Any] = {"top": "4h 3h 2d", "middle": "7d 6d 4d 3c 2h", "bottom": "Th Jh Qh Kh Ah"} | {row: text}
    if row == "top":
        rows["middle"] = "Ts Js Qs Ks As"
    lowest = board(**rows)
    assert foul_reason(lowest, PRESETS["pineapple"]) is None
    assert royalties(lowest, PRESETS["pineapple-1-6-us-none"])[row] == us
    assert royalties(lowest, PRESETS["pineapple-1-6-russian-none"])[row] == russian


@pytest.mark.parametrize(
    ("middle", "pays"),
    [("Tc 5d 4h 3s 2c", 0), ("9c 5d 4h 3s 2c", 1), ("8c 5d 4h 3s 2c", 2), ("7c 6d 4h 3s 2c", 4), ("7c 5d 4h 3s 2c", 8)],
)
def test_royalties_of_a_low_middle(middle: str, pays: int) -> None:
    low = board("Kc Qd 2d", middle, "Ac Ad 9h Th Jh")
    assert royalties(low, PRESETS["deuce-to-seven"]) == {"top": 0, "middle": pays, "bottom": 0}


# --- 4. Fantasyland ---


@pytest.mark.parametrize(
    ("name", "top", "dealt"),
    [
        ("pineapple", "Jc Jd Ac", 0),
        ("pineapple", "Qc Qd 2c", 14),
        ("pineapple", "2c 2d 2h", 14),
        ("pineapple-kk", "Qc Qd 2c", 0),
        ("pineapple-kk", "Kc Kd 2c", 14),
        ("pineapple-aa", "Kc Kd 2c", 0),
        ("pineapple-aa", "Ac Ad 2c", 14),
        ("pineapple-aa", "2c 2d 2h", 14),
        ("progressive", "Qc Qd 2c", 14),
        ("progressive", "Kc Kd 2c", 15),
        ("progressive", "Ac Ad 2c", 16),
        ("progressive", "2c 2d 2h", 17),
        ("turbo", "Qc Qd 2c", 13),
        ("pineapple-1-6-us-none", "Ac Ad Ah", 0),
    ],
)
def test_entering_by_the_top_row(name: str, top: str, dealt: int) -> None:
    assert earned(board(top, "5c 6d 7h 8s 9c", "4s 6s 7s 8s Ts"), PRESETS[name]) == dealt


@pytest.mark.parametrize(
    ("top", "middle", "dealt"),
    [
        ("Kc Kd 2c", "Td 5d 4h 3s 2d", 14),
        ("Qc Qd 2c", "Td 5d 4h 3s 2d", 0),
        ("Qc Qd 2c", "7d 5d 4h 3s 2d", 14),
        ("Kc Kd 2c", "7d 5d 4h 3s 2d", 15),
        ("Kc Kd 2c", "7d 6d 4h 3s 2d", 14),
        ("Kc Kd 2c", "Jd 5d 4h 3s 2d", 0),
    ],
)
def test_entering_deuce_to_seven(top: str, middle: str, dealt: int) -> None:
    assert earned(board(top, middle, "4s 6s 7s 8s Ts"), PRESETS["deuce-to-seven"]) == dealt


QUADS_BELOW = ("4c 3d 2h", "Ac Ad 9h 8h 7d", "6c 6d 6h 6s Kc")
FULL_MIDDLE = ("4c 3d 2h", "5c 5d 5h 7c 7d", "6c 6d 6h Ks Kc")
QUADS_MIDDLE = ("4c 3d 2h", "5c 5d 5h 5s 7d", "6c 6d 6h 6s Kc")
TRIPS_ON_TOP = ("2c 2d 2h", "5c 6d 7h 8s 9c", "4s 6s 7s 8s Ts")
STRAIGHT_FLUSH = ("4c 3d 2h", "Ac Ad 9h 8h 7d", "5s 6s 7s 8s 9s")
QUEENS = ("Qc Qd 2h", "5c 6d 7h 8s 9c", "4s 6s 7s 8s Ts")


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("pineapple", [True, False, True, True, True, False]),
        ("turbo", [True, True, True, True, True, False]),
        ("pineapple-qq", [True, True, True, True, True, False]),
        ("pineapple-aa", [True, False, True, True, True, False]),
        ("pineapple-1-6-us-classic", [True, False, True, True, True, False]),
        ("pineapple-1-6-us-unlimited", [True, True, True, True, True, False]),
    ],
)
def test_staying_needs_a_category_in_one_row_or_better(name: str, stays: list[bool]) -> None:
    boards = [QUADS_BELOW, FULL_MIDDLE, QUADS_MIDDLE, TRIPS_ON_TOP, STRAIGHT_FLUSH, QUEENS]
    cards_again = PRESETS[name]["fantasyland"]["stay_cards"]
    dealt = [earned(board(*rows, fantasyland=cards_again), PRESETS[name]) for rows in boards]
    assert dealt == [cards_again if stay else 0 for stay in stays]


def test_a_repeat_deals_stay_cards() -> None:
    assert earned(board(*TRIPS_ON_TOP, fantasyland=17), PRESETS["progressive"]) == 14


def test_a_stay_limit_counts_repeats() -> None:
    once = PRESETS["pineapple-1-6-us-classic"]
    assert [earned(board(*QUADS_BELOW, fantasyland=14, stays=stays), once) for stays in (0, 1)] == [14, 0]
    never = changed("pineapple", fantasyland={"stay_limit": 0})
    assert earned(board(*QUADS_BELOW, fantasyland=14), never) == 0


def test_a_foul_board_neither_enters_nor_stays() -> None:
    foul = ("Qc Qd 2h", "4s 5d 7h 8s 9c", "5c 6d 7d 8d 9d")
    assert earned(board(*foul), PRESETS["pineapple"]) == 0
    foul_quads = ("Kc Kd 2h", "Ac Qd 7h 8s 9c", "6c 6d 6h 6s 9d")
    assert earned(board(*foul_quads, fantasyland=14), PRESETS["pineapple"]) == 0


# --- 5. presets ---


def test_there_are_twenty_one_presets() -> None:
    assert len(PRESETS) == 21
    limited = [name for name, ruleset in PRESETS.items() if ruleset["fantasyland"]["stay_limit"] is not None]
    assert sorted(limited) == [
        f"pineapple-{method}-{table}-classic"
        for method, table in (("1-6", "russian"), ("1-6", "us"), ("2-4", "russian"), ("2-4", "us"))
    ]

"""The explanation in words: caps of each kind, fouls, lows, Fantasyland, ties."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.offline.score import find_ruleset
from client.render.format import Names
from client.render.hands import explain_cap
from tests.support.client.run_ofc import EXAMPLES, ofc, write
from tests.support.sample_rounds import HIGH, KINGS, MID, QUEENS, RENEWED, SEVENS, changed, player

Document = dict[str, Any]


def explain(directory: Path, *players: Document, ruleset: str = "pineapple", button: int | None = 2) -> str:
    """Explain a hand; gives what is printed."""
    document = {"ruleset": ruleset, "button": button, "players": list(players)}
    result = ofc("score", write(directory, document))
    assert result.code == 0, result
    return result.text


def explain_under(directory: Path, stakes: Document, *players: Document) -> str:
    """Explain a hand under pineapple with other stakes."""
    rules = changed(find_ruleset({"ruleset": "pineapple"}, None), ("name", "own"), ("stakes", stakes))
    document = {"button": 2, "players": list(players)}
    result = ofc("score", write(directory, document), "--ruleset", write(directory, rules, "rules.json"))
    assert result.code == 0, result
    return result.text


# --- caps: six points are due from seat 2 to seat 1 ---


@pytest.mark.parametrize(
    ("winner", "payer", "row"),
    [
        (50, 50, "1. seat 2 → seat 1    6     6"),
        (50, 4, "1. seat 2 → seat 1    6     4        2  seat 2 had only 4 left"),
        (50, 0, "1. seat 2 → seat 1    6     0        6  seat 2 had nothing left"),
        (4, 50, "1. seat 2 → seat 1    6     4        2  seat 1 had a stack of 4 and can win at most 4"),
        (0, 50, "1. seat 2 → seat 1    6     0        6  seat 1 had a stack of 0 and can win nothing"),
        (4, 4, "1. seat 2 → seat 1    6     4        2  seat 2 had only 4 left"),
    ],
)
def test_under_win_limit_stack_a_cap_is_explained(tmp_path: Path, winner: int, payer: int, row: str) -> None:
    shown_text = explain(tmp_path, player(1, HIGH, stack=winner), player(2, MID, stack=payer))
    assert row in shown_text.splitlines()


@pytest.mark.parametrize(
    ("scope", "stretch"), [("hand", "hand"), ("fantasyland", "Fantasyland sequence"), ("round", "round")]
)
@pytest.mark.parametrize(("stack", "room"), [(16, "at most 4 more"), (20, "no more"), (30, "no more")])
def test_under_win_limit_opening_a_cap_shows_the_room_and_the_scope(
    tmp_path: Path, scope: str, stretch: str, stack: int, room: str
) -> None:
    stakes = {"scope": scope, "win_limit": "opening"}
    winner = player(1, HIGH, stack=stack, opening_stack=10)
    shown_text = explain_under(tmp_path, stakes, winner, player(2, MID, stack=50))
    assert f"seat 1 could win {room}: no player wins more in a {stretch} than they opened it with" in shown_text


def test_without_a_win_limit_only_the_payer_is_capped(tmp_path: Path) -> None:
    stakes = {"scope": "hand", "win_limit": "none"}
    shown_text = explain_under(tmp_path, stakes, player(1, HIGH, stack=1), player(2, MID, stack=5))
    assert "1. seat 2 → seat 1    6     5        1  seat 2 had only 5 left" in shown_text.splitlines()
    assert "Stacks  seat 1: 6 · seat 2: 0" in shown_text


def test_a_cap_shows_players_by_their_ids() -> None:
    names = Names([{"seat": 1, "player": "ann"}, {"seat": 2, "player": "bob"}])
    transfer = {"payer": 2, "payee": 1, "due": 9, "paid": 0, "limited_by": "payer_stack"}
    assert explain_cap(transfer, {"stakes": {"scope": "hand", "win_limit": "stack"}}, names) == "bob had nothing left"


# --- fouls ---

TOP_OVER_MIDDLE = "AcAd5s / JsJd8c5c2c / KsKd9s9c4s"
MIDDLE_OVER_BOTTOM = "Ks9c2d / AsAcQd8d3c / KdKc7d6s4c"
NO_LOW = "3s2s4d / JsTd8c5d2c / KsKdQd6s4c"
TOP_OVER_BOTTOM = "AdAc9d / 7s5d4c3d2c / KsKd8d6s3c"
HEARTS = "2h3h4h / 5h6h7h8hTh / 9hJhQhKhAh"


@pytest.mark.parametrize(
    ("board", "ruleset", "reason"),
    [
        (TOP_OVER_MIDDLE, "pineapple", "foul: the top beats the middle"),
        (MIDDLE_OVER_BOTTOM, "pineapple", "foul: the middle beats the bottom"),
        (NO_LOW, "deuce-to-seven", "foul: the middle does not qualify as a low"),
        (TOP_OVER_BOTTOM, "deuce-to-seven", "foul: the top beats the bottom"),
    ],
)
def test_a_foul_is_explained(tmp_path: Path, board: str, ruleset: str, reason: str) -> None:
    shown_text = explain(tmp_path, player(1, board), player(2, HEARTS), ruleset=ruleset)
    [line] = [line for line in shown_text.splitlines() if line.startswith("  seat 1  ")]
    assert line.endswith(f", {reason}")


def test_rows_against_a_foul_are_not_compared(tmp_path: Path) -> None:
    shown_text = explain(tmp_path, player(1, TOP_OVER_MIDDLE), player(2, "QsJc6d / 7s7d5d3h2d / QcQh4d4c3s"))
    [pair] = [line for line in shown_text.splitlines() if line.startswith("seat 1 : seat 2")]
    assert pair.split()[5:] == ["–", "–", "–", "0", "0", "−6", "0", "−6"]


# --- rows, Fantasyland, ties ---


def test_a_low_middle_is_read_as_a_low(tmp_path: Path) -> None:
    one = "5d2h3d / 9h7c6h4s2c / QsQcTh9d8s"
    other = "Kd6c4d / 7h5s4c3h2s / AsAcJh9s6d"
    shown_text = explain(tmp_path, player(1, one), player(2, other), ruleset="deuce-to-seven")
    assert "nine-seven-six-four-deuce low +1" in shown_text
    assert "seven-five-four-three-deuce low +8" in shown_text
    assert "enters Fantasyland with 14 cards" in shown_text


def test_fantasyland_entered_stayed_and_left_is_shown(tmp_path: Path) -> None:
    shown_text = explain(tmp_path, player(1, QUEENS), player(2, SEVENS), player(3, KINGS))
    assert "seat 1  +6 points, royalties 11, enters Fantasyland with 14 cards" in shown_text
    assert "  seat 2  −5 points, royalties 6\n" in shown_text
    renewed = player(1, RENEWED, fantasyland=14)
    shown_text = explain(tmp_path, renewed, player(2, "KdQd6d / 9s9h6c4h3c / KcKhTd5h2c", fantasyland=14))
    assert "in Fantasyland with 14 cards, stays in Fantasyland with 14 cards" in shown_text
    [line] = [line for line in shown_text.splitlines() if line.startswith("  seat 2  ")]
    assert line.endswith(" points, in Fantasyland with 14 cards")


def test_cards_set_by_the_clock_are_counted(tmp_path: Path) -> None:
    streets = [
        {"dealt": ["As", "Ad", "Tc", "Th", "4s"], "bottom": ["As", "Ad", "Tc", "Th", "4s"]},
        {"dealt": ["Js", "Jd", "8c", "5h"], "middle": ["Js", "Jd", "8c", "5h"], "auto": ["8c", "5h"]},
        {"dealt": ["2c", "Ah", "Kd", "9c"], "middle": ["2c"], "top": ["Ah", "Kd", "9c"], "auto": ["9c"]},
    ]
    shown_text = explain(tmp_path, player(1, HIGH, streets=streets), player(2, MID), ruleset="turbo")
    assert "  seat 1  +6 points, 3 cards set by the clock" in shown_text


def test_ties_are_shown_as_ties(tmp_path: Path) -> None:
    one, other = "AhKd9c / JsJd8c5h2c / AsAdTcTh4s", "AcKh9d / JhJc8d5s2d / QsQdTsTd4c"
    shown_text = explain(tmp_path, player(1, one, stack=9), player(2, other, stack=9))
    [pair] = [line for line in shown_text.splitlines() if line.startswith("seat 1 : seat 2")]
    assert pair.split()[5:] == ["=", "=", "▲", "+1", "0", "0", "0", "+1"]


def test_a_settlement_without_payments_is_reported(tmp_path: Path) -> None:
    one, other = "AhKd9c / JsJd8c5h2c / QhQcTcTh4s", "AcKh9d / JhJc8d5s2d / QsQdTsTd4c"
    shown_text = explain(tmp_path, player(1, one, stack=9), player(2, other, stack=9))
    assert "No payments.\nStacks  seat 1: 9 · seat 2: 9" in shown_text


def test_under_scope_round_the_output_shows_that_chips_move_at_the_end() -> None:
    shown_text = ofc("score", EXAMPLES / "progressive-round.json").text
    hands = len(json.loads((EXAMPLES / "progressive-round.json").read_text())["hands"])
    assert shown_text.count("Nothing is paid before the round ends.") == hands - 1
    assert shown_text.count("Payments, for the whole round") == 1


def test_a_single_hand_under_scope_round_is_paid_as_if_the_round_ended(tmp_path: Path) -> None:
    shown_text = explain(tmp_path, player(1, HIGH, stack=9), player(2, MID, stack=9), ruleset="progressive-round")
    assert "Payments, as if the round ended here\n" in shown_text


def test_a_player_name_is_never_parsed_as_anything_else(tmp_path: Path) -> None:
    shown_text = explain(tmp_path, player(1, HIGH, player="[bold]:smile:[/x]"), player(2, MID, player="2"))
    assert "  [bold]:smile:[/x]  +6 points" in shown_text
    assert "[bold]:smile:[/x] : 2" in shown_text

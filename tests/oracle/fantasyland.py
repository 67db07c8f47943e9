"""docs/rules.md 4, Fantasyland: who enters Fantasyland, who stays, and with how many cards."""

from typing import Any

from tests.oracle.fouls import foul_reason
from tests.oracle.rows import CATEGORIES, RANKS, by_importance, category, low_name


def entering_cards(top: list[str], enter: dict[str, int]) -> int:
    """The cards of the highest key that the top row meets, 0 where it meets none."""
    if category(top) == "three_of_a_kind":
        met = [rank + rank for rank in RANKS] + ["trips"]
    elif category(top) == "pair":
        met = [rank + rank for rank in RANKS if RANKS.index(rank) + 2 <= by_importance(top)[0]]
    else:
        met = []
    cards = 0
    for key in met:
        if key in enter:
            cards = enter[key]
    return cards


def cards_for_entering(board: dict[str, Any], ruleset: dict[str, Any]) -> int:
    by_top = entering_cards(board["top"], ruleset["fantasyland"]["enter"])
    enter_low = ruleset["fantasyland"]["enter_low"]
    if enter_low and low_name(board["middle"]) == "75432":
        return int(enter_low["both"] if by_top else enter_low["cards"])
    return by_top


def cards_for_staying(board: dict[str, Any], ruleset: dict[str, Any], stays: int) -> int:
    limit = ruleset["fantasyland"]["stay_limit"]
    if limit is not None and stays >= limit:
        return 0
    for row, lowest in ruleset["fantasyland"]["stay"].items():
        if lowest and CATEGORIES.index(category(board[row])) >= CATEGORIES.index(lowest):
            return int(ruleset["fantasyland"]["stay_cards"])
    return 0


def earned(board: dict[str, Any], ruleset: dict[str, Any]) -> int:
    """The Fantasyland cards that this board earned, 0 for none."""
    if foul_reason(board, ruleset):
        return 0
    if board.get("fantasyland", 0):
        return cards_for_staying(board, ruleset, board.get("stays", 0))
    return cards_for_entering(board, ruleset)

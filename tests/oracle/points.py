"""docs/rules.md 3, Points between two players: royalties, and the points between two players."""

from typing import Any

from tests.oracle.fouls import foul_reason
from tests.oracle.rows import SIZES, by_importance, category, low_name, strength


def row_royalty(row: str, cards: list[str], ruleset: dict[str, Any]) -> int:
    """What the row of a good board pays; a key that the ruleset leaves out pays nothing."""
    if row == "middle" and ruleset["low_middle"]:
        key = low_name(cards)
    elif row == "top":
        ranks = [card[0] for card in cards]
        key = "".join(rank for rank in ranks if ranks.count(rank) > 1)
    else:
        key = category(cards)
    return int(ruleset["royalties"][row].get(key, 0))


def royalties(board: dict[str, Any], ruleset: dict[str, Any]) -> dict[str, int]:
    """Royalties by row; a foul board earns none."""
    if foul_reason(board, ruleset):
        return dict.fromkeys(SIZES, 0)
    return {row: row_royalty(row, board[row], ruleset) for row in SIZES}


def row_winner(row: str, one: list[str], other: list[str], ruleset: dict[str, Any]) -> int:
    """1 where the first row wins, -1 where the second does, 0 where they tie."""
    if row == "middle" and ruleset["low_middle"]:
        better, worse = by_importance(one) < by_importance(other), by_importance(one) > by_importance(other)
    else:
        better, worse = strength(one) > strength(other), strength(one) < strength(other)
    return 1 if better else -1 if worse else 0


def bonus(won: int, ruleset: dict[str, Any]) -> int:
    """What a player gets on top of their rows for the number of rows they won."""
    points = ruleset["points"]
    return (points["majority_bonus"] if won >= 2 else 0) + (points["scoop_bonus"] if won == 3 else 0)


def exchange(one: dict[str, Any], other: dict[str, Any], ruleset: dict[str, Any]) -> dict[str, Any]:
    """The points between two players, all signs from the side of the first."""
    one_is_foul, other_is_foul = bool(foul_reason(one, ruleset)), bool(foul_reason(other, ruleset))
    rows = dict.fromkeys(SIZES, 0)
    if not one_is_foul and not other_is_foul:
        rows = {row: row_winner(row, one[row], other[row], ruleset) for row in SIZES}
    won, lost = list(rows.values()).count(1), list(rows.values()).count(-1)
    row_points = (won - lost) * ruleset["points"]["row"]
    bonuses = bonus(won, ruleset) - bonus(lost, ruleset)
    foul = (other_is_foul - one_is_foul) * ruleset["points"]["foul_penalty"]
    offset = sum(royalties(one, ruleset).values()) - sum(royalties(other, ruleset).values())
    return {
        "seats": [one["seat"], other["seat"]],
        "rows": rows,
        "row_points": row_points,
        "bonus": bonuses,
        "foul": foul,
        "royalties": offset,
        "points": row_points + bonuses + foul + offset,
    }

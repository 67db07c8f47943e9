"""docs/rules.md 8, Table stakes: the order of payment and the caps of table stakes."""

from itertools import combinations
from typing import Any

Points = dict[int, int]


def paying_order(seats: list[int], button: int | None) -> list[int]:
    """Seats clockwise from the left of the button, the button last; in seat order where there is no button."""
    if button is None:
        return sorted(seats)
    return sorted(seat for seat in seats if seat > button) + sorted(seat for seat in seats if seat <= button)


def paying_pairs(seats: list[int], button: int | None) -> list[tuple[int, int]]:
    """(s1, s2), (s1, s3) ..., then (s2, s3) ...: the first seat counts with everybody before the second does."""
    return list(combinations(paying_order(seats, button), 2))


def room(winner: int, stacks: Points, opening: Points, win_limit: str, due: int) -> int:
    """How much the winner can still win."""
    if win_limit == "stack":
        return stacks[winner]
    if win_limit == "opening":
        return max(0, 2 * opening[winner] - stacks[winner])
    return due


def settle(
    points: list[tuple[int, int, int]], stacks: Points, opening: Points, win_limit: str
) -> tuple[list[dict[str, Any]], Points]:
    """Pay (first seat, second seat, points of the first) one after the other: the transfers, and the stacks after."""
    stacks = dict(stacks)
    transfers: list[dict[str, Any]] = []
    for first, second, won in points:
        if won == 0:
            continue
        payer, payee, due = (second, first, won) if won > 0 else (first, second, -won)
        payer_has, winner_room = stacks[payer], room(payee, stacks, opening, win_limit, due)
        paid = min(due, payer_has, winner_room)
        limited_by = None if paid == due else "payer_stack" if payer_has <= winner_room else "winner_room"
        stacks[payer] -= paid
        stacks[payee] += paid
        transfers.append(
            {
                "order": len(transfers) + 1,
                "payer": payer,
                "payee": payee,
                "due": due,
                "paid": paid,
                "limited_by": limited_by,
                "payer_stack": stacks[payer],
                "payee_stack": stacks[payee],
            }
        )
    return transfers, stacks

"""Score a finished hand, before any transfer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from scoring.exchange import Exchange, ScoredBoard, exchange_points, score_board
from scoring.fantasyland import Fantasyland
from scoring.hand import PlayerHand, Seat
from scoring.ruleset import Points, Ruleset


@dataclass(frozen=True, slots=True)
class HandScore:
    """
    The score of a hand: every board, every pair, and the sum of each player's exchanges, before caps.

    `boards` are in the order of seats, `exchanges` in paying order.
    """

    boards: tuple[ScoredBoard, ...]
    exchanges: tuple[Exchange, ...]
    points: Mapping[Seat, Points]


def paying_order(seats: Iterable[Seat], button: Seat | None) -> list[Seat]:
    """
    Return seats in paying order: clockwise from the left of the button, the button last.

    The button may be on a seat that does not play. Without a button, seats are in ascending order.

    >>> paying_order([1, 2, 5], button=2), paying_order([1, 2, 5], button=3), paying_order([5, 1], button=None)
    ([5, 1, 2], [5, 1, 2], [1, 5])

    Rule: docs/rules.md#order-of-payment
    """
    left_of = button or 0
    return sorted(seats, key=lambda seat: (seat <= left_of, seat))


def score_hand(
    players: Sequence[PlayerHand],
    ruleset: Ruleset,
    button: Seat | None = None,
    stays: Mapping[Seat, int] | None = None,
) -> HandScore:
    """
    Score every board and every pair of a hand.

    Args:
        players: everyone dealt in.
        ruleset: the rules in force.
        button: the seat of the button; None for pairs in the order of seats.
        stays: how many times in a row players in Fantasyland have stayed there before this hand.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> ann = PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"))
    >>> bob = PlayerHand(2, Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"))
    >>> score_hand([ann, bob], PRESETS["pineapple"]).points
    {1: 4, 2: -4}

    Rule: docs/rules.md#points-between-two-players
    """
    stays = stays or {}
    boards = tuple(
        score_board(
            player.seat,
            player.board,
            Fantasyland(player.fantasyland, stays.get(player.seat, 0)) if player.fantasyland else None,
            ruleset,
        )
        for player in sorted(players, key=lambda player: player.seat)
    )
    by_seat = {board.seat: board for board in boards}
    order = paying_order(by_seat, button)
    exchanges = tuple(exchange_points(by_seat[a], by_seat[b], ruleset) for a, b in combinations(order, 2))
    points = dict.fromkeys(by_seat, 0)
    for exchange in exchanges:
        points[exchange.first] += exchange.points
        points[exchange.second] -= exchange.points
    return HandScore(boards, exchanges, points)

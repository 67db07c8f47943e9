"""The results of hands, as their records have them."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

from scoring.round import PlayedHand
from scoring.round_state import Round
from scoring.ruleset import Points
from scoring.settlement import Transfer
from service.rounds.queries.stored_round import in_order

PaidRow = tuple[int, int, Points, Points, str | None, Points, Points]
"""Payer, payee, points due, points paid, what limited the payment, and the stacks of both after it."""


class HandFigures(NamedTuple):
    """
    The result of a hand, as its record has it.

    Attributes:
        points, fouls, royalties, earned, stays: of the players dealt in, by seat.
        exchanges: in paying order.
        top_ups, stacks_before, stacks: of all players of the round, by seat.
        transfers: in order.
        irregular: why the hand could not have followed, as JSON; None unless it was accepted as played.
    """

    points: Sequence[Points]
    fouls: Sequence[bool]
    royalties: Sequence[Points]
    earned: Sequence[int]
    stays: Sequence[int]
    exchanges: Sequence[Points]
    top_ups: Sequence[Points]
    stacks_before: Sequence[Points]
    stacks: Sequence[Points]
    transfers: Sequence[PaidRow]
    irregular: bytes | None = None


def figures_of(before: Round, played: PlayedHand) -> HandFigures:
    """Return the figures of a played hand, given the round before it."""
    score, seats = played.score, before.seat_numbers
    boards = sorted(score.boards, key=lambda board: board.seat)
    top_ups = {top_up.seat: top_up.points for top_up in played.hand.top_ups}
    mistakes = json.dumps([asdict(mistake) for mistake in played.irregular]).encode() if played.accepted else None
    return HandFigures(
        points=[score.points[board.seat] for board in boards],
        fouls=[board.foul is not None for board in boards],
        royalties=[board.royalty_points for board in boards],
        earned=[board.earned.cards if board.earned else 0 for board in boards],
        stays=[before.owed[board.seat].stays if board.seat in before.owed else 0 for board in boards],
        exchanges=[exchange.points for exchange in score.exchanges],
        top_ups=[top_ups.get(seat, 0) for seat in seats],
        stacks_before=in_order(seats, before.stacks),
        stacks=in_order(seats, played.round.stacks),
        transfers=paid_rows(played.transfers),
        irregular=mistakes,
    )


def paid_rows(transfers: Sequence[Transfer]) -> list[PaidRow]:
    """Convert transfers to rows, in order."""
    return [
        (each.payer, each.payee, each.due, each.paid, each.limited_by, each.payer_stack, each.payee_stack)
        for each in transfers
    ]

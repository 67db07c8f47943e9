"""What a hand came to as its records have it, however it was played."""

from collections.abc import Sequence
from typing import NamedTuple

from scoring.round import PlayedHand
from scoring.round_state import Round
from scoring.ruleset import Points
from scoring.settlement import Transfer
from service.repository.hands import score_parameters

PaidRow = tuple[int, int, Points, Points, str | None, Points, Points]
"""Payer, payee, due, paid, what limited it, and the stacks of both after it."""


class HandFigures(NamedTuple):
    """
    What a hand came to.

    Attributes:
        points, fouls, royalties, earned, stays: of who was dealt in, by seat.
        exchanges: in paying order.
        top_ups, stacks_before, stacks: of everyone in the round, by seat.
        transfers: in order.
        irregular: why it could not have followed, as JSON, where it stands nevertheless.
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
    irregular: str | None = None


def figures_of(before: Round, played: PlayedHand) -> HandFigures:
    """Say what a hand came to that was played in a round as it stood before."""
    score = score_parameters(before, played)
    return HandFigures(
        points=score["points"],
        fouls=score["fouls"],
        royalties=score["royalties"],
        earned=score["earned"],
        stays=score["stays"],
        exchanges=score["exchanges"],
        top_ups=score["added"],
        stacks_before=score["stacks_before"],
        stacks=score["stacks"],
        transfers=rows_of(played.transfers),
        irregular=score["irregular"],
    )


def rows_of(transfers: Sequence[Transfer]) -> list[PaidRow]:
    """Write transfers as rows, in order."""
    return [
        (each.payer, each.payee, each.due, each.paid, each.limited_by, each.payer_stack, each.payee_stack)
        for each in transfers
    ]

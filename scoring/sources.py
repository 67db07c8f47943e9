"""The points of the players of a hand by what they are for."""

from collections.abc import Mapping
from typing import NamedTuple

from scoring.hand import Seat
from scoring.ruleset import Points
from scoring.score import HandScore


class PointSources(NamedTuple):
    """The points of a player in a hand, before caps, by what they are for. They add up to the points of the hand."""

    rows: Points
    bonuses: Points
    royalties: Points
    fouls: Points


def split_points(score: HandScore) -> Mapping[Seat, PointSources]:
    """
    Return the points of each player of a hand by what they are for.

    >>> from scoring.board import Board
    >>> from scoring.hand import PlayerHand
    >>> from scoring.presets import PRESETS
    >>> from scoring.score import score_hand
    >>> ann = PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"))
    >>> bob = PlayerHand(2, Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"))
    >>> split_points(score_hand([ann, bob], PRESETS["pineapple"]))[1]
    PointSources(rows=-1, bonuses=0, royalties=5, fouls=0)

    Rule: docs/rules.md#points-between-two-players
    """
    sources = {seat: [0] * len(PointSources._fields) for seat in score.points}
    for exchange in score.exchanges:
        parts = exchange.breakdown
        assert parts is not None, "scored from the boards"
        for place, points in enumerate((parts.row_points, parts.bonus, parts.royalties, parts.foul)):
            sources[exchange.first][place] += points
            sources[exchange.second][place] -= points
    return {seat: PointSources(*points) for seat, points in sources.items()}

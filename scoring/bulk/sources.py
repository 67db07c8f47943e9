"""Points of many hands by what they are for."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from scoring.bulk.score import score_hands
from scoring.ruleset import BOARD_SIZE, Points, Ruleset


class PointSources(NamedTuple):
    """The points of a player in a hand, before caps, by what they are for. They add up to the points of the hand."""

    rows: Points
    bonuses: Points
    royalties: Points
    fouls: Points


def split_points(ruleset: Ruleset, boards: bytes, players: int) -> list[list[PointSources]]:
    """
    Return the points of each player of hands with the same number of players, by what they are for.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> ann = Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h").packed
    >>> bob = Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs").packed
    >>> [[first, _]] = split_points(PRESETS["pineapple"], ann + bob, 2)
    >>> first
    PointSources(rows=-1, bonuses=0, royalties=5, fouls=0)

    Args:
        ruleset: the rules in force.
        boards: the boards of all hands, packed by `Board.packed`.
        players: the number of players of each hand.

    Returns:
        for each hand the points of its players, in the order of seats.

    Rule: docs/rules.md#points-between-two-players
    """
    packed = np.frombuffer(boards, np.uint8).reshape(-1, players, BOARD_SIZE)
    scored = score_hands(ruleset, packed)
    pairs = np.stack([scored.row_points, scored.bonuses, np.zeros_like(scored.bonuses), scored.foul_points], axis=-1)
    pairs = pairs.astype(np.int64)
    points = np.zeros((len(packed), players, len(PointSources._fields)), np.int64)
    royalties = scored.royalties.astype(np.int64)
    for pair, (first, second) in enumerate(combinations(range(players), 2)):
        pairs[:, pair, 2] = royalties[:, first] - royalties[:, second]
        points[:, first] += pairs[:, pair]
        points[:, second] -= pairs[:, pair]
    return [[PointSources(*of_player) for of_player in of_hand] for of_hand in points.tolist()]

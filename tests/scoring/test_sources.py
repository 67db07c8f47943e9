"""The points of a hand by what they are for."""

from random import Random

import pytest

from scoring.board import Board
from scoring.hand import PlayerHand
from scoring.presets import PRESETS
from scoring.score import score_hand
from scoring.sources import PointSources, split_points
from tests.scoring.bulk.hands import any_hands, any_ruleset, seated


def test_points_are_for_rows_bonuses_royalties_and_fouls() -> None:
    ann = PlayerHand(1, Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"))
    bob = PlayerHand(2, Board.of("3s3d2c", "8s8d9s5c4h", "TsTcTd6d2s"))
    foul = PlayerHand(3, Board.of("AsAdAc", "5s5d9d8c6c", "JsTh7s4s3h"))
    split = split_points(score_hand([ann, bob, foul], PRESETS["pineapple"]))
    assert split == {
        1: PointSources(rows=3, bonuses=3, royalties=22, fouls=6),
        2: PointSources(rows=-3, bonuses=-3, royalties=-11, fouls=6),
        3: PointSources(rows=0, bonuses=0, royalties=-11, fouls=-12),
    }


@pytest.mark.no_cover
def test_points_by_source_add_up_to_the_points() -> None:
    rng = Random("sources")
    for _ in range(40):
        ruleset, players = any_ruleset(rng), rng.randint(2, 4)
        for boards in any_hands(rng, players, 20):
            score = score_hand(seated(boards, [0] * players), ruleset)
            split = split_points(score)
            assert {seat: sum(sources) for seat, sources in split.items()} == score.points
            assert not any(map(sum, zip(*split.values(), strict=True)))

"""The sources of points of many hands are those of each hand by itself."""

from collections import Counter
from random import Random

import pytest

from scoring.bulk.sources import split_points
from scoring.score import score_hand
from tests.scoring.bulk.hands import any_hands, any_ruleset, packed, seated


@pytest.mark.no_cover
def test_sources_are_those_of_the_plain_rules() -> None:
    rng = Random("sources")
    for _ in range(40):
        ruleset, players = any_ruleset(rng), rng.randint(2, 4)
        hands = any_hands(rng, players, 60)
        for boards, split in zip(hands, split_points(ruleset, packed(hands).tobytes(), players), strict=True):
            score = score_hand(seated(boards, [0] * players), ruleset)
            expected = {seat: Counter[str]() for seat in score.points}
            for exchange in score.exchanges:
                parts = exchange.breakdown
                assert parts is not None
                for seat, sign in ((exchange.first, 1), (exchange.second, -1)):
                    expected[seat]["rows"] += sign * parts.row_points
                    expected[seat]["bonuses"] += sign * parts.bonus
                    expected[seat]["royalties"] += sign * parts.royalties
                    expected[seat]["fouls"] += sign * parts.foul
            for seat, sources in enumerate(split, 1):
                assert {name: points for name, points in sources._asdict().items() if points} == {
                    name: points for name, points in expected[seat].items() if points
                }
                assert sum(sources) == score.points[seat]

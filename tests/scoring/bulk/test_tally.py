"""Royalties by row and scoops of many hands are those of each hand by itself."""

from random import Random

import pytest

from scoring.bulk.tally import tally_hands
from scoring.score import score_hand
from tests.scoring.bulk.hands import any_hands, any_ruleset, packed, seated


@pytest.mark.no_cover
def test_royalties_and_scoops_are_those_of_the_plain_rules() -> None:
    rng = Random("tally")
    for _ in range(40):
        ruleset, players = any_ruleset(rng), rng.randint(2, 4)
        hands = any_hands(rng, players, 60)
        for boards, tally in zip(hands, tally_hands(ruleset, packed(hands).tobytes(), players), strict=True):
            score = score_hand(seated(boards, [0] * players), ruleset)
            scoops = []
            for exchange in score.exchanges:
                assert exchange.breakdown is not None
                first, second = exchange.first - 1, exchange.second - 1
                if tuple(exchange.breakdown.rows) == (1, 1, 1):
                    scoops.append((first, second))
                if tuple(exchange.breakdown.rows) == (-1, -1, -1):
                    scoops.append((second, first))
            assert [tuple(board.royalties) for board in score.boards] == tally.royalties
            assert sorted(scoops) == sorted(tally.scoops)

"""Many hands at once score as each of them does by itself."""

import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from scoring.board import Board, Row
from scoring.bulk.rows import are_one_deck, place_rows, row_places
from scoring.bulk.score import BulkScore, score_hands
from scoring.bulk.tables import FOULS
from scoring.cards import DECK
from scoring.foul import FoulReason
from scoring.presets import PRESETS
from scoring.ruleset import DECK_SIZE, Ruleset
from scoring.score import score_hand
from scoring.strength import Category, strength_of
from tests.scoring.bulk.hands import any_hands, any_ruleset, packed, seated

CHUNK = 20_000


def as_lists(score: BulkScore, earned: Any) -> Iterator[tuple[Any, ...]]:
    """Each hand's results, in the shape of `plainly`."""
    royalties = (score.royalties, score.royalties_top, score.royalties_middle)
    parts = (score.fouls, *royalties, earned, score.points, score.exchanges)
    pairs = (score.rows, score.scoops, score.row_points, score.bonuses, score.foul_points)
    return zip(*(part.tolist() for part in (*parts, *pairs)), strict=True)


def plainly(hand: Sequence[Board], ruleset: Ruleset, fantasyland: list[int], stays: list[int]) -> tuple[Any, ...]:
    """What the plain rules say of a hand."""
    score = score_hand(seated(hand, fantasyland), ruleset, None, dict(enumerate(stays, start=1)))
    breakdowns = [exchange.breakdown for exchange in score.exchanges]
    return (
        [FOULS.index(board.foul) for board in score.boards],
        [board.royalty_points for board in score.boards],
        [board.royalties.top for board in score.boards],
        [board.royalties.middle for board in score.boards],
        [board.earned.cards if board.earned else 0 for board in score.boards],
        list(score.points.values()),
        [exchange.points for exchange in score.exchanges],
        [list(each.rows) for each in breakdowns if each],
        [{(1, 1, 1): 1, (-1, -1, -1): -1}.get(tuple(each.rows), 0) for each in breakdowns if each],
        [each.row_points for each in breakdowns if each],
        [each.bonus for each in breakdowns if each],
        [each.foul for each in breakdowns if each],
    )


def check_hands(rng: Random, ruleset: Ruleset, players: int, number: int) -> None:
    hands = any_hands(rng, players, number)
    fantasyland = [[rng.choice([0, 0, 14]) for _ in range(players)] for _ in hands]
    stays = [[rng.randrange(4) if cards else 0 for cards in hand] for hand in fantasyland]
    score = score_hands(ruleset, packed(hands))
    earned = score.earned(np.array(fantasyland, np.uint8), np.array(stays))
    for number, result in enumerate(as_lists(score, earned)):
        expected = plainly(hands[number], ruleset, fantasyland[number], stays[number])
        assert result == expected, f"{ruleset}, {hands[number]}"


@pytest.mark.parametrize("name", [*PRESETS, *(f"random ruleset {number}" for number in range(9))])
@pytest.mark.no_cover
def test_hands_score_as_each_does_by_itself(name: str) -> None:
    rng = Random(name)
    ruleset = PRESETS.get(name) or any_ruleset(rng)
    for players in (2, 3, 4):
        check_hands(rng, ruleset, players, 80)


@pytest.mark.verify
@pytest.mark.parametrize("first", range(0, 1_000_000, CHUNK))
@pytest.mark.no_cover
def test_a_million_hands_score_as_each_does_by_itself(first: int) -> None:
    rng = Random(first)
    presets = list(PRESETS.values())
    for turn in range(20):
        ruleset = presets[(first // CHUNK + turn) % len(presets)] if turn < 10 else any_ruleset(rng)
        check_hands(rng, ruleset, rng.choice([2, 3, 3, 4]), CHUNK // 20)


@pytest.mark.no_cover
def test_the_hands_that_are_tried_meet_everything() -> None:
    """Fouls of every reason, all categories in all rows, scoops, ties, Fantasyland entered and renewed."""
    rng, met = Random(1), set()
    for name in ("pineapple-1-6-us-unlimited", "deuce-to-seven"):
        hands = any_hands(rng, 3, 4_000)
        score = score_hands(PRESETS[name], packed(hands))
        met |= {FOULS[number] for number in np.unique(score.fouls)} | set(np.unique(score.enters).tolist())
        met |= {(row, board.strengths[row].category) for hand in hands for board in hand for row in Row}
        met |= {("rows", *rows) for rows in np.unique(score.rows.reshape(-1, 3), axis=0).tolist()}
        met |= {("stays", stays) for stays in np.unique(score.stays).tolist()}
    assert met >= {None, *FoulReason, 0, 14, 15, ("stays", True), ("stays", False)}
    assert met >= {(row, category) for row in ("middle", "bottom") for category in Category}
    assert met >= {("rows", *rows) for rows in [(1, 1, 1), (-1, -1, -1), (0, 0, 0), (1, 0, -1)]}


@pytest.mark.no_cover
def test_rows_stand_in_the_order_of_their_strengths() -> None:
    """Three cards among five, wherever the rules compare them."""
    strengths = row_places().strengths
    assert all(weaker < stronger for weaker, stronger in pairwise(strengths))
    assert len({strength for strength in strengths if len(strength.ranks) == 3}) == 455
    assert len(strengths) == 455 + 6_175 + 1_287


def check_places(fives: Sequence[tuple[int, ...]]) -> None:
    """Every five in the middle and, turned round, at the bottom."""
    rows = np.array(fives, np.uint8)
    boards = np.concatenate([np.zeros_like(rows[:, :3]), rows, rows[:, ::-1]], axis=1)
    _, middle, bottom = place_rows(boards[:, np.newaxis])[:, 0]
    strengths = row_places().strengths
    for five, *places in zip(fives, middle.tolist(), bottom.tolist(), strict=True):
        strength = strength_of([DECK[card] for card in five])
        assert [strengths[place] for place in places] == [strength] * 2


@pytest.mark.no_cover
def test_every_row_of_three_is_found_in_its_place() -> None:
    threes = list(combinations(range(DECK_SIZE), 3))
    boards = np.zeros((len(threes), 1, 13), np.uint8)
    boards[:, 0, :3] = threes
    strengths = row_places().strengths
    row_strengths = [strengths[place] for place in place_rows(boards)[0, 0].tolist()]
    assert row_strengths == [strength_of([DECK[card] for card in three]) for three in threes]


@pytest.mark.no_cover
def test_rows_of_five_are_found_in_their_place() -> None:
    check_places([tuple(Random(seed).sample(range(DECK_SIZE), 5)) for seed in range(5_000)])
    check_places([tuple(4 * rank + suit for rank in ranks) for ranks in combinations(range(13), 5) for suit in (0, 3)])


@pytest.mark.verify
@pytest.mark.parametrize("lowest", range(48))
@pytest.mark.no_cover
def test_every_row_of_five_is_found_in_its_place(lowest: int) -> None:
    check_places([(lowest, *others) for others in combinations(range(lowest + 1, DECK_SIZE), 4)])


# --- what is no hand ---


def test_a_duplicate_card_and_an_invalid_byte_are_reported() -> None:
    rng = Random(7)
    boards = packed(any_hands(rng, 4, 40)).copy()
    boards[np.arange(1, 40, 2), 1] = boards[np.arange(1, 40, 2), 0]
    boards[4, 3, 12], boards[6, 0, 0], boards[8, 2, 5] = 52, 255, 64 + 13
    legal = are_one_deck(boards).tolist()
    for number, hand in enumerate(boards.reshape(40, -1).tolist()):
        assert legal[number] is (len(set(hand)) == len(hand) and max(hand) < DECK_SIZE)
    assert 10 < sum(legal) < 20


def test_no_byte_whatever_leads_outside_the_tables() -> None:
    boards = np.random.default_rng(3).integers(0, 256, (5_000, 4, 13), dtype=np.uint8)
    for ruleset in PRESETS.values():
        score = score_hands(ruleset, boards)
        assert score.fouls.max() <= len(FOULS)
        assert not score.points.sum(axis=1).any()


def test_no_hands_are_no_work() -> None:
    assert score_hands(PRESETS["pineapple"], np.empty((0, 3, 13), np.uint8)).points.shape == (0, 3)


def test_memory_is_that_of_the_results() -> None:
    """The memory needed besides the results does not grow with the number of hands."""
    ruleset = PRESETS["pineapple"]
    boards = np.resize(packed(any_hands(Random(5), 3, 500)), (200_000, 3, 13))
    score_hands(ruleset, boards[:10])

    def beside(hands: int) -> int:
        tracemalloc.start()
        score = score_hands(ruleset, boards[:hands])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        parts = (score.fouls, score.royalties, score.enters, score.stays, score.exchanges)
        parts = (*parts, score.board_keys, score.keys)
        return peak - sum(part.nbytes for part in parts)

    assert beside(200_000) < 1.2 * beside(20_000)

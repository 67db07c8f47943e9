"""Boards that are still being set: a foul is reported exactly when no completion avoids it."""

from itertools import combinations
from random import Random

import pytest

from scoring.board import Board, ByRow, Row
from scoring.cards import BY_NAME, DECK, Card, parse_cards
from scoring.exchange import score_board
from scoring.fantasyland import Fantasyland
from scoring.foul import FoulReason
from scoring.hand import Cards
from scoring.presets import PRESETS
from scoring.strength import Category
from scoring.unfinished_board import UnfinishedBoard, score_unfinished
from tests.oracle import PRESETS as ORACLE_PRESETS
from tests.oracle import random_document

RULESETS = ["pineapple", "deuce-to-seven", "progressive", "pineapple-1-6-us-classic"]


def unfinished(top: str, middle: str, bottom: str, name: str = "pineapple", seen: str = "") -> UnfinishedBoard:
    rows = ByRow(parse_cards(top), parse_cards(middle), parse_cards(bottom))
    return score_unfinished(rows, parse_cards(seen), None, PRESETS[name])


def random_boards(name: str, number: int) -> list[tuple[ByRow[Cards], int]]:
    """Boards of random rounds, and how many cards of Fantasyland each was dealt."""
    boards = []
    for seed in range(number):
        document = random_document(Random(f"unfinished {name} {seed}"), ORACLE_PRESETS[name])
        for hand in document["hands"]:
            for player in hand["players"]:
                rows = ByRow(*(tuple(BY_NAME[card] for card in player[row.value]) for row in Row))
                boards.append((rows, player.get("fantasyland", 0)))
    return boards


def without_cards(rows: ByRow[Cards], removed: set[Card]) -> ByRow[Cards]:
    return rows.map(lambda cards: tuple(card for card in cards if card not in removed))


@pytest.mark.parametrize("name", RULESETS)
def test_full_rows_have_the_figures_of_the_full_board(name: str) -> None:
    for rows, cards in random_boards(name, 30):
        played = Fantasyland(cards) if cards else None
        full = score_board(1, Board(rows), played, PRESETS[name])
        score = score_unfinished(rows, (), played, PRESETS[name])
        assert score.strengths == dict(full.strengths.items())
        assert score.royalties == dict(full.royalties.items())
        assert (score.is_foul, score.foul) == (full.foul is not None, full.foul)
        assert score.fantasyland == full.earned


@pytest.mark.parametrize("name", RULESETS)
def test_a_board_that_can_become_good_is_not_foul(name: str) -> None:
    rng = Random(name)
    for rows, cards in random_boards(name, 20):
        full = score_board(1, Board(rows), None, PRESETS[name])
        if full.foul is not None:
            continue
        open_places = set(rng.sample([*rows.top, *rows.middle, *rows.bottom], rng.randint(1, 12)))
        score = score_unfinished(
            without_cards(rows, open_places), (), Fantasyland(cards) if cards else None, PRESETS[name]
        )
        assert not score.is_foul, rows
        assert all(full.royalties[row] == points for row, points in score.royalties.items())


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("missing", [1, 2])
def test_a_board_is_foul_once_no_card_avoids_it(name: str, missing: int) -> None:
    """Compare with every way to fill the open places of one row."""
    rng = Random(f"{name} {missing}")
    fouls = 0
    boards = random_boards(name, 40)
    for rows, _ in rng.sample(boards, min(len(boards), 60 // missing**3)):
        row = rng.choice(list(Row))
        open_places = set(rng.sample(rows[row], missing))
        partial_rows = without_cards(rows, open_places)
        unseen = [card for card in DECK if card not in {*partial_rows.top, *partial_rows.middle, *partial_rows.bottom}]
        completions = (
            ByRow(*((*cards, *more) if each is row else cards for each, cards in partial_rows.items()))
            for more in combinations(unseen, missing)
        )
        is_foul = all(score_board(1, Board(each), None, PRESETS[name]).foul for each in completions)
        assert score_unfinished(partial_rows, (), None, PRESETS[name]).is_foul == is_foul, partial_rows
        fouls += is_foul
    assert fouls > 0 or missing == 2


def test_cards_on_the_table_cannot_save_a_board() -> None:
    assert not unfinished("KsKd2c", "QsQd9h9c", "").is_foul
    assert unfinished("KsKd2c", "QsQd9h3c", "").is_foul is False
    assert unfinished("KsKd2c", "QsJd9h3c", "", seen="").is_foul
    assert unfinished("KsKd2c", "QsQd9h3c", "", seen="QhQc9s9d9c3s3d3h").is_foul


def test_no_middle_fits_between_a_strong_top_and_a_weak_bottom() -> None:
    score = unfinished("AsAdAc", "", "KsKd9h9c3c")
    assert (score.is_foul, score.foul) == (True, None)
    assert set(score.royalties.values()) == {0}


def test_a_deuce_to_seven_middle_must_qualify() -> None:
    score = unfinished("", "8s5d4c3hJh", "", "deuce-to-seven")
    assert (score.is_foul, score.foul) == (True, FoulReason.MIDDLE_DOES_NOT_QUALIFY)
    assert unfinished("", "8s8d4c3h", "", "deuce-to-seven").is_foul
    assert not unfinished("", "8s7d4c3h", "", "deuce-to-seven").is_foul


def test_an_empty_board_has_nothing() -> None:
    assert unfinished("", "", "") == UnfinishedBoard({}, False, None, {}, None)


@pytest.mark.parametrize(
    ("middle", "category", "ranks"),
    [
        ("Ad5d4c3c2s", Category.HIGH_CARD, (14, 5, 4, 3, 2)),
        ("Ad5d4d3d2d", Category.FLUSH, (14, 5, 4, 3, 2)),
        ("6d5d4c3c2s", Category.STRAIGHT, (6, 5, 4, 3, 2)),
    ],
)
def test_the_ace_is_high_only_in_a_low_middle(middle: str, category: Category, ranks: tuple[int, ...]) -> None:
    score = unfinished("", middle, "", "deuce-to-seven")
    assert score.strengths[Row.MIDDLE] == (category, ranks)
    assert score.foul is FoulReason.MIDDLE_DOES_NOT_QUALIFY
    assert unfinished("", middle, "").strengths[Row.MIDDLE].category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH)

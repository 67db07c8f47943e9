"""Cards, rows and boards."""

import dataclasses

import pytest

from scoring.board import Board, ByRow, Row
from scoring.cards import DECK, RANKS, SUITS, Card, parse_cards
from scoring.description import describe, name_ranks
from scoring.errors import BoardError, CardError
from scoring.strength import Category, is_low, rank_row, strength_of
from tests.support.scoring.notation import board_of

HIGH = "AhKd9c / JsJd8c5h2c / AsAdTcTh4s"


def test_the_deck_has_fifty_two_cards_four_of_each_rank_thirteen_of_each_suit() -> None:
    assert len(set(DECK)) == 52
    assert [str(card) for card in DECK] == [rank + suit for rank in RANKS for suit in SUITS]
    assert [sum(card.rank == rank for card in DECK) for rank in range(2, 15)] == [4] * 13
    assert [sum(card.suit == suit for card in DECK) for suit in SUITS] == [13] * 4


def test_a_card_is_read_back_as_it_is_written() -> None:
    assert [Card.parse(str(card)) for card in DECK] == list(DECK)


@pytest.mark.parametrize("text", ["", "A", "as", "AS", "10s", "1s", "A♠", "As ", "Asd", "sA", "Xx"])
def test_a_card_is_written_in_one_way_only(text: str) -> None:
    with pytest.raises(CardError, match="is not a valid card"):
        Card.parse(text)


def test_cards_are_read_with_or_without_spaces() -> None:
    assert parse_cards("QsQd4c") == parse_cards(" Qs Qd\n4c ")


def test_half_a_card_is_no_card() -> None:
    with pytest.raises(CardError, match="'4' is not a valid card"):
        parse_cards("QsQd4")


def test_a_row_is_as_strong_in_any_order() -> None:
    assert strength_of(parse_cards("4cQsQd")) == strength_of(parse_cards("QdQs4c"))
    assert strength_of(parse_cards("2c9hKsAd3h")) == strength_of(parse_cards("Ad3h9h2cKs"))


def test_the_description_of_a_row_matches_its_cards() -> None:
    flush, same_ranks = parse_cards("KhJh8h5h3h"), parse_cards("KhJh8h5h3c")
    for row in (flush, same_ranks, flush, same_ranks):
        assert strength_of(row) == rank_row(row)


def test_a_low_may_be_four_suited_and_three_in_a_row() -> None:
    assert is_low(strength_of(parse_cards("Th8h7h6h2c")))
    assert not is_low(strength_of(parse_cards("Th9h8h7h6c")))


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("Ah Kd 9c", "ace high, king-nine kickers"),
        ("Ah Kd 9c 5s 2d", "ace high, king-nine-five-deuce kickers"),
        ("6h 6d 9c", "pair of sixes, nine kicker"),
        ("6h 6d 9c 4s 3d", "pair of sixes, nine-four-three kickers"),
        ("6h 6d 2c 2s Td", "two pair, sixes and deuces, ten kicker"),
        ("6h 6d 6c", "three sixes"),
        ("6h 6d 6c Ts 2d", "three sixes, ten-deuce kickers"),
        ("Ah 2d 3c 4s 5d", "straight, five high"),
        ("Th Jd Qc Ks Ad", "straight, ace high"),
        ("Ah Jh 7h 6h 2h", "flush, ace-jack-seven-six-deuce"),
        ("6h 6d 6c 2s 2d", "full house, sixes over deuces"),
        ("6h 6d 6c 6s 2d", "four sixes, deuce kicker"),
        ("Ah 2h 3h 4h 5h", "straight flush, five high"),
        ("Ah Kh Qh Jh Th", "royal flush"),
    ],
)
def test_a_row_is_described_in_the_terms_of_players(cards: str, words: str) -> None:
    assert describe(strength_of(parse_cards(cards))) == words


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("7h 5d 4c 3s 2d", "seven-five-four-three-deuce low"),
        ("Th 5d 4c 3s 2d", "ten-five-four-three-deuce low"),
        ("Jh 5d 4c 3s 2d", "jack high, five-four-three-deuce kickers"),
        ("6h 5d 4c 3s 2d", "straight, six high"),
        ("7h 7d 4c 3s 2d", "pair of sevens, four-three-deuce kickers"),
    ],
)
def test_a_middle_row_that_is_no_low_is_described_as_what_it_is(cards: str, words: str) -> None:
    assert describe(strength_of(parse_cards(cards)), as_low=True) == words


def test_every_rank_has_a_plural() -> None:
    assert [name_ranks(rank) for rank in (2, 6, 10, 14)] == ["deuces", "sixes", "tens", "aces"]


def test_categories_go_by_their_names_on_the_wire() -> None:
    assert [category.label for category in Category] == [
        "high_card", "pair", "two_pair", "three_of_a_kind", "straight",
        "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush",
    ]  # as a table  # fmt: skip


def test_a_board_is_three_five_and_five_cards() -> None:
    assert [len(row) for row in board_of(HIGH).rows] == [row.size for row in Row] == [3, 5, 5]
    with pytest.raises(BoardError) as refused:
        Board.laid(DECK[:14])
    assert [mistake.path for mistake in refused.value.mistakes] == [("bottom",)]


def test_a_board_packs_into_thirteen_bytes() -> None:
    board = board_of(HIGH)
    assert len(board.packed) == 13
    assert Board.unpacked(board.packed) == board


def test_a_board_never_changes() -> None:
    board = board_of(HIGH)
    with pytest.raises(dataclasses.FrozenInstanceError):
        board.rows = ByRow((), (), ())


def test_boards_with_their_cards_in_another_order_are_as_strong() -> None:
    assert board_of(HIGH).strengths == board_of("9cAhKd / 2c5h8cJdJs / 4sThTcAdAs").strengths

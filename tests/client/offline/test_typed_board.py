"""A board as it is typed: after every key, errors are distinguished from missing cards."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.offline.typed_board import PARTS, list_cards_left, read_board
from scoring.cards import BY_NAME
from tests.support.sample_rounds import HIGH, QUEENS

SIZES = (3, 5, 5)


def spell(card: str, random: Random) -> str:
    """Write a card as one of many people does."""
    rank, suit = ("10" if card[0] == "T" and random.random() < 0.5 else card[0]), card[1]
    drawn = dict(zip("cdhs", "♣♦♥♠", strict=True))[suit]
    return random.choice([rank, rank.lower()]) + random.choice([suit, suit.upper(), drawn])


@given(st.permutations(sorted(BY_NAME)), st.integers(0, 4), st.randoms(use_true_random=False))
def test_an_incomplete_board_that_can_be_completed_has_no_errors(
    deck: list[str], discards: int, random: Random
) -> None:
    sizes = (*SIZES, discards) if discards else SIZES
    cards = iter(deck)
    rows = [[next(cards) for _ in range(size)] for size in sizes]
    taken = dict.fromkeys(cards, "in the top of ben")
    gap = random.choice(["", " ", ", "])
    text = random.choice([" / ", "/"]).join(gap.join(spell(card, random) for card in row) for row in rows)
    for end in range(len(text)):
        assert read_board(text[:end], taken, discards).wrong == ()
    typed = read_board(text, taken, discards)
    assert typed.is_complete
    assert typed.document() == dict(zip(PARTS, rows, strict=False))
    assert list_cards_left(taken, typed) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("QsQdQs", "Qs is already in the top"),
        ("QsQd4c / Qs", "Qs is already in the top"),
        ("QsQd4c5 /", "the top has 4 cards; expected 3"),
        ("QsQd4c / KsKd9h8h3c2c", "the middle has 6 cards; expected 5"),
        ("1c", "'1c' is not a valid card; expected a rank of 23456789TJQKA and a suit of cdhs, for example As or 10s"),
        (
            "for/",
            "'for' is not a valid card; expected a rank of 23456789TJQKA and a suit of cdhs, for example As or 10s",
        ),
        (
            "QsXx",
            "'Xx' is not a valid card; expected a rank of 23456789TJQKA and a suit of cdhs, for example As or 10s",
        ),
        ("top QQ4 top KK9", "cards in the top are given twice; expected each row once"),
        ("QQQ / QQ /", "5 cards named Q have no suit, but the deck has 4 more; expected 4 at most"),
        ("queens hearts spades clubs /", "'clubs' is not a valid card"),
        (f"{QUEENS} / 2c3d4s5d6c", "5 cards among the discards; expected 4, or none if they are unknown"),
        (f"{QUEENS} / 2c3d4s5d / ", "a fifth part was found; expected top / middle / bottom / discards"),
        ("Ah", "Ah is already in the top of ben"),
    ],
)
def test_an_error_that_no_further_key_can_correct_is_reported(text: str, wrong: str) -> None:
    assert read_board(text, {"Ah": "in the top of ben"} if text == "Ah" else {}, 4).wrong[0].startswith(wrong)


@pytest.mark.parametrize(
    ("text", "discards", "missing"),
    [
        ("", 4, "the top has 0 cards; expected 3"),
        ("QsQd4c", 4, "the middle has 0 cards; expected 5"),
        (HIGH[:-1], 4, "4 has no suit yet; expected one of cdhs"),
        ("QQ4 /", 4, "Q Q 4 in the top have no suit; expected that of each, for example Qs or queen of spades"),
        ("Q/", 4, "Q in the top has no suit; expected it, for example Qs or queen of spades"),
        ("quee", 4, "the last word is not complete"),
        (f"{HIGH} / 2h", 4, "1 card among the discards; expected 4, or none if they are unknown"),
    ],
)
def test_cards_not_typed_yet_are_missing(text: str, discards: int, missing: str) -> None:
    typed = read_board(text, {}, discards)
    assert typed.wrong == ()
    assert typed.missing[0] == missing


@pytest.mark.parametrize("end", ["", "/", " / "])
def test_unknown_discards_are_not_written(end: str) -> None:
    assert "discards" not in read_board(HIGH + end, {}, 4).document()
    assert read_board(HIGH + end, {}, 4).is_complete


def test_without_discards_no_discard_is_accepted() -> None:
    wrong = read_board(f"{HIGH} / 2h", {}, 0).wrong
    assert wrong == ("1 card after the bottom; expected none, because this deal has no discards",)


BOARD = {"top": ["Qs", "Qd", "4c"], "middle": ["Ks", "Kd", "9h", "9c", "3c"], "bottom": ["Ah", "Jh", "7h", "6h", "2h"]}


@pytest.mark.parametrize(
    "text",
    [
        "QsQd4c / KsKd9h9c3c / AhJh7h6h2h",
        "Qs Qd 4c\nKs Kd 9h 9c 3c\nAh Jh 7h 6h 2h\n",
        "QsQd4c; KsKd9h9c3c; AhJh7h6h2h",
        "QsQd4cKsKd9h9c3cAhJh7h6h2h",
        "Q♠, Q♦, 4♣, K♠, K♦, 9♥, 9♣, 3♣, A♥, J♥, 7♥, 6♥, 2♥",
        "bottom: AhJh7h6h2h top: QsQd4c middle: KsKd9h9c3c",
        "front QsQd4c back AhJh7h6h2h mid KsKd9h9c3c",
        "QQ sd 4c / KK sd 99 hc 3c / AJ762 all hearts",
        "queens of spades and diamonds, four of clubs; kings of spades and diamonds, nines of hearts and clubs,"
        " three of clubs; ace, jack, seven, six and deuce, all hearts",
        "Pair of queens spades diamonds, 4 of clubs kicker / pair of kings spades diamonds, pair of nines hearts clubs,"
        " trey of clubs / ace jack 7 6 2 all hearts",
        "Queens of spades and diamonds, four of clubs. Kings of spades and diamonds, nines of hearts and clubs,"
        " three of clubs. Ace, jack, seven, six, deuce, all hearts.",
        "QsQd4c, KsKd9h9c3c, ace jack seven six deuce, all hearts",
        "Queen of spades queen of diamonds four of clubs slash king of spades king of diamonds nine of hearts nine of"
        " clubs three of clubs slash ace of hearts jack of hearts seven of hearts six of hearts two of hearts",
    ],
)
def test_boards_are_read_in_every_common_notation(text: str) -> None:
    typed = read_board(text, {}, 0)
    assert (typed.wrong, typed.missing) == ((), ())
    assert typed.document() == BOARD


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("queens four, kings nines three, ace jack seven six deuce", ["QQ4", "KK993", "AJ762"]),
        ("queens four / kings nines three / ace jack seven six two", ["QQ4", "KK993", "AJ762"]),
        ("top queens four middle kings nines three bottom ace jack seven six deuce", ["QQ4", "KK993", "AJ762"]),
        ("QQ4 / KK993 / AJ762 ", ["QQ4", "KK993", "AJ762"]),
        ("Queens 4. Kings nines three. Ace, jack, seven, six, deuce.", ["QQ4", "KK993", "AJ762"]),
        ("Queen queen four / king\u2019s nine's three / ace jack seven six deuce", ["QQ4", "KK993", "AJ762"]),
        ("A pair of queens four / a pair of kings nines three / ace jack seven 6 2 ", ["QQ4", "KK993", "AJ762"]),
        ("trip tens / quad deuces five / 10 9 8 7 6 ", ["TTT", "22225", "T9876"]),
    ],
)
def test_suits_that_are_not_named_are_missing_and_never_guessed(text: str, ranks: list[str]) -> None:
    typed = read_board(text, {}, 0)
    assert ["".join(cards) for cards in typed.parts] == ranks
    assert (typed.wrong, typed.open_suits, typed.is_complete) == ((), 13, False)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("three nines", "'three nines' is a three and two nines, or 3 nines; expected 3 9 9 or 9 9 9"),
        ("kings 9s", "'9s' is the nine of spades, or two nines; expected nine of spades or 9 9"),
        ("king six queens", "cards of one word (queen) are in two rows; expected / between rows"),
        ("sixes and a four", "'a four' has an ace, or none; expected ace four or four"),
        ("all hearts: ace jack", "'all hearts' follows no card without a suit; expected it after the cards of a row"),
        ("pair of Qs", "'Qs' follows a number of cards; expected the name of a rank, such as queens"),
    ],
)
def test_what_has_two_meanings_is_not_guessed(text: str, doubt: str) -> None:
    assert doubt in read_board(text, {}, 0).wrong


@pytest.mark.parametrize(
    "text",
    [
        "top queens of spades and diamonds, four of clubs; middle kings nines three; bottom aces tens of clubs and six",
        "a pair of queens four. a pair of kings nines three. ace jack seven six deuce, all hearts.",
    ],
)
def test_an_incomplete_word_is_no_error(text: str) -> None:
    for end in range(len(text)):
        assert read_board(text[:end], {}, 0).wrong == (), text[:end]

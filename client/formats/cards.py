"""Read cards as files of other tools have them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from client.offline.file_hands import ROW_SIZES, Cards, FormatError, Rows
from client.spelling import spell_card, split_cards

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
_ACE: Final = 14
_LOW_ACE: Final = 1
_JOKERS: Final = ("X", "JK", "*")
_CARDS: Final = frozenset(rank + suit for rank in RANKS for suit in SUITS)


def read_card(text: Any) -> str:
    """
    Return a card as the service has it.

    >>> read_card("10d"), read_card("A♠")
    ('Td', 'As')
    >>> read_card("X1")
    Traceback (most recent call last):
    ...
    client.offline.file_hands.FormatError: 'X1' is a joker; expected a card, no ruleset has jokers

    Raises:
        FormatError: it is not a card of the deck.
    """
    card = spell_card(text) if isinstance(text, str) else text
    if card in _CARDS:
        return str(card)
    if isinstance(card, str) and card.upper().startswith(_JOKERS):
        raise FormatError(f"{text!r} is a joker; expected a card, no ruleset has jokers")
    raise FormatError(f"{text!r} is not a card; expected a rank and a suit, for example As or 10s")


def read_cards(cards: Any) -> Cards:
    """
    Return cards that are a list or one text.

    >>> read_cards("QsQd4c"), read_cards(["10d", "9♥"])
    (('Qs', 'Qd', '4c'), ('Td', '9h'))

    Raises:
        FormatError: one is not a card.
    """
    return tuple(map(read_card, split_cards(cards) if isinstance(cards, str) else cards or ()))


def number_card(rank: int, suit: str) -> str:
    """
    Return the card of a rank from 2 to 14, or 1 for the ace.

    >>> number_card(14, "s"), number_card(1, "s"), number_card(10, "d")
    ('As', 'As', 'Td')

    Raises:
        FormatError: the rank is not from 1 to 14.
    """
    high = _ACE if rank == _LOW_ACE else rank
    if type(rank) is not int or not 2 <= high <= _ACE:
        raise FormatError(f"{rank!r} is not a rank; expected a number from 1 to {_ACE}")
    return RANKS[high - 2] + suit


def read_rows(top: Any, middle: Any, bottom: Any) -> Rows:
    """
    Return the rows of a board.

    Raises:
        FormatError: a row does not have all of its cards, or one is not a card.
    """
    return check_rows({"top": read_cards(top), "middle": read_cards(middle), "bottom": read_cards(bottom)})


def check_rows(rows: Mapping[str, Cards]) -> Rows:
    """
    Return rows that have all of their cards.

    Raises:
        FormatError: a row has more or fewer cards.
    """
    if not any(rows.values()):
        raise FormatError("a board has no cards (mucked, or not shown); expected 13 cards")
    for row, size in ROW_SIZES.items():
        if len(rows[row]) != size:
            raise FormatError(f"the {row} has {len(rows[row])} cards; expected {size}")
    return rows


def split_board(cards: Iterable[Any]) -> Rows:
    """
    Return the rows of 13 cards, from the top.

    Raises:
        FormatError: these are not 13 cards.
    """
    read = read_cards(list(cards))
    if len(read) != sum(ROW_SIZES.values()):
        raise FormatError(f"the board has {len(read)} cards; expected 13")
    return {"top": read[:3], "middle": read[3:8], "bottom": read[8:]}

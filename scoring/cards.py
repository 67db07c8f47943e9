"""The 52 cards."""

from typing import Final

from scoring.errors import CardError, Mistake

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"


class Card(int):
    """
    One of the 52 cards, numbered from the deuce of clubs, 0, to the ace of spades, 51.

    A card is its number, so a board packs into 13 bytes; rank comes first, suits are equal.

    >>> Card.parse("As"), int(Card.parse("As")), Card.parse("Td").rank
    (As, 51, 10)

    Rule: docs/rules.md#rows
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> "Card":
        """
        Parse a rank and a suit, such as `"As"`, `"Td"` or `"2c"`.

        Raises:
            CardError: the text is not a card.
        """
        try:
            return BY_NAME[text]
        except KeyError:
            hint = f"expected a rank of {RANKS} and a suit of {SUITS}, for example 'As' or 'Td'"
            detail = f"{text!r} is not a valid card; {hint}"
            raise CardError([Mistake("card-unknown", (), detail)]) from None

    @property
    def rank(self) -> int:
        """From 2 to 14, the ace."""
        return self // 4 + 2

    @property
    def suit(self) -> str:
        """One of c, d, h, s."""
        return SUITS[self % 4]

    def __str__(self) -> str:
        return NAMES[self]

    __repr__ = __str__


NAMES: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
DECK: Final = tuple(Card(number) for number in range(52))
BY_NAME: Final = dict(zip(NAMES, DECK, strict=True))


def parse_cards(text: str) -> tuple[Card, ...]:
    """
    Parse cards written one after the other, with or without spaces.

    >>> parse_cards("Qs Qd4c")
    (Qs, Qd, 4c)

    Raises:
        CardError: a part of the text is not a card.
    """
    joined = "".join(text.split())
    return tuple(Card.parse(joined[start : start + 2]) for start in range(0, len(joined), 2))


def show_cards(cards: tuple[Card, ...]) -> str:
    """
    Format cards for a sentence.

    >>> show_cards(parse_cards("QsQd4c")), show_cards(())
    ('Qs Qd 4c', 'no cards')
    """
    return " ".join(map(str, cards)) or "no cards"

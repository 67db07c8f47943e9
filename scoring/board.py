"""One player's thirteen set cards."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final, Generic, TypeVar

from scoring.cards import DECK, Card, parse_cards
from scoring.errors import BoardError, Mistake
from scoring.strength import Strength, strength_of

T = TypeVar("T")
U = TypeVar("U")


class Row(StrEnum):
    """A place on the board."""

    TOP = "top"
    MIDDLE = "middle"
    BOTTOM = "bottom"

    @property
    def size(self) -> int:
        """The number of cards in the row."""
        return 3 if self is Row.TOP else 5


_ROWS: Final = tuple(Row)


@dataclass(frozen=True, slots=True)
class ByRow(Generic[T]):
    """
    A value for each row.

    >>> ByRow(1, 2, 3).map(str), ByRow(1, 2, 3)[Row.BOTTOM]
    (ByRow(top='1', middle='2', bottom='3'), 3)
    """

    top: T
    middle: T
    bottom: T

    def __iter__(self) -> Iterator[T]:
        return iter((self.top, self.middle, self.bottom))

    def __getitem__(self, row: Row) -> T:
        return self.top if row is Row.TOP else self.middle if row is Row.MIDDLE else self.bottom

    def items(self) -> Iterator[tuple[Row, T]]:
        """Yield the rows from the top, each with its value."""
        return zip(_ROWS, (self.top, self.middle, self.bottom), strict=True)

    def map(self, change: Callable[[T], U]) -> "ByRow[U]":
        """Apply a function to the value of each row."""
        return ByRow(change(self.top), change(self.middle), change(self.bottom))


@dataclass(frozen=True)
class Board:
    """
    A player's three rows, the cards in the order they were written.

    >>> Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h").strengths.bottom.category.label
    'flush'

    Raises:
        BoardError: a row has too many or too few cards.

    Rule: docs/rules.md#rows
    """

    rows: ByRow[tuple[Card, ...]]

    def __post_init__(self) -> None:
        if len(self.rows.top) == 3 and len(self.rows.middle) == len(self.rows.bottom) == 5:
            return
        wrong = [
            Mistake("row-size", (row.value,), f"the {row} has {len(cards)} cards; expected {row.size}")
            for row, cards in self.rows.items()
            if len(cards) != row.size
        ]
        raise BoardError(wrong)

    @classmethod
    def of(cls, top: str, middle: str, bottom: str) -> "Board":
        """Parse a board from one text for each row."""
        return cls(ByRow(parse_cards(top), parse_cards(middle), parse_cards(bottom)))

    @classmethod
    def unpacked(cls, packed: bytes) -> "Board":
        """
        Build a board from its packed bytes.

        >>> board = Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h")
        >>> Board.unpacked(board.packed) == board
        True
        """
        return cls.laid([DECK[number] for number in packed])

    @classmethod
    def laid(cls, cards: Sequence[Card]) -> "Board":
        """Build a board from thirteen cards: three on top, five in the middle, five at the bottom."""
        return cls(ByRow(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:])))

    @property
    def cards(self) -> tuple[Card, ...]:
        """All thirteen cards, from the top."""
        return self.rows.top + self.rows.middle + self.rows.bottom

    @property
    def packed(self) -> bytes:
        """Thirteen bytes, one per card, from the top."""
        return bytes(self.cards)

    @cached_property
    def strengths(self) -> ByRow[Strength]:
        """The strength of each row."""
        rows = self.rows
        return ByRow(strength_of(rows.top), strength_of(rows.middle), strength_of(rows.bottom))

"""A hand as a file of another tool has it: the cards, where they lie, and the results that the file claims."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, TypeVar

Cards = tuple[str, ...]
Rows = Mapping[str, Cards]
T = TypeVar("T")

ROW_SIZES: Final = MappingProxyType({"top": 3, "middle": 5, "bottom": 5})


class FormatError(ValueError):
    """A part of a file cannot be read; the message says what was found and what is expected."""


@dataclass(frozen=True, slots=True)
class Claims:
    """
    The results of a player as the file has them. They are compared with ours and never stored.

    Attributes:
        points: the points of the hand, over all opponents.
        foul: whether the board is foul.
        royalties: the royalties of the board.
        row_royalties: the royalties of rows, by the name of the row.
        fantasyland: the number of cards of Fantasyland in the next hand, or whether the player is in it.
        against: the points against an opponent, by the name of the opponent.
    """

    points: int | None = None
    foul: bool | None = None
    royalties: int | None = None
    row_royalties: Mapping[str, int] = field(default_factory=dict)
    fantasyland: int | bool | None = None
    against: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = {"points": self.points, "royalties": self.royalties, **self.row_royalties, **self.against}
        for name, value in numbers.items():
            if value is not None and type(value) is not int:
                raise FormatError(f"{value!r} is not a whole number; expected one for `{name}`")
        for name, value in (("foul", self.foul), ("fantasyland", self.fantasyland)):
            if value is not None and type(value) not in (bool, int):
                raise FormatError(f"{value!r} is not true or false; expected it for `{name}`")


@dataclass(frozen=True, slots=True)
class FilePlayer:
    """
    A player of a hand.

    Attributes:
        name: the player's name in the file.
        seat: the seat, counted clockwise from 1.
        rows: the cards of the top, middle and bottom.
        discards: the discarded cards; None if the file does not have them.
        streets: the streets as hands have them; None if the file does not have all of them.
        fantasyland: the number of cards dealt in Fantasyland, 0 outside it; None if the file does not have it.
        stack: the points in front of the player before the hand; None if the file does not have them.
        claims: the results that the file has.
    """

    name: str
    seat: int
    rows: Rows
    discards: Cards | None = None
    streets: tuple[Rows, ...] | None = None
    fantasyland: int | None = 0
    stack: int | None = None
    claims: Claims = Claims()

    def __post_init__(self) -> None:
        for name, value in (("fantasyland", self.fantasyland), ("stack", self.stack)):
            if value is not None and type(value) is not int:
                raise FormatError(f"{value!r} is not a whole number; expected one for `{name}`")

    def document(self) -> dict[str, Any]:
        """Return the player's board as `POST /v1/score` and the hands of a round have it."""
        document: dict[str, Any] = {
            "seat": self.seat,
            "fantasyland": self.fantasyland or 0,
            **{row: list(cards) for row, cards in self.rows.items()},
        }
        if self.streets is not None:
            document["streets"] = [{part: list(cards) for part, cards in street.items()} for street in self.streets]
        elif self.discards is not None:
            document["discards"] = list(self.discards)
        return document


@dataclass(frozen=True, slots=True)
class FileHand:
    """
    A hand of a file.

    Attributes:
        place: where it is in the file, for example `line 12`.
        label: what people call it, for example `hand 96`.
        players: the players, in the order of their seats.
        button: the seat with the dealer button; None if the file does not have it.
        ruleset: the preset that the file names; None if it names none.
    """

    place: str
    label: str
    players: tuple[FilePlayer, ...]
    button: int | None = None
    ruleset: str | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a file that has a hand which cannot be read, and why."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileBalance:
    """What a player has won or lost in a file without cards, in the smallest unit of the file's money."""

    place: str
    player: str
    bought: int
    won: int


Part = FileHand | Unread | FileBalance


def read_each(items: Iterable[tuple[str, T]], build: Callable[[str, T], Part | None]) -> Iterator[Part]:
    """
    Yield what is built of each item with its place; what cannot be built is yielded as unread.

    >>> list(read_each([("line 1", {})], lambda place, item: item["hand"]))
    [Unread(place='line 1', reason='`hand` is missing')]
    """
    remaining = iter(items)
    while True:
        try:
            place, item = next(remaining)
        except StopIteration:
            return
        except FormatError as error:
            yield Unread("the rest of the file", str(error))
            return
        try:
            part = build(place, item)
        except FormatError as error:
            part = Unread(place, str(error))
        except KeyError as error:
            part = Unread(place, f"`{error.args[0]}` is missing")
        except (TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
            part = Unread(place, "it does not have the shape of the format; `ofc formats` describes it")
        if part is not None:
            yield part


def order_players(players: Iterable[FilePlayer]) -> tuple[FilePlayer, ...]:
    """
    Return the players by seat.

    Raises:
        FormatError: two players have one seat or one name, or there are fewer than two.
    """
    ordered = tuple(sorted(players, key=lambda player: player.seat))
    for what, values in (("seat", [player.seat for player in ordered]), ("name", [player.name for player in ordered])):
        for index, value in enumerate(values):
            if value in values[:index]:
                raise FormatError(f"two players have the {what} {value}; expected one player for each {what}")
    if len(ordered) < 2:
        raise FormatError(f"the hand has {len(ordered)} of the boards; expected two or more")
    return ordered


def with_streets(player: FilePlayer, streets: Iterable[Rows]) -> FilePlayer:
    """Return a player with their streets if these add up to the board; otherwise the streets are not complete."""
    streets = tuple(streets)
    placed = {row: sorted(chain.from_iterable(street.get(row, ()) for street in streets)) for row in ROW_SIZES}
    if streets and placed == {row: sorted(cards) for row, cards in player.rows.items()}:
        return replace(player, streets=streets)
    return player

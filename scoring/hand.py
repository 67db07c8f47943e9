"""One deal, played to the end by everyone dealt in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scoring.board import Board, ByRow
from scoring.cards import Card
from scoring.ruleset import Points

Seat = int
"""A place at the table, from 1, clockwise."""

Cards = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Street:
    """The cards that a player was dealt at once, where they were placed, and which were set by the clock."""

    dealt: Cards
    rows: ByRow[Cards]
    discards: Cards = ()
    auto: Cards = ()


@dataclass(frozen=True, slots=True)
class PlayerHand:
    """
    A player's part in a hand.

    `fantasyland` is the number of Fantasyland cards dealt, or 0. `discards` and `streets` are None if unknown.
    """

    seat: Seat
    board: Board
    fantasyland: int = 0
    discards: Cards | None = None
    streets: tuple[Street, ...] | None = None


@dataclass(frozen=True, slots=True)
class TopUp:
    """Points that a player adds to their stack before a hand."""

    seat: Seat
    points: Points


class PackedHand(NamedTuple):
    """
    A finished hand without discards and streets.

    Players are in the order of seats: `seats` and `fantasyland` have one number for each, `boards` thirteen bytes.
    """

    number: int
    button: Seat
    seats: Sequence[Seat]
    fantasyland: Sequence[int]
    boards: bytes
    top_ups: Sequence[TopUp]


@dataclass(frozen=True)
class Hand:
    """
    A finished hand, without its result.

    Rule: docs/rules.md#the-deal
    """

    number: int
    button: Seat
    players: tuple[PlayerHand, ...]
    top_ups: tuple[TopUp, ...] = ()

    @cached_property
    def by_seat(self) -> Mapping[Seat, PlayerHand]:
        """The players by seat."""
        return {player.seat: player for player in self.players}

    @property
    def belongs_to_hand_before(self) -> bool:
        """
        Whether a player was dealt Fantasyland, so that the hand continues the sequence of the hand before.

        Rule: docs/rules.md#the-round
        """
        return any(player.fantasyland for player in self.players)

    @property
    def packed(self) -> PackedHand:
        """The hand as it is packed."""
        players = sorted(self.players, key=lambda player: player.seat)
        seats, fantasyland = [player.seat for player in players], [player.fantasyland for player in players]
        boards = b"".join([player.board.packed for player in players])
        return PackedHand(self.number, self.button, seats, fantasyland, boards, self.top_ups)

"""One deal, played to the end by everyone dealt in."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from scoring.board import Board, ByRow
from scoring.cards import Card
from scoring.ruleset import Points

Seat = int
"""A place at the table, from 1, clockwise."""

Cards = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Street:
    """What one player was dealt at once, where it went, and what of it the clock set."""

    dealt: Cards
    rows: ByRow[Cards]
    discards: Cards = ()
    auto: Cards = ()


@dataclass(frozen=True, slots=True)
class PlayerHand:
    """
    What one player made of a hand.

    `fantasyland` is the number of cards dealt there, 0 outside. `discards` and `streets` are None where nobody knows.
    """

    seat: Seat
    board: Board
    fantasyland: int = 0
    discards: Cards | None = None
    streets: tuple[Street, ...] | None = None


@dataclass(frozen=True, slots=True)
class TopUp:
    """Points that a player adds to his stack before a hand."""

    seat: Seat
    points: Points


@dataclass(frozen=True)
class Hand:
    """
    A finished hand: what happened, and no result.

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
        Whether somebody was dealt Fantasyland: such a hand goes on with what the hand before began.

        Rule: docs/rules.md#the-round
        """
        return any(player.fantasyland for player in self.players)

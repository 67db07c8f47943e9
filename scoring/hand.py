"""One deal, played to the end by everyone dealt in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Final

from scoring.board import Board, ByRow
from scoring.cards import Card
from scoring.ruleset import Points

Seat = int
"""A place at the table, from 1, clockwise."""

Cards = tuple[Card, ...]

_SEAT: Final = attrgetter("seat")


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

    @cached_property
    def players_by_seat(self) -> tuple[PlayerHand, ...]:
        """The players in the order of their seats."""
        return tuple(sorted(self.players, key=_SEAT))

    @property
    def in_order(self) -> "Hand":
        """The hand as it is stored: players and top-ups in the order of their seats."""
        return replace(self, players=self.players_by_seat, top_ups=tuple(sorted(self.top_ups, key=_SEAT)))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the players, in order."""
        return tuple([player.seat for player in self.players_by_seat])

    @property
    def fantasyland(self) -> tuple[int, ...]:
        """The number of Fantasyland cards of each player, by seat."""
        return tuple([player.fantasyland for player in self.players_by_seat])

    @cached_property
    def boards(self) -> bytes:
        """The boards of the players, by seat, thirteen bytes each."""
        return b"".join([player.board.packed for player in self.players_by_seat])

    @property
    def knows_more(self) -> bool:
        """Whether the discards or streets of any player are known."""
        return any(player.discards is not None or player.streets is not None for player in self.players)

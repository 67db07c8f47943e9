"""The state of a round between two hands."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final, TypedDict, Unpack

from scoring.fantasyland import Fantasyland
from scoring.hand import Seat
from scoring.ruleset import Points, Ruleset, StakesScope


class RoundStatus(StrEnum):
    """Whether hands can come."""

    OPEN = "open"
    COMPLETE = "complete"
    CLOSED = "closed"


_JOINERS: Final = str.maketrans("", "", "\u200c\u200d")


def fold_player(player: str) -> str:
    r"""
    Return what people can tell players apart by: their ID in one Unicode form, without case and outer blanks.

    >>> fold_player("Ju\u0308rgen ") == fold_player("j\xfcrgen"), fold_player("\uff21nn"), fold_player("anne")
    (True, 'ann', 'anne')
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", player).casefold())
    return folded.translate(_JOINERS).strip()


@dataclass(frozen=True, slots=True)
class RoundSeat:
    """A player of the round, by the operator's id for the player, and their opening stack."""

    seat: Seat
    player: str
    opening_stack: Points


@dataclass(frozen=True, slots=True)
class NextHand:
    """What the next hand must be; the first hand's button, None here, is any seat of the round."""

    number: int
    button: Seat | None
    seats: tuple[Seat, ...]
    fantasyland: Mapping[Seat, Fantasyland]


class Changes(TypedDict, total=False):
    """What hands, departures and the closing change of a round; see there."""

    stacks: Mapping[Seat, Points]
    opening_stacks: Mapping[Seat, Points]
    top_ups: Mapping[Seat, Points]
    status: RoundStatus
    hands: int
    button: Seat
    had_button: frozenset[Seat]
    left: frozenset[Seat]
    busted: frozenset[Seat]
    sequence: frozenset[Seat]
    owed: Mapping[Seat, Fantasyland]
    totals: Mapping[tuple[Seat, Seat], Points]


@dataclass(frozen=True)
class Round:
    """
    A round after some of its hands.

    Attributes:
        ruleset: the rules in force, for the whole round.
        seats: who sits in it, clockwise.
        stacks: the current stacks.
        opening_stacks: the opening stacks of the scope.
        top_ups: the points added during the round.
        status: whether hands can come.
        hands: how many were played.
        button: where it stood in the last hand.
        had_button: who has had it.
        left: who has left.
        busted: who has no points left, where that is decided.
        sequence: who was dealt in when the sequence that goes on began; empty between sequences.
        owed: Fantasyland that the next hand must deal.
        totals: under scope `round`, points between each pair so far, from the lower seat's side.

    Rule: docs/rules.md#the-round
    """

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    stacks: Mapping[Seat, Points]
    opening_stacks: Mapping[Seat, Points]
    top_ups: Mapping[Seat, Points]
    status: RoundStatus = RoundStatus.OPEN
    hands: int = 0
    button: Seat | None = None
    had_button: frozenset[Seat] = frozenset()
    left: frozenset[Seat] = frozenset()
    busted: frozenset[Seat] = frozenset()
    sequence: frozenset[Seat] = frozenset()
    owed: Mapping[Seat, Fantasyland] = field(default_factory=dict)
    totals: Mapping[tuple[Seat, Seat], Points] = field(default_factory=dict)

    def but(self, **changes: Unpack[Changes]) -> "Round":
        """
        Return a copy of the round with changed attributes.

        A hand takes four or five of these. `dataclasses.replace` does the same for five times as much, since it asks
        for each of the fourteen attributes by its name.
        """
        changed = object.__new__(Round)
        changed.__dict__.update(self.__dict__)
        changed.__dict__.update(changes)
        return changed

    @cached_property
    def seat_numbers(self) -> tuple[Seat, ...]:
        """Every seat of the round, clockwise."""
        return tuple([seat.seat for seat in self.seats])

    @property
    def still_playing(self) -> tuple[Seat, ...]:
        """
        Everyone who is neither busted nor left.

        Rule: docs/rules.md#busted-and-left
        """
        if not self.busted and not self.left:
            return self.seat_numbers
        return tuple(seat for seat in self.seat_numbers if seat not in self.busted and seat not in self.left)

    @property
    def in_sequence(self) -> bool:
        """Whether the next hand belongs to the hand before it."""
        return bool(self.owed)

    @property
    def opens_scope(self) -> bool:
        """
        Whether the next hand opens a scope of the stakes, whose opening stacks are the stacks before it.

        Rule: docs/rules.md#scope-of-the-stakes
        """
        scope = self.ruleset.stakes.scope
        return scope is StakesScope.HAND or (scope is StakesScope.FANTASYLAND and not self.in_sequence)

    @property
    def is_open(self) -> bool:
        """Whether hands can come."""
        return self.status is RoundStatus.OPEN

    @property
    def players_next(self) -> tuple[Seat, ...]:
        """
        Everyone who plays the next hand.

        Rule: docs/rules.md#who-plays
        """
        if not self.in_sequence:
            return self.still_playing
        must_have_points = self.ruleset.stakes.scope is StakesScope.HAND
        return tuple(
            seat
            for seat in self.seat_numbers
            if seat in self.sequence and seat not in self.left and (self.stacks[seat] or not must_have_points)
        )

    @property
    def button_next(self) -> Seat | None:
        """
        Where the button stands in the next hand; None where it may stand in any seat of the round.

        Where nobody is still playing, only a hand that is accepted as played can follow, whatever its button is.

        Rule: docs/rules.md#the-button
        """
        if self.button is None or self.in_sequence:
            return self.button
        playing = self.still_playing
        return next((seat for seat in playing if seat > self.button), playing[0] if playing else None)

    @property
    def next_hand(self) -> NextHand | None:
        """What the next hand must be, unless points are added before it; None where none can come."""
        if not self.is_open:
            return None
        return NextHand(self.hands + 1, self.button_next, self.players_next, self.owed)

    @property
    def nets(self) -> Mapping[Seat, Points]:
        """The net points of each player: the stack, less the points brought."""
        return {
            seat.seat: self.stacks[seat.seat] - seat.opening_stack - self.top_ups.get(seat.seat, 0)
            for seat in self.seats
        }


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place in the round; equal nets share one."""

    seat: Seat
    net: Points
    place: int


def rank_players(nets: Mapping[Seat, Points]) -> tuple[Standing, ...]:
    """
    Rank players by net points; the most points win.

    >>> [(standing.seat, standing.place) for standing in rank_players({1: -4, 2: 2, 3: 2})]
    [(2, 1), (3, 1), (1, 3)]

    Rule: docs/rules.md#standings
    """
    order = sorted(nets, key=lambda seat: (-nets[seat], seat))
    return tuple(Standing(seat, nets[seat], 1 + sum(net > nets[seat] for net in nets.values())) for seat in order)

"""Many rounds as arrays, without results."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.hand import Hand, Seat
from scoring.history import History
from scoring.ruleset import BOARD_SIZE, DECK_SIZE

MOST_SEATS: Final = 4
"""One deck has thirteen cards for so many."""

MOST_POINTS: Final = 2**53 - 1
"""So many points JSON holds exactly; sums of them stay within 64 bits."""


_SEAT: Final = attrgetter("seat")


@dataclass(frozen=True, slots=True)
class BulkRounds:
    """
    Rounds under one ruleset, as arrays.

    Hands are in the order of rounds and numbers. The players of a round are columns, by ascending seat; if rounds have
    different numbers of players, the last columns of some are empty.

    Attributes:
        seats: [rounds, columns], seat numbers; 0 where nobody sits.
        stacks: [rounds, columns], the opening stacks.
        lengths: [rounds], the number of hands.
        closed: [rounds], whether the round was closed after its last hand.
        odd: [rounds], whether the round cannot be represented as arrays; such rounds are replayed one by one.
        buttons: [hands], the seat of the button.
        dealt: [hands, columns], who plays.
        fantasyland: [hands, columns], cards dealt there, 0 outside.
        top_ups: [hands, columns], points added before the hand.
        leaves: [hands, columns], who leaves after the hand: 1 first, 2 second; 0 stays.
        boards: [boards, 13], packed, of everyone dealt in, by hand and seat.
    """

    seats: NDArray[np.int64]
    stacks: NDArray[np.int64]
    lengths: NDArray[np.int64]
    closed: NDArray[np.bool_]
    odd: NDArray[np.bool_]
    buttons: NDArray[np.int64]
    dealt: NDArray[np.bool_]
    fantasyland: NDArray[np.uint8]
    top_ups: NDArray[np.int64]
    leaves: NDArray[np.uint8]
    boards: NDArray[np.uint8]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Return the index of each round's first hand: [rounds]."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def round_of_hand(self) -> NDArray[np.int64]:
        """Return the index of each hand's round: [hands]."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @classmethod
    def of(cls, rounds: Sequence[History]) -> "BulkRounds":
        """
        Build arrays from histories, without discards and streets.

        A round that cannot be represented is odd, and its hands have no boards.
        """
        odd = np.array([_is_odd(round_) for round_ in rounds], np.bool_)
        seated = [
            sorted(round_.seats, key=_SEAT) if not is_odd else ()
            for round_, is_odd in zip(rounds, odd.tolist(), strict=True)
        ]
        columns = max([2, *map(len, seated)])
        hands = [hand for round_ in rounds for hand in round_.hands]
        laid = cls(
            seats=_in_columns([[seat.seat for seat in seats] for seats in seated], columns),
            stacks=_in_columns([[seat.opening_stack for seat in seats] for seats in seated], columns),
            lengths=np.array([len(round_.hands) for round_ in rounds], np.int64),
            closed=np.array([round_.closed is not None for round_ in rounds], np.bool_),
            odd=odd,
            buttons=np.array([hand.button for hand in hands], np.int64),
            dealt=np.zeros((len(hands), columns), np.bool_),
            fantasyland=np.zeros((len(hands), columns), np.uint8),
            top_ups=np.zeros((len(hands), columns), np.int64),
            leaves=np.zeros((len(hands), columns), np.uint8),
            boards=np.frombuffer(b"".join([hand.boards for hand in hands]), np.uint8).reshape(-1, BOARD_SIZE),
        )
        laid._add_to_stacks(hands)
        laid._apply_departures(rounds)
        return laid._deal(hands)

    def _add_to_stacks(self, hands: Sequence[Hand]) -> None:
        """Write the top-ups to the arrays."""
        of_round = self.round_of_hand
        for at, hand in enumerate(hands):
            if hand.top_ups:
                column = self._columns(of_round[at])
                added = [top_up.seat for top_up in hand.top_ups]
                if _are_odd(added, column) or not all(1 <= top_up.points <= MOST_POINTS for top_up in hand.top_ups):
                    self.odd[of_round[at]] = True
                else:
                    self.top_ups[at, [column[seat] for seat in added]] = [top_up.points for top_up in hand.top_ups]

    def _apply_departures(self, rounds: Sequence[History]) -> None:
        """Write the departures to the arrays."""
        starts = self.starts
        for number, round_ in enumerate(rounds):
            if round_.departures:
                column, last = self._columns(number), len(round_.hands)
                leavers = [departure.seat for departure in round_.departures]
                if _are_odd(leavers, column) or not all(1 <= each.after_hand <= last for each in round_.departures):
                    self.odd[number] = True
                else:
                    for departure in round_.departures:
                        left = self.leaves[starts[number] + departure.after_hand - 1]
                        left[column[departure.seat]] = left.max() + 1

    def _deal(self, hands: Sequence[Hand]) -> "BulkRounds":
        """Write who was dealt in, find further odd rounds, and return the arrays with the boards of the others."""
        of_round = self.round_of_hand
        counts = np.array([len(hand.players) for hand in hands], np.int64)
        hand = np.repeat(np.arange(len(hands)), counts)
        seat = np.fromiter(chain.from_iterable([hand.seats for hand in hands]), np.int64, len(self.boards))
        cards = np.fromiter(chain.from_iterable([hand.fantasyland for hand in hands]), np.int64, len(self.boards))
        is_his = self.seats[of_round[hand]] == seat[:, np.newaxis]
        column = is_his.argmax(axis=1)
        self.dealt[hand, column] = True
        is_odd = ~is_his.any(axis=1) | (seat < 1) | (cards < 0) | (cards > DECK_SIZE)
        self.odd[of_round[hand[is_odd]]] = True
        follows = np.arange(1, len(hands) + 1) - self.starts[of_round] == [hand.number for hand in hands]
        self.odd[of_round[~follows | (self.buttons < 1) | (self.dealt.sum(axis=1) != counts)]] = True
        self.dealt[self.odd[of_round]] = False
        stays = ~self.odd[of_round[hand]]
        self.fantasyland[hand[stays], column[stays]] = cards[stays]
        return replace(self, boards=self.boards[stays])

    def _columns(self, number: int) -> Mapping[Seat, int]:
        return {seat: column for column, seat in enumerate(self.seats[number].tolist()) if seat}


def _in_columns(rows: Sequence[Sequence[int]], columns: int) -> NDArray[np.int64]:
    return np.array([[*row, *[0] * (columns - len(row))] for row in rows], np.int64).reshape(-1, columns)


def _is_odd(round_: History) -> bool:
    """Return whether seats are repeated or unknown, too many, or the round ends elsewhere than after its last hand."""
    seats = [seat.seat for seat in round_.seats]
    return (
        len(seats) > MOST_SEATS
        or min(seats, default=1) < 1
        or len(set(seats)) < len(seats)
        or len({seat.player for seat in round_.seats}) < len(seats)
        or any(seat.opening_stack > MOST_POINTS for seat in round_.seats)
        or (round_.closed is not None and round_.closed.after_hand != len(round_.hands))
    )


def _are_odd(seats: list[Seat], possible: Collection[Seat]) -> bool:
    return len(set(seats)) < len(seats) or not all(seat in possible for seat in seats)

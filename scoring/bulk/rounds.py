"""Many rounds as arrays: what happened in them, and no result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.hand import Hand, Seat
from scoring.history import History
from scoring.ruleset import BOARD_SIZE

MOST_SEATS: Final = 4
"""One deck has thirteen cards for so many."""

MOST_POINTS: Final = 2**53 - 1
"""So many points JSON holds exactly; sums of them stay within 64 bits."""


@dataclass(frozen=True, slots=True)
class BulkRounds:
    """
    Rounds under one ruleset, side by side.

    The hands of a round stand one after the other, and so do rounds. A round's players are columns, by rising seat;
    where rounds have different numbers of them, the last columns of some are empty.

    Attributes:
        seats: [rounds, columns], seat numbers; 0 where nobody sits.
        stacks: [rounds, columns], what everyone opens the round with.
        lengths: [rounds], how many hands there are.
        closed: [rounds], whether the round was closed after its last hand.
        odd: [rounds], whether something happened that arrays do not hold; the rules by themselves say what.
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
        """Say where each round's first hand stands: [rounds]."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def round_of_hand(self) -> NDArray[np.int64]:
        """Say which round each hand belongs to: [hands]."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @classmethod
    def of(cls, histories: Sequence[History]) -> "BulkRounds":
        """
        Lay rounds side by side; discards and streets are left out.

        A round that cannot be laid out is odd, and its hands have no boards.
        """
        columns = max([2, *(len(history.seats) for history in histories if len(history.seats) <= MOST_SEATS)])
        lengths = np.array([len(history.hands) for history in histories], np.int64)
        rounds, hands = len(histories), int(lengths.sum())
        laid = cls(
            seats=np.zeros((rounds, columns), np.int64),
            stacks=np.zeros((rounds, columns), np.int64),
            lengths=lengths,
            closed=np.array([history.closed is not None for history in histories], np.bool_),
            odd=np.array([_is_odd(history) for history in histories], np.bool_),
            buttons=np.zeros(hands, np.int64),
            dealt=np.zeros((hands, columns), np.bool_),
            fantasyland=np.zeros((hands, columns), np.uint8),
            top_ups=np.zeros((hands, columns), np.int64),
            leaves=np.zeros((hands, columns), np.uint8),
            boards=np.frombuffer(b"".join(_boards(histories)), np.uint8).reshape(-1, BOARD_SIZE),
        )
        for number, (history, start) in enumerate(zip(histories, laid.starts.tolist(), strict=True)):
            if not laid.odd[number]:
                laid._lay(number, start, history)
        return laid

    def _lay(self, number: int, start: int, history: History) -> None:
        seated = sorted(history.seats, key=lambda seat: seat.seat)
        column: dict[Seat, int] = {seat.seat: at for at, seat in enumerate(seated)}
        self.seats[number, : len(seated)] = [seat.seat for seat in seated]
        self.stacks[number, : len(seated)] = [seat.opening_stack for seat in seated]
        for at, hand in enumerate(history.hands, start):
            self.buttons[at] = hand.button
            for player in hand.players:
                self.dealt[at, column[player.seat]] = True
                self.fantasyland[at, column[player.seat]] = player.fantasyland
            for top_up in hand.top_ups:
                self.top_ups[at, column[top_up.seat]] = top_up.points
        for departure in history.departures:
            left = self.leaves[start + departure.after_hand - 1]
            left[column[departure.seat]] = left.max() + 1


def _boards(histories: Sequence[History]) -> Iterator[bytes]:
    for history in histories:
        if not _is_odd(history):
            for hand in history.hands:
                yield from (hand.by_seat[seat].board.packed for seat in sorted(hand.by_seat))


def _is_odd(history: History) -> bool:
    """Say whether something is given twice, or for nobody, which cannot be, or is too large for its array."""
    seats = [seat.seat for seat in history.seats]
    leavers = [departure.seat for departure in history.departures]
    last = len(history.hands)
    return (
        len(seats) > MOST_SEATS
        or _are_odd(seats, [seat for seat in seats if seat >= 1])
        or len({seat.player for seat in history.seats}) < len(seats)
        or any(seat.opening_stack > MOST_POINTS for seat in history.seats)
        or any(_is_odd_hand(hand, number, seats) for number, hand in enumerate(history.hands, start=1))
        or _are_odd(leavers, seats)
        or not all(1 <= departure.after_hand <= last for departure in history.departures)
        or (history.closed is not None and history.closed.after_hand != last)
    )


def _is_odd_hand(hand: Hand, number: int, seats: list[Seat]) -> bool:
    return (
        hand.number != number
        or hand.button not in seats
        or _are_odd([player.seat for player in hand.players], seats)
        or _are_odd([top_up.seat for top_up in hand.top_ups], seats)
        or not all(0 <= player.fantasyland <= BOARD_SIZE * MOST_SEATS for player in hand.players)
        or not all(1 <= top_up.points <= MOST_POINTS for top_up in hand.top_ups)
    )


def _are_odd(found: list[Seat], possible: list[Seat]) -> bool:
    return len(set(found)) < len(found) or not set(found) <= set(possible)

"""States of rounds between hands, numbered, and the transitions between them."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.board import Board
from scoring.bulk.rounds import MOST_SEATS
from scoring.cards import DECK
from scoring.errors import ScoringError
from scoring.fantasyland import Fantasyland, renew
from scoring.hand import Hand, PlayerHand, Seat, TopUp
from scoring.round import begin_hand, close_round, depart, end_hand, open_round
from scoring.round_state import Round, RoundSeat, RoundStatus
from scoring.ruleset import BOARD_SIZE, Ruleset

REFUSED: Final = 0
"""The state of a round that took a step which cannot be."""

STATUSES: Final = tuple(RoundStatus)
OPEN: Final = STATUSES.index(RoundStatus.OPEN)
NO_BUTTON: Final = -1

_LARGER: Final = 32
"""Larger than every part of a case but its state: four players as bits, a column, cards of Fantasyland."""
_MOST: Final = 1 << 17
"""So many states and nine more parts fit a case's number; no ruleset was seen to have a tenth of them."""

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Cards = NDArray[np.uint8]

_BOARDS: Final = tuple(Board.laid(DECK[start : start + BOARD_SIZE]) for start in range(0, len(DECK), BOARD_SIZE))
"""Any four that one deck makes: the state of a round depends on the results and not on the cards."""


class Expected(NamedTuple):
    """
    What must follow each state, by its number; players are four columns.

    Attributes:
        status: an index of `STATUSES`.
        opens_scope: whether the next hand opens a scope of the stakes.
        button: the column of the next button, -1 if any column is valid.
        plays: [states, columns], who plays the next hand.
        fantasyland: [states, columns], cards of Fantasyland owed.
        stays: [states, columns], how often in a row each has stayed there.
    """

    status: NDArray[np.uint8]
    opens_scope: Flags
    button: Numbers
    plays: Flags
    fantasyland: Cards
    stays: Numbers

    @classmethod
    def nothing(cls, states: int) -> "Expected":
        """Return the expectation of a refused round: nothing."""
        shape = (states, MOST_SEATS)
        return cls(
            status=np.full(states, STATUSES.index(RoundStatus.CLOSED), np.uint8),
            opens_scope=np.zeros(states, np.bool_),
            button=np.full(states, NO_BUTTON, np.int64),
            plays=np.zeros(shape, np.bool_),
            fantasyland=np.zeros(shape, np.uint8),
            stays=np.zeros(shape, np.int64),
        )

    def put(self, number: int, round_: Round) -> None:
        """Set what must follow a state."""
        self.status[number] = STATUSES.index(round_.status)
        self.opens_scope[number] = round_.opens_scope
        if round_.next_hand:
            self.button[number] = NO_BUTTON if round_.next_hand.button is None else round_.next_hand.button - 1
            self.plays[number, [seat - 1 for seat in round_.next_hand.seats]] = True
        for seat, owed in round_.owed.items():
            self.fantasyland[number, seat - 1] = owed.cards
            self.stays[number, seat - 1] = owed.stays


class RoundStates:
    """
    The states of rounds under one ruleset.

    Without points, except who has any, a round is in one of a few thousand states, with as many transitions. The rules
    compute each transition when it first occurs; after that it is looked up.

    Every transition takes arrays with a row for each round, and returns the numbers of the next states. Numbers are
    valid for this object only.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self.forget()

    def forget(self) -> None:
        """Clear all states; numbers returned so far become invalid."""
        self._rounds: list[Round | None] = [None]
        self._numbers: dict[Hashable, int] = {}
        self._steps: dict[tuple[str, int, int], int] = {}
        self._expected = Expected.nothing(1)

    def open(self, seated: Flags, has_points: Flags) -> Numbers:
        """Seat players."""

        def ask(at: int) -> Round:
            columns = np.flatnonzero(seated[at]).tolist()
            seats = [RoundSeat(column + 1, str(column), int(has_points[at, column])) for column in columns]
            return open_round(self._ruleset, seats)

        return self._step("open", ask, bits(seated), bits(has_points))

    def begin(
        self, state: Numbers, button: Numbers, dealt: Flags, fantasyland: Cards, top_ups: Numbers, can_be: Flags
    ) -> Numbers:
        """Begin a hand, if it follows; `can_be` is whether its cards are valid."""

        def ask(at: int) -> Round | None:
            if not can_be[at]:
                return None
            round_ = self._round(state[at])
            points = np.sign(top_ups[at]).tolist()
            added = tuple(TopUp(column + 1, point) for column, point in enumerate(points) if point)
            return begin_hand(round_, _hand(round_, button[at], dealt[at], fantasyland[at], added))

        cards = np.minimum(fantasyland, _LARGER - 1)  # so many are never dealt, nor are more
        added, taken = bits(top_ups > 0), bits(top_ups < 0)
        return self._step("begin", ask, state, *cards.T, button, bits(dealt), added, taken, can_be)

    def end(
        self, state: Numbers, button: Numbers, dealt: Flags, enters: Cards, stays: Flags, has_points: Flags
    ) -> Numbers:
        """
        End a hand after its points are paid.

        `enters` and `stays` are what boards of ordinary hands and of Fantasyland hands have earned.
        """

        def ask(at: int) -> Round:
            round_ = self._round(state[at])
            points = {seat: int(has_points[at, seat - 1]) for seat in round_.seat_numbers}
            earned: dict[Seat, Fantasyland] = {}
            for column in np.flatnonzero(dealt[at]).tolist():
                played = round_.owed.get(column + 1)
                if played and stays[at, column] and (renewed := renew(played, self._ruleset)):
                    earned[column + 1] = renewed
                if not played and enters[at, column]:
                    earned[column + 1] = Fantasyland(int(enters[at, column]))
            return end_hand(replace(round_, stacks=points), _hand(round_, button[at], dealt[at]), earned).round

        return self._step("end", ask, state, *enters.T, button, bits(dealt), bits(stays), bits(has_points))

    def depart(self, state: Numbers, column: Numbers) -> Numbers:
        """Record that a player leaves."""
        return self._step("depart", lambda at: depart(self._round(state[at]), int(column[at]) + 1).round, state, column)

    def close(self, state: Numbers) -> Numbers:
        """Close a round early."""
        return self._step("close", lambda at: close_round(self._round(state[at])).round, state)

    @property
    def count(self) -> int:
        """Return the number of known states."""
        return len(self._rounds)

    @property
    def rounds(self) -> Sequence[Round | None]:
        """Return the states as rounds: seats are columns from 1, a stack is 1 or 0; None for `REFUSED`."""
        return self._rounds

    @property
    def expected(self) -> Expected:
        """Return what must follow each known state."""
        return Expected._make(field[: self.count] for field in self._expected)

    def _step(self, name: str, ask: Callable[[int], Round | None], *case: NDArray[Any]) -> Numbers:
        """Look up the transition of each row, and compute unknown ones by `ask`, which is called with the row."""
        key = np.zeros(len(case[0]), np.int64)
        for part in case:
            key = key * _LARGER + part
        different, rows, which = np.unique(key, return_index=True, return_inverse=True)
        states = []
        for number, row in zip(different.tolist(), rows.tolist(), strict=True):
            step = name, len(case), number  # a case has more parts where there are more columns
            if step not in self._steps:
                refused = name != "open" and case[0][row] == REFUSED
                self._steps[step] = REFUSED if refused else self._ask(ask, row)
            states.append(self._steps[step])
        return np.array(states, dtype=np.int64)[which]

    def _ask(self, ask: Callable[[int], Round | None], row: int) -> int:
        try:
            round_ = ask(row)
        except ScoringError:
            return REFUSED
        return REFUSED if round_ is None else self._number(round_)

    def _round(self, number: int) -> Round:
        round_ = self._rounds[number]
        assert round_ is not None, "a refused round has no state"
        return round_

    def _number(self, round_: Round) -> int:
        """Return the number of a state, without points and hands, except whether there are any."""
        points = {seat: int(stack > 0) for seat, stack in round_.stacks.items()}
        nothing = dict.fromkeys(points, 0)
        round_ = replace(round_, stacks=points, opening_stacks=points, top_ups=nothing, hands=min(round_.hands, 1))
        owed = tuple(sorted((seat, owed.cards, owed.stays) for seat, owed in round_.owed.items()))
        marks = (round_.had_button, round_.left, round_.busted, round_.sequence)
        case = (tuple(points.items()), round_.status, round_.hands, round_.button, marks, owed)
        number = self._numbers.setdefault(case, len(self._rounds))
        if number == _MOST:
            raise OverflowError(f"{_MOST} states have come up under {self._ruleset}; settle fewer rounds at once")
        if number == len(self._rounds):
            self._rounds.append(round_)
            if number == len(self._expected.status):
                more = Expected.nothing(number)
                self._expected = Expected._make(
                    np.concatenate([old, new]) for old, new in zip(self._expected, more, strict=True)
                )
            self._expected.put(number, round_)
        return number


_states = lru_cache(maxsize=16)(RoundStates)


def states_of(ruleset: Ruleset) -> RoundStates:
    """Return the cached states of a ruleset, or new ones if there are too many."""
    states = _states(ruleset)
    if states.count > _MOST // 2:
        states.forget()
    return states


def bits(flags: Flags) -> NDArray[np.uint8]:
    """
    Convert each row of flags to one number.

    >>> bits(np.array([[True, False, True], [False, True, False]])).tolist()
    [5, 2]
    """
    return np.packbits(flags, axis=1, bitorder="little")[:, 0]


def _hand(
    round_: Round, button: int, dealt: Flags, fantasyland: Cards | None = None, top_ups: tuple[TopUp, ...] = ()
) -> Hand:
    players = tuple(
        PlayerHand(column + 1, _BOARDS[column], 0 if fantasyland is None else int(fantasyland[column]))
        for column in np.flatnonzero(dealt).tolist()
    )
    return Hand(round_.hands + 1, int(button) + 1, players, top_ups)

"""A whole round as it was recorded, and as it plays."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from scoring.errors import Mistake, RoundError, ScoringError
from scoring.hand import Hand, Seat
from scoring.round import Departed, PlayedHand, close_round, depart, open_round, play_hand
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import Ruleset
from scoring.settlement import Transfer


@dataclass(frozen=True, slots=True)
class Departure:
    """A player who left after a hand, for the rest of the round."""

    seat: Seat
    after_hand: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of a round before it was complete."""

    after_hand: int
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """Everything that happened in a round, and no result."""

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    hands: tuple[Hand, ...] = ()
    departures: tuple[Departure, ...] = ()
    closed: Closing | None = None


@dataclass(frozen=True, slots=True)
class Paid:
    """A transfer, and the hand after which it was paid."""

    hand: int
    transfer: Transfer


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round played from its history: every hand, every payment, and where it stands."""

    hands: tuple[PlayedHand, ...]
    payments: tuple[Paid, ...]
    round: Round


Step = PlayedHand | Departed


def replay(history: History) -> PlayedRound:
    """
    Play a round from what was recorded of it.

    Raises:
        ScoringError: the first thing that cannot be, with its place in the history.

    Rule: docs/rules.md#the-round
    """
    round_ = open_round(history.ruleset, history.seats)
    hands: list[PlayedHand] = []
    payments: list[Paid] = []
    for step in replay_steps(round_, history):
        if isinstance(step, PlayedHand):
            hands.append(step)
        payments += [Paid(step.round.hands, transfer) for transfer in step.transfers]
        round_ = step.round
    return PlayedRound(tuple(hands), tuple(payments), round_)


def replay_steps(round_: Round, history: History) -> Iterator[Step]:
    """
    Play hands, departures and closing in the order in which they happened, one at a time.

    Raises:
        ScoringError: a step cannot be, with its place in the history.
    """
    _check_places(history)
    for number in range(len(history.hands) + 1):
        if number:
            try:
                played = play_hand(round_, history.hands[number - 1])
            except ScoringError as error:
                raise error.under("hands", number - 1) from error
            yield played
            round_ = played.round
        for index, departure in enumerate(history.departures):
            if departure.after_hand == number:
                with _placed("departures", index):
                    departed = depart(round_, departure.seat)
                yield departed
                round_ = departed.round
    if history.closed:
        with _placed("closed"):
            closed = close_round(round_)
        yield closed


@contextmanager
def _placed(*prefix: str | int) -> Iterator[None]:
    """Say where in the history a mistake is."""
    try:
        yield
    except ScoringError as error:
        raise error.under(*prefix) from error


def _check_places(history: History) -> None:
    last = len(history.hands)
    mistakes = list(_late_departures(history.departures, last))
    if history.closed and history.closed.after_hand != last:
        detail = f"the round is closed after hand {history.closed.after_hand}; its last hand is {last}"
        mistakes.append(Mistake("closed-after-hand", ("closed", "after_hand"), detail))
    if mistakes:
        raise RoundError(mistakes)


def _late_departures(departures: Sequence[Departure], last: int) -> Iterator[Mistake]:
    for index, departure in enumerate(departures):
        if not 0 <= departure.after_hand <= last:
            detail = f"seat {departure.seat} leaves after hand {departure.after_hand}; hands 1 to {last} are recorded"
            yield Mistake("departure-after-hand", ("departures", index, "after_hand"), detail)

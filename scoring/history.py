"""A whole round as it was recorded, and as it plays."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scoring.errors import Mistake, RoundError, ScoringError
from scoring.following import OVERRULED
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
    """
    Everything that happened in a round, and no result.

    `irregular` numbers the hands that stand: they count as they were played, though they could not have followed.
    """

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    hands: tuple[Hand, ...] = ()
    departures: tuple[Departure, ...] = ()
    closed: Closing | None = None
    irregular: frozenset[int] = frozenset()


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
        for step in _steps_at(round_, history, number):
            yield step
            round_ = step.round
    if history.closed:
        try:
            closed = close_round(round_)
        except ScoringError as error:
            raise error.under("closed") from error
        yield closed


def let_stand(history: History) -> History:
    """
    Let every hand stand that could not have followed, and no other.

    Whatever else cannot be is left as it is; playing the history says what.

    Rule: docs/rules.md#hands-that-stand
    """
    standing = replace(history, irregular=frozenset())
    try:
        round_ = open_round(history.ruleset, history.seats)
        for number in range(len(history.hands) + 1):
            if number < len(history.hands) and not _lets_follow(round_, standing, number):
                standing = replace(standing, irregular=standing.irregular | {number + 1})
            for step in _steps_at(round_, standing, number):
                round_ = step.round
    except ScoringError:
        pass
    return standing


def _steps_at(round_: Round, history: History, number: int) -> Iterator[Step]:
    """Play one hand, or none before the first, and the departures after it."""
    stands, goes_on = number in history.irregular, number + 1 in history.irregular
    if number:
        try:
            played = play_hand(round_, history.hands[number - 1], stands=stands, goes_on=goes_on)
        except ScoringError as error:
            raise error.under("hands", number - 1) from error
        yield played
        round_ = played.round
    for index, departure in enumerate(history.departures):
        if departure.after_hand == number:
            try:
                departed = depart(round_, departure.seat, stands=goes_on, goes_on=goes_on)
            except ScoringError as error:
                raise error.under("departures", index) from error
            yield departed
            round_ = departed.round


def _lets_follow(round_: Round, history: History, number: int) -> bool:
    """
    Say whether the hand after one can follow it and the departures between the two.

    Raises:
        ScoringError: something is wrong that nothing overrules.
    """
    following = history.hands[number]
    try:
        for step in _steps_at(round_, history, number):
            round_ = step.round
        play_hand(round_, following)
    except ScoringError as error:
        if any(mistake.code not in OVERRULED for mistake in error.mistakes):
            raise
        return False
    return True


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

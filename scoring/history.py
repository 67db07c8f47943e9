"""The recorded history of a round, and its replay."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from scoring.errors import Mistake, RoundError, ScoringError
from scoring.following import COMPLETE, OVERRULED
from scoring.hand import Hand, Seat
from scoring.round import Departed, PlayedHand, close_round, depart, open_round, play_hand
from scoring.round_state import Round, RoundSeat, RoundStatus
from scoring.ruleset import Ruleset
from scoring.settlement import Transfer

_DEPARTURE_OVERRULED: Final = frozenset({COMPLETE, "departure-in-sequence"})
"""The mistakes of a departure that a later hand, accepted as played, overrules."""
_WHAT_IF_OVERRULED: Final = _DEPARTURE_OVERRULED | {"departure-not-allowed"}
"""The mistakes of a departure that a what-if overrules: the player left under another ruleset."""


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
    reason: str | None = None


@dataclass(frozen=True)
class History:
    """
    The hands, departures and closing of a round, without results.

    Attributes:
        irregular: the numbers of the hands that were accepted as played.
        is_what_if: whether departures and the closing count even where the ruleset would not allow them: they happened
            under another one.
    """

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    hands: tuple[Hand, ...] = ()
    departures: tuple[Departure, ...] = ()
    closed: Closing | None = None
    irregular: Collection[int] = frozenset()
    is_what_if: bool = False

    def is_accepted(self, number: int) -> bool:
        """Return whether a hand was accepted as played."""
        return number in self.irregular

    def is_held_open(self, number: int) -> bool:
        """
        Return whether a later hand than this number was accepted as played.

        Rule: docs/rules.md#hands-accepted-as-played
        """
        return number < self._last_accepted

    @cached_property
    def _last_accepted(self) -> int:
        return max(self.irregular, default=0)


@dataclass(frozen=True, slots=True)
class Paid:
    """A transfer, and the hand after which it was paid."""

    hand: int
    transfer: Transfer


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A replayed round: every hand, every payment, and the round after them."""

    hands: tuple[PlayedHand, ...]
    payments: tuple[Paid, ...]
    round: Round


Step = PlayedHand | Departed


def replay(history: History) -> PlayedRound:
    """
    Replay a round from its history.

    Raises:
        ScoringError: the first invalid step, with its path in the history.

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
    Replay hands, departures and the closing in order, one at a time.

    Raises:
        ScoringError: a step is invalid, with its place in the history.
    """
    _check_places(history)
    history = replace(history, irregular=frozenset(history.irregular))
    for number in range(len(history.hands) + 1):
        for step in steps_at(round_, history, number):
            yield step
            round_ = step.round
    if history.closed and not (history.is_what_if and round_.status is RoundStatus.COMPLETE):
        try:
            closed = close_round(round_)
        except ScoringError as error:
            raise error.under("closed") from error
        yield closed


def steps_at(round_: Round, history: History, number: int) -> Iterator[Step]:
    """
    Play one hand, or none before the first, and the departures after it.

    Raises:
        ScoringError: a step is invalid, with its place in the history.
    """
    hold_open = history.is_held_open(number)
    if number:
        hand = history.hands[number - 1]
        try:
            played = play_hand(round_, hand, accepted=history.is_accepted(number), hold_open=hold_open)
        except ScoringError as error:
            raise error.under("hands", number - 1) from error
        yield played
        round_ = played.round
    for index, departure in enumerate(history.departures):
        if departure.after_hand == number:
            try:
                departed = _depart(round_, history, departure)
            except ScoringError as error:
                raise error.under("departures", index) from error
            yield departed
            round_ = departed.round


def accept_irregular(history: History) -> History:
    """
    Accept every hand as played that does not follow the hands before it, besides those that are accepted already.

    Other mistakes stay; playing the history raises them.

    Rule: docs/rules.md#hands-accepted-as-played
    """
    history = replace(history, irregular=frozenset(history.irregular))
    try:
        round_ = open_round(history.ruleset, history.seats)
        for number in range(len(history.hands) + 1):
            if number < len(history.hands) and not _can_follow(round_, history, number):
                history = replace(history, irregular={*history.irregular, number + 1})
            for step in steps_at(round_, history, number):
                round_ = step.round
    except ScoringError:
        pass
    return history


def without_needless_marks(history: History) -> History:
    """
    Remove needless marks of hands as accepted: of hands that follow, if the round is the same without them.

    Rule: docs/rules.md#hands-accepted-as-played
    """
    if not history.irregular:
        return history
    try:
        played = replay(history)
        fewer = replace(history, irregular=frozenset(hand.hand.number for hand in played.hands if hand.irregular))
        replay(fewer)
    except ScoringError:
        return history
    return fewer


def check_irregular(history: History) -> None:
    """
    Check that only hands of the round are marked as accepted.

    Raises:
        RoundError: another one is, with its place in the history.
    """
    mistakes = list(_unknown_irregular(history.irregular, len(history.hands)))
    if mistakes:
        raise RoundError(mistakes)


def drop_late_departures(history: History, departures: Collection[Departure]) -> History:
    """
    Drop the given departures that were possible only before a hand that is no longer part of the round.

    The round was held open for that hand, which had been accepted as played. A departure that is possible after the
    last hand stays.

    Rule: docs/rules.md#hands-accepted-as-played
    """
    last = len(history.hands)
    late = [each for each in departures if each.after_hand >= last and each in history.departures]
    kept = [each for each in history.departures if each not in late]
    for departure in late:
        if departure.after_hand == last and _is_possible(replace(history, departures=(*kept, departure), closed=None)):
            kept.append(departure)
    return replace(history, departures=tuple(each for each in history.departures if each in kept))


def _is_possible(history: History) -> bool:
    """Return whether no departure is too late, ignoring other mistakes."""
    try:
        replay(history)
    except ScoringError as error:
        return not all(
            mistake.code in _DEPARTURE_OVERRULED and mistake.path[:1] == ("departures",) for mistake in error.mistakes
        )
    return True


def _depart(round_: Round, history: History, departure: Departure) -> Departed:
    number = departure.after_hand
    overruled: frozenset[str] = frozenset()
    if history.is_what_if:
        overruled = _WHAT_IF_OVERRULED
    elif history.is_accepted(number + 1):
        overruled = frozenset({"departure-in-sequence"})
    return depart(round_, departure.seat, overruled=overruled, hold_open=history.is_held_open(number))


def _can_follow(round_: Round, history: History, number: int) -> bool:
    """
    Return whether the hand after one can follow it and the departures between the two.

    Raises:
        ScoringError: something is wrong that nothing overrules.
    """
    if history.is_accepted(number + 1):
        return True
    following = history.hands[number]
    try:
        for step in steps_at(round_, history, number):
            round_ = step.round
        play_hand(round_, following)
    except ScoringError as error:
        if any(mistake.code not in OVERRULED for mistake in error.mistakes):
            raise
        return False
    return True


def _check_places(history: History) -> None:
    last = len(history.hands)
    mistakes = [*_unknown_irregular(history.irregular, last), *_late_departures(history.departures, last)]
    if history.closed and history.closed.after_hand != last:
        detail = f"the round is closed after hand {history.closed.after_hand}; its last hand is {last}"
        mistakes.append(Mistake("closed-after-hand", ("closed", "after_hand"), detail))
    if mistakes:
        raise RoundError(mistakes)


def _unknown_irregular(irregular: Collection[int], last: int) -> Iterator[Mistake]:
    recorded = f"hands 1 to {last} are recorded" if last else "no hand is recorded"
    for index, number in enumerate(irregular):
        if not 1 <= number <= last:
            detail = f"`irregular` names hand {number}; {recorded}, and only a recorded hand can be accepted as played"
            yield Mistake("irregular-hand", ("irregular", index, "hand"), detail)


def _late_departures(departures: Sequence[Departure], last: int) -> Iterator[Mistake]:
    for index, departure in enumerate(departures):
        if not 0 <= departure.after_hand <= last:
            detail = f"seat {departure.seat} leaves after hand {departure.after_hand}; hands 1 to {last} are recorded"
            yield Mistake("departure-after-hand", ("departures", index, "after_hand"), detail)

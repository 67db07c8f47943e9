"""Find mistakes in a history that can be parsed only in part."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scoring.errors import Mistake, RoundError, ScoringError
from scoring.fantasyland import enters
from scoring.following import OVERRULED, find_button_mistakes
from scoring.hand import Hand
from scoring.history import Departure, History, steps_at
from scoring.partial_hand import PartialHand, find_partial_mistakes
from scoring.round import open_round
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class PartialHistory:
    """
    The readable values of a history.

    Attributes:
        hands: in their order; those of which all can be read are `Hand`.
        departures: None where one of them cannot be read.
        may_be_irregular: whether hands are, or may be, accepted as played.
    """

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    hands: Sequence[Hand | PartialHand]
    departures: tuple[Departure, ...] | None = ()
    may_be_irregular: bool = False


def find_history_mistakes(history: PartialHistory) -> Iterator[Mistake]:
    """
    List the mistakes in a partly readable history, with their paths.

    Hands are played up to the first that cannot be read or played. What depends on the result of that hand is not
    checked in the hands after it. Of these are checked: the number, the seats, what the ruleset deals, and the button
    where every player of the round is dealt in.

    Rule: docs/rules.md#the-round
    """
    try:
        opened = open_round(history.ruleset, history.seats)
    except RoundError as error:
        yield from error.mistakes
        return
    index, round_, mistakes = _play(opened, history)
    yield from mistakes
    has_right_button = round_ is not None or not _is_button_wrong(mistakes)
    for hand in map(_partial, history.hands[index:]):
        # What is wrong in a hand may be what it would have earned.
        previous = _partial(history.hands[index - 1]) if mistakes else history.hands[index - 1]
        before = opened.but(hands=index)
        if round_ is not None:
            mistakes = list(find_partial_mistakes(round_, hand))
            has_right_button = hand.button is not None and not _is_button_wrong(mistakes)
        else:
            mistakes = list(find_partial_mistakes(before, hand, is_next=False))
            if history.may_be_irregular:
                mistakes = [mistake for mistake in mistakes if mistake.code not in OVERRULED]
            button_mistakes: list[Mistake] = []
            if has_right_button and index and _can_be_played(history) and not history.departures:
                button_mistakes, has_right_button = _check_button(before, previous, hand)
            mistakes += button_mistakes
        yield from (mistake.under("hands", index) for mistake in mistakes)
        round_, index = None, index + 1


def _play(opened: Round, history: PartialHistory) -> tuple[int, Round | None, list[Mistake]]:
    """
    Play the hands before the first of which only a part can be read.

    Returns:
        How many hands were played or refused, the state of the round after them, and why the last was refused; the
        state is None where it is not known.
    """
    if not _can_be_played(history):
        return 0, None, []
    hands = tuple(_take_readable(history.hands))
    readable = History(history.ruleset, history.seats, hands, history.departures or ())
    round_ = opened
    for number in range(len(hands) + 1):
        try:
            for step in steps_at(round_, readable, number):
                round_ = step.round
        except ScoringError as error:
            return number, None, list(error.mistakes)
    return len(hands), round_, []


def _can_be_played(history: PartialHistory) -> bool:
    return history.departures is not None and not history.may_be_irregular


def _is_button_wrong(mistakes: Iterable[Mistake]) -> bool:
    return any(mistake.path[-1:] == ("button",) for mistake in mistakes)


def _check_button(round_: Round, previous: Hand | PartialHand, hand: PartialHand) -> tuple[list[Mistake], bool]:
    """
    Check the button of a hand by the one of the hand before it, where every player of the round is dealt in.

    Nobody is out then, whatever the stacks are: the button moves to the next seat, or stays where Fantasyland is owed.

    Returns:
        The mistake, if there is one, and whether the button is certainly right.
    """
    dealt_in = Counter(player.seat for player in hand.players or ())
    are_next = (previous.number, hand.number) == (round_.hands, round_.hands + 1)
    if not are_next or dealt_in != Counter(round_.seat_numbers):
        return [], False
    if previous.button is None or hand.button not in round_.seat_numbers:
        return [], False
    after = round_.but(button=previous.button)
    may_stay = not isinstance(previous, Hand) or any(
        player.fantasyland or enters(player.board.strengths, round_.ruleset) for player in previous.players
    )
    if hand.button == after.button_next:
        return [], True
    if may_stay and hand.button == previous.button:
        return [], any(player.fantasyland for player in hand.players or ())
    if may_stay:
        detail = f"the button is in seat {hand.button}; expected seat {after.button} or seat {after.button_next}"
        return [Mistake("button-wrong", ("button",), detail)], False
    return list(find_button_mistakes(after, hand.button)), False


def _take_readable(hands: Iterable[Hand | PartialHand]) -> Iterator[Hand]:
    """Yield the hands before the first of which only a part can be read."""
    for hand in hands:
        if isinstance(hand, PartialHand):
            return
        yield hand


def _partial(hand: Hand | PartialHand) -> PartialHand:
    return PartialHand.of(hand) if isinstance(hand, Hand) else hand

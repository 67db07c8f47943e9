"""Find mistakes in a hand that can be parsed only in part."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scoring.board import ByRow
from scoring.deal import find_player_mistakes
from scoring.errors import Mistake, RoundError
from scoring.following import (
    check_top_up_seat,
    check_top_ups,
    find_button_mistakes,
    find_fantasyland_mistakes,
    find_missing_players,
    find_number_mistakes,
    find_seat_mistakes,
)
from scoring.hand import Cards, Hand, Seat, Street, TopUp
from scoring.round import add_points, check_open, open_round
from scoring.round_state import Round


@dataclass(frozen=True, slots=True)
class PartialPlayer:
    """The readable values of one player in a hand; None if unreadable or unknown."""

    seat: Seat | None = None
    fantasyland: int | None = None
    rows: ByRow[Cards] | None = None
    discards: Cards | None = None
    streets: tuple[Street, ...] | None = None


@dataclass(frozen=True, slots=True)
class PartialHand:
    """
    The readable values of a hand; None if unreadable.

    Attributes:
        players: in their order; None where it is not known how many there are.
        top_ups: None where one of them cannot be read.
        top_up_seats: of the top-ups in their order, as far as these can be read.
    """

    number: int | None = None
    button: Seat | None = None
    players: tuple[PartialPlayer, ...] | None = None
    top_ups: tuple[TopUp, ...] | None = None
    top_up_seats: tuple[Seat | None, ...] = ()

    @classmethod
    def of(cls, hand: Hand) -> "PartialHand":
        """Return a hand of which all can be read."""
        players = tuple(
            PartialPlayer(player.seat, player.fantasyland, player.board.rows, player.discards, player.streets)
            for player in hand.players
        )
        return cls(hand.number, hand.button, players, hand.top_ups, tuple(top_up.seat for top_up in hand.top_ups))


def find_partial_mistakes(round_: Round, hand: PartialHand, *, is_next: bool = True) -> Iterator[Mistake]:
    """
    List the mistakes by which a partly readable hand cannot be the next hand of a round.

    A check is made only if all its values are readable and valid, so that a mistake does not cause others.

    Seat 4 is not in the round. Whether seat 2 is missing is not known, as it may be what is meant by it:

    >>> from scoring.presets import PRESETS
    >>> from scoring.round_state import RoundSeat
    >>> round_ = open_round(PRESETS["pineapple"], [RoundSeat(1, "ann", 200), RoundSeat(2, "bob", 150)])
    >>> hand = PartialHand(number=2, button=1, players=(PartialPlayer(seat=1), PartialPlayer(seat=4)))
    >>> [(mistake.code, mistake.path) for mistake in find_partial_mistakes(round_, hand)]
    [('hand-number', ('number',)), ('seat-unknown', ('players', 1, 'seat'))]

    Args:
        round_: the state of the round before the hand.
        hand: what can be read of it.
        is_next: whether the hand is the one that comes next. Of another, or where a hand before it cannot be played,
            only its number and what holds for every hand of the round is checked.

    Rule: docs/rules.md#the-round
    """
    try:
        check_open(round_, "hand")
    except RoundError as error:
        yield from error.mistakes
        return
    any_hand = open_round(round_.ruleset, round_.seats).but(hands=round_.hands)
    before = round_ if is_next else any_hand
    top_up_mistakes = list(_find_top_up_mistakes(before, hand))
    yield from top_up_mistakes
    if hand.top_ups and not top_up_mistakes:
        before = add_points(before, hand.top_ups)
    elif (hand.top_ups is None or top_up_mistakes) and round_.busted:
        before, is_next = any_hand, False  # points may bring back who is busted
    if hand.number is not None:
        yield from find_number_mistakes(before, hand.number)
    if hand.button is not None:
        yield from find_button_mistakes(before, hand.button)
    if hand.players is not None:
        yield from _find_player_mistakes(before, hand.players, is_next=is_next)


def _find_top_up_mistakes(round_: Round, hand: PartialHand) -> Iterator[Mistake]:
    if hand.top_ups:
        yield from check_top_ups(round_, hand.top_ups)
        return
    for index, seat in enumerate(hand.top_up_seats):
        if seat is not None:
            yield from check_top_up_seat(round_, index, seat)


def _find_player_mistakes(round_: Round, players: tuple[PartialPlayer, ...], *, is_next: bool) -> Iterator[Mistake]:
    expected = round_.players_next
    seats = [player.seat for player in players]
    seat_mistakes = list(find_seat_mistakes(round_, seats, expected))
    yield from seat_mistakes
    if is_next and None not in seats and not seat_mistakes:
        yield from find_missing_players([seat for seat in seats if seat is not None], expected)
    times = Counter(seats)
    for index, player in enumerate(players):
        if player.fantasyland is None:
            continue
        owed_mistakes: list[Mistake] = []
        if is_next and player.seat is not None and player.seat in expected and times[player.seat] == 1:
            owed_mistakes += find_fantasyland_mistakes(round_, index, player.seat, player.fantasyland)
        yield from owed_mistakes or _find_deal_mistakes(round_, index, player, player.fantasyland)


def _find_deal_mistakes(round_: Round, index: int, player: PartialPlayer, fantasyland: int) -> Iterator[Mistake]:
    mistakes = find_player_mistakes(fantasyland, player.discards, player.streets, player.rows, ruleset=round_.ruleset)
    for mistake in mistakes:
        yield mistake.under("players", index)
        if mistake.path == ("fantasyland",):
            return  # so many cards are never dealt: what follows from their number is not known

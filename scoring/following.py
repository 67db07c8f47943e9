"""Check that a hand follows the hands before it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from scoring.errors import Mistake
from scoring.hand import Hand, Seat, TopUp
from scoring.round_state import Round
from scoring.ruleset import Leaving

COMPLETE: Final = "round-complete"

OVERRULED: Final = frozenset(
    {
        COMPLETE,
        "button-wrong",
        "player-missing",
        "player-busted",
        "fantasyland-not-earned",
        "fantasyland-owed",
        "fantasyland-count",
        "fantasyland-cards",
        "top-up-not-allowed",
        "top-up-in-sequence",
        "departure-in-sequence",
    }
)
"""
The mistakes of a hand that can be accepted as played.

Never among them: who sits in the round, who has left it, and what one deck holds.

Rule: docs/rules.md#hands-accepted-as-played
"""


def find_top_up_mistakes(round_: Round, hand: Hand) -> Iterator[Mistake]:
    """
    List the invalid top-ups of a hand.

    Rule: docs/rules.md#leaving-and-top-ups
    """
    if hand.top_ups:
        yield from check_top_ups(round_, hand.top_ups)


def check_top_ups(round_: Round, top_ups: Sequence[TopUp]) -> Iterator[Mistake]:
    """
    List the invalid top-ups before the next hand.

    Rule: docs/rules.md#leaving-and-top-ups
    """
    if round_.ruleset.leaving is Leaving.BETWEEN_ROUNDS:
        detail = f"{round_.ruleset} lets points be added between rounds only; expected no top-ups"
        yield Mistake("top-up-not-allowed", ("top_ups",), detail)
    elif round_.in_sequence:
        detail = (
            "the next hand is a Fantasyland hand of the hand before; points can be added once the sequence has ended"
        )
        yield Mistake("top-up-in-sequence", ("top_ups",), detail)
    topped: set[Seat] = set()
    for index, top_up in enumerate(top_ups):
        path = ("top_ups", index)
        wrong_seat = list(check_top_up_seat(round_, index, top_up.seat))
        yield from wrong_seat
        if not wrong_seat and top_up.seat in topped:
            yield Mistake("top-up-twice", (*path, "seat"), f"seat {top_up.seat} adds points twice; give their sum once")
        if top_up.points < 1:
            yield Mistake("top-up-points", (*path, "points"), f"{top_up.points} points are added; expected 1 or more")
        topped.add(top_up.seat)


def check_top_up_seat(round_: Round, index: int, seat: Seat) -> Iterator[Mistake]:
    """Yield a mistake where a top-up is for a seat that cannot add points."""
    path = ("top_ups", index, "seat")
    if seat not in round_.seat_numbers:
        yield unknown_seat(round_, seat, *path)
    elif seat in round_.left:
        yield Mistake("top-up-after-departure", path, f"seat {seat} has left; only players who have not can add points")


def find_following_mistakes(round_: Round, hand: Hand) -> Iterator[Mistake]:
    """
    List the mistakes by which a hand does not follow, with the expected values.

    Args:
        round_: the round with the hand's top-ups counted.
        hand: the hand that claims to be next.

    Rule: docs/rules.md#the-round
    """
    yield from find_number_mistakes(round_, hand.number)
    yield from find_button_mistakes(round_, hand.button)
    expected = round_.players_next
    yield from find_seat_mistakes(round_, [player.seat for player in hand.players], expected)
    yield from find_missing_players(hand.by_seat, expected)
    for index, player in enumerate(hand.players):
        if player.seat in expected:
            yield from find_fantasyland_mistakes(round_, index, player.seat, player.fantasyland)


def find_number_mistakes(round_: Round, number: int) -> Iterator[Mistake]:
    """Yield a mistake where a hand's number is not the next."""
    if number != round_.hands + 1:
        yield Mistake("hand-number", ("number",), f"hand {number} is given; expected hand {round_.hands + 1}")


def find_button_mistakes(round_: Round, button: Seat) -> Iterator[Mistake]:
    """Yield a mistake where the button is not where it must be in the next hand."""
    if button not in round_.seat_numbers:
        yield unknown_seat(round_, button, "button")
        return
    right = round_.button_next
    if right is not None and button != right:
        why = "it stays while Fantasyland is owed" if round_.in_sequence else "it moves to the next seat still playing"
        detail = f"the button is in seat {button}; expected seat {right}: {why}"
        yield Mistake("button-wrong", ("button",), detail)


def find_seat_mistakes(round_: Round, seats: Iterable[Seat | None], expected: Collection[Seat]) -> Iterator[Mistake]:
    """
    List the players of a hand who do not play it, or play it twice.

    Args:
        round_: before the hand.
        seats: of the players in the order of the hand; None where a seat is not known.
        expected: who plays the hand.
    """
    seated: set[Seat] = set()
    for index, seat in enumerate(seats):
        if seat is None:
            continue
        path = ("players", index, "seat")
        if seat in seated:
            yield Mistake("seat-twice", path, f"seat {seat} plays twice; expected one board per seat")
        elif seat not in round_.seat_numbers:
            yield unknown_seat(round_, seat, *path)
        elif seat not in expected:
            yield Mistake(*_absent(round_, seat, path))
        seated.add(seat)


def find_missing_players(seated: Collection[Seat], expected: Sequence[Seat]) -> Iterator[Mistake]:
    """List who plays the hand and has no board in it."""
    for seat in expected:
        if seat not in seated:
            detail = f"seat {seat} is missing; expected {_seats(expected)}"
            yield Mistake("player-missing", ("players",), detail)


def _absent(round_: Round, seat: Seat, path: tuple[str | int, ...]) -> tuple[str, tuple[str | int, ...], str]:
    expected = _seats(round_.players_next)
    if seat in round_.left:
        return "player-left", path, f"seat {seat} has left the round; expected {expected}"
    return "player-busted", path, f"seat {seat} is busted; expected {expected}"


def find_fantasyland_mistakes(round_: Round, index: int, seat: Seat, fantasyland: int) -> Iterator[Mistake]:
    """Yield a mistake where somebody who plays the next hand is not dealt the Fantasyland that they are owed."""
    owed = round_.owed.get(seat)
    right = owed.cards if owed else 0
    if fantasyland == right:
        return
    path = ("players", index, "fantasyland")
    if not right:
        detail = f"seat {seat} is in Fantasyland and has not earned it in the hand before; expected 0"
        yield Mistake("fantasyland-not-earned", path, detail)
    elif not fantasyland:
        detail = f"seat {seat} has no Fantasyland; expected {right} cards, as earned in the hand before"
        yield Mistake("fantasyland-owed", path, detail)
    else:
        detail = (
            f"seat {seat} was dealt {fantasyland} cards in Fantasyland; expected {right}, as earned in the hand before"
        )
        yield Mistake("fantasyland-count", path, detail)


def unknown_seat(round_: Round, seat: Seat, *path: str | int) -> Mistake:
    """Return the mistake of a seat that is not in the round."""
    detail = f"seat {seat} is not in the round; its seats are {', '.join(map(str, round_.seat_numbers))}"
    return Mistake("seat-unknown", path, detail)


def _seats(seats: Sequence[Seat]) -> str:
    return f"seats {', '.join(map(str, seats))}"

"""Whether a hand can follow the hands before it."""

from collections.abc import Iterator

from scoring.errors import Mistake
from scoring.hand import Hand, Seat
from scoring.round_state import Round
from scoring.ruleset import Leaving


def find_top_up_mistakes(round_: Round, hand: Hand) -> Iterator[Mistake]:
    """
    List the top-ups of a hand that cannot be.

    Rule: docs/rules.md#leaving-and-top-ups
    """
    if not hand.top_ups:
        return
    if round_.ruleset.leaving is Leaving.BETWEEN_ROUNDS:
        detail = f"{round_.ruleset} lets points be added between rounds only; no top-ups are right"
        yield Mistake("top-up-not-allowed", ("top_ups",), detail)
    elif round_.in_sequence:
        detail = (
            "the next hand is a Fantasyland hand of the hand before; points can be added once the sequence has ended"
        )
        yield Mistake("top-up-in-sequence", ("top_ups",), detail)
    topped: set[Seat] = set()
    for index, top_up in enumerate(hand.top_ups):
        path = ("top_ups", index)
        if top_up.seat not in round_.seat_numbers:
            yield _unknown_seat(round_, top_up.seat, *path, "seat")
        elif top_up.seat in round_.gone:
            detail = f"seat {top_up.seat} has left; only players who have not can add points"
            yield Mistake("top-up-gone", (*path, "seat"), detail)
        elif top_up.seat in topped:
            yield Mistake("top-up-twice", (*path, "seat"), f"seat {top_up.seat} adds points twice; give their sum once")
        if top_up.points < 1:
            yield Mistake("top-up-points", (*path, "points"), f"{top_up.points} points are added; 1 or more are right")
        topped.add(top_up.seat)


def find_following_mistakes(round_: Round, hand: Hand) -> Iterator[Mistake]:
    """
    List everything by which a hand does not follow, with what was expected.

    Args:
        round_: the round with the hand's top-ups counted.
        hand: the hand that claims to be next.

    Rule: docs/rules.md#the-round
    """
    if hand.number != round_.hands + 1:
        yield Mistake("hand-number", ("number",), f"hand {hand.number} is given; hand {round_.hands + 1} comes next")
    yield from _button(round_, hand)
    expected = round_.players_next
    yield from _players(round_, hand, expected)
    yield from _fantasyland(round_, hand, expected)


def _button(round_: Round, hand: Hand) -> Iterator[Mistake]:
    if hand.button not in round_.seat_numbers:
        yield _unknown_seat(round_, hand.button, "button")
        return
    right = round_.button_next
    if right is not None and hand.button != right:
        why = "it stays while Fantasyland is owed" if round_.in_sequence else "it moves to the next seat still playing"
        detail = f"the button is in seat {hand.button}; seat {right} is right: {why}"
        yield Mistake("button-wrong", ("button",), detail)


def _players(round_: Round, hand: Hand, expected: tuple[Seat, ...]) -> Iterator[Mistake]:
    seated: set[Seat] = set()
    for index, player in enumerate(hand.players):
        path = ("players", index, "seat")
        if player.seat in seated:
            yield Mistake("seat-twice", path, f"seat {player.seat} plays twice; one board a seat is right")
        elif player.seat not in round_.seat_numbers:
            yield _unknown_seat(round_, player.seat, *path)
        elif player.seat not in expected:
            yield Mistake(*_absent(round_, player.seat, path))
        seated.add(player.seat)
    for seat in expected:
        if seat not in seated:
            detail = f"seat {seat} is missing; {_seats(expected)} play this hand"
            yield Mistake("player-missing", ("players",), detail)


def _absent(round_: Round, seat: Seat, path: tuple[str | int, ...]) -> tuple[str, tuple[str | int, ...], str]:
    expected = _seats(round_.players_next)
    if seat in round_.gone:
        return "player-gone", path, f"seat {seat} has left the round; {expected} play this hand"
    return "player-out", path, f"seat {seat} has no points left and is out; {expected} play this hand"


def _fantasyland(round_: Round, hand: Hand, expected: tuple[Seat, ...]) -> Iterator[Mistake]:
    for index, player in enumerate(hand.players):
        if player.seat not in expected:
            continue
        owed = round_.owed.get(player.seat)
        right = owed.cards if owed else 0
        if player.fantasyland == right:
            continue
        path = ("players", index, "fantasyland")
        if not right:
            detail = f"seat {player.seat} is in Fantasyland and has not earned it in the hand before; 0 is right"
            yield Mistake("fantasyland-not-earned", path, detail)
        elif not player.fantasyland:
            detail = f"seat {player.seat} is owed Fantasyland of {right} cards from the hand before and has none"
            yield Mistake("fantasyland-owed", path, detail)
        else:
            detail = f"seat {player.seat} was dealt {player.fantasyland} cards in Fantasyland; he earned {right}"
            yield Mistake("fantasyland-count", path, detail)


def _unknown_seat(round_: Round, seat: Seat, *path: str | int) -> Mistake:
    detail = f"seat {seat} is not in the round; its seats are {', '.join(map(str, round_.seat_numbers))}"
    return Mistake("seat-unknown", path, detail)


def _seats(seats: tuple[Seat, ...]) -> str:
    return f"seats {', '.join(map(str, seats))}"

"""Where a round stands, as the record that its next hand locks keeps it."""

from collections.abc import Iterable, Mapping
from typing import Any

from scoring.fantasyland import Fantasyland
from scoring.hand import Seat
from scoring.round_state import Round, RoundSeat, RoundStatus
from scoring.ruleset import Points, Ruleset


def dump_round(round_: Round) -> dict[str, Any]:
    """
    Say what a round's head record holds of it: everything but its ruleset.

    Lists follow the round's seats, which rise.
    """
    seats = round_.seat_numbers
    return {
        "status": round_.status.value,
        "hands": round_.hands,
        "seats": list(seats),
        "players": [seat.player for seat in round_.seats],
        "opening_stacks": [seat.opening_stack for seat in round_.seats],
        "top_ups": in_order(seats, round_.top_ups),
        "stacks": in_order(seats, round_.stacks),
        "state": dump_state(round_),
    }


def dump_state(round_: Round) -> dict[str, Any]:
    """Say what the next hand has to know beside points."""
    return {
        "scope_stacks": in_order(round_.seat_numbers, round_.opening_stacks),
        "button": round_.button,
        "had_button": sorted(round_.had_button),
        "gone": sorted(round_.gone),
        "out": sorted(round_.out),
        "sequence": sorted(round_.sequence),
        "owed": [[seat, owed.cards, owed.stays] for seat, owed in sorted(round_.owed.items())],
        "totals": [[*pair, points] for pair, points in sorted(round_.totals.items())],
    }


def load_round(head: Mapping[str, Any], ruleset: Ruleset) -> Round:
    """
    Make a round again from its head record.

    >>> from scoring.presets import PRESETS
    >>> from scoring.round import open_round
    >>> round_ = open_round(PRESETS["turbo"], [RoundSeat(1, "ann", 200), RoundSeat(4, "bob", 150)])
    >>> load_round(dump_round(round_), round_.ruleset) == round_
    True
    """
    seats, state = head["seats"], head["state"]
    return Round(
        ruleset=ruleset,
        seats=tuple(map(RoundSeat, seats, head["players"], head["opening_stacks"])),
        stacks=dict(zip(seats, head["stacks"], strict=True)),
        opening_stacks=dict(zip(seats, state["scope_stacks"], strict=True)),
        top_ups=dict(zip(seats, head["top_ups"], strict=True)),
        status=RoundStatus(head["status"]),
        hands=head["hands"],
        button=state["button"],
        had_button=frozenset(state["had_button"]),
        gone=frozenset(state["gone"]),
        out=frozenset(state["out"]),
        sequence=frozenset(state["sequence"]),
        owed={seat: Fantasyland(cards, stays) for seat, cards, stays in state["owed"]},
        totals={(low, high): points for low, high, points in state["totals"]},
    )


def in_order(seats: Iterable[Seat], points: Mapping[Seat, Points]) -> list[Points]:
    """
    Put points in the order of seats.

    >>> in_order((1, 4), {4: 150, 1: 200})
    [200, 150]
    """
    return [points[seat] for seat in seats]

"""Points and money are counted exactly, also by readers of JSON that know no larger numbers than 2⁵³."""

from collections.abc import Iterator

from schemas.fields import MOST_INTEGER
from scoring.errors import Mistake, RoundError
from scoring.history import History, Step, replay_steps
from scoring.round import PlayedHand
from scoring.round_state import Round


def are_exact(round_: Round, point_value: int | None) -> bool:
    """Say whether no more points are in a round than can be counted exactly, as points and as money."""
    return sum(round_.stacks.values()) <= MOST_INTEGER // max(point_value or 0, 1)


def refuse_inexact(round_: Round, point_value: int | None, *path: str | int) -> None:
    """
    Refuse more points in a round than can be counted exactly, as points and as money.

    All points of the round together bound everything that is ever answered of it: stacks, nets and money.

    Raises:
        RoundError: at `path`, which brought them.
    """
    if not are_exact(round_, point_value):
        total, worth = sum(round_.stacks.values()), max(point_value or 0, 1)
        most = MOST_INTEGER // worth
        detail = f"{total} points would be in the round; at {worth} a point, {most} at most are counted exactly"
        raise RoundError([Mistake("points-beyond-count", path, detail)])


def replay_exactly(opened: Round, history: History, point_value: int | None) -> Iterator[Step]:
    """
    Play a round's steps in the order in which they happened, and refuse the one that brings too many points.

    Raises:
        ScoringError: a step cannot be, with its place in the document.
    """
    for step in replay_steps(opened, history):
        if isinstance(step, PlayedHand) and step.hand.top_ups:
            refuse_inexact(step.round, point_value, "hands", step.hand.number - 1, "top_ups")
        yield step

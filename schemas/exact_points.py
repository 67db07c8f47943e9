"""Check that points and their value in money are within the range of exact integers."""

from schemas.fields import MOST_INTEGER
from scoring.errors import Mistake, RoundError
from scoring.round_state import Round


def are_exact(round_: Round, point_value: int | None) -> bool:
    """Return whether the points of a round, and their value in money, are within the range of exact integers."""
    return sum(round_.stacks.values()) <= MOST_INTEGER // max(point_value or 0, 1)


def refuse_inexact(round_: Round, point_value: int | None, *path: str | int) -> None:
    """
    Check that the points of a round, and their value in money, are within the range of exact integers.

    The sum of all stacks bounds every figure of the round: stacks, nets and money.

    Raises:
        RoundError: there are too many points; the mistake has the path `path`.
    """
    if not are_exact(round_, point_value):
        total, worth = sum(round_.stacks.values()), max(point_value or 0, 1)
        most = MOST_INTEGER // worth
        detail = f"the round would have {total} points; expected at most {most} at a point value of {worth}"
        raise RoundError([Mistake("points-overflow", path, detail)])

"""Find fouls: boards whose rows are out of order."""

from enum import StrEnum

from scoring.board import ByRow
from scoring.strength import Strength, is_low


class FoulReason(StrEnum):
    """Why a board is foul."""

    TOP_BEATS_MIDDLE = "top_beats_middle"
    MIDDLE_BEATS_BOTTOM = "middle_beats_bottom"
    MIDDLE_DOES_NOT_QUALIFY = "middle_does_not_qualify"
    TOP_BEATS_BOTTOM = "top_beats_bottom"


def find_foul(strengths: ByRow[Strength], low_middle: bool) -> FoulReason | None:
    """
    Return why a board is foul, or None if it is good.

    Equal rows are allowed. A deuce-to-seven middle must qualify, and then the top is compared with the bottom.

    >>> from scoring.board import Board
    >>> find_foul(Board.of("QsQdAc", "QhQcKd9h2s", "AhJh7h6h2h").strengths, low_middle=False).value
    'top_beats_middle'
    >>> find_foul(Board.of("QsQdAc", "QhQcAd3h2s", "AhJh7h6h2h").strengths, low_middle=False) is None
    True

    Rule: docs/rules.md#foul
    """
    top, middle, bottom = strengths.top, strengths.middle, strengths.bottom
    if low_middle:
        if not is_low(middle):
            return FoulReason.MIDDLE_DOES_NOT_QUALIFY
        return FoulReason.TOP_BEATS_BOTTOM if top > bottom else None
    if top > middle:
        return FoulReason.TOP_BEATS_MIDDLE
    return FoulReason.MIDDLE_BEATS_BOTTOM if middle > bottom else None

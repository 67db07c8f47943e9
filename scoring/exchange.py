"""Points between two players."""

from dataclasses import dataclass
from typing import Final

from scoring.board import Board, ByRow
from scoring.fantasyland import Fantasyland, earn_fantasyland
from scoring.foul import FoulReason, find_foul
from scoring.hand import Seat
from scoring.royalty import NO_ROYALTIES, find_royalties
from scoring.ruleset import Points, Ruleset
from scoring.strength import Strength, strength_in_low_middle

NOT_COMPARED: Final = ByRow(0, 0, 0)


@dataclass(frozen=True, slots=True)
class ScoredBoard:
    """The score of a single board: a foul earns no royalties and no Fantasyland."""

    seat: Seat
    strengths: ByRow[Strength]
    foul: FoulReason | None
    royalties: ByRow[Points]
    royalty_points: Points
    earned: Fantasyland | None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The parts of an exchange, as points for the first seat; `rows` are 1 won, -1 lost, 0 tied."""

    rows: ByRow[int]
    row_points: Points
    bonus: Points
    foul: Points
    royalties: Points

    @property
    def scoop(self) -> int:
        """
        Who wins all three rows: 1 the first seat, -1 the second, 0 neither.

        Rule: docs/rules.md#points-between-two-players
        """
        won = sum(self.rows)
        return won // 3 if abs(won) == 3 else 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """Points between two players, before any cap; positive ones go to the first."""

    first: Seat
    second: Seat
    points: Points
    breakdown: Breakdown | None = None


def score_board(seat: Seat, board: Board, played: Fantasyland | None, ruleset: Ruleset) -> ScoredBoard:
    """
    Score a board: whether it is foul, and its royalties and Fantasyland.

    >>> from scoring.presets import PRESETS
    >>> queens = Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h")
    >>> scored = score_board(1, queens, None, PRESETS["pineapple"])
    >>> scored.royalty_points, scored.earned
    (11, Fantasyland(cards=14, stays=0))

    Rule: docs/rules.md#foul
    """
    strengths = board.strengths
    if ruleset.low_middle:
        strengths = ByRow(strengths.top, strength_in_low_middle(strengths.middle), strengths.bottom)
    foul = find_foul(strengths, ruleset.low_middle)
    if foul is not None:
        return ScoredBoard(seat, strengths, foul, NO_ROYALTIES, 0, None)
    royalties = find_royalties(strengths, ruleset)
    total = royalties.top + royalties.middle + royalties.bottom
    return ScoredBoard(seat, strengths, None, royalties, total, earn_fantasyland(strengths, played, ruleset))


def exchange_points(first: ScoredBoard, second: ScoredBoard, ruleset: Ruleset) -> Exchange:
    """
    Compare two players' boards row by row and offset their royalties.

    Rule: docs/rules.md#points-between-two-players
    """
    royalties = first.royalty_points - second.royalty_points
    if first.foul is not None or second.foul is not None:
        fouls = (second.foul is not None) - (first.foul is not None)
        foul = fouls * ruleset.points.foul_penalty
        return Exchange(first.seat, second.seat, foul + royalties, Breakdown(NOT_COMPARED, 0, 0, foul, royalties))
    rows = compare_rows(first.strengths, second.strengths, ruleset.low_middle)
    top, middle, bottom = rows.top, rows.middle, rows.bottom
    row_points = (top + middle + bottom) * ruleset.points.row
    bonus = _bonus(top, middle, bottom, ruleset)
    return Exchange(
        first.seat, second.seat, row_points + bonus + royalties, Breakdown(rows, row_points, bonus, 0, royalties)
    )


def compare_rows(first: ByRow[Strength], second: ByRow[Strength], low_middle: bool) -> ByRow[int]:
    """
    Return who wins each row: 1 the first, -1 the second, 0 neither. In a low middle the lower row wins.

    Rule: docs/rules.md#points-between-two-players
    """
    middle = (first.middle > second.middle) - (first.middle < second.middle)
    return ByRow(
        (first.top > second.top) - (first.top < second.top),
        -middle if low_middle else middle,
        (first.bottom > second.bottom) - (first.bottom < second.bottom),
    )


def _bonus(top: int, middle: int, bottom: int, ruleset: Ruleset) -> Points:
    rows = (top, middle, bottom)
    won, lost = rows.count(1), rows.count(-1)
    if won < 2 and lost < 2:
        return 0
    bonus = ruleset.points.majority_bonus + (ruleset.points.scoop_bonus if 3 in (won, lost) else 0)
    return bonus if won > lost else -bonus

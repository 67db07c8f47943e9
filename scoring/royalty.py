"""Royalties: points for strong rows, whoever wins them."""

from typing import Final

from scoring.board import ByRow
from scoring.cards import RANKS
from scoring.ruleset import Points, Ruleset
from scoring.strength import Category, Strength, is_low

BEST_LOW: Final = (7, 5, 4, 3, 2)
NO_ROYALTIES: Final = ByRow(0, 0, 0)

_LOW_LABELS: Final = {10: "ten_low", 9: "nine_low", 8: "eight_low", 7: "seven_low"}
_TOP_COPIES: Final = {Category.PAIR: 2, Category.THREE_OF_A_KIND: 3}


def made_on_top(strength: Strength) -> str | None:
    """
    Return the name of the pair or three of a kind on top in the royalty table.

    >>> made_on_top(Strength(Category.PAIR, (12, 12, 4))), made_on_top(Strength(Category.THREE_OF_A_KIND, (2, 2, 2)))
    ('QQ', '222')
    """
    copies = _TOP_COPIES.get(strength.category)
    return None if copies is None else RANKS[strength.ranks[0] - 2] * copies


def made_low(strength: Strength) -> str | None:
    """
    Return the name of the deuce-to-seven low in the middle in the royalty table.

    >>> made_low(Strength(Category.HIGH_CARD, (8, 6, 4, 3, 2))), made_low(Strength(Category.HIGH_CARD, (7, 5, 4, 3, 2)))
    ('eight_low', '75432')

    Rule: docs/rules.md#deuce-to-seven-low
    """
    if not is_low(strength):
        return None
    return "75432" if strength.ranks == BEST_LOW else _LOW_LABELS[strength.ranks[0]]


def find_made(strengths: ByRow[Strength], ruleset: Ruleset) -> ByRow[str | None]:
    """
    Return the name of each row in the royalty tables; None if they have no name for it.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> find_made(Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h").strengths, PRESETS["pineapple"])
    ByRow(top='QQ', middle='pair', bottom='flush')

    Rule: docs/rules.md#royalties
    """
    middle = strengths.middle
    return ByRow(
        made_on_top(strengths.top),
        made_low(middle) if ruleset.low_middle else middle.category.label,
        strengths.bottom.category.label,
    )


def find_royalties(strengths: ByRow[Strength], ruleset: Ruleset) -> ByRow[Points]:
    """
    Return the royalty of each row of a good board.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> find_royalties(Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h").strengths, PRESETS["pineapple"])
    ByRow(top=7, middle=0, bottom=4)

    Rule: docs/rules.md#royalties
    """
    tables, names = ruleset.royalties, find_made(strengths, ruleset)
    return ByRow(
        tables.top.get(names.top or "", 0),
        tables.middle.get(names.middle or "", 0),
        tables.bottom.get(names.bottom or "", 0),
    )

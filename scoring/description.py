"""Rows in words."""

from functools import cache
from typing import Final

from scoring.royalty import made_low
from scoring.strength import Category, Strength

SINGULAR: Final = (
    "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # as a table  # fmt: skip

_MADE_OF: Final = {
    Category.HIGH_CARD: 1,
    Category.PAIR: 2,
    Category.TWO_PAIR: 4,
    Category.THREE_OF_A_KIND: 3,
    Category.FOUR_OF_A_KIND: 4,
}
"""The number of cards that make these categories; the others are kickers. All other categories use the whole row."""


def name_rank(rank: int) -> str:
    """
    Return the name of a rank; 1 and 14 are the ace.

    >>> name_rank(14), name_rank(1), name_rank(2)
    ('ace', 'ace', 'deuce')
    """
    return SINGULAR[(rank - 2) % 13]


def name_ranks(rank: int) -> str:
    """
    Return the plural name of a rank.

    >>> name_ranks(6), name_ranks(12)
    ('sixes', 'queens')
    """
    name = name_rank(rank)
    return name + ("es" if name == "six" else "s")


@cache
def describe(strength: Strength, *, as_low: bool = False) -> str:
    """
    Describe a row.

    >>> describe(Strength(Category.PAIR, (12, 12, 4)))
    'pair of queens, four kicker'
    >>> describe(Strength(Category.FULL_HOUSE, (6, 6, 6, 2, 2)))
    'full house, sixes over deuces'
    >>> describe(Strength(Category.HIGH_CARD, (8, 6, 4, 3, 2)), as_low=True)
    'eight-six-four-three-deuce low'
    """
    if as_low and made_low(strength):
        return "-".join(map(name_rank, strength.ranks)) + " low"
    return _in_words(strength)


def describe_made(strength: Strength, *, as_low: bool = False) -> str:
    """
    Describe a row without its kickers.

    >>> describe_made(Strength(Category.PAIR, (12, 12, 4))), describe_made(Strength(Category.HIGH_CARD, (14, 8, 2)))
    ('pair of queens', 'ace high')
    """
    if as_low and made_low(strength):
        return describe(strength, as_low=True)
    category, ranks = strength
    match category:
        case Category.PAIR:
            return f"pair of {name_ranks(ranks[0])}"
        case Category.TWO_PAIR:
            return f"two pair, {name_ranks(ranks[0])} and {name_ranks(ranks[2])}"
        case Category.THREE_OF_A_KIND:
            return f"three {name_ranks(ranks[0])}"
        case Category.STRAIGHT | Category.STRAIGHT_FLUSH:
            return f"{category.label.replace('_', ' ')}, {name_rank(ranks[0])} high"
        case Category.FULL_HOUSE:
            return f"full house, {name_ranks(ranks[0])} over {name_ranks(ranks[3])}"
        case Category.FOUR_OF_A_KIND:
            return f"four {name_ranks(ranks[0])}"
        case Category.FLUSH | Category.ROYAL_FLUSH:
            return category.label.replace("_", " ")
        case _:
            return f"{name_rank(ranks[0])} high"


def _in_words(strength: Strength) -> str:
    category, ranks = strength
    label = describe_made(strength)
    if category is Category.FLUSH:
        return f"{label}, {'-'.join(map(name_rank, ranks))}"
    kickers = ranks[_MADE_OF.get(category, len(ranks)) :]
    return f"{label}, {_kickers(kickers)}" if kickers else label


def _kickers(ranks: tuple[int, ...]) -> str:
    return f"{'-'.join(map(name_rank, ranks))} kicker{'s' if len(ranks) > 1 else ''}"

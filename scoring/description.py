"""Rows in words."""

from typing import Final

from scoring.royalty import made_low
from scoring.strength import Category, Strength

SINGULAR: Final = (
    "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip


def name_rank(rank: int) -> str:
    """
    Name one card's rank; the ace may count one.

    >>> name_rank(14), name_rank(1), name_rank(2)
    ('ace', 'ace', 'deuce')
    """
    return SINGULAR[(rank - 2) % 13]


def name_ranks(rank: int) -> str:
    """
    Name several cards of one rank.

    >>> name_ranks(6), name_ranks(12)
    ('sixes', 'queens')
    """
    name = name_rank(rank)
    return name + ("es" if name == "six" else "s")


def describe(strength: Strength, *, as_low: bool = False) -> str:
    """
    Say what a row is.

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


def _in_words(strength: Strength) -> str:
    category, ranks = strength
    match category:
        case Category.PAIR:
            return f"pair of {name_ranks(ranks[0])}, {_kickers(ranks[2:])}"
        case Category.TWO_PAIR:
            return f"two pair, {name_ranks(ranks[0])} and {name_ranks(ranks[2])}, {_kickers(ranks[4:])}"
        case Category.THREE_OF_A_KIND:
            trips = f"three {name_ranks(ranks[0])}"
            return f"{trips}, {_kickers(ranks[3:])}" if len(ranks) > 3 else trips
        case Category.STRAIGHT | Category.STRAIGHT_FLUSH:
            return f"{category.label.replace('_', ' ')}, {name_rank(ranks[0])} high"
        case Category.FLUSH:
            return f"flush, {'-'.join(map(name_rank, ranks))}"
        case Category.FULL_HOUSE:
            return f"full house, {name_ranks(ranks[0])} over {name_ranks(ranks[3])}"
        case Category.FOUR_OF_A_KIND:
            return f"four {name_ranks(ranks[0])}, {_kickers(ranks[4:])}"
        case Category.ROYAL_FLUSH:
            return "royal flush"
        case _:
            return f"{name_rank(ranks[0])} high, {_kickers(ranks[1:])}"


def _kickers(ranks: tuple[int, ...]) -> str:
    return f"{'-'.join(map(name_rank, ranks))} kicker{'s' if len(ranks) > 1 else ''}"

"""Rows in words."""

from functools import cache
from typing import Final

from scoring.phrase import Phrase, join_phrases
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
        return Phrase("%(ranks)s low", ranks=_list_ranks(strength.ranks))
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
            return Phrase("pair of %(ranks)s", ranks=_ranks("pair of", ranks[0]))
        case Category.TWO_PAIR:
            high, low = _ranks("two pair", ranks[0]), _ranks("two pair", ranks[2])
            return Phrase("two pair, %(high)s and %(low)s", high=high, low=low)
        case Category.THREE_OF_A_KIND:
            return Phrase("three %(ranks)s", ranks=_ranks("three of", ranks[0]))
        case Category.STRAIGHT:
            return Phrase("straight, %(rank)s high", rank=phrase_rank(ranks[0], "straight"))
        case Category.STRAIGHT_FLUSH:
            return Phrase("straight flush, %(rank)s high", rank=phrase_rank(ranks[0], "straight"))
        case Category.FULL_HOUSE:
            three, two = _ranks("two pair", ranks[0]), _ranks("two pair", ranks[3])
            return Phrase("full house, %(three)s over %(two)s", three=three, two=two)
        case Category.FOUR_OF_A_KIND:
            return Phrase("four %(ranks)s", ranks=_ranks("three of", ranks[0]))
        case Category.FLUSH:
            return Phrase("flush")
        case Category.ROYAL_FLUSH:
            return Phrase("royal flush")
        case _:
            return Phrase("%(rank)s high", rank=phrase_rank(ranks[0]))


def _in_words(strength: Strength) -> str:
    category, ranks = strength
    label = describe_made(strength)
    if category is Category.FLUSH:
        return Phrase("flush, %(ranks)s", ranks=_list_ranks(ranks))
    kickers = ranks[_MADE_OF.get(category, len(ranks)) :]
    if not kickers:
        return label
    return Phrase.with_number(
        "%(hand)s, %(ranks)s kicker",
        "%(hand)s, %(ranks)s kickers",
        len(kickers),
        hand=label,
        ranks=_list_ranks(kickers),
    )


def phrase_rank(rank: int, context: str = "rank") -> Phrase:
    """
    Return the name of a rank for translations, in which it depends on the phrase that it is in.

    >>> phrase_rank(12), phrase_rank(12, "straight").context
    ('queen', 'straight')
    """
    return Phrase.in_context(context, name_rank(rank))


def _ranks(context: str, rank: int) -> Phrase:
    return Phrase.in_context(context, name_ranks(rank))


def _list_ranks(ranks: tuple[int, ...]) -> Phrase:
    return join_phrases("-", map(phrase_rank, ranks))

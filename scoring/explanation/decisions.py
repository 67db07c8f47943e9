"""Find the cards that decide between two rows."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from scoring.hand import Cards
from scoring.strength import WORST_LOW, Category, strength_of


class DecidedBy(StrEnum):
    """The property that decides between two rows."""

    CATEGORY = "category"
    RANK = "rank"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Decision:
    """The property that decides between two rows, and the deciding cards of each."""

    by: DecidedBy
    first: Cards
    second: Cards


def find_decision(first: Cards, second: Cards) -> Decision:
    """
    Find the cards that decide between two rows: those that make the category or, in the same one, the first rank apart.

    >>> from scoring.cards import parse_cards
    >>> find_decision(parse_cards("QsQd4c"), parse_cards("Ac8d2s"))
    Decision(by=<DecidedBy.CATEGORY: 'category'>, first=(Qs, Qd), second=(Ac,))
    >>> find_decision(parse_cards("KsKd9h8h3c"), parse_cards("KhKc9d8c2c")).first
    (3c,)

    Rule: docs/rules.md#rows
    """
    one, other = strength_of(first), strength_of(second)
    if one.category is not other.category:
        return Decision(DecidedBy.CATEGORY, find_made_cards(first), find_made_cards(second))
    for rank, other_rank in zip(one.ranks, other.ranks, strict=False):
        if rank != other_rank:
            return Decision(DecidedBy.RANK, _of_rank(first, rank), _of_rank(second, other_rank))
    return Decision(DecidedBy.NOTHING, (), ())


def find_made_cards(row: Cards) -> Cards:
    """
    Find the cards that make a row's category; of a row that makes nothing, the highest.

    >>> from scoring.cards import parse_cards
    >>> find_made_cards(parse_cards("KsKd9h8h3c")), find_made_cards(parse_cards("4c9dAs"))
    ((Ks, Kd), (As,))
    """
    strength = strength_of(row)
    if strength.category is Category.HIGH_CARD:
        return _of_rank(row, strength.ranks[0])
    groups = Counter(card.rank for card in row)
    grouped = tuple(card for card in row if groups[card.rank] > 1)
    return grouped or row


def find_disqualifying_cards(row: Cards) -> Cards:
    """
    Find what keeps five cards from being a low: cards above the ten or, where there are none, what they make.

    >>> from scoring.cards import parse_cards
    >>> find_disqualifying_cards(parse_cards("As2d3c4h5s")), find_disqualifying_cards(parse_cards("5s5d4c3h2s"))
    ((As,), (5s, 5d))

    Rule: docs/rules.md#deuce-to-seven-low
    """
    too_high = tuple(card for card in row if card.rank > WORST_LOW)
    is_grouped = len({card.rank for card in row}) < len(row)
    return find_made_cards(row) if is_grouped or not too_high else too_high


def _of_rank(row: Cards, rank: int) -> Cards:
    """Find the cards of one rank; the ace of the lowest straight counts one."""
    return tuple(card for card in row if (card.rank - 1) % 13 == (rank - 1) % 13)

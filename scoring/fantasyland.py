"""Earning Fantasyland: who, and how many cards."""

from dataclasses import dataclass

from scoring.board import ByRow, Row
from scoring.royalty import BEST_LOW, made_on_top
from scoring.ruleset import Ruleset
from scoring.strength import Category, Strength


@dataclass(frozen=True, slots=True)
class Fantasyland:
    """
    Fantasyland owed to a player: the number of cards, and how many times in a row the player has stayed.

    Rule: docs/rules.md#fantasyland
    """

    cards: int
    stays: int = 0


def enters(strengths: ByRow[Strength], ruleset: Ruleset) -> int:
    """
    Return how many Fantasyland cards a good board in an ordinary hand earns; 0 for none.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> kings = Board.of("KsKd4c", "AsAd9h8h3c", "AhJh7h6h2h").strengths
    >>> [enters(kings, PRESETS[name]) for name in ("pineapple", "progressive", "pineapple-aa")]
    [14, 15, 0]

    Rule: docs/rules.md#fantasyland
    """
    by_top = ruleset.entries.get(entry_on_top(strengths.top) or "", 0)
    low = ruleset.fantasyland.enter_low
    if low is not None and is_best_low(strengths.middle):
        return low.both if by_top else low.cards
    return by_top


def entry_on_top(strength: Strength) -> str | None:
    """
    Return the name of the pair or three of a kind on top in the table of entries.

    >>> entry_on_top(Strength(Category.PAIR, (12, 12, 4))), entry_on_top(Strength(Category.THREE_OF_A_KIND, (2, 2, 2)))
    ('QQ', 'trips')
    """
    return "trips" if strength.category is Category.THREE_OF_A_KIND else made_on_top(strength)


def is_best_low(strength: Strength) -> bool:
    """
    Return whether a middle row is 7-5-4-3-2.

    >>> [is_best_low(Strength(category, (7, 5, 4, 3, 2))) for category in (Category.HIGH_CARD, Category.FLUSH)]
    [True, False]
    """
    return strength == (Category.HIGH_CARD, BEST_LOW)


def stays(strengths: ByRow[Strength], ruleset: Ruleset) -> bool:
    """
    Return whether a good board in Fantasyland stays: one row must be as strong as its condition.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> stays(Board.of("QsQd4c", "AsAd9h8h3c", "AhJh7h6h2h").strengths, PRESETS["pineapple"])
    False

    Rule: docs/rules.md#fantasyland
    """
    return bool(find_staying_rows(strengths, ruleset))


def find_staying_rows(strengths: ByRow[Strength], ruleset: Ruleset) -> tuple[Row, ...]:
    """
    Return the rows of a good board in Fantasyland that are as strong as their condition.

    Rule: docs/rules.md#staying-in-fantasyland
    """
    return tuple(
        row
        for row, condition in ruleset.fantasyland.stay.items()
        if condition is not None and strengths[row].category >= condition
    )


def earn_fantasyland(strengths: ByRow[Strength], played: Fantasyland | None, ruleset: Ruleset) -> Fantasyland | None:
    """
    Return the Fantasyland that a good board earns for the next hand.

    Args:
        strengths: the board's rows.
        played: the Fantasyland in which the board was made, or None for an ordinary hand.
        ruleset: the ruleset with the conditions.

    Rule: docs/rules.md#fantasyland
    """
    if played is None:
        cards = enters(strengths, ruleset)
        return Fantasyland(cards) if cards else None
    return renew(played, ruleset) if stays(strengths, ruleset) else None


def renew(played: Fantasyland, ruleset: Ruleset) -> Fantasyland | None:
    """
    Return the next Fantasyland of a board that stays; None if the player may not stay again.

    >>> from scoring.presets import PRESETS
    >>> once = PRESETS["pineapple-1-6-us-classic"]
    >>> renew(Fantasyland(14), once), renew(Fantasyland(14, 1), once)
    (Fantasyland(cards=14, stays=1), None)

    Rule: docs/rules.md#how-often-one-may-stay
    """
    limit = ruleset.fantasyland.stay_limit
    if limit is not None and played.stays >= limit:
        return None
    return Fantasyland(ruleset.fantasyland.stay_cards, played.stays + 1)

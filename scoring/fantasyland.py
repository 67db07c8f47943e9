"""Who earns Fantasyland, and with how many cards."""

from dataclasses import dataclass

from scoring.board import ByRow
from scoring.royalty import BEST_LOW, made_low, made_on_top
from scoring.ruleset import Ruleset
from scoring.strength import Category, Strength


@dataclass(frozen=True, slots=True)
class Fantasyland:
    """
    Fantasyland owed to a player: the cards he is dealt, and how many times in a row he has stayed.

    Rule: docs/rules.md#fantasyland
    """

    cards: int
    stays: int = 0


def enters(strengths: ByRow[Strength], ruleset: Ruleset) -> int:
    """
    Say how many cards a good board from an ordinary hand earns; 0 for none.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> kings = Board.of("KsKd4c", "AsAd9h8h3c", "AhJh7h6h2h").strengths
    >>> [enters(kings, PRESETS[name]) for name in ("pineapple", "progressive", "pineapple-aa")]
    [14, 15, 0]

    Rule: docs/rules.md#fantasyland
    """
    rules = ruleset.fantasyland
    entry = "trips" if strengths.top.category is Category.THREE_OF_A_KIND else made_on_top(strengths.top)
    by_top = ruleset.entries.get(entry, 0) if entry else 0
    if rules.enter_low is not None and made_low(strengths.middle) and strengths.middle.ranks == BEST_LOW:
        return rules.enter_low.both if by_top else rules.enter_low.cards
    return by_top


def stays(strengths: ByRow[Strength], ruleset: Ruleset) -> bool:
    """
    Say whether a good board from Fantasyland renews it: one row as strong as its condition is enough.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> stays(Board.of("QsQd4c", "AsAd9h8h3c", "AhJh7h6h2h").strengths, PRESETS["pineapple"])
    False

    Rule: docs/rules.md#fantasyland
    """
    conditions = ruleset.fantasyland.stay
    return any(
        condition is not None and strength.category >= condition
        for strength, condition in zip(strengths, conditions, strict=True)
    )


def earn_fantasyland(strengths: ByRow[Strength], played: Fantasyland | None, ruleset: Ruleset) -> Fantasyland | None:
    """
    Say what Fantasyland a good board earns for the next hand.

    Args:
        strengths: the board's rows.
        played: the Fantasyland in which the board was made, or None for an ordinary hand.
        ruleset: whose conditions count.

    Rule: docs/rules.md#fantasyland
    """
    if played is None:
        cards = enters(strengths, ruleset)
        return Fantasyland(cards) if cards else None
    return renew(played, ruleset) if stays(strengths, ruleset) else None


def renew(played: Fantasyland, ruleset: Ruleset) -> Fantasyland | None:
    """
    Say what Fantasyland follows where a board stays; None where the player has stayed as often as he may.

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

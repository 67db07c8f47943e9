"""Score a board while it is being set: full rows, fouls that can no longer be avoided, and Fantasyland."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from scoring.board import ByRow, Row
from scoring.cards import DECK, Card
from scoring.fantasyland import Fantasyland, earn_fantasyland
from scoring.foul import FoulReason, find_foul
from scoring.hand import Cards
from scoring.royalty import find_royalties
from scoring.ruleset import Points, Ruleset
from scoring.strength import Category, Strength, strength_in_low_middle, strength_of

_MOST_OPEN: Final = 2
"""A row with more open places than these is taken as able to become any row."""
_LOWEST: Final = Strength(Category.HIGH_CARD, (7, 5, 4, 3, 2))
_WEAKEST: Final = ByRow(Strength(Category.HIGH_CARD, (4, 3, 2)), _LOWEST, _LOWEST)
_STRONGEST: Final = Strength(Category.ROYAL_FLUSH, (14, 13, 12, 11, 10))
_NOTHING: Final = Strength(Category.HIGH_CARD, (14, 13, 12, 11, 9))
"""Stands for a row that is not full; it has no royalty and enters no Fantasyland."""


@dataclass(frozen=True, slots=True)
class UnfinishedBoard:
    """
    The score of a board so far.

    Attributes:
        strengths: of the full rows.
        is_foul: whether the board is foul, however its open places are filled.
        foul: why, if only one reason is possible.
        royalties: of the full rows.
        fantasyland: the Fantasyland that the full rows earn, which is void if the board becomes foul.
    """

    strengths: Mapping[Row, Strength]
    is_foul: bool
    foul: FoulReason | None
    royalties: Mapping[Row, Points]
    fantasyland: Fantasyland | None


def score_unfinished(
    rows: ByRow[Cards], seen: Iterable[Card], played: Fantasyland | None, ruleset: Ruleset
) -> UnfinishedBoard:
    """
    Score a board so far.

    The top beats every middle that the last card can make, so the board is foul before it is full. With
    a pair of aces in the middle, a third ace would beat the top:

    >>> from scoring.cards import parse_cards
    >>> from scoring.presets import PRESETS
    >>> rows = ByRow(parse_cards("QsQdQc"), parse_cards("AsJd9h8h"), ())
    >>> score = score_unfinished(rows, (), None, PRESETS["pineapple"])
    >>> score.is_foul, score.foul.value
    (True, 'top_beats_middle')
    >>> rows = ByRow(parse_cards("QsQdQc"), parse_cards("AsAd9h8h"), ())
    >>> score = score_unfinished(rows, (), None, PRESETS["pineapple"])
    >>> score.is_foul, score.royalties[Row.TOP], score.fantasyland
    (False, 20, Fantasyland(cards=14, stays=0))

    Args:
        rows: the cards of each row so far.
        seen: cards that are on the table elsewhere, and so cannot fill an open place.
        played: the Fantasyland in which the board is set, or None for an ordinary hand.
        ruleset: the rules in force.

    Rule: docs/rules.md#foul
    """
    full = {row: strength_of(cards) for row, cards in rows.items() if len(cards) == row.size}
    if ruleset.low_middle and Row.MIDDLE in full:
        full[Row.MIDDLE] = strength_in_low_middle(full[Row.MIDDLE])
    gone = {*seen, *rows.top, *rows.middle, *rows.bottom}
    is_foul, foul = _find_foul(rows, [card for card in DECK if card not in gone], ruleset.low_middle)
    if is_foul:
        return UnfinishedBoard(full, True, foul, dict.fromkeys(full, 0), None)
    strengths = ByRow(*(full.get(row, _NOTHING) for row in Row))
    royalties = find_royalties(strengths, ruleset)
    earned = earn_fantasyland(strengths, played, ruleset) if full else None
    return UnfinishedBoard(full, False, None, {row: royalties[row] for row in full}, earned)


def _find_foul(rows: ByRow[Cards], unseen: Sequence[Card], low_middle: bool) -> tuple[bool, FoulReason | None]:
    """
    Return whether a board is foul in any case, and why.

    Each row is taken alone: as weak, or as strong, as the unseen cards can make it.
    """
    bounds = ByRow(*(_find_bounds(row, cards, unseen) for row, cards in rows.items()))
    (weak_top, _), (weak_middle, strong_middle), (_, strong_bottom) = bounds
    if low_middle:
        reason = find_foul(ByRow(weak_top, weak_middle, strong_bottom), low_middle)
        return reason is not None, reason
    reason = find_foul(ByRow(weak_top, strong_middle, _STRONGEST), low_middle) or find_foul(
        ByRow(_WEAKEST.top, weak_middle, strong_bottom), low_middle
    )
    # No middle fits between a top and a bottom that are out of order.
    return reason is not None or weak_top > strong_bottom, reason


def _find_bounds(row: Row, cards: Cards, unseen: Sequence[Card]) -> tuple[Strength, Strength]:
    """Return the weakest and the strongest row that the open places allow."""
    missing = row.size - len(cards)
    if missing > _MOST_OPEN:
        return _WEAKEST[row], _STRONGEST
    possible = [strength_of((*cards, *more)) for more in combinations(_candidates(cards, unseen, missing), missing)]
    return min(possible, default=_WEAKEST[row]), max(possible, default=_STRONGEST)


def _candidates(cards: Cards, unseen: Sequence[Card], missing: int) -> Iterator[Card]:
    """Yield the unseen cards that can make a difference: of each rank as many as fit in, and every card of a flush."""
    suit = cards[0].suit if cards else ""
    counts: dict[int, int] = {}
    for card in unseen:
        counts[card.rank] = counts.get(card.rank, 0) + (card.suit != suit)
        if card.suit == suit or counts[card.rank] <= missing:
            yield card

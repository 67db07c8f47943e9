"""Explain single boards: fouls, royalties and Fantasyland."""

from collections.abc import Iterator

from scoring.board import ByRow, Row
from scoring.description import describe
from scoring.exchange import ScoredBoard
from scoring.explanation import wording
from scoring.explanation.decisions import (
    DecidedBy,
    Decision,
    find_decision,
    find_disqualifying_cards,
    find_made_cards,
)
from scoring.explanation.reasons import ExplainedBoard, ExplainedFantasyland, ExplainedFoul, Royalty, Rule
from scoring.fantasyland import entry_on_top, find_staying_rows, is_best_low
from scoring.foul import FoulReason
from scoring.hand import Cards, PlayerHand
from scoring.royalty import find_made
from scoring.ruleset import ENTRIES, Points, Ruleset


def explain_board(
    played: PlayerHand, scored: ScoredBoard, points: Points, ruleset: Ruleset, lost: Rule | None
) -> ExplainedBoard:
    """
    Explain why a board is foul, what its rows earn, and how it affects Fantasyland.

    Args:
        played: the board.
        scored: its score.
        points: the player's points over all exchanges.
        ruleset: the rules in force.
        lost: the rule by which earned Fantasyland will not be dealt, if there is one.

    Rule: docs/rules.md#foul
    """
    low = ruleset.low_middle
    descriptions = (describe(strength, as_low=low and row is Row.MIDDLE) for row, strength in scored.strengths.items())
    return ExplainedBoard(
        scored.seat,
        points,
        played.board.rows,
        ByRow(*descriptions),
        explain_foul(played.board.rows, scored),
        tuple(_royalties(played.board.rows, scored, ruleset)),
        scored.royalty_points,
        _fantasyland(played, scored, ruleset, lost),
    )


def explain_foul(rows: ByRow[Cards], scored: ScoredBoard) -> ExplainedFoul | None:
    """
    Explain which rows make a board foul; None if it is good.

    Rule: docs/rules.md#foul
    """
    reason = scored.foul
    if reason is None:
        return None
    if reason is FoulReason.MIDDLE_DOES_NOT_QUALIFY:
        cards = find_disqualifying_cards(rows.middle)
        decision = Decision(DecidedBy.CATEGORY, cards, ())
        text = wording.describe_foul(reason, scored.strengths.middle, None, decision)
        return ExplainedFoul(reason, (Row.MIDDLE,), (cards,), text, Rule.LOW)
    upper, lower = (Row(name) for name in reason.value.split("_beats_"))
    decision = find_decision(rows[upper], rows[lower])
    text = wording.describe_foul(reason, scored.strengths[upper], scored.strengths[lower], decision)
    rule = Rule.COMPARING if upper is Row.TOP else Rule.FOUL
    return ExplainedFoul(reason, (upper, lower), (decision.first, decision.second), text, rule)


def _royalties(rows: ByRow[Cards], scored: ScoredBoard, ruleset: Ruleset) -> Iterator[Royalty]:
    names = find_made(scored.strengths, ruleset)
    for row, points in scored.royalties.items():
        name = names[row]
        if points and name is not None:
            as_low = ruleset.low_middle and row is Row.MIDDLE
            cards = rows[row] if as_low else find_made_cards(rows[row])
            text = wording.describe_royalty(row, scored.strengths[row], points, cards, as_low=as_low)
            yield Royalty(row, name, points, cards, text)


def _fantasyland(
    played: PlayerHand, scored: ScoredBoard, ruleset: Ruleset, lost: Rule | None
) -> ExplainedFantasyland | None:
    """Explain how a board affects Fantasyland; None if it does not."""
    dealt, earned = played.fantasyland, scored.earned.cards if scored.earned else 0
    if not dealt and not earned:
        return None
    if scored.foul is not None:
        text = wording.describe_foul_in_fantasyland()
        return ExplainedFantasyland(dealt, 0, False, (), (), text, Rule.FANTASYLAND)
    rows = find_staying_rows(scored.strengths, ruleset) if dealt else tuple(_entering(scored, ruleset))
    row_cards = [(row, _earning(row, played.board.rows, ruleset)) for row in rows]
    if not earned:
        text, rule = wording.describe_left(ruleset, row_cards), Rule.STAY_LIMIT if row_cards else Rule.STAYING
    elif dealt:
        text, rule = wording.describe_stayed(earned, row_cards), Rule.STAYING
    else:
        text, rule = wording.describe_entered(earned, row_cards, _reached(scored, ruleset)), Rule.ENTERING
    is_lost = lost is not None
    if lost is not None:
        text, rule = wording.describe_lost(text, is_busted=lost is Rule.OUT), lost
    return ExplainedFantasyland(dealt, earned, is_lost, rows, tuple(cards for _, cards in row_cards), text, rule)


def _entering(scored: ScoredBoard, ruleset: Ruleset) -> Iterator[Row]:
    if entry_on_top(scored.strengths.top) in ruleset.entries:
        yield Row.TOP
    if ruleset.fantasyland.enter_low is not None and is_best_low(scored.strengths.middle):
        yield Row.MIDDLE


def _reached(scored: ScoredBoard, ruleset: Ruleset) -> str | None:
    """Return the highest entry of the ruleset that the top row reaches."""
    top_entry = entry_on_top(scored.strengths.top)
    if top_entry is None:
        return None
    below = ENTRIES[: ENTRIES.index(top_entry) + 1]
    return next((entry for entry in reversed(below) if entry in ruleset.fantasyland.enter), None)


def _earning(row: Row, rows: ByRow[Cards], ruleset: Ruleset) -> Cards:
    return rows[row] if ruleset.low_middle and row is Row.MIDDLE else find_made_cards(rows[row])

"""Explain the points between two players."""

from collections.abc import Iterator, Mapping

from scoring.board import ByRow, Row
from scoring.exchange import Breakdown, Exchange
from scoring.explanation import wording
from scoring.explanation.decisions import find_decision
from scoring.explanation.reasons import ExplainedBoard, ExplainedExchange, Part, Reason, Rule
from scoring.explanation.wording import Names
from scoring.hand import Cards, Seat
from scoring.ruleset import Ruleset
from scoring.strength import strength_of


def explain_exchange(
    exchange: Exchange, boards: Mapping[Seat, ExplainedBoard], ruleset: Ruleset, names: Names
) -> ExplainedExchange:
    """
    List the reasons for the points between two players; they add up to the points of the exchange.

    Rule: docs/rules.md#points-between-two-players
    """
    breakdown = exchange.breakdown
    assert breakdown is not None, "exchanges of a hand say where their points come from"
    first, second = boards[exchange.first], boards[exchange.second]
    if first.foul or second.foul:
        reasons = [_foul(breakdown, first, second, names)]
    else:
        reasons = [
            *_rows(breakdown, first, second, ruleset, names),
            *_bonuses(breakdown, exchange, ruleset, names),
        ]
    reasons += [*_royalties(first, second, names, sign=1), *_royalties(second, first, names, sign=-1)]
    return ExplainedExchange(exchange.first, exchange.second, exchange.points, tuple(reasons))


def _rows(
    breakdown: Breakdown, first: ExplainedBoard, second: ExplainedBoard, ruleset: Ruleset, names: Names
) -> Iterator[Reason]:
    for row, won in breakdown.rows.items():
        winner, loser = (first, second) if won >= 0 else (second, first)
        as_low = ruleset.low_middle and row is Row.MIDDLE
        decision = find_decision(winner.cards[row], loser.cards[row])
        text = wording.describe_comparison(
            names[winner.seat],
            strength_of(winner.cards[row]),
            names[loser.seat],
            strength_of(loser.cards[row]),
            decision,
            as_low=as_low,
        )
        ours, theirs = (decision.first, decision.second) if winner is first else (decision.second, decision.first)
        rule = Rule.LOW if as_low else Rule.POINTS
        earner = winner.seat if won else None
        yield Reason(Part(row.value), won * ruleset.points.row, earner, row, ours, theirs, text, rule)


def _bonuses(breakdown: Breakdown, exchange: Exchange, ruleset: Ruleset, names: Names) -> Iterator[Reason]:
    rows: ByRow[int] = breakdown.rows
    for seat, side in ((exchange.first, 1), (exchange.second, -1)):
        won = list(rows).count(side)
        if won >= 2 and ruleset.points.majority_bonus:
            text = wording.describe_bonus(names[seat], won, is_scoop=False)
            yield Reason(Part.MAJORITY, side * ruleset.points.majority_bonus, seat, None, (), (), text, Rule.BONUS)
        if won == 3 and ruleset.points.scoop_bonus:
            text = wording.describe_bonus(names[seat], won, is_scoop=True)
            yield Reason(Part.SCOOP, side * ruleset.points.scoop_bonus, seat, None, (), (), text, Rule.BONUS)


def _foul(breakdown: Breakdown, first: ExplainedBoard, second: ExplainedBoard, names: Names) -> Reason:
    winner = None if first.foul and second.foul else second.seat if first.foul else first.seat
    fouls = [names[board.seat] for board in (first, second) if board.foul]
    text = wording.describe_foul_penalty(fouls, None if winner is None else names[winner])
    ours, theirs = _fouled(first), _fouled(second)
    return Reason(Part.FOUL, breakdown.foul, winner, None, ours, theirs, text, Rule.FOUL_PENALTY)


def _fouled(board: ExplainedBoard) -> Cards:
    return tuple(card for cards in board.foul.cards for card in cards) if board.foul else ()


def _royalties(payee: ExplainedBoard, payer: ExplainedBoard, names: Names, *, sign: int) -> Iterator[Reason]:
    for royalty in payee.royalties:
        text = wording.describe_royalty_paid(names[payee.seat], names[payer.seat], royalty.text)
        ours, theirs = (royalty.cards, ()) if sign > 0 else ((), royalty.cards)
        points = sign * royalty.points
        yield Reason(Part.ROYALTY, points, payee.seat, royalty.row, ours, theirs, text, royalty.rule)

"""Explain the hands of a round, or a single hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scoring.exchange import Exchange
from scoring.explanation import wording
from scoring.explanation.boards import explain_board
from scoring.explanation.pairs import explain_exchange
from scoring.explanation.payments import explain_payments, explain_stacks, explain_totals
from scoring.explanation.reasons import ExplainedBoard, ExplainedExchange, ExplainedHand, ExplainedTotal, Remark, Rule
from scoring.explanation.wording import Names
from scoring.hand import Hand, PlayerHand, Seat
from scoring.history import History, replay_steps
from scoring.round import Departed, PlayedHand, begin_hand, open_round
from scoring.round_state import Round, RoundStatus
from scoring.ruleset import Points, Ruleset, StakesScope
from scoring.score import HandScore
from scoring.single_hand import SingleHandPlayer, score_single_hand


def explain_round(history: History) -> Iterator[ExplainedHand]:
    """
    Explain every hand of a round, in order; the last one with the payout at the end of the round.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> from scoring.round_state import RoundSeat
    >>> ann = PlayerHand(1, Board.of("AhKd9c", "JsJd8c5h2c", "AsAdTcTh4s"))
    >>> ben = PlayerHand(2, Board.of("KsQd7h", "9s9d6c4h3c", "KcKh8s8h5c"))
    >>> seats = (RoundSeat(1, "ann", 4), RoundSeat(2, "ben", 50))
    >>> [hand] = explain_round(History(PRESETS["pineapple"], seats, (Hand(1, 1, (ann, ben)),)))
    >>> hand.exchanges[0].reasons[0].text, hand.exchanges[0].points
    ("ann's ace high beats ben's king high: A♥ against K♠", -6)

    Raises:
        ScoringError: the first invalid step, with its path in the history.

    Rule: docs/rules.md#the-round
    """
    for before, played, since in _hands_of(history):
        yield _explain_played(before, played, since, _names(history))


def explain_hand(history: History, number: int) -> ExplainedHand:
    """
    Explain one hand of a round, as `explain_round` does.

    Raises:
        ScoringError: a step up to the hand after this one is invalid, with its path in the history.
    """
    before, played, since = next(each for each in _hands_of(history) if each[1].hand.number == number)
    return _explain_played(before, played, since, _names(history))


def _hands_of(history: History) -> Iterator[tuple[Round, PlayedHand, list[Departed]]]:
    """Replay a round, and yield every hand with the round before it and the steps between it and the next."""
    before = round_ = open_round(history.ruleset, history.seats)
    played: PlayedHand | None = None
    since: list[Departed] = []
    for step in replay_steps(round_, history):
        if isinstance(step, Departed):
            since.append(step)
        else:
            if played is not None:
                yield before, played, since
            before, played, since = round_, step, []
        round_ = step.round
    if played is not None:
        yield before, played, since


def _names(history: History) -> Names:
    return {seat.seat: seat.player for seat in history.seats}


def explain_single_hand(
    ruleset: Ruleset, players: Sequence[SingleHandPlayer], button: Seat | None = None
) -> ExplainedHand:
    """
    Explain a single hand, as `score_single_hand` scores it.

    Raises:
        HandError: the hand is invalid, with every mistake.

    Rule: docs/rules.md#points-between-two-players
    """
    single = score_single_hand(ruleset, players, button)
    names = {player.seat: player.player or f"seat {player.seat}" for player in players}
    boards, exchanges = _explain_score([player.played for player in players], single.score, ruleset, names, {})
    stacks = {player.seat: player.stack for player in players if player.stack is not None}
    opening = {player.seat: player.opening_stack for player in players if player.opening_stack is not None}
    paid, remark = None, None
    if single.settlement is not None:
        paid = tuple(explain_payments(single.settlement.transfers, ruleset, {**stacks, **opening}, names))
        remark = _payment_remark(ruleset, None, paid_with=bool(paid), is_late=False)
    totals = _totals(ruleset, {}, single.score.exchanges, names)
    return ExplainedHand(
        ruleset,
        None,
        button,
        names,
        (),
        boards,
        exchanges,
        totals,
        paid,
        remark,
        None if paid is None else explain_stacks(stacks, paid),
    )


def _explain_played(round_: Round, played: PlayedHand, since: Sequence[Departed], names: Names) -> ExplainedHand:
    """Explain a hand, given the round before it and the later payments."""
    ruleset, hand, score = round_.ruleset, played.hand, played.score
    begun = begin_hand(round_, hand, accepted=played.accepted)
    ended = since[-1].round if since else played.round
    boards, exchanges = _explain_score(hand.players, score, ruleset, names, _lost(played, ended))
    opening = begun.opening_stacks
    late = [transfer for departed in since for transfer in departed.transfers]
    payments = (
        *explain_payments(played.transfers, ruleset, opening, names),
        *explain_payments(late, ruleset, opening, names, is_late=True),
    )
    return ExplainedHand(
        ruleset,
        hand.number,
        hand.button,
        names,
        (*_why_irregular(played), *_top_ups(hand, names)),
        boards,
        exchanges,
        _totals(ruleset, begun.totals, score.exchanges, names),
        payments,
        _payment_remark(ruleset, ended.status, paid_with=bool(payments), is_late=bool(late)),
        explain_stacks(begun.stacks, payments),
    )


def _explain_score(
    players: Iterable[PlayerHand],
    score: HandScore,
    ruleset: Ruleset,
    names: Names,
    lost: Mapping[Seat, Rule],
) -> tuple[tuple[ExplainedBoard, ...], tuple[ExplainedExchange, ...]]:
    played = {player.seat: player for player in players}
    boards = {
        scored.seat: explain_board(
            played[scored.seat],
            scored,
            score.points[scored.seat],
            ruleset,
            lost.get(scored.seat),
        )
        for scored in score.boards
    }
    exchanges = (explain_exchange(exchange, boards, ruleset, names) for exchange in score.exchanges)
    return tuple(boards.values()), tuple(exchanges)


def _lost(played: PlayedHand, ended: Round) -> dict[Seat, Rule]:
    """Find the earned Fantasyland that will not be dealt, and the rule for it."""
    is_hand = ended.ruleset.stakes.scope is StakesScope.HAND
    voiding = Rule.CLOSING if ended.status is RoundStatus.CLOSED else Rule.COMPLETION
    return {
        board.seat: Rule.OUT if is_hand and not played.round.stacks[board.seat] else voiding
        for board in played.score.boards
        if board.earned is not None and board.seat not in ended.owed
    }


def _why_irregular(played: PlayedHand) -> Iterator[Remark]:
    for mistake in played.irregular:
        yield Remark(wording.describe_irregular(mistake.detail), Rule.IRREGULAR)


def _top_ups(hand: Hand, names: Names) -> Iterator[Remark]:
    for top_up in hand.top_ups:
        yield Remark(wording.describe_top_up(names[top_up.seat], top_up.points), Rule.TOP_UPS)


def _totals(
    ruleset: Ruleset, before: Mapping[tuple[Seat, Seat], Points], exchanges: Iterable[Exchange], names: Names
) -> tuple[ExplainedTotal, ...]:
    return tuple(explain_totals(before, exchanges, names)) if ruleset.stakes.scope is StakesScope.ROUND else ()


def _payment_remark(ruleset: Ruleset, status: RoundStatus | None, *, paid_with: bool, is_late: bool) -> Remark | None:
    """Explain why nothing is paid or, under scope `round`, why it is paid now."""
    is_round = ruleset.stakes.scope is StakesScope.ROUND
    if is_round and status is RoundStatus.OPEN:
        return Remark(wording.describe_nothing_paid(is_later=True), Rule.SCOPE)
    if not paid_with:
        return Remark(wording.describe_nothing_paid(is_later=False), Rule.POINTS)
    if not is_round:
        return None
    rule = Rule.CLOSING if status is RoundStatus.CLOSED else Rule.SCOPE
    return Remark(wording.describe_when_paid(status, is_late=is_late), rule)

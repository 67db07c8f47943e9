"""The results that follow from the history of a round, as their records have them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.errors import ScoringError
from scoring.history import History, Paid, PlayedRound, Step, replay_steps, steps_at
from scoring.round import PlayedHand, open_round
from scoring.round_state import Round
from scoring.ruleset import Points
from service.rounds.queries.stored_round import figures_of, in_order, paid_rows

Row = dict[str, Any]
StoredStacks = Sequence[tuple[Sequence[Points], Sequence[Points]]]
"""Of each hand the stored stacks before and after it."""


@dataclass(slots=True)
class Results:
    """
    The results of a round, up to the first hand or departure that is invalid.

    Attributes:
        scores: the results of each hand, by number: columns of `hand_scores`.
        payout: the record of the transfers after the last hand; None without such transfers.
        played: the replayed round; None if a step is invalid.
        error: the first invalid step, with its path in the history.
    """

    scores: dict[int, Row] = field(default_factory=dict)
    payout: Row | None = None
    played: PlayedRound | None = None
    error: ScoringError | None = None


def results_of(history: History, stored: StoredStacks | None = None) -> Results:
    """
    Replay a round by the plain rules, and return its results in the form of the records.

    Args:
        history: the hands, whether from records or from events.
        stored: continue after each hand with these stacks, so that a difference does not change the hands after it;
            departures and the closing after the last hand are not replayed to their end then.
    """
    results = Results()
    hands: list[PlayedHand] = []
    payments: list[Paid] = []
    try:
        end = open_round(history.ruleset, history.seats)
        for before, step in _steps(end, history, stored):
            if isinstance(step, PlayedHand):
                hands.append(step)
                figures = figures_of(before, step)._asdict()
                irregular = figures["irregular"]
                results.scores[step.hand.number] = {**figures, "irregular": irregular and json.loads(irregular)}
            elif step.transfers:
                seats = before.seat_numbers
                results.payout = {
                    "number": before.hands,
                    "stacks_before": in_order(seats, before.stacks),
                    "stacks": in_order(seats, step.round.stacks),
                    "transfers": paid_rows(step.transfers),
                }
            payments += [Paid(step.round.hands, transfer) for transfer in step.transfers]
            end = step.round
    except ScoringError as error:
        results.error = error
    else:
        results.played = PlayedRound(tuple(hands), tuple(payments), end)
    return results


def _steps(opened: Round, history: History, stored: StoredStacks | None) -> Iterator[tuple[Round, Step]]:
    """Yield each step, and the round before it."""
    round_ = opened
    if stored is None:
        for step in replay_steps(round_, history):
            yield round_, step
            round_ = step.round
        return
    last: Sequence[Points] = ()
    for hand, (before, after) in zip(history.hands, stored, strict=True):
        if before == last and len(last) == len(round_.seats):
            round_ = replace(round_, stacks=dict(zip(round_.seat_numbers, last, strict=True)))
        for step in steps_at(round_, history, hand.number):
            yield round_, step
            round_ = step.round
        last = after

"""Checks that several actions share: integer points, expected results, named people."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schemas.fields import MOST_INTEGER
from schemas.problems import find_unexpected
from scoring.errors import Mistake, RoundError
from scoring.history import History, Step, replay_steps
from scoring.round import PlayedHand
from scoring.round_state import Round
from service.clubs.queries import keys
from service.db import Transaction
from service.errors import DisputeInvalid, ExpectedDiffers
from service.rounds.queries.stored_round import StoredRound


def are_exact(round_: Round, point_value: int | None) -> bool:
    """Say whether no more points are in a round than can be counted exactly, as points and as money."""
    return sum(round_.stacks.values()) <= MOST_INTEGER // max(point_value or 0, 1)


def refuse_inexact(round_: Round, point_value: int | None, *path: str | int) -> None:
    """
    Refuse more points in a round than can be counted exactly, as points and as money.

    All points of the round together bound everything that is ever answered of it: stacks, nets and money.

    Raises:
        RoundError: at `path`, which brought them.
    """
    if not are_exact(round_, point_value):
        total, worth = sum(round_.stacks.values()), max(point_value or 0, 1)
        most = MOST_INTEGER // worth
        detail = f"{total} points would be in the round; at {worth} a point, {most} at most are counted exactly"
        raise RoundError([Mistake("points-beyond-count", path, detail)])


def replay_exactly(opened: Round, history: History, point_value: int | None) -> Iterator[Step]:
    """
    Play a round's steps in the order in which they happened, and refuse the one that brings too many points.

    Raises:
        ScoringError: a step cannot be, with its place in the document.
    """
    for step in replay_steps(opened, history):
        if isinstance(step, PlayedHand) and step.hand.top_ups:
            refuse_inexact(step.round, point_value, "hands", step.hand.number - 1, "top_ups")
        yield step


def check_expected(expected: Mapping[str, Any] | None, document: Mapping[str, Any]) -> None:
    """
    Compare what is expected with the answer.

    Raises:
        ExpectedDiffers: with both values at every place that differs.
    """
    mistakes = tuple(find_unexpected(expected, document)) if expected is not None else ()
    if mistakes:
        raise ExpectedDiffers("the result differs from `expected`; nothing was stored", mistakes)


def require_sayer(transaction: Transaction, round_: StoredRound, by: str, others: Iterable[str] = ()) -> None:
    """
    Require that a player of the round is named, or the key that asks, by its name.

    Whoever holds a key can pass on what a player says, and the key is recorded. Nobody can speak as another auditor.

    Args:
        transaction: in which the key asks.
        round_: the round.
        by: who is named.
        others: who can be named besides, such as who opened the dispute and sits there no more.

    Raises:
        DisputeInvalid: somebody else is named.
    """
    players = [seat.player for seat in round_.round.seats]
    key = None if transaction.actor is None else keys.get(transaction, transaction.actor).name
    if by in (*players, *others, key):
        return
    auditor = "" if key is None else f", or {key!r}, the name of the key"
    seated = ", ".join(map(repr, players))
    detail = f"`by` is {by!r}; expected a player seated in the round ({seated}){auditor}"
    raise DisputeInvalid("nobody of that name can speak about the round", (Mistake("sayer-unknown", ("by",), detail),))

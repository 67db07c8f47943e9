"""Figures of players in rounds, which statements, statistics and plots sum up, computed again and compared."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final
from uuid import UUID

from schemas.base import WireError
from scoring.errors import ScoringError
from service.db import Transaction
from service.errors import ServiceError
from service.statistics.actions import measure_rounds
from service.statistics.queries.measuring import Measured
from service.verification.comparing import compare_records
from service.verification.findings import Finding
from service.verification.queries.audited import Stretch
from service.verification.queries.figures import list_figures, list_measured

_UNMEASURABLE: Final = (
    *(ScoringError, ServiceError, WireError),
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
)
"""What records can raise that the service would never store; other findings name these."""


def compare_figures(transaction: Transaction, stretch: Stretch) -> Iterator[Finding]:
    """
    Compare the figures of players in some rounds, and against each opponent, with the records of the rounds.

    Rounds that have changed since they were measured are omitted: their stored figures are not read.

    Args:
        transaction: of the club; it reads one moment.
        stretch: the rounds.
    """
    measured = _measure(transaction, list_measured(transaction, stretch))
    players = {(each.round_id, each.player): asdict(each) for each in measured.players}
    opponents = {(each.round_id, each.player, each.opponent): asdict(each) for each in measured.opponents}
    for table, expected in (("round_statistics", players), ("round_opponents", opponents)):
        yield from compare_records(transaction.club_id, table, list_figures(transaction, table, stretch), expected)


def _measure(transaction: Transaction, round_ids: Sequence[UUID]) -> Measured:
    """Compute the figures of rounds, except of those whose records cannot be read."""
    if not round_ids:
        return Measured([], [])
    try:
        return measure_rounds(transaction, round_ids)
    except _UNMEASURABLE:
        if len(round_ids) == 1:
            return Measured([], [])
    half = len(round_ids) // 2
    one, other = (_measure(transaction, part) for part in (round_ids[:half], round_ids[half:]))
    return Measured([*one.players, *other.players], [*one.opponents, *other.opponents])

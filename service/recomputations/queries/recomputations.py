"""Recomputations: how their rounds are cut into stretches, and what was found to differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import insert, select

from service.db import Transaction
from service.recomputations.models import DifferenceRecord
from service.recomputations.packed.queries import EVERY, Scope, Stretch, stretch_parameters, wanted_rounds

_RECORD: Final = DifferenceRecord
_AT_A_TIME: Final = 1000

# The smallest of ids as text is the smallest id: all are as long, and digits come before letters.
_CUT: Final = """
    SELECT min(round_id::text COLLATE "C") AS first, max(round_id::text COLLATE "C") AS last, sum(hands) AS hands,
        count(*) AS rounds, (SELECT count(*) FROM wanted) AS of
    FROM (
        SELECT round_id, greatest(hands, 0) AS hands,
            (sum(greatest(hands, 0) + 1) OVER (ORDER BY round_id) - 1) / %(most)s::bigint AS part
        FROM wanted
    ) AS cut
    GROUP BY trunc(part) ORDER BY trunc(part)
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """
    Something that is stored otherwise than it is computed.

    Attributes:
        round_id: where; None where it is a ruleset.
        hand: in which hand; None where it is the round as a whole.
        what: which figure, named as its record names it.
        detail: in a sentence, where figures do not say it.
    """

    round_id: UUID | None
    hand: int | None
    what: str
    stored: Any = None
    computed: Any = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class StoredDifference:
    """A difference and its place in the list."""

    number: int
    difference: Difference


@dataclass(frozen=True, slots=True)
class SizedStretch:
    """A stretch, and how many rounds and hands it has."""

    stretch: Stretch
    rounds: int
    hands: int


@dataclass(frozen=True, slots=True)
class CutScope:
    """
    A scope, cut into stretches.

    Attributes:
        rounds: how many rounds the scope has, counted at the same moment and not from the stretches.
    """

    rounds: int
    stretches: Sequence[SizedStretch]


def cut_stretches(transaction: Transaction, scope: Scope, most: int, bounds: tuple[UUID, UUID] = EVERY) -> CutScope:
    """Cut the rounds of a scope, from one id to another, into stretches of so many hands and rounds together."""
    parameters = {**stretch_parameters(transaction, Stretch(scope, *bounds)), "most": most}
    found = transaction.connection.exec_driver_sql(wanted_rounds(scope) + _CUT, parameters)
    rows = found.all()
    stretches = [
        SizedStretch(Stretch(scope, UUID(row.first), UUID(row.last)), row.rounds, int(row.hands)) for row in rows
    ]
    return CutScope(rows[0].of if rows else 0, stretches)


def add_differences(transaction: Transaction, job_id: UUID, place: int, differences: Iterable[Difference]) -> None:
    """Insert what a chunk found, with numbers from `place` on."""
    rows = [
        {
            "club_id": transaction.club_id,
            "job_id": job_id,
            "number": place + position,
            "round_id": each.round_id,
            "hand": each.hand,
            "what": each.what,
            "stored": each.stored,
            "computed": each.computed,
            "detail": each.detail,
        }
        for position, each in enumerate(differences)
    ]
    for start in range(0, len(rows), _AT_A_TIME):
        transaction.execute(insert(_RECORD), rows[start : start + _AT_A_TIME])


def list_differences(
    transaction: Transaction, job_id: UUID, *, after: int | None = None, limit: int
) -> list[StoredDifference]:
    """List what was found so far, in the order of rounds, from the one after `after`."""
    query = select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id, _RECORD.job_id == job_id)
    if after is not None:
        query = query.where(_RECORD.number > after)
    return [
        StoredDifference(
            found.number,
            Difference(found.round_id, found.hand, found.what, found.stored, found.computed, found.detail),
        )
        for found in transaction.execute(query.order_by(_RECORD.number).limit(limit))
    ]

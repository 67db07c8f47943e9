"""The findings of recomputations."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from sqlalchemy import insert, select

from schemas.jobs import LONGEST_DETAIL, DifferenceView
from service.db import Transaction
from service.recomputations.models import DifferenceRecord
from service.replays.findings import Finding, dump_value

_RECORD: Final = DifferenceRecord
_AT_A_TIME: Final = 1000


def add_findings(transaction: Transaction, job_id: UUID, place: int, findings: Iterable[Finding]) -> None:
    """Insert the findings of a chunk, with numbers from `place` on."""
    rows = [
        {
            "club_id": transaction.club_id,
            "job_id": job_id,
            "number": place + position,
            "kind": each.kind.value,
            "round_id": each.round_id,
            "hand": each.hand,
            "column_name": each.column,
            "stored": dump_value(each.stored),
            "expected": dump_value(each.expected),
            "detail": each.detail,
        }
        for position, each in enumerate(findings)
    ]
    for start in range(0, len(rows), _AT_A_TIME):
        transaction.execute(insert(_RECORD), rows[start : start + _AT_A_TIME])


def list_findings(
    transaction: Transaction, job_id: UUID, *, after: int | None = None, limit: int
) -> list[DifferenceView]:
    """List findings after `after`, in the order of rounds."""
    query = select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id, _RECORD.job_id == job_id)
    if after is not None:
        query = query.where(_RECORD.number > after)
    return [
        DifferenceView(
            UUID(int=row.number),
            row.round_id,
            row.hand,
            row.kind,
            row.column_name,
            row.stored,
            row.expected,
            row.detail and row.detail[:LONGEST_DETAIL],
        )
        for row in transaction.execute(query.order_by(_RECORD.number).limit(limit))
    ]

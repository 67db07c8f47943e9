"""The findings of recomputations, the differing rounds of audits, and what the points of rounds are worth."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import insert, select, text

from schemas.jobs.differences import LONGEST_DETAIL, DifferenceView
from schemas.ledger.settling import Worth
from service.db import Transaction
from service.db.base import Base
from service.db.paging import Rows, count_rows
from service.recomputations.models import AuditedRoundRecord, DifferenceRecord
from service.replays.findings import Finding, dump_value
from service.rounds.queries.journal import load_worth

_RECORD: Final = DifferenceRecord
_AT_A_TIME: Final = 1000
_OF_AUDIT: Final = text("""
    SELECT round_id, revision, digest FROM audited_rounds
    WHERE club_id = :club_id AND job_id = :audit_id AND round_id = ANY (:round_ids)
""")
_WORTHS: Final = text("""
    SELECT id, table_id, point_value, unit, unit_digits FROM rounds WHERE club_id = :club_id AND id = ANY (:round_ids)
""")


@dataclass(frozen=True, slots=True)
class AuditedRound:
    """
    A round in which an audit found a difference.

    Attributes:
        revision: the revision that was replayed.
        digest: the hash of the computed results.
    """

    id: UUID
    revision: int
    digest: bytes


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
    _insert(transaction, _RECORD, rows)


def add_audited(transaction: Transaction, job_id: UUID, audited: Iterable[AuditedRound]) -> None:
    """Insert the differing rounds of a chunk of an audit."""
    rows = [
        {
            "club_id": transaction.club_id,
            "job_id": job_id,
            "round_id": each.id,
            "revision": each.revision,
            "digest": each.digest,
        }
        for each in audited
    ]
    _insert(transaction, AuditedRoundRecord, rows)


def _insert(transaction: Transaction, record: type[Base], rows: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(rows), _AT_A_TIME):
        transaction.execute(insert(record), rows[start : start + _AT_A_TIME])


def find_audited(transaction: Transaction, audit_id: UUID, round_ids: Sequence[UUID]) -> dict[UUID, AuditedRound]:
    """Return those of some rounds in which an audit found a difference, by their ids."""
    parameters = {"club_id": transaction.club_id, "audit_id": audit_id, "round_ids": list(round_ids)}
    return {
        row.round_id: AuditedRound(row.round_id, row.revision, bytes(row.digest))
        for row in transaction.execute(_OF_AUDIT, parameters)
    }


def list_worths(transaction: Transaction, round_ids: Sequence[UUID]) -> dict[UUID, Worth]:
    """Return what the points of rounds are worth, by the ids of the rounds."""
    parameters = {"club_id": transaction.club_id, "round_ids": list(round_ids)}
    return {row.id: load_worth(row) for row in transaction.execute(_WORTHS, parameters)}


def list_findings(
    transaction: Transaction, job_id: UUID, *, after: int | None = None, limit: int
) -> list[DifferenceView]:
    """List findings after `after`, in the order of rounds."""
    query = _of_job(transaction, job_id)
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


def count_findings(transaction: Transaction, job_id: UUID, limit: int) -> int:
    """Count the findings, up to a limit."""
    return count_rows(transaction, _of_job(transaction, job_id), limit)


def _of_job(transaction: Transaction, job_id: UUID) -> Rows:
    return select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id, _RECORD.job_id == job_id)

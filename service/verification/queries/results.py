"""The result of the last verification of a club."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from service.db import Transaction
from service.verification.models import VerificationRecord
from service.verification.queries import findings
from service.verification.queries.findings import StoredFinding

_RECORD: Final = VerificationRecord


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """
    What `ofc-server verify` found in a club.

    Attributes:
        events: the number of events of the club.
        findings: the number of findings in the club's records and in what all clubs share.
        is_complete: whether everything could be verified.
    """

    ended_at: datetime
    events: int
    findings: int
    is_complete: bool


def store(transaction: Transaction, result: VerificationResult, first: Iterable[StoredFinding]) -> None:
    """
    Store the result and its first findings in place of those before, as the owner of the tables.

    An acknowledgement at the same time is of the findings before, or it is a conflict.
    """
    findings.lock(transaction)
    values = {
        "ended_at": result.ended_at,
        "events": result.events,
        "findings": result.findings,
        "complete": result.is_complete,
    }
    statement = insert(_RECORD).values(club_id=transaction.club_id, **values)
    transaction.execute(statement.on_conflict_do_update(index_elements=[_RECORD.club_id], set_=values))
    findings.replace(transaction, first)


def find(transaction: Transaction) -> VerificationResult | None:
    """Find the last result; return None if the club was never verified."""
    query = select(_RECORD).where(_RECORD.club_id == transaction.club_id)
    row = transaction.execute(query.with_only_columns(*_RECORD.__table__.columns)).one_or_none()
    return row and VerificationResult(row.ended_at, row.events, row.findings, row.complete)

"""Acknowledge the findings of the last verification."""

from datetime import datetime
from uuid import UUID

from evidence.events import FindingsAcknowledged
from service.db import Transaction
from service.errors import Conflict
from service.verification.queries import findings, results


def acknowledge_findings(transaction: Transaction, verified_at: datetime, round_id: UUID | None = None) -> int:
    """
    Acknowledge the findings of the last verification that nobody has acknowledged, and return how many there were.

    A later verification that finds the same leaves them acknowledged. Sent again, nothing changes.

    Args:
        transaction: of the club.
        verified_at: when the verification ended whose findings were read.
        round_id: the round whose findings are acknowledged; None for all of them.

    Raises:
        Conflict: another verification has ended since, whose findings nobody has read.
    """
    findings.lock(transaction)
    last = results.find(transaction)
    if last is None or last.ended_at != verified_at:
        raise Conflict("another verification has ended meanwhile; read its findings")
    listed = findings.list_page(transaction, round_id=round_id, is_new=True, limit=findings.MOST_STORED)
    digests = sorted({each.finding.digest for each in listed})
    if digests:
        findings.acknowledge(transaction, FindingsAcknowledged(verified_at=verified_at, findings=tuple(digests)))
    return len(digests)

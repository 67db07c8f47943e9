"""The findings of the last verification of a club, and who has acknowledged them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Select, delete, func, insert, select, text

from evidence.events import FindingsAcknowledged
from service.audit_trail.models import EventRecord
from service.audit_trail.queries.events import EventWriter
from service.db import Transaction
from service.db.batch import Batch
from service.db.paging import count_rows
from service.rounds.models import RoundRecord
from service.verification.models import AcknowledgedFindingRecord, VerificationFindingRecord

MOST_STORED: Final = 1000
"""The most findings of a club that are stored; the command prints all."""

_FINDING: Final = VerificationFindingRecord
_ACKNOWLEDGED: Final = AcknowledgedFindingRecord
_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:club, 23))")
# Findings that are not stored cannot be acknowledged.
_COUNT: Final = text("""
    SELECT verification.findings - (
        SELECT count(*) FROM verification_findings AS finding
        JOIN acknowledged_findings AS acknowledged USING (club_id, digest)
        WHERE finding.club_id = verification.club_id
    ) FROM verifications AS verification WHERE verification.club_id = :club_id
""")


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """
    A finding in words.

    Attributes:
        digest: the same in the next verification, if nothing has changed.
        kind: its kind, as `FindingKind` has it.
        place: the record and the column that it is about.
        sentence: what is wrong.
        round_id, hand: the round that it is about and the number of its hand, if there are any.
    """

    digest: bytes
    kind: str
    place: str
    sentence: str
    round_id: UUID | None
    hand: int | None


@dataclass(frozen=True, slots=True)
class ListedFinding:
    """
    A finding of a list.

    Attributes:
        position: its place in the list.
        finding: what is wrong.
        has_round: whether the round that it is about can be read: a finding can be that a round is missing.
        acknowledged_at, acknowledged_by: when it was acknowledged, and the key that did it; None if it was not.
    """

    position: int
    finding: StoredFinding
    has_round: bool
    acknowledged_at: datetime | None
    acknowledged_by: UUID | None


def replace(transaction: Transaction, findings: Iterable[StoredFinding]) -> None:
    """Store findings in place of those of the verification before, as the owner of the tables."""
    transaction.execute(delete(_FINDING).where(_FINDING.club_id == transaction.club_id))
    rows = [
        {
            "club_id": transaction.club_id,
            "position": position,
            "digest": each.digest,
            "kind": each.kind,
            "place": each.place,
            "sentence": each.sentence,
            "round_id": each.round_id,
            "hand": each.hand,
        }
        for position, each in enumerate(findings, 1)
    ]
    if rows:
        transaction.execute(insert(_FINDING), rows)


def count_unacknowledged(transaction: Transaction) -> int:
    """Return how many findings of the last verification nobody has acknowledged."""
    return int(transaction.execute(_COUNT, {"club_id": transaction.club_id}).scalar_one_or_none() or 0)


def count_by_round(transaction: Transaction, round_ids: Collection[UUID]) -> Mapping[UUID, int]:
    """Return how many findings of the last verification each of some rounds has; a round without any is missing."""
    if not round_ids:
        return {}
    query = (
        select(_FINDING.round_id, func.count().label("findings"))
        .where(_FINDING.club_id == transaction.club_id, _FINDING.round_id.in_(round_ids))
        .group_by(_FINDING.round_id)
    )
    return {row.round_id: row.findings for row in transaction.execute(query)}


def list_page(
    transaction: Transaction, *, round_id: UUID | None = None, is_new: bool = False, after: int = 0, limit: int
) -> Sequence[ListedFinding]:
    """List findings of the last verification in their order; of a round or all, those not acknowledged or all."""
    query = (
        _matching(transaction, round_id, is_new=is_new)
        .add_columns(
            RoundRecord.id.is_not(None).label("has_round"),
            _ACKNOWLEDGED.acknowledged_at,
            EventRecord.actor,
        )
        .outerjoin(RoundRecord, (RoundRecord.club_id == _FINDING.club_id) & (RoundRecord.id == _FINDING.round_id))
        .outerjoin(EventRecord, (EventRecord.club_id == _ACKNOWLEDGED.club_id) & (EventRecord.id == _ACKNOWLEDGED.id))
        .where(_FINDING.position > after)
        .order_by(_FINDING.position)
        .limit(limit)
    )
    return [
        ListedFinding(
            row.position,
            StoredFinding(bytes(row.digest), row.kind, row.place, row.sentence, row.round_id, row.hand),
            row.has_round,
            row.acknowledged_at,
            row.actor,
        )
        for row in transaction.execute(query)
    ]


def count(transaction: Transaction, *, round_id: UUID | None = None, is_new: bool = False, limit: int) -> int:
    """Count the stored findings that `list_page` lists, up to a limit."""
    return count_rows(transaction, _matching(transaction, round_id, is_new=is_new), limit)


def _matching(transaction: Transaction, round_id: UUID | None, *, is_new: bool) -> Select[Any]:
    is_same = (_ACKNOWLEDGED.club_id == _FINDING.club_id) & (_ACKNOWLEDGED.digest == _FINDING.digest)
    query = select(*_FINDING.__table__.columns).outerjoin(_ACKNOWLEDGED, is_same)
    query = query.where(_FINDING.club_id == transaction.club_id)
    if round_id is not None:
        query = query.where(_FINDING.round_id == round_id)
    return query.where(_ACKNOWLEDGED.digest.is_(None)) if is_new else query


def lock(transaction: Transaction) -> None:
    """Lock the findings of the club and their acknowledgements until the transaction ends."""
    transaction.execute(_LOCK, {"club": str(transaction.club_id)})


def acknowledge(transaction: Transaction, event: FindingsAcknowledged) -> None:
    """Record that findings were acknowledged, none of which was before. The acknowledgements are locked."""
    batch = Batch()
    event_id, _ = EventWriter(transaction, batch).add(event.kind, event.encode())
    for digest in event.findings:
        record = {"club_id": transaction.club_id, "digest": digest, "id": event_id, "acknowledged_at": transaction.now}
        batch.insert(_ACKNOWLEDGED, record)
    batch.write(transaction)

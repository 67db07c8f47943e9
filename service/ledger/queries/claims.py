"""Insert and read claims of payments: each with its event, and with its outcome once it has ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from evidence.events import (
    EventPayload,
    PaymentClaimDeclined,
    PaymentClaimed,
    PaymentClaimWithdrawn,
    PaymentRecorded,
)
from evidence.texts import SaltedText
from schemas.ledger.claims import ClaimState, Outcome, PaymentClaim
from schemas.ledger.payments import Recorded
from service.audit_trail.queries.events import EventWriter
from service.db import Transaction
from service.db.batch import Batch
from service.db.paging import count_rows
from service.errors import Busy, NotFound
from service.ledger.models import PaymentClaimOutcomeRecord, PaymentClaimRecord
from service.ledger.queries import payments
from service.players.queries.aliases import read_aliases
from service.texts import queries as texts
from service.texts.models import TextField
from service.texts.queries import NewText

_TAKEN: Final = Busy("The same claim was recorded or ended by another request; retry the request.")
_SELECT: Final = """
    SELECT claim.*, tables.name AS table_name, ended.outcome, ended.id AS outcome_id, ended.ended_at,
        why.content AS reason
    FROM payment_claims AS claim
    LEFT JOIN payment_claim_outcomes AS ended ON (ended.club_id, ended.claim_id) = (claim.club_id, claim.id)
    LEFT JOIN texts AS why ON (why.club_id, why.record_id) = (claim.club_id, claim.id)
    LEFT JOIN tables ON (tables.club_id, tables.id) = (claim.club_id, claim.table_id)
    WHERE claim.club_id = :club_id
"""
_BY_REFERENCE: Final = text(f"{_SELECT} AND claim.reference = :reference")
_BY_ID: Final = text(f"{_SELECT} AND claim.id = :claim_id")
_MATCHING: Final = f"""
    {_SELECT}
        AND (CAST(:state AS text) IS NULL OR coalesce(ended.outcome, '{ClaimState.PENDING}') = CAST(:state AS text))
        AND (CAST(:ids AS text[]) IS NULL OR ARRAY[claim.payer, claim.payee] && CAST(:ids AS text[]))
"""
_LIST: Final = {
    oldest_first: text(f"""
        {_MATCHING}
            AND (CAST(:after AS uuid) IS NULL OR claim.id {">" if oldest_first else "<"} CAST(:after AS uuid))
        ORDER BY claim.id {"ASC" if oldest_first else "DESC"} LIMIT :limit
    """)
    for oldest_first in (False, True)
}
# The function sees the whole club, also in a transaction of a link.
_EQUAL: Final = text("SELECT find_equal_claim(:payer, :payee, :unit, CAST(:amount AS bigint))")


@dataclass(frozen=True, slots=True)
class ClaimFilter:
    """A filter for claims, by their state and by their payer or payee; None matches any."""

    state: ClaimState | None = None
    player: str | None = None


def find_by_reference(transaction: Transaction, reference: str) -> PaymentClaim | None:
    """Find the claim with a reference, which the transaction can see."""
    parameters = {"club_id": transaction.club_id, "reference": reference}
    row = transaction.execute(_BY_REFERENCE, parameters).one_or_none()
    return None if row is None else _load(row)


def get(transaction: Transaction, claim_id: UUID) -> PaymentClaim:
    """
    Read a claim.

    Raises:
        NotFound: the club has none with this ID, or it is not one of the link.
    """
    row = transaction.execute(_BY_ID, {"club_id": transaction.club_id, "claim_id": claim_id}).one_or_none()
    if row is None:
        raise NotFound(f"the club has no payment claim {claim_id}")
    return _load(row)


def find_equal(transaction: Transaction, event: PaymentClaimed | PaymentRecorded) -> UUID | None:
    """Find the newest pending claim of the same payment, in the whole club."""
    parameters = {name: getattr(event, name) for name in ("payer", "payee", "unit", "amount")}
    claim_id: UUID | None = transaction.execute(_EQUAL, parameters).scalar_one()
    return claim_id


def list_page(
    transaction: Transaction,
    filter_: ClaimFilter,
    *,
    after: UUID | None = None,
    limit: int,
    oldest_first: bool = False,
) -> list[PaymentClaim]:
    """List claims, newest first or the oldest first, starting after the ID `after`."""
    parameters = {**_parameters(transaction, filter_), "after": after, "limit": limit}
    return [_load(row) for row in transaction.execute(_LIST[oldest_first], parameters)]


def count(transaction: Transaction, filter_: ClaimFilter, limit: int) -> int:
    """Count claims up to a limit."""
    return count_rows(transaction, _MATCHING, limit, _parameters(transaction, filter_))


def _parameters(transaction: Transaction, filter_: ClaimFilter) -> dict[str, Any]:
    return {
        "club_id": transaction.club_id,
        "state": filter_.state and filter_.state.value,
        "ids": None if filter_.player is None else read_aliases(transaction).ids_of(filter_.player),
    }


def claim_row(event: PaymentClaimed, at: datetime) -> dict[str, Any]:
    """Return the columns of a claim, except its ID, from its event and its time."""
    return {
        "claimed_at": at,
        "payer": event.payer,
        "payee": event.payee,
        "unit": event.unit,
        "unit_digits": event.unit_digits,
        "amount": event.amount,
        "paid_at": event.paid_at,
        "table_id": event.table,
        "round_id": event.round,
        "reference": event.reference,
    }


def outcome_row(state: ClaimState, event_id: UUID, at: datetime) -> dict[str, Any]:
    """Return the columns of an outcome, except the ID of its claim."""
    return {"id": event_id, "outcome": state.value, "ended_at": at}


def record(transaction: Transaction, event: PaymentClaimed) -> PaymentClaim:
    """Insert a claim, whose reference is locked."""
    batch = Batch()
    added, _ = EventWriter(transaction, batch).add(event.kind, event.encode())
    claim_id = UUID(str(added))
    of_club = {"club_id": transaction.club_id, "id": claim_id}
    batch.insert(PaymentClaimRecord, {**of_club, **claim_row(event, transaction.now)})
    batch.write(transaction, payment_claims_reference_key=_TAKEN)
    return PaymentClaim(claim_id, transaction.now, event)


def confirm(transaction: Transaction, claim: PaymentClaim, event: PaymentRecorded) -> Recorded:
    """Insert the payment that confirms a claim, which is locked."""
    recorded = payments.record(transaction, event, None, after=claim.id)
    batch = Batch()
    _add_outcome(transaction, batch, claim, ClaimState.CONFIRMED, recorded.id)
    batch.write(transaction, payment_claim_outcomes_pkey=_TAKEN)
    return recorded


def decline(transaction: Transaction, claim: PaymentClaim, event: PaymentClaimDeclined, reason: SaltedText) -> Outcome:
    """Insert that a claim, which is locked, was declined."""
    return _end(transaction, claim, ClaimState.DECLINED, event, reason)


def withdraw(transaction: Transaction, claim: PaymentClaim, event: PaymentClaimWithdrawn) -> Outcome:
    """Insert that a claim, which is locked, was withdrawn."""
    return _end(transaction, claim, ClaimState.WITHDRAWN, event, None)


def _end(
    transaction: Transaction, claim: PaymentClaim, state: ClaimState, event: EventPayload, reason: SaltedText | None
) -> Outcome:
    batch = Batch()
    added, _ = EventWriter(transaction, batch).add(event.kind, event.encode(), after=claim.id)
    event_id = UUID(str(added))
    _add_outcome(transaction, batch, claim, state, event_id)
    if reason is not None:
        texts.insert(transaction, batch, [NewText(TextField.NOTE, reason, claim.id)])
    batch.write(transaction, payment_claim_outcomes_pkey=_TAKEN)
    return Outcome(state, event_id, transaction.now, None if reason is None else reason.text)


def _add_outcome(
    transaction: Transaction, batch: Batch, claim: PaymentClaim, state: ClaimState, event_id: UUID
) -> None:
    of_claim: Mapping[str, Any] = {"club_id": transaction.club_id, "claim_id": claim.id}
    batch.insert(PaymentClaimOutcomeRecord, {**of_claim, **outcome_row(state, event_id, transaction.now)})


def _load(row: Row[Any]) -> PaymentClaim:
    event = PaymentClaimed(
        payer=row.payer,
        payee=row.payee,
        unit=row.unit,
        unit_digits=row.unit_digits,
        amount=row.amount,
        paid_at=row.paid_at,
        table=row.table_id,
        reference=row.reference,
        round=row.round_id,
    )
    outcome = None
    if row.outcome is not None:
        outcome = Outcome(ClaimState(row.outcome), row.outcome_id, row.ended_at, row.reason)
    return PaymentClaim(row.id, row.claimed_at, event, outcome, row.table_name)

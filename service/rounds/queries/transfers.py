"""Transfers of a settlement, and the adjustments after the correction of a final one."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Row, select, text

from schemas.settlements import Adjustment
from scoring.history import Paid
from scoring.settle_up import Payment
from scoring.settlement import LimitedBy, Transfer
from service.db import Transaction
from service.rounds.models import AdjustmentRecord, SettlementRecord, TransferRecord

_RECORD: Final = TransferRecord
_WITH_HANDS: Final = text("""
    SELECT transfer.*
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[]), CAST(:numbers AS integer[]))
        AS wanted (round_id, revision, number)
    JOIN transfers AS transfer ON transfer.club_id = :club_id AND transfer.round_id = wanted.round_id
        AND transfer.revision = wanted.revision AND transfer.number = wanted.number AND NOT transfer.late
    ORDER BY transfer.position
""")


def list_paid(transaction: Transaction, round_id: UUID, revision: int) -> list[Paid]:
    """List the payments of a revision, in order."""
    found = _list(transaction, _RECORD.round_id == round_id, _RECORD.revision == revision)
    return [_paid(each) for each in found]


def list_paid_by_revision(transaction: Transaction, round_id: UUID) -> dict[int, list[Paid]]:
    """List the payments of each revision of a round, in order; revisions without payments are omitted."""
    paid: dict[int, list[Paid]] = defaultdict(list)
    for found in _list(transaction, _RECORD.round_id == round_id):
        paid[found.revision].append(_paid(found))
    return paid


def list_with_hands(
    transaction: Transaction, hands: Collection[tuple[UUID, int, int]]
) -> dict[tuple[UUID, int, int], tuple[Transfer, ...]]:
    """
    List the transfers paid with hands, by round, revision and number.

    Payouts after the last hand of a round are not included.
    """
    paid: dict[tuple[UUID, int, int], list[Transfer]] = {hand: [] for hand in hands}
    round_ids, revisions, numbers = map(list, zip(*paid, strict=True)) if paid else ([], [], [])
    parameters = {"round_ids": round_ids, "revisions": revisions, "numbers": numbers}
    for found in transaction.execute(_WITH_HANDS, {"club_id": transaction.club_id, **parameters}):
        paid[found.round_id, found.revision, found.number].append(_paid(found).transfer)
    return {hand: tuple(transfers) for hand, transfers in paid.items()}


def _list(transaction: Transaction, *wanted: ColumnElement[bool]) -> Sequence[Row[Any]]:
    query = select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id, *wanted)
    in_order = query.order_by(_RECORD.revision, _RECORD.number, _RECORD.late, _RECORD.position)
    return transaction.execute(in_order).all()


def _paid(found: Row[Any]) -> Paid:
    return Paid(
        found.number,
        Transfer(
            order=found.position,
            payer=found.payer,
            payee=found.payee,
            due=found.due,
            paid=found.paid,
            limited_by=LimitedBy(found.limited_by) if found.limited_by else None,
            payer_stack=found.payer_stack,
            payee_stack=found.payee_stack,
        ),
    )


def find_adjustment(transaction: Transaction, round_id: UUID, revision: int) -> Adjustment | None:
    """Find the adjustment of a revision; None if no settlement was final before it."""
    return list_adjustments_by_revision(transaction, round_id, revision).get(revision)


def list_adjustments_by_revision(
    transaction: Transaction, round_id: UUID, revision: int | None = None
) -> dict[int, Adjustment]:
    """List the adjustments of each revision of a round, or of one, that corrected a final settlement."""
    made, paid = SettlementRecord, AdjustmentRecord
    adjusting = select(made.revision, made.adjusts_revision).where(
        made.club_id == transaction.club_id, made.round_id == round_id, made.adjusts_revision.is_not(None)
    )
    query = select(paid.revision, paid.payer, paid.payee, paid.points).where(
        paid.club_id == transaction.club_id, paid.round_id == round_id
    )
    if revision is not None:
        adjusting, query = adjusting.where(made.revision == revision), query.where(paid.revision == revision)
    payments: dict[int, list[Payment]] = defaultdict(list)
    for each in transaction.execute(query.order_by(paid.position)):
        payments[each.revision].append(Payment(each.payer, each.payee, each.points))
    return {
        found.revision: Adjustment(found.adjusts_revision, tuple(payments[found.revision]))
        for found in transaction.execute(adjusting)
    }

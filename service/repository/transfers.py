"""Who paid whom."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, select, text

from scoring.history import Paid
from scoring.round import Departed
from scoring.round_state import Round
from scoring.settlement import LimitedBy, Transfer
from service.database import Transaction
from service.models import TransferRecord
from service.repository.round_state import in_order

INSERT_TRANSFERS: Final = """
    INSERT INTO transfers (club_id, round_id, revision, number, late, position,
        payer, payee, due, paid, limited_by, payer_stack, payee_stack)
    SELECT CAST(:club_id AS uuid), CAST(:round_id AS uuid), CAST(:revision AS integer), CAST(:number AS integer),
        CAST(:late AS boolean), transfer.*
    FROM unnest(
        CAST(:orders AS smallint[]), CAST(:payers AS smallint[]), CAST(:payees AS smallint[]),
        CAST(:dues AS bigint[]), CAST(:paid AS bigint[]), CAST(:limits AS text[]),
        CAST(:payer_stacks AS bigint[]), CAST(:payee_stacks AS bigint[])
    ) AS transfer
"""
"""For statements that keep transfers beside the stacks that they lead to; `transfer_parameters` says what goes in."""

_INSERT_PAYOUT: Final = text(f"""
    WITH late AS ({INSERT_TRANSFERS})
    INSERT INTO payouts (club_id, round_id, revision, number, stacks_before, stacks, transfer_count)
    VALUES (:club_id, :round_id, :revision, :number, :stacks_before, :stacks, :transfer_count)
""")
_RECORD: Final = TransferRecord


def add_payout(transaction: Transaction, round_id: UUID, revision: int, before: Round, departed: Departed) -> None:
    """Keep what a departure or closing has paid; mostly nothing, and then nothing is kept."""
    if not departed.transfers:
        return
    seats = before.seat_numbers
    parameters = {
        "club_id": transaction.club_id,
        "round_id": round_id,
        "revision": revision,
        "number": before.hands,
        "stacks_before": in_order(seats, before.stacks),
        "stacks": in_order(seats, departed.round.stacks),
        **transfer_parameters(departed.transfers, late=True),
    }
    transaction.execute(_INSERT_PAYOUT, parameters)


def transfer_parameters(transfers: Sequence[Transfer], *, late: bool) -> dict[str, Any]:
    """Say what goes into `INSERT_TRANSFERS`."""
    return {
        "transfer_count": len(transfers),
        "late": late,
        "orders": [transfer.order for transfer in transfers],
        "payers": [transfer.payer for transfer in transfers],
        "payees": [transfer.payee for transfer in transfers],
        "dues": [transfer.due for transfer in transfers],
        "paid": [transfer.paid for transfer in transfers],
        "limits": [transfer.limited_by and transfer.limited_by.value for transfer in transfers],
        "payer_stacks": [transfer.payer_stack for transfer in transfers],
        "payee_stacks": [transfer.payee_stack for transfer in transfers],
    }


def list_paid(transaction: Transaction, round_id: UUID, revision: int) -> list[Paid]:
    """List everything that was paid in a revision of a round, in order."""
    return _list(transaction, _RECORD.round_id == round_id, _RECORD.revision == revision)


def list_with_hands(
    transaction: Transaction, round_id: UUID, revision: int, numbers: Sequence[int]
) -> dict[int, tuple[Transfer, ...]]:
    """List what was paid with each of some hands; what was paid after the last of a round is not among it."""
    paid = _list(
        transaction,
        _RECORD.round_id == round_id,
        _RECORD.revision == revision,
        _RECORD.number.in_(numbers),
        _RECORD.late.is_(False),
    )
    return {number: tuple(each.transfer for each in paid if each.hand == number) for number in numbers}


def _list(transaction: Transaction, *wanted: ColumnElement[bool]) -> list[Paid]:
    query = select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id, *wanted)
    return [
        Paid(
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
        for found in transaction.execute(query.order_by(_RECORD.number, _RECORD.late, _RECORD.position))
    ]

"""Disputes as the wire writes them, with what is unusual about their rounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.disputes import DisputeCase, DisputeView, Unusual
from service.database import Transaction
from service.repository import disputes
from service.repository.disputes import StoredDispute
from service.usecases.find_unusual import find_unusual


@dataclass(frozen=True, slots=True)
class ChangedDispute:
    """A dispute after something was said or done about it, and whether just this had been before."""

    case: DisputeCase
    is_replay: bool


def view_case(transaction: Transaction, stored: StoredDispute) -> DisputeCase:
    """Show a dispute with everything that followed it."""
    unusual = find_unusual(transaction, [stored.round_id])
    return DisputeCase(
        _view(stored, unusual[stored.round_id]),
        disputes.list_entries(transaction, stored.id),
        disputes.list_corrections(transaction, stored),
    )


def view_disputes(transaction: Transaction, listed: Sequence[StoredDispute]) -> list[DisputeView]:
    """Show disputes of a list."""
    unusual = find_unusual(transaction, [stored.round_id for stored in listed])
    return [_view(stored, unusual[stored.round_id]) for stored in listed]


def _view(stored: StoredDispute, unusual: Sequence[Unusual]) -> DisputeView:
    return DisputeView(
        id=stored.id,
        round=stored.round_id,
        table=stored.table_id,
        revision=stored.revision,
        hand=stored.hand,
        seat=stored.seat,
        row=stored.board_row,
        claim=stored.claim,
        by=stored.said_by,
        state=stored.state,
        version=stored.version,
        opened_at=stored.opened_at,
        unusual=unusual,
    )

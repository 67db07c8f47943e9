"""Devices on which hands are being entered."""

from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from schemas.scorekeepers import MOST_SCOREKEEPERS, Scorekeeper
from service.db import Transaction
from service.scorekeepers.models import ScorekeeperRecord

_DEVICE: Final = ScorekeeperRecord


def write(transaction: Transaction, table_id: UUID, scorekeeper: Scorekeeper, expires_at: datetime) -> None:
    """Insert the entry of a device, or replace it. Expired entries of the table are deleted."""
    at_table = _DEVICE.club_id == transaction.club_id, _DEVICE.table_id == table_id
    transaction.execute(delete(_DEVICE).where(*at_table, _DEVICE.expires_at <= transaction.now))
    shown = {"label": scorekeeper.label, "hand": scorekeeper.hand, "expires_at": expires_at}
    statement = insert(_DEVICE).values(
        club_id=transaction.club_id, table_id=table_id, device_id=scorekeeper.device, **shown
    )
    transaction.execute(statement.on_conflict_do_update(constraint="scorekeepers_pkey", set_=shown))


def remove(transaction: Transaction, table_id: UUID, device: UUID) -> None:
    """Delete the entry of a device, if there is one."""
    at_table = _DEVICE.club_id == transaction.club_id, _DEVICE.table_id == table_id
    transaction.execute(delete(_DEVICE).where(*at_table, _DEVICE.device_id == device))


def list_current(transaction: Transaction, table_id: UUID) -> list[Scorekeeper]:
    """List the devices of a table whose entries have not expired."""
    query = (
        select(_DEVICE.device_id, _DEVICE.label, _DEVICE.hand)
        .where(
            _DEVICE.club_id == transaction.club_id, _DEVICE.table_id == table_id, _DEVICE.expires_at > transaction.now
        )
        .order_by(_DEVICE.device_id)
        .limit(MOST_SCOREKEEPERS)
    )
    return [Scorekeeper(found.device_id, found.label, found.hand) for found in transaction.execute(query)]

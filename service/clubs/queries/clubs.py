"""Clubs. Only the owner of the tables can create and find them; the service sees the club of its transaction."""

from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from uuid import UUID

from sqlalchemy import Row, insert, select, update

from service.audit_trail.queries.events import EventKind, record_event
from service.clubs.models import ClubRecord
from service.db import Transaction
from service.db.failures import conflicts
from service.errors import ClubTaken


@dataclass(frozen=True, slots=True)
class StoredClub:
    """A club."""

    id: UUID
    name: str
    created_at: datetime
    time_zone: str = "UTC"
    evening_begins: time = time(6)
    second_auditor: bool = False


_CLUBS = select(ClubRecord.__table__)


def add(transaction: Transaction, name: str, event: bytes) -> StoredClub:
    """
    Insert the club of the transaction.

    Raises:
        ClubTaken: another club has this name.
    """
    club = StoredClub(transaction.club_id, name, transaction.now)
    with conflicts(clubs_name_key=ClubTaken(f"A club named {name!r} already exists; expected a unique name.")):
        values = {"id": club.id, "name": club.name, "created_at": club.created_at}
        transaction.execute(insert(ClubRecord).values(values))
    record_event(transaction, EventKind.CLUB_CREATED, event)
    return club


def find(transaction: Transaction, name: str) -> StoredClub | None:
    """Find a club by its name, as the owner of the tables."""
    row = transaction.execute(_CLUBS.where(ClubRecord.name == name)).one_or_none()
    return None if row is None else _load(row)


def get(transaction: Transaction) -> StoredClub:
    """Read the club of the transaction."""
    row = transaction.execute(_CLUBS.where(ClubRecord.id == transaction.club_id)).one()
    return _load(row)


def lock(transaction: Transaction) -> StoredClub:
    """Lock and read the club of the transaction, as the owner of the tables."""
    row = transaction.execute(_CLUBS.where(ClubRecord.id == transaction.club_id).with_for_update()).one()
    return _load(row)


def list_all(transaction: Transaction) -> list[StoredClub]:
    """List all clubs in the order of their creation, as the owner of the tables."""
    listed = transaction.execute(_CLUBS.order_by(ClubRecord.id))
    return [_load(row) for row in listed]


def _load(row: Row[Any]) -> StoredClub:
    return StoredClub(row.id, row.name, row.created_at, row.time_zone, row.evening_begins, row.second_auditor)


def change(transaction: Transaction, club: StoredClub, event: bytes) -> None:
    """Store the settings of the transaction's club, as the owner of the tables."""
    mine = update(ClubRecord).where(ClubRecord.id == transaction.club_id)
    settings = ("time_zone", "evening_begins", "second_auditor")
    transaction.execute(mine.values({name: getattr(club, name) for name in settings}))
    record_event(transaction, EventKind.CLUB_CHANGED, event)

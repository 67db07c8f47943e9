"""Clubs. Made and found by the owner of the tables; the service itself sees only the club that it works in."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import insert, select

from service.clubs.models import ClubRecord
from service.db import Transaction
from service.db.pages import conflicts
from service.errors import ClubTaken
from service.ledger.queries.events import EventKind, record_event


@dataclass(frozen=True, slots=True)
class StoredClub:
    """A club."""

    id: UUID
    name: str
    created_at: datetime


_CLUBS = select(ClubRecord.id, ClubRecord.name, ClubRecord.created_at)


def add(transaction: Transaction, name: str, event: bytes) -> StoredClub:
    """
    Make the club that the transaction is in.

    Raises:
        ClubTaken: there is a club of this name.
    """
    club = StoredClub(transaction.club_id, name, transaction.now)
    with conflicts(clubs_name_key=ClubTaken(f"There is a club named {name!r} already; names are unique.")):
        transaction.execute(insert(ClubRecord).values(id=club.id, name=club.name, created_at=club.created_at))
    record_event(transaction, EventKind.CLUB_CREATED, event)
    return club


def find(transaction: Transaction, name: str) -> StoredClub | None:
    """Find a club by its name, as the owner of the tables may."""
    found = transaction.execute(_CLUBS.where(ClubRecord.name == name)).one_or_none()
    return None if found is None else StoredClub(found.id, found.name, found.created_at)


def get(transaction: Transaction) -> StoredClub:
    """Read the club that the transaction is in."""
    found = transaction.execute(_CLUBS.where(ClubRecord.id == transaction.club_id)).one()
    return StoredClub(found.id, found.name, found.created_at)


def list_all(transaction: Transaction) -> list[StoredClub]:
    """List every club in the order in which they were made, as the owner of the tables may."""
    listed = transaction.execute(_CLUBS.order_by(ClubRecord.id))
    return [StoredClub(found.id, found.name, found.created_at) for found in listed]

"""Clubs. Made and found by the owner of the tables; the service itself sees only the club that it works in."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import insert, select

from service.database import Transaction
from service.errors import Busy
from service.models import ClubRecord
from service.repository.conflicts import conflicts


@dataclass(frozen=True, slots=True)
class StoredClub:
    """A club."""

    id: UUID
    name: str
    created_at: datetime


def add(transaction: Transaction, name: str) -> StoredClub:
    """
    Make the club that the transaction is in.

    Raises:
        Busy: somebody else is making, or has just made, a club of this name.
    """
    club = StoredClub(transaction.club_id, name, transaction.now)
    with conflicts(clubs_name_key=Busy(f"a club named {name!r} was made at the same time; ask again")):
        transaction.execute(insert(ClubRecord).values(id=club.id, name=club.name, created_at=club.created_at))
    return club


def find(transaction: Transaction, name: str) -> StoredClub | None:
    """Find a club by its name, as the owner of the tables may."""
    query = select(ClubRecord.id, ClubRecord.name, ClubRecord.created_at).where(ClubRecord.name == name)
    found = transaction.execute(query).one_or_none()
    return None if found is None else StoredClub(found.id, found.name, found.created_at)

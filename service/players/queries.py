"""What players are called: no records, so that a name can be changed and erased."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Boolean, Row, Select, delete, literal_column, select
from sqlalchemy.dialects.postgresql import insert
from uuid_utils.compat import uuid7

from service.db import Transaction
from service.errors import NotFound
from service.ledger.queries.events import EventKind, record_event
from service.players.models import PlayerRecord


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player who has a display name; the id beside the operator's own orders lists."""

    id: UUID
    player: str
    display_name: str
    named_at: datetime


# PostgreSQL marks a version of a row that replaces another.
_IS_NEW: Final = literal_column("xmax = 0", Boolean())


def put(transaction: Transaction, player: str, display_name: str, event: bytes) -> bool:
    """
    Give a player a display name; nothing changes where he has the same already.

    Args:
        transaction: of his club.
        player: the operator's own id.
        display_name: kept here and nowhere else.
        event: what the audit trail says of it, without the name.

    Returns:
        Whether he had none before.
    """
    record = PlayerRecord
    statement = insert(record).values(
        club_id=transaction.club_id, player=player, id=uuid7(), display_name=display_name, named_at=transaction.now
    )
    other = statement.excluded
    named = transaction.execute(
        statement.on_conflict_do_update(
            index_elements=[record.club_id, record.player],
            set_={"display_name": other.display_name, "named_at": other.named_at},
            where=record.display_name != other.display_name,
        ).returning(_IS_NEW)
    ).scalar_one_or_none()
    if named is None:
        return False
    record_event(transaction, EventKind.PLAYER_NAMED, event)
    return bool(named)


def get(transaction: Transaction, player: str) -> StoredPlayer:
    """
    Read what a player is called.

    Raises:
        NotFound: he has no display name.
    """
    found = transaction.execute(_mine(transaction).where(PlayerRecord.player == player)).one_or_none()
    if found is None:
        raise NotFound(f"the player {player!r} has no display name")
    return _load(found)


def erase(transaction: Transaction, player: str, event: bytes) -> None:
    """Erase what a player is called, if he is called anything; the event says so without the name."""
    record = PlayerRecord
    erasure = delete(record).where(record.club_id == transaction.club_id, record.player == player)
    if transaction.execute(erasure).rowcount == 1:
        record_event(transaction, EventKind.PLAYER_ERASED, event)


def list_page(transaction: Transaction, *, after: UUID | None = None, limit: int) -> list[StoredPlayer]:
    """List players who have a display name, the newest first, from the one after `after`."""
    query = _mine(transaction).order_by(PlayerRecord.id.desc()).limit(limit)
    if after is not None:
        query = query.where(PlayerRecord.id < after)
    return [_load(found) for found in transaction.execute(query)]


def _mine(transaction: Transaction) -> Select[Any]:
    return select(PlayerRecord.__table__).where(PlayerRecord.club_id == transaction.club_id)


def _load(found: Row[Any]) -> StoredPlayer:
    return StoredPlayer(found.id, found.player, found.display_name, found.named_at)

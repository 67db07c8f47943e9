"""Display names of players, which can be changed and erased."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ARRAY, Boolean, Row, Select, Text, any_, delete, literal, literal_column, select
from sqlalchemy.dialects.postgresql import insert
from uuid_utils.compat import uuid7

from service.audit_trail.queries.events import EventKind, record_event
from service.db import Transaction
from service.errors import NotFound
from service.players.models import PlayerRecord


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player with a display name. `id` is the order of lists, `player` is the operator's ID."""

    id: UUID
    player: str
    display_name: str
    named_at: datetime


# `xmax` is 0 for an inserted row, and not for an updated one.
_IS_NEW: Final = literal_column("xmax = 0", Boolean())


def set_name(transaction: Transaction, player: str, display_name: str, salt: bytes, event: bytes) -> bool:
    """
    Set a player's display name; nothing changes if it is the same.

    Args:
        transaction: a transaction of the club.
        player: the operator's ID of the player.
        display_name: the name, which is stored only here.
        salt: the key of the name's digest in the event, which is stored only here too.
        event: the event to record, without the name.

    Returns:
        Whether the player had no display name before.
    """
    record = PlayerRecord
    statement = insert(record).values(
        club_id=transaction.club_id,
        player=player,
        id=uuid7(),
        display_name=display_name,
        salt=salt,
        named_at=transaction.now,
    )
    new = statement.excluded
    is_new = transaction.execute(
        statement.on_conflict_do_update(
            index_elements=[record.club_id, record.player],
            set_={"display_name": new.display_name, "salt": new.salt, "named_at": new.named_at},
            where=record.display_name != new.display_name,
        ).returning(_IS_NEW)
    ).scalar_one_or_none()
    if is_new is None:
        return False
    record_event(transaction, EventKind.PLAYER_NAMED, event)
    return bool(is_new)


def get(transaction: Transaction, player: str) -> StoredPlayer:
    """
    Read a player with a display name.

    Raises:
        NotFound: the player has no display name.
    """
    row = transaction.execute(_mine(transaction).where(PlayerRecord.player == player)).one_or_none()
    if row is None:
        raise NotFound(f"the player {player!r} has no display name")
    return _load(row)


def erase(transaction: Transaction, player: str) -> bool:
    """Delete a player's display name with its salt, and return whether they had one."""
    record = PlayerRecord
    erasure = delete(record).where(record.club_id == transaction.club_id, record.player == player)
    return bool(transaction.execute(erasure).rowcount == 1)


def list_page(transaction: Transaction, *, after: UUID | None = None, limit: int) -> list[StoredPlayer]:
    """List players with a display name, the newest first, starting after the ID `after`."""
    query = _mine(transaction).order_by(PlayerRecord.id.desc()).limit(limit)
    if after is not None:
        query = query.where(PlayerRecord.id < after)
    return [_load(row) for row in transaction.execute(query)]


def list_named(transaction: Transaction, players: Collection[str]) -> list[StoredPlayer]:
    """List those of some players that have a display name."""
    # One parameter, because a statement has at most 65,535.
    query = _mine(transaction).where(PlayerRecord.player == any_(literal([*players], ARRAY(Text))))
    return [_load(row) for row in transaction.execute(query)]


def search_names(transaction: Transaction, text: str, limit: int) -> list[str]:
    """List players with a text in their display names, in small or capital letters."""
    contains = PlayerRecord.display_name.icontains(text, autoescape=True)
    query = select(PlayerRecord.player).where(PlayerRecord.club_id == transaction.club_id, contains).limit(limit)
    return list(transaction.execute(query).scalars())


def _mine(transaction: Transaction) -> Select[Any]:
    return select(PlayerRecord.__table__).where(PlayerRecord.club_id == transaction.club_id)


def _load(row: Row[Any]) -> StoredPlayer:
    return StoredPlayer(row.id, row.player, row.display_name, row.named_at)

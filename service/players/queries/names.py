"""Display names of players, which can be changed and erased."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Boolean, Row, delete, func, literal_column, select, text
from sqlalchemy.dialects.postgresql import insert
from uuid_utils.compat import uuid7

from service.audit_trail.queries.events import EventKind, record_event
from service.db import Transaction
from service.errors import NotFound
from service.players.models import PlayerRecord


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """
    A player with a display name, with aliases, or with both.

    Attributes:
        id: the order of lists.
        player: the operator's ID of the player.
        display_name: the name set for this ID, else for the first of its aliases that has one.
    """

    id: UUID
    player: str
    display_name: str | None
    named_at: datetime | None


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


# The name of an alias is not shown while it is one, unless the player has no other name.
_SHOWN: Final = """
    SELECT shown.id, shown.player, shown.display_name, shown.named_at FROM (
        SELECT named.id, named.player, named.display_name, named.named_at FROM players AS named
        WHERE named.club_id = :club_id AND NOT EXISTS (
            SELECT FROM aliases AS joined WHERE (joined.club_id, joined.alias) = (named.club_id, named.player)
        )
        UNION ALL
        SELECT first.id, first.player, name.display_name, name.named_at
        FROM (
            SELECT DISTINCT ON (player) player, id FROM aliases WHERE club_id = :club_id ORDER BY player, id
        ) AS first
        LEFT JOIN LATERAL (
            SELECT named.display_name, named.named_at FROM aliases AS joined
            JOIN players AS named ON (named.club_id, named.player) = (joined.club_id, joined.alias)
            WHERE joined.club_id = :club_id AND joined.player = first.player ORDER BY joined.id LIMIT 1
        ) AS name ON true
        WHERE NOT EXISTS (SELECT FROM players AS own WHERE own.club_id = :club_id AND own.player = first.player)
    ) AS shown
"""
_OF_PLAYERS: Final = text(f"{_SHOWN} WHERE shown.player = ANY (CAST(:players AS text[]))")
_PAGE: Final = text(f"""
    {_SHOWN} WHERE CAST(:after AS uuid) IS NULL OR shown.id < CAST(:after AS uuid) ORDER BY shown.id DESC LIMIT :limit
""")


def find(transaction: Transaction, player: str) -> StoredPlayer | None:
    """Find a player with a display name or aliases, by the ID under which they are shown."""
    return next(iter(list_shown(transaction, [player])), None)


def get(transaction: Transaction, player: str) -> StoredPlayer:
    """
    Read a player with a display name or aliases, by the ID under which they are shown.

    Raises:
        NotFound: the player has neither.
    """
    stored = find(transaction, player)
    if stored is None:
        raise NotFound(f"the player {player!r} has no display name and no aliases")
    return stored


def erase(transaction: Transaction, player: str) -> bool:
    """Delete a player's display name with its salt, and return whether they had one."""
    record = PlayerRecord
    erasure = delete(record).where(record.club_id == transaction.club_id, record.player == player)
    return bool(transaction.execute(erasure).rowcount == 1)


def list_page(transaction: Transaction, *, after: UUID | None = None, limit: int) -> list[StoredPlayer]:
    """List players with a display name or aliases, the newest first, starting after the ID `after`."""
    parameters = {"club_id": transaction.club_id, "after": after, "limit": limit}
    return [_load(row) for row in transaction.execute(_PAGE, parameters)]


def list_shown(transaction: Transaction, players: Collection[str]) -> list[StoredPlayer]:
    """List those of some players that have a display name or aliases, by the IDs under which they are shown."""
    # One parameter, because a statement has at most 65,535.
    rows = transaction.execute(_OF_PLAYERS, {"club_id": transaction.club_id, "players": [*players]})
    return [_load(row) for row in rows]


def search_names(transaction: Transaction, text: str, limit: int) -> list[str]:
    """List IDs with a text in their display names, in small or capital letters: the shortest names first."""
    name = PlayerRecord.display_name
    query = select(PlayerRecord.player).where(
        PlayerRecord.club_id == transaction.club_id, name.icontains(text, autoescape=True)
    )
    in_order = query.order_by(func.length(name), PlayerRecord.player).limit(limit)
    return list(transaction.execute(in_order).scalars())


WITH_SEATED: Final = """
    WITH RECURSIVE seated (player) AS (
        (SELECT player FROM round_seats WHERE club_id = :club_id ORDER BY player LIMIT 1)
        UNION ALL
        SELECT (
            SELECT seat.player FROM round_seats AS seat
            WHERE seat.club_id = :club_id AND seat.player > seated.player ORDER BY seat.player LIMIT 1
        ) FROM seated WHERE seated.player IS NOT NULL
    )
"""
"""
The beginning of a query of `seated`, in which `player` is everybody who has sat in a round, and once null.

It is a skip scan: one probe of an index for each player of the club. By SQL, because rounds are a subject above this.
"""
_SEATED: Final = text(f"""
    {WITH_SEATED}
    SELECT player FROM seated WHERE position(lower(:text) IN lower(player)) > 0
    ORDER BY position(lower(:text) IN lower(player)), length(player), player LIMIT :limit
""")
_RECENT: Final = text("""
    SELECT DISTINCT unnest(head.players) AS player FROM (
        SELECT id FROM rounds WHERE club_id = :club_id ORDER BY opened_at DESC, id DESC LIMIT :rounds
    ) AS recent
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (:club_id, recent.id)
    ORDER BY player LIMIT :limit
""")


def search_ids(transaction: Transaction, text: str, limit: int) -> list[str]:
    """List IDs of those who sat in a round with a text in them, in small or capital letters, the best matches first."""
    parameters = {"club_id": transaction.club_id, "text": text, "limit": limit}
    return list(transaction.execute(_SEATED, parameters).scalars())


def list_recent(transaction: Transaction, *, rounds: int, limit: int) -> list[str]:
    """List the IDs of those who sat in the newest rounds."""
    parameters = {"club_id": transaction.club_id, "rounds": rounds, "limit": limit}
    return list(transaction.execute(_RECENT, parameters).scalars())


def _load(row: Row[Any]) -> StoredPlayer:
    return StoredPlayer(row.id, row.player, row.display_name, row.named_at)

"""Aliases: the other IDs of a person, which are joined to a player and parted again."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from sqlalchemy import delete, select, text

from service.audit_trail.queries.events import EventKind, EventWriter, record_event
from service.db import Statement, Transaction
from service.db.batch import Batch
from service.players.models import AliasRecord


@dataclass(frozen=True)
class Aliases:
    """
    The aliases of the players of a club. An ID that has none, and is none, is that of a player too.

    >>> aliases = Aliases({"bobby": "bob", "robert": "bob"})
    >>> aliases.player_of("bobby"), aliases.player_of("ann")
    ('bob', 'ann')
    >>> aliases.ids_of("robert"), aliases.ids_of("ann"), aliases.of("bob")
    (['bob', 'bobby', 'robert'], ['ann'], ['bobby', 'robert'])

    Attributes:
        players: the player of each alias, in the order in which they were joined.
    """

    players: Mapping[str, str] = field(default_factory=dict)

    def player_of(self, known_as: str) -> str:
        """Return the ID under which the figures of a player are shown, from any of their IDs."""
        return self.players.get(known_as, known_as)

    def players_of(self, ids: Iterable[str]) -> list[str]:
        """Return the IDs under which players are shown, in the order of their IDs in a record."""
        return [self.players.get(known_as, known_as) for known_as in ids]

    def of(self, player: str) -> list[str]:
        """Return the aliases of a player, in the order in which they were joined."""
        return self._by_player.get(player, [])

    def ids_of(self, known_as: str) -> list[str]:
        """Return all IDs of a player, from any of them: the one under which they are shown, then the aliases."""
        player = self.player_of(known_as)
        return [player, *self.of(player)]

    def ids_of_all(self, players: Iterable[str]) -> list[str]:
        """Return all IDs of several players."""
        return [known_as for player in players for known_as in self.ids_of(player)]

    def among(self, players: Iterable[str]) -> dict[str, str]:
        """Return the aliases of some players only, each with its player."""
        return {alias: player for player in players for alias in self.of(player)}

    @cached_property
    def _by_player(self) -> dict[str, list[str]]:
        by_player: dict[str, list[str]] = {}
        for alias, player in self.players.items():
            by_player.setdefault(player, []).append(alias)
        return by_player


_ALIASES: Final = Statement(text("SELECT alias, player FROM aliases WHERE club_id = :club_id ORDER BY id"))
_LIMIT_WAITS: Final = Statement(text("SELECT set_config('lock_timeout', '2s', true)"))
_LOCK: Final = Statement(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 4))"))
_LOCK_SHARED: Final = Statement(text("SELECT pg_advisory_xact_lock_shared(hashtextextended(:name, 4))"))


def read_aliases(transaction: Transaction) -> Aliases:
    """Read the aliases of all players of the club."""
    rows = transaction.query(_ALIASES, {"club_id": transaction.club_id})
    return Aliases({row["alias"]: row["player"] for row in rows})


def hold_aliases(transaction: Transaction) -> Aliases:
    """
    Read the aliases, and lock them until the transaction ends: nobody is joined meanwhile.

    Whoever seats players in a round reads them so. The locks of several rounds do not exclude each other.
    """
    transaction.write(_LOCK_SHARED, {"name": str(transaction.club_id)})
    return read_aliases(transaction)


def lock_aliases(transaction: Transaction) -> Aliases:
    """
    Read the aliases, and lock them until the transaction ends to change them: no round is opened meanwhile.

    Raises:
        Busy: another transaction opened rounds or changed aliases for too long.
    """
    # Openings that come later wait behind this one.
    transaction.write(_LIMIT_WAITS, {})
    transaction.write(_LOCK, {"name": str(transaction.club_id)})
    return read_aliases(transaction)


def add_up(
    query: str,
    *,
    players: Sequence[str] = ("player",),
    by: Sequence[str] = (),
    counts: Sequence[str],
    sums: Sequence[str],
) -> str:
    """
    Return a query that adds up the rows of another one, which has sums by recorded ID, to sums by player.

    The sums by ID come first, because they are read from indexes by ID, and few are left to be added.

    >>> print(add_up("SELECT player, count(*) AS rounds FROM a GROUP BY 1", counts=["rounds"], sums=[]))
    ... # doctest: +NORMALIZE_WHITESPACE
    SELECT coalesce(alias_of_player.player, summed.player) AS player, CAST(sum(summed.rounds) AS bigint) AS rounds
    FROM (SELECT player, count(*) AS rounds FROM a GROUP BY 1) AS summed
    LEFT JOIN aliases AS alias_of_player
        ON (alias_of_player.club_id, alias_of_player.alias) = (:club_id, summed.player)
    GROUP BY 1

    Args:
        query: the other query.
        players: its columns with IDs of players.
        by: further columns that distinguish sums.
        counts: columns with numbers of rows.
        sums: columns with other sums.
    """
    columns = [
        *(f"coalesce(alias_of_{each}.player, summed.{each}) AS {each}" for each in players),
        *(f"summed.{each}" for each in by),
        *(f"CAST(sum(summed.{each}) AS bigint) AS {each}" for each in counts),
        *(f"sum(summed.{each}) AS {each}" for each in sums),
    ]
    joins = [
        f"LEFT JOIN aliases AS alias_of_{each}"
        f" ON (alias_of_{each}.club_id, alias_of_{each}.alias) = (:club_id, summed.{each})"
        for each in players
    ]
    places = ", ".join(str(place) for place, _ in enumerate((*players, *by), start=1))
    return f"SELECT {', '.join(columns)} FROM ({query}) AS summed {' '.join(joins)} GROUP BY {places}"


@dataclass(frozen=True, slots=True)
class StoredAlias:
    """An alias of a player, and when it was joined."""

    alias: str
    player: str
    joined_at: datetime


# By SQL, because rounds are a subject above this one.
_KNOWN: Final = text("""
    SELECT DISTINCT player FROM round_seats WHERE club_id = :club_id AND player = ANY (CAST(:ids AS text[]))
""")
_TOGETHER: Final = text("""
    SELECT DISTINCT one.round_id FROM round_seats AS one
    JOIN round_heads AS head ON (head.club_id, head.round_id, head.revision)
        = (one.club_id, one.round_id, one.revision)
    JOIN round_seats AS other ON (other.club_id, other.round_id, other.revision)
        = (one.club_id, one.round_id, one.revision)
    WHERE one.club_id = :club_id AND one.player = ANY (CAST(:ids AS text[]))
        AND other.player = ANY (CAST(:others AS text[]))
    ORDER BY one.round_id LIMIT :limit
""")
_LAST_EVENT: Final = text(f"""
    SELECT id FROM events
    WHERE club_id = :club_id AND kind IN ('{EventKind.PLAYER_JOINED}', '{EventKind.PLAYER_PARTED}')
    ORDER BY id DESC LIMIT 1
""")
_WAS_PARTED: Final = text(f"""
    SELECT EXISTS (
        SELECT FROM events
        WHERE club_id = :club_id AND kind IN ('{EventKind.PLAYER_JOINED}', '{EventKind.PLAYER_PARTED}')
            AND kind = '{EventKind.PLAYER_PARTED}' AND content = :content
    )
""")


def list_known(transaction: Transaction, ids: Iterable[str]) -> set[str]:
    """List those of some IDs that sat in a round of the club, in any revision."""
    return set(transaction.execute(_KNOWN, {"club_id": transaction.club_id, "ids": [*ids]}).scalars())


def list_rounds_together(transaction: Transaction, ids: Iterable[str], others: Iterable[str], limit: int) -> list[UUID]:
    """List rounds in which one of some IDs and one of others sit, in the revisions in force."""
    parameters = {"club_id": transaction.club_id, "ids": [*ids], "others": [*others], "limit": limit}
    return list(transaction.execute(_TOGETHER, parameters).scalars())


def list_aliases(transaction: Transaction, players: Collection[str]) -> list[StoredAlias]:
    """List the aliases of some players, in the order in which they were joined."""
    record = AliasRecord
    query = (
        select(record.alias, record.player, record.joined_at)
        .where(record.club_id == transaction.club_id, record.player.in_(players))
        .order_by(record.id)
    )
    return [StoredAlias(row.alias, row.player, row.joined_at) for row in transaction.execute(query)]


def join(transaction: Transaction, player: str, alias: str, event: bytes) -> None:
    """Insert an alias, and record the event; the aliases must be locked."""
    batch = Batch()
    after = _find_last_event(transaction)
    added, _ = EventWriter(transaction, batch).add(EventKind.PLAYER_JOINED, event, after=after)
    record = {
        "club_id": transaction.club_id,
        "alias": alias,
        "player": player,
        "id": added,
        "joined_at": transaction.now,
    }
    batch.insert(AliasRecord, record)
    batch.write(transaction)


def part(transaction: Transaction, alias: str, event: bytes) -> None:
    """Delete an alias, and record the event; the aliases must be locked."""
    record = AliasRecord
    transaction.execute(delete(record).where(record.club_id == transaction.club_id, record.alias == alias))
    record_event(transaction, EventKind.PLAYER_PARTED, event, after=_find_last_event(transaction))


def was_parted(transaction: Transaction, event: bytes) -> bool:
    """Return whether the club has the event of a parting."""
    parameters = {"club_id": transaction.club_id, "content": event}
    return bool(transaction.execute(_WAS_PARTED, parameters).scalar_one())


def _find_last_event(transaction: Transaction) -> UUID | None:
    """
    Return the largest ID of the events that joined and parted players.

    That of the next one is larger, even if the clock of another server was ahead: verification replays them in this
    order.
    """
    last: UUID | None = transaction.execute(_LAST_EVENT, {"club_id": transaction.club_id}).scalar_one_or_none()
    return last

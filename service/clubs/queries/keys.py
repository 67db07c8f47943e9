"""API keys of clubs. Only the hashes of secrets are stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Executable, Row, func, insert, or_, select, text, update

from evidence.events import KeyRevoked
from service.audit_trail.queries.events import EventKind, record_event
from service.clubs.models import ApiKeyRecord, ClubRecord
from service.db import Pipeline, Query, Session, Statement, Transaction
from service.db.connections import ENTER_CLUB
from service.db.failures import conflicts
from service.db.paging import count_rows, select_page
from service.db.pipeline import Row as PipelineRow
from service.errors import Busy, KeyUnknown, NotFound


@dataclass(frozen=True, slots=True)
class StoredKey:
    """
    A valid key, or a valid link, with its club and scopes.

    Attributes:
        name: the name of the key, or the label of the link.
        table_id: the table of a link; None for a link to the club, and for a key.
        round_id: the round of a link to a round; None for others, and for a key.
        player: the player of a personal link; None for others, and for a key.
        declared_player: the player who uses the key, or the key that issued the link, or has the personal link; None if
            none was declared.
        is_link: whether it is a link.
    """

    club_id: UUID
    id: UUID
    name: str
    scopes: tuple[str, ...]
    table_id: UUID | None = None
    round_id: UUID | None = None
    player: str | None = None
    declared_player: str | None = None
    is_link: bool = False


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """
    A key as operators see it, without its secret.

    Attributes:
        club: the name of the club.
        name: its name, or its prefix after the name was erased.
        prefix: the first characters of the key, which identify it.
        expires_at: when it expires, as set at its creation; None if it does not.
        revoked_at: when it is revoked; can be in the future.
        last_used_at: rounded to minutes.
        player: the operator's ID of the player who uses it; None if none was declared.
        created_by: the key that created it; None if the operator did.
        replaces: the key that it replaces; None if it replaces none.
    """

    club_id: UUID
    club: str
    id: UUID
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    player: str | None = None
    created_by: UUID | None = None
    replaces: UUID | None = None

    @property
    def ends_at(self) -> datetime | None:
        """When the key becomes invalid, by expiry or revocation; None if it does not."""
        return min((moment for moment in (self.expires_at, self.revoked_at) if moment is not None), default=None)


_KEY: Final = ApiKeyRecord
_NAME: Final = func.coalesce(_KEY.name, _KEY.prefix).label("name")
_ISSUED: Final = (
    select(
        _KEY.club_id,
        ClubRecord.name.label("club"),
        _KEY.id,
        _NAME,
        _KEY.prefix,
        _KEY.scopes,
        _KEY.created_at,
        _KEY.expires_at,
        _KEY.revoked_at,
        _KEY.last_used_at,
        _KEY.player,
        _KEY.created_by,
        _KEY.replaces,
    )
    .join(ClubRecord, ClubRecord.id == _KEY.club_id)
    .order_by(_KEY.id)
)
_CREATE: Final = text("""
    SELECT create_key(
        :creator_id, :id, :name, :name_salt, :prefix, :secret_sha256, CAST(:scopes AS text[]), :created_at,
        CAST(:expires_at AS timestamptz), CAST(:player AS text)
    )
""")
_REVOKE: Final = text("SELECT revoke_key(:key_id)")
_AUTHENTICATE: Final = Statement(text(f"SELECT key.*, {ENTER_CLUB} FROM authenticate_key(:secret_sha256) AS key"))
_NOTE_USE: Final = """
    UPDATE {table} SET last_used_at = now() WHERE club_id = :club_id AND id = (
        SELECT id FROM {table} WHERE club_id = :club_id AND id = :id
            AND coalesce(last_used_at < now() - interval '1 minute', true) FOR NO KEY UPDATE SKIP LOCKED
    )
"""
_NOTE_USE_OF_KEY: Final = Statement(text(_NOTE_USE.format(table="api_keys")))
_NOTE_USE_OF_LINK: Final = Statement(text(_NOTE_USE.format(table="links")))


def add(transaction: Transaction, key: IssuedKey, name_salt: bytes, secret_sha256: bytes, event: bytes) -> None:
    """Insert a key of the transaction's club, as the owner of the tables."""
    transaction.execute(
        insert(_KEY).values(
            club_id=transaction.club_id,
            id=key.id,
            name=key.name,
            name_salt=name_salt,
            prefix=key.prefix,
            secret_sha256=secret_sha256,
            scopes=list(key.scopes),
            created_at=key.created_at,
            expires_at=key.expires_at,
            player=key.player,
            replaces=key.replaces,
        )
    )
    record_event(transaction, EventKind.KEY_CREATED, event)


def add_own(
    transaction: Transaction,
    creator: IssuedKey,
    key: IssuedKey,
    name_salt: bytes,
    secret_sha256: bytes,
    event: bytes,
) -> None:
    """
    Insert a key of the transaction's club, with the role of the service and the rights of another key.

    Raises:
        KeyUnknown: the key that creates it has ended since it was read.
        Busy: the key that creates it was changed since it was read, so that it can no longer create this one.
    """
    changed = Busy(f"the key {creator.name!r} was changed while it created another one; retry the request")
    with conflicts(api_keys_creator_valid=refuse_ended(creator), api_keys_creator_check=changed):
        transaction.execute(
            _CREATE,
            {
                "creator_id": creator.id,
                "id": key.id,
                "name": key.name,
                "name_salt": name_salt,
                "prefix": key.prefix,
                "secret_sha256": secret_sha256,
                "scopes": list(key.scopes),
                "created_at": key.created_at,
                "expires_at": key.expires_at,
                "player": key.player,
            },
        )
    record_event(transaction, EventKind.KEY_CREATED, event)


def refuse_ended(creator: IssuedKey) -> KeyUnknown:
    """Return the error for a key that has ended while it created another one."""
    return KeyUnknown(f"the key {creator.name!r} ended while it created another one; expected a valid key of a club")


def find(session: Session, secret_sha256: bytes) -> StoredKey | None:
    """
    Find the valid key or link of a secret, and record its use; return None if there is none.

    Args:
        session: a session without a transaction.
        secret_sha256: the hash of the secret. Comparing hashes prevents timing attacks on the secret.
    """
    return _use(session, session.query(_AUTHENTICATE, {"secret_sha256": secret_sha256}))


def begin(
    session: Session, secret_sha256: bytes, *, is_reading: bool, ahead: Sequence[Query] = ()
) -> tuple[StoredKey | None, Pipeline]:
    """
    Begin a transaction in the club, at the table and in the round of a key or link, which is found as by `find`.

    Without a valid key, the transaction sees no club's records.

    Args:
        session: a session without a transaction.
        secret_sha256: the hash of the secret.
        is_reading: whether the transaction only reads.
        ahead: queries that the transaction begins with, to be sent along.
    """
    find = _AUTHENTICATE, {"secret_sha256": secret_sha256}
    begun, rows = session.begin(find, is_reading=is_reading, ahead=ahead)
    return _use(session, rows), begun


def _use(session: Session, rows: Sequence[PipelineRow]) -> StoredKey | None:
    """Return the key or link that was found, and record its use at the end of the session."""
    if not rows:
        return None
    [row] = rows
    place = row["table_id"], row["round_id"], row["player"], row["declared_player"], row["is_link"]
    key = StoredKey(row["club_id"], row["id"], row["name"], tuple(row["scopes"]), *place)
    if row["is_use_due"]:
        note_use = _NOTE_USE_OF_LINK if key.is_link else _NOTE_USE_OF_KEY
        session.note(key.club_id, note_use, {"club_id": key.club_id, "id": key.id})
    return key


def list_all(transaction: Transaction, club_id: UUID | None = None) -> list[IssuedKey]:
    """List the keys of one club or of all clubs in the order of their creation, as the owner of the tables."""
    query = _ISSUED if club_id is None else _ISSUED.where(_KEY.club_id == club_id)
    return [_load(row) for row in transaction.execute(query)]


def list_page(
    transaction: Transaction, *, after: UUID | None = None, limit: int, oldest_first: bool = False
) -> list[IssuedKey]:
    """List keys of the transaction's club, the newest or the oldest first, from the one after `after`."""
    own = _ISSUED.where(_is_own(transaction))
    query = select_page(own, _KEY.id, after=after, limit=limit, oldest_first=oldest_first)
    return [_load(row) for row in transaction.execute(query)]


def count(transaction: Transaction, limit: int) -> int:
    """Count the keys of the transaction's club, up to a limit."""
    return count_rows(transaction, _ISSUED.where(_is_own(transaction)).order_by(None), limit)


def list_names(transaction: Transaction, key_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return the names of keys of the transaction's club, by their IDs."""
    query = select(_KEY.id, _NAME).where(_is_own(transaction), _KEY.id.in_(key_ids))
    return {row.id: row.name for row in transaction.execute(query)}


def list_named(transaction: Transaction, name: str) -> list[UUID]:
    """List the IDs of the keys of the transaction's club with a name."""
    return list(transaction.execute(select(_KEY.id).where(_is_own(transaction), _KEY.name == name)).scalars())


@dataclass(frozen=True, slots=True)
class KeyOrigin:
    """Where a key comes from: the key that created it, and the key that it replaces; and its player."""

    created_by: UUID | None
    replaces: UUID | None
    player: str | None


def list_origins(transaction: Transaction) -> Mapping[UUID, KeyOrigin]:
    """Return where each key of the transaction's club comes from, by its ID."""
    query = select(_KEY.id, _KEY.created_by, _KEY.replaces, _KEY.player).where(_is_own(transaction))
    return {row.id: KeyOrigin(row.created_by, row.replaces, row.player) for row in transaction.execute(query)}


def list_known_as(
    transaction: Transaction, *, prefix: str, key_id: UUID | None, secret_sha256: bytes
) -> list[IssuedKey]:
    """List the keys of all clubs with this prefix, ID or hash, as the owner of the tables."""
    conditions: list[ColumnElement[bool]] = [_KEY.prefix == prefix, _KEY.secret_sha256 == secret_sha256]
    if key_id is not None:
        conditions.append(_KEY.id == key_id)
    return [_load(row) for row in transaction.execute(_ISSUED.where(or_(*conditions)))]


def get(transaction: Transaction, key_id: UUID) -> IssuedKey:
    """
    Read a key of the transaction's club.

    Raises:
        NotFound: the club has no key with this ID.
    """
    return _one(transaction, _ISSUED.where(_is_own(transaction), _KEY.id == key_id), key_id)


def lock(transaction: Transaction, key_id: UUID) -> IssuedKey:
    """
    Lock a key of the transaction's club.

    Raises:
        NotFound: the club has no key with this ID.
    """
    return _one(transaction, _ISSUED.where(_is_own(transaction), _KEY.id == key_id).with_for_update(of=_KEY), key_id)


def end(transaction: Transaction, key: IssuedKey, after: timedelta) -> datetime | None:
    """
    Revoke a key of the transaction's club after a time, by the clock of the database.

    Returns:
        When the key is revoked; None, without a change, if it was to be revoked earlier.
    """
    moment = func.now() + after
    statement = (
        update(_KEY)
        .where(_KEY.club_id == transaction.club_id, _KEY.id == key.id)
        .where(or_(_KEY.revoked_at.is_(None), _KEY.revoked_at > moment))
        .values(revoked_at=moment)
        .returning(_KEY.revoked_at)
    )
    ended: datetime | None = transaction.execute(statement).scalar_one_or_none()
    _record_end(transaction, key, after, ended)
    return ended


def end_own(transaction: Transaction, key: IssuedKey) -> None:
    """Revoke a key of the transaction's club, with the role of the service; an ended key does not change."""
    ended = transaction.execute(_REVOKE, {"key_id": key.id}).scalar_one()
    _record_end(transaction, key, timedelta(0), ended)


def _record_end(transaction: Transaction, key: IssuedKey, after: timedelta, ended: datetime | None) -> None:
    """Record the event of a key's end, unless nothing was changed."""
    if ended is not None:
        overlap = int(after.total_seconds())
        event = KeyRevoked(key=key.id, prefix=key.prefix, overlap_seconds=overlap, revoked_at=ended)
        record_event(transaction, event.kind, event.encode())


def _is_own(transaction: Transaction) -> ColumnElement[bool]:
    return _KEY.club_id == transaction.club_id


def _one(transaction: Transaction, query: Executable, key_id: UUID) -> IssuedKey:
    row = transaction.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"There is no key {key_id}.")
    return _load(row)


def _load(row: Row[Any]) -> IssuedKey:
    return IssuedKey(
        club_id=row.club_id,
        club=row.club,
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
        player=row.player,
        created_by=row.created_by,
        replaces=row.replaces,
    )

"""Sessions of the console, and links that sign in. Only the hashes of their secrets are stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, delete, func, insert, select, text, update

from service.clubs.models import ApiKeyRecord
from service.clubs.queries.keys import StoredKey
from service.console.models import ConsoleSessionRecord
from service.db import Session, Statement, Transaction
from service.db.paging import count_rows
from service.errors import NotFound

_SESSION: Final = ConsoleSessionRecord
_KEY: Final = ApiKeyRecord
_FIND: Final = Statement(
    text("""
        SELECT club_id, id, key_id, key_name, scopes, player, expires_at
        FROM find_console_session(:kind, :secret_sha256)
    """)
)


class SessionKind(StrEnum):
    """What a secret is for: a session, a link that begins one, or a link that signs a phone in."""

    LINK = "link"
    PHONE = "phone"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class ConsoleSession:
    """A session that has not ended, or a link that has not been used, with its key."""

    id: UUID
    key: StoredKey
    expires_at: datetime


def find(session: Session, kind: SessionKind, secret_sha256: bytes) -> ConsoleSession | None:
    """
    Find the session or the link of a secret; return None if there is none, or if it or its key has ended.

    Args:
        session: a database session without a transaction.
        kind: what the secret is for.
        secret_sha256: the hash of the secret. Comparing hashes prevents timing attacks on the secret.
    """
    rows = session.query(_FIND, {"kind": kind.value, "secret_sha256": secret_sha256})
    if not rows:
        return None
    [row] = rows
    key = StoredKey(row["club_id"], row["key_id"], row["key_name"], tuple(row["scopes"]), declared_player=row["player"])
    return ConsoleSession(row["id"], key, row["expires_at"])


def add(
    transaction: Transaction,
    session_id: UUID,
    key_id: UUID,
    kind: SessionKind,
    secret_sha256: bytes,
    expires_at: datetime,
) -> None:
    """Insert a session or a link. Those of the club that have expired are deleted."""
    mine = _SESSION.club_id == transaction.club_id
    transaction.execute(delete(_SESSION).where(mine, _SESSION.expires_at <= transaction.now))
    transaction.execute(
        insert(_SESSION).values(
            club_id=transaction.club_id,
            id=session_id,
            key_id=key_id,
            kind=kind.value,
            secret_sha256=secret_sha256,
            created_at=transaction.now,
            expires_at=expires_at,
        )
    )


def end(transaction: Transaction, session_id: UUID) -> bool:
    """End a session, or a link because it is used. Returns whether it had not ended before."""
    statement = (
        update(_SESSION)
        .where(_SESSION.club_id == transaction.club_id, _SESSION.id == session_id, _SESSION.ended_at.is_(None))
        .values(ended_at=transaction.now)
    )
    return transaction.execute(statement).rowcount == 1


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Filters of the sessions of a club; None means every one."""

    key_id: UUID | None = None
    is_open: bool | None = None


@dataclass(frozen=True, slots=True)
class ListedSession:
    """
    A session of a list.

    Attributes:
        key_id, key_name, key_prefix: the key with which it began.
        expires_at: when it ends by itself.
        ended_at: when somebody signed out or ended it; None if nobody did.
        key_revoked_at: when its key is revoked, which can be in the future; None if it is not.
    """

    id: UUID
    key_id: UUID
    key_name: str
    key_prefix: str
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    key_revoked_at: datetime | None

    @property
    def ends_at(self) -> datetime:
        """When it ends or has ended, by itself, on request or with its key."""
        moments = (self.expires_at, self.ended_at, self.key_revoked_at)
        return min(moment for moment in moments if moment is not None)


def list_page(
    transaction: Transaction, filter_: SessionFilter, *, after: UUID | None = None, limit: int
) -> list[ListedSession]:
    """List the sessions of the club, the newest first, from the one after `after`, without links."""
    query = _filtered(transaction, filter_)
    if after is not None:
        query = query.where(_SESSION.id < after)
    return [_load(row) for row in transaction.execute(query.order_by(_SESSION.id.desc()).limit(limit))]


def count(transaction: Transaction, filter_: SessionFilter, limit: int | None = None) -> int:
    """Count the sessions of the club, without links; up to a limit, or all."""
    return count_rows(transaction, _filtered(transaction, filter_), limit)


def get(transaction: Transaction, session_id: UUID) -> ListedSession:
    """
    Read a session of the club.

    Raises:
        NotFound: the club has no session with this ID.
    """
    row = transaction.execute(_listed(transaction).where(_SESSION.id == session_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no session {session_id}; expected the ID of a session of the club")
    return _load(row)


def _filtered(transaction: Transaction, filter_: SessionFilter) -> Select[Any]:
    query = _listed(transaction)
    if filter_.key_id is not None:
        query = query.where(_SESSION.key_id == filter_.key_id)
    if filter_.is_open is not None:
        # `least` ignores null.
        is_open = func.least(_SESSION.expires_at, _SESSION.ended_at, _KEY.revoked_at) > transaction.now
        query = query.where(is_open if filter_.is_open else ~is_open)
    return query


def _listed(transaction: Transaction) -> Select[Any]:
    columns: Sequence[Any] = [
        *(
            _SESSION.id,
            _SESSION.key_id,
            func.coalesce(_KEY.name, _KEY.prefix).label("key_name"),
            _KEY.prefix.label("key_prefix"),
        ),
        *(_SESSION.created_at, _SESSION.expires_at, _SESSION.ended_at, _KEY.revoked_at.label("key_revoked_at")),
    ]
    return (
        select(*columns)
        .join(_KEY, (_KEY.club_id == _SESSION.club_id) & (_KEY.id == _SESSION.key_id))
        .where(_SESSION.club_id == transaction.club_id, _SESSION.kind == SessionKind.SESSION.value)
    )


def _load(row: Row[Any]) -> ListedSession:
    return ListedSession(
        id=row.id,
        key_id=row.key_id,
        key_name=row.key_name,
        key_prefix=row.key_prefix,
        created_at=row.created_at,
        expires_at=row.expires_at,
        ended_at=row.ended_at,
        key_revoked_at=row.key_revoked_at,
    )

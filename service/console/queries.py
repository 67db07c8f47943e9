"""Sessions of the console. Only the hashes of their secrets are stored."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from sqlalchemy import delete, insert, text, update

from service.clubs.queries.keys import StoredKey
from service.console.models import ConsoleSessionRecord
from service.db import Session, Statement, Transaction

_SESSION: Final = ConsoleSessionRecord
_FIND: Final = Statement(
    text("SELECT club_id, id, key_id, key_name, scopes, expires_at FROM find_console_session(:kind, :secret_sha256)")
)


class SessionKind(StrEnum):
    """What a secret is for: a session, or a link that begins one."""

    LINK = "link"
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
    key = StoredKey(row["club_id"], row["key_id"], row["key_name"], tuple(row["scopes"]))
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

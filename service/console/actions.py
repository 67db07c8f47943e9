"""Begin, list and end sessions of the console, and sign phones in."""

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import LinkKind
from schemas.links import PHONE_PREFIX, Link
from service.clubs.actions import list_keys
from service.clubs.queries import keys
from service.clubs.queries.clubs import StoredClub
from service.clubs.queries.keys import IssuedKey
from service.console import queries as sessions
from service.console.queries import ConsoleSession, ListedSession, SessionFilter, SessionKind
from service.db import Database, Session, Transaction
from service.db.pages import Page, cut_page
from service.errors import KeyUnknown, NotFound, OperatorError
from service.links.actions.links import check_link_scopes, issue_club_link

SESSION_LIFETIME: Final = timedelta(hours=12)
LINK_LIFETIME: Final = timedelta(minutes=10)
_SECRET_BYTES: Final = 32
_PHONE: Final = "phone"
"""The label of a link that a phone has without naming one."""


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A new session or link with its secret, which is not stored."""

    id: UUID
    expires_at: datetime
    secret: str = field(repr=False)


def find_session(session: Session, secret: str) -> ConsoleSession | None:
    """Find the session of a secret; return None if there is none, or if it or its key has ended."""
    return sessions.find(session, SessionKind.SESSION, hash_secret(secret))


def find_link(session: Session, secret: str) -> ConsoleSession | None:
    """Find the link of a secret; return None if there is none, or if it was used or has expired."""
    return sessions.find(session, SessionKind.LINK, hash_secret(secret))


def find_phone_link(session: Session, code: str) -> ConsoleSession | None:
    """Find the link of a code that signs a phone in; return None as `find_link` does."""
    return sessions.find(session, SessionKind.PHONE, hash_secret(code))


def sign_in(transaction: Transaction, key_id: UUID) -> NewSecret:
    """Begin a session with a key."""
    return _add(transaction, key_id, SessionKind.SESSION, SESSION_LIFETIME)


def issue_console_link(transaction: Transaction, key_id: UUID) -> NewSecret:
    """Create a link with which one session of a key can begin."""
    return _add(transaction, key_id, SessionKind.LINK, LINK_LIFETIME)


def issue_console_link_for(database: Database, known_as: str, club: StoredClub | None) -> tuple[NewSecret, IssuedKey]:
    """
    Create a link for a valid key that is known by its name, its prefix or its ID, as the owner of the tables.

    Args:
        database: with the login of the owner of the tables.
        known_as: the name, prefix or ID.
        club: the club of the key; None if any club can have it.

    Raises:
        NotFound: no valid key matches.
        OperatorError: several valid keys match.
    """
    now = datetime.now(UTC)
    valid = [each for each in list_keys(database, club) if each.ends_at is None or each.ends_at > now]
    matches = [each for each in valid if known_as in (each.name, each.prefix, str(each.id))]
    if not matches:
        raise NotFound(f"There is no valid key {known_as!r}; `ofc-server key list` lists names, prefixes and IDs.")
    if len(matches) > 1:
        raise OperatorError(f"{len(matches)} valid keys have the name {known_as!r}; expected a prefix, or --club.")
    [key] = matches
    with database.transaction(key.club_id) as transaction:
        return issue_console_link(transaction, key.id), key


def sign_in_with_link(transaction: Transaction, link: ConsoleSession) -> NewSecret:
    """
    Begin a session with a link, which is used up.

    Raises:
        KeyUnknown: the link was used in the meantime.
    """
    if not sessions.end(transaction, link.id):
        raise KeyUnknown("the link was used before; expected a new link")
    return sign_in(transaction, link.key.id)


def issue_phone_link(transaction: Transaction, key_id: UUID) -> NewSecret:
    """
    Create a link that makes one phone a scorekeeper of the club.

    Raises:
        ScopeMissing: the key cannot issue links to the club.
    """
    check_link_scopes(keys.get(transaction, key_id), LinkKind.CLUB)
    return _add(transaction, key_id, SessionKind.PHONE, LINK_LIFETIME, prefix=PHONE_PREFIX)


def sign_in_phone(transaction: Transaction, link: ConsoleSession, secret: str, label: str | None) -> Link:
    """
    Issue a link to the club for a phone, with the secret that the phone has drawn. The link that signs in is used up.

    Raises:
        KeyUnknown: that was used in the meantime, or its key has just ended.
        LinkEnded: another link has the secret.
        ScopeMissing: the key can no longer issue links to the club.
    """
    if not sessions.end(transaction, link.id):
        raise KeyUnknown("the link was used before; expected a new link")
    return issue_club_link(transaction, label or _PHONE, secret, link.key.id)


def sign_out(transaction: Transaction, session_id: UUID) -> None:
    """End a session; one that has ended before does not change."""
    sessions.end(transaction, session_id)


def list_sessions(
    transaction: Transaction, filter_: SessionFilter, *, after: UUID | None, limit: int
) -> Page[ListedSession]:
    """
    List the sessions of the club, the newest first. Expired ones are deleted when another one begins.

    Raises:
        NotFound: the filter has a key that the club does not have.
    """
    if filter_.key_id is not None:
        keys.get(transaction, filter_.key_id)
    page = sessions.list_page(transaction, filter_, after=after, limit=limit + 1)
    return cut_page(page, limit, lambda listed: listed)


def count_sessions(transaction: Transaction, filter_: SessionFilter, limit: int | None = None) -> int:
    """Count the sessions of the club; up to a limit, or all."""
    return sessions.count(transaction, filter_, limit)


def end_session(transaction: Transaction, session_id: UUID) -> ListedSession:
    """
    End a session of the club, and return it as it was; one that has ended before does not change.

    Raises:
        NotFound: the club has no session with this ID.
    """
    session = sessions.get(transaction, session_id)
    sessions.end(transaction, session.id)
    return session


def hash_secret(secret: str) -> bytes:
    """Return the hash of a secret, as it is stored."""
    return sha256(secret.encode(errors="replace")).digest()


def _add(
    transaction: Transaction, key_id: UUID, kind: SessionKind, lifetime: timedelta, *, prefix: str = ""
) -> NewSecret:
    ends_at = keys.get(transaction, key_id).ends_at
    expires_at = transaction.now + lifetime
    if ends_at is not None:
        if ends_at <= transaction.now:
            raise KeyUnknown("the key has just ended; expected a valid key of a club")
        expires_at = min(expires_at, ends_at)
    session_id, secret = uuid7(), prefix + secrets.token_urlsafe(_SECRET_BYTES)
    sessions.add(transaction, session_id, key_id, kind, hash_secret(secret), expires_at)
    return NewSecret(session_id, expires_at, secret)

"""Create and find clubs and their API keys."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from string import ascii_letters, ascii_lowercase, digits
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import ClubCreated, KeyCreated
from service.clubs.queries import clubs, keys
from service.clubs.queries.clubs import StoredClub
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import EVERY_SCOPE
from service.db import Database, Transaction
from service.db.pages import Page, cut_page
from service.errors import ClubTaken, NotFound, OperatorError


def find_club(database: Database, name: str) -> StoredClub:
    """
    Find a club by its name, for the owner of the tables.

    Raises:
        NotFound: there is none of this name.
    """
    with database.reading(uuid7()) as transaction:
        club = clubs.find(transaction, name)
    if club is None:
        raise NotFound(f"There is no club named {name!r}; `ofc-server club list` shows those there are.")
    return club


def create_club(database: Database, name: str) -> StoredClub:
    """
    Make a club. It has no key yet.

    Args:
        database: of the owner of the tables: the service itself sees one club at a time and can make none.
        name: of the club, unlike every other's.

    Raises:
        ClubTaken: there is a club of this name.
    """
    with database.transaction(uuid7()) as transaction:
        return clubs.add(transaction, name, ClubCreated(club=transaction.club_id, name=name).encode())


def list_clubs(database: Database) -> list[StoredClub]:
    """List every club, for the owner of the tables."""
    with database.reading(uuid7()) as transaction:
        return clubs.list_all(transaction)


_LONGEST_SHOWN = len(str(UUID(int=0)))


def find_key(database: Database, known_as: str) -> IssuedKey:
    """
    Find a key by its prefix or its id, for the owner of the tables; or by the whole of it, as one finds a leaked one.

    Raises:
        NotFound: there is none.
        OperatorError: several begin like this.
    """
    with database.reading(uuid7()) as transaction:
        found = keys.list_known_as(
            transaction,
            prefix=known_as.encode(errors="replace").decode(),
            key_id=_id_or_none(known_as),
            secret_sha256=sha256(known_as.encode(errors="replace")).digest(),
        )
    # What is longer than an id may be a secret.
    shown = known_as if len(known_as) <= _LONGEST_SHOWN else f"{known_as[:12]}…"
    if not found:
        raise NotFound(f"There is no key {shown!r}; `ofc-server key list` shows prefixes and ids.")
    if len(found) > 1:
        raise OperatorError(
            f"{len(found)} keys begin with {shown!r}; give the id, as `ofc-server key list --json` has it."
        )
    return found[0]


def _id_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


_PREFIX_LENGTH: Final = 8
_SECRET_LENGTH: Final = 43
"""Letters and digits that make more than 255 bits."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key, and this once the whole of it."""

    key: IssuedKey
    secret: str = field(repr=False)


def create_key(
    database: Database,
    club: StoredClub,
    *,
    name: str,
    scopes: Sequence[str] = (EVERY_SCOPE,),
    lifetime: timedelta | None = None,
) -> NewKey:
    """
    Make a key of a club.

    The key is answered once; only its hash is kept.

    Args:
        database: of the owner of the tables: the service itself can make no key.
        club: that the key opens.
        name: what it is for, for the operator.
        scopes: what it may do there.
        lifetime: how long it opens anything; None for ever.
    """
    with database.transaction(club.id) as transaction:
        return issue_key(transaction, club.name, name, scopes, lifetime)


def issue_key(
    transaction: Transaction,
    club: str,
    name: str,
    scopes: Sequence[str],
    lifetime: timedelta | None,
    *,
    replaces: UUID | None = None,
) -> NewKey:
    """Make a key of the transaction's club; the audit trail says so, and which key it replaces if any."""
    prefix = f"ofc_{_draw(ascii_lowercase + digits, _PREFIX_LENGTH)}"
    secret = f"{prefix}_{_draw(ascii_letters + digits, _SECRET_LENGTH)}"
    expires_at = None if lifetime is None else transaction.now + lifetime
    key = IssuedKey(transaction.club_id, club, uuid7(), name, prefix, tuple(scopes), transaction.now, expires_at)
    secret_sha256 = sha256(secret.encode()).digest()
    event = KeyCreated(
        key=key.id,
        prefix=prefix,
        name=name,
        scopes=tuple(scopes),
        expires_at=expires_at,
        replaces=replaces,
        # Of the hash once more: the trail is read by others, and what opens the club is compared by the hash.
        secret=sha256(secret_sha256).digest(),
    )
    # Nobody can guess 255 bits, so a plain hash hides them as well as a slow one would.
    keys.add(transaction, key, secret_sha256, event.encode())
    return NewKey(key, secret)


def _draw(alphabet: str, length: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(length))


@dataclass(frozen=True, slots=True)
class RotatedKey:
    """The key that was, with its end, and the one that takes its place."""

    old: IssuedKey
    new: NewKey


def rotate_key(database: Database, known_as: str, overlap: timedelta = timedelta(0)) -> RotatedKey:
    """
    Replace a key by a new one that may do the same for as long; the old one opens its club until the overlap ends.

    Raises:
        NotFound: there is no such key.
        OperatorError: there is more than one, or its end is set already.
    """
    found = find_key(database, known_as)
    with database.transaction(found.club_id) as transaction:
        old = keys.lock(transaction, found.id)
        if old.revoked_at is not None:
            raise OperatorError(
                f"The key {old.prefix} was revoked or replaced before, to end at {old.revoked_at:%Y-%m-%d %H:%M} UTC; "
                "rotate the one in its place, or make another with `ofc-server key create`."
            )
        lifetime = None if old.expires_at is None else old.expires_at - old.created_at
        new = issue_key(transaction, old.club, old.name, old.scopes, lifetime, replaces=old.id)
        return RotatedKey(replace(old, revoked_at=keys.end(transaction, old, overlap)), new)


def revoke_key(database: Database, known_as: str) -> IssuedKey:
    """
    Let a key open nothing any more, at once; one that was revoked before stays so.

    Raises:
        NotFound, OperatorError: there is no such key, or more than one.
    """
    key = find_key(database, known_as)
    with database.transaction(key.club_id) as transaction:
        ended = keys.end(transaction, key, timedelta(0))
    return key if ended is None else replace(key, revoked_at=ended)


def revoke_own_key(transaction: Transaction, key_id: UUID) -> None:
    """
    Let a key of the transaction's club open nothing any more, at once; one that was revoked before stays so.

    Raises:
        NotFound: the club has no such key.
    """
    keys.end_own(transaction, keys.get(transaction, key_id))


def list_keys(database: Database, club: StoredClub | None = None) -> list[IssuedKey]:
    """List the keys of a club or of all, for the owner of the tables; those revoked too."""
    with database.reading(uuid7()) as transaction:
        return keys.list_all(transaction, None if club is None else club.id)


def list_own_keys(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[IssuedKey]:
    """List the keys of the transaction's club, the newest first; those revoked too."""
    return cut_page(keys.list_page(transaction, after=after, limit=limit + 1), limit, lambda key: key)


def found_club(owner_url: str, name: str) -> str:
    """
    Make a club, where there is none of this name, and a new key with every scope for it.

    The key is answered once; only its hash is kept.

    Args:
        owner_url: the login that owns the tables: the service itself sees one club at a time and can make none.
        name: of the club.

    Raises:
        DatabaseError: the database does not answer, or the login may not.
    """
    database = Database(owner_url, role=None, pool_size=1)
    try:
        database.check_owner()
        return create_key(database, _ensure_club(database, name), name="first").secret
    finally:
        database.close()


def _ensure_club(database: Database, name: str) -> StoredClub:
    try:
        return create_club(database, name)
    except ClubTaken:
        return find_club(database, name)

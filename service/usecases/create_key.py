import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from string import ascii_letters, ascii_lowercase, digits
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.fields import show_time
from schemas.hands import canonical_json
from service.database import Database, Transaction
from service.repository import keys
from service.repository.clubs import StoredClub
from service.repository.keys import IssuedKey
from service.scopes import EVERY_SCOPE

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
    event = {
        "key": str(key.id),
        "prefix": prefix,
        "name": name,
        "scopes": list(scopes),
        "expires_at": show_time(expires_at),
        "replaces": None if replaces is None else str(replaces),
        # Of the hash once more: the trail is read by others, and what opens the club is compared by the hash.
        "secret": sha256(secret_sha256).hexdigest(),
    }
    # Nobody can guess 255 bits, so a plain hash hides them as well as a slow one would.
    keys.add(transaction, key, secret_sha256, canonical_json(event))
    return NewKey(key, secret)


def _draw(alphabet: str, length: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(length))

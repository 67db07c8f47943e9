"""Keys of clubs. Only the hash of a secret is ever kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, insert, text
from uuid_utils.compat import uuid7

from service.database import Transaction
from service.models import ApiKeyRecord


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key that opens its club, and what it may do there."""

    club_id: UUID
    id: UUID
    name: str
    scopes: tuple[str, ...]


_AUTHENTICATE = text("SELECT club_id, id, name, scopes FROM authenticate_key(:secret_sha256)")


def add(transaction: Transaction, *, name: str, prefix: str, secret_sha256: bytes, scopes: Sequence[str]) -> StoredKey:
    """Give the transaction's club a key, as the owner of the tables may."""
    key = StoredKey(transaction.club_id, uuid7(), name, tuple(scopes))
    transaction.execute(
        insert(ApiKeyRecord).values(
            club_id=key.club_id,
            id=key.id,
            name=name,
            prefix=prefix,
            secret_sha256=secret_sha256,
            scopes=list(scopes),
            created_at=transaction.now,
        )
    )
    return key


def find(connection: Connection, secret_sha256: bytes) -> StoredKey | None:
    """
    Find the key of a secret and with it the club, and note that it was used; None where it opens nothing.

    Args:
        connection: from `Database.outside_clubs`.
        secret_sha256: all that is known of the secret here.
    """
    found = connection.execute(_AUTHENTICATE, {"secret_sha256": secret_sha256}).one_or_none()
    return None if found is None else StoredKey(found.club_id, found.id, found.name, tuple(found.scopes))

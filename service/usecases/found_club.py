import secrets
from hashlib import sha256
from typing import Final

from uuid_utils.compat import uuid7

from service.database import Database
from service.repository import clubs, keys

EVERY_SCOPE: Final = "*"
"""Opens all that a key can open, now and in later releases."""

_PREFIX_LENGTH: Final = 8


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
    secret = f"ofc_{secrets.token_urlsafe(32)}"
    database = Database(owner_url, role=None, pool_size=1)
    try:
        with database.transaction(uuid7()) as transaction:
            club = clubs.find(transaction, name)
            if club is None:
                clubs.add(transaction, name)
                club_id = transaction.club_id
            else:
                club_id = club.id
        with database.transaction(club_id) as transaction:
            keys.add(
                transaction,
                name="first",
                prefix=secret[: len("ofc_") + _PREFIX_LENGTH],
                secret_sha256=sha256(secret.encode()).digest(),
                scopes=[EVERY_SCOPE],
            )
    finally:
        database.close()
    return secret

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from service.database import Database, Transaction
from service.repository import keys
from service.repository.keys import IssuedKey
from service.usecases.find_key import find_key


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

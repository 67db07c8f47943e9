from uuid import UUID

from uuid_utils.compat import uuid7

from service.database import Database, Transaction
from service.repository import keys
from service.repository.clubs import StoredClub
from service.repository.keys import IssuedKey
from service.usecases.pages import Page, cut_page


def list_keys(database: Database, club: StoredClub | None = None) -> list[IssuedKey]:
    """List the keys of a club or of all, for the owner of the tables; those revoked too."""
    with database.reading(uuid7()) as transaction:
        return keys.list_all(transaction, None if club is None else club.id)


def list_own_keys(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[IssuedKey]:
    """List the keys of the transaction's club, the newest first; those revoked too."""
    return cut_page(keys.list_page(transaction, after=after, limit=limit + 1), limit, lambda key: key)

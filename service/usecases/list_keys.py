from uuid_utils.compat import uuid7

from service.database import Database
from service.repository import keys
from service.repository.clubs import StoredClub
from service.repository.keys import IssuedKey


def list_keys(database: Database, club: StoredClub | None = None) -> list[IssuedKey]:
    """List the keys of a club or of all, for the owner of the tables; those revoked too."""
    with database.reading(uuid7()) as transaction:
        return keys.list_all(transaction, None if club is None else club.id)

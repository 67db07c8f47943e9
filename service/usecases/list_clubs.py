from uuid_utils.compat import uuid7

from service.database import Database
from service.repository import clubs
from service.repository.clubs import StoredClub


def list_clubs(database: Database) -> list[StoredClub]:
    """List every club, for the owner of the tables."""
    with database.reading(uuid7()) as transaction:
        return clubs.list_all(transaction)

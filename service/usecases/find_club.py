from uuid_utils.compat import uuid7

from service.database import Database
from service.errors import NotFound
from service.repository import clubs
from service.repository.clubs import StoredClub


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

from service.database import Database
from service.errors import ClubTaken
from service.repository.clubs import StoredClub
from service.usecases.create_club import create_club
from service.usecases.create_key import create_key
from service.usecases.find_club import find_club


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

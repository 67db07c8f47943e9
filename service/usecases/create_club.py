from uuid_utils.compat import uuid7

from schemas.hands import canonical_json
from service.database import Database
from service.repository import clubs
from service.repository.clubs import StoredClub


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
        return clubs.add(transaction, name, canonical_json({"club": str(transaction.club_id), "name": name}))

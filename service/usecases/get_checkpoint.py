from uuid import UUID

from service.database import Database
from service.errors import NotFound
from service.repository import checkpoints


def get_checkpoint(database: Database, address: UUID) -> str:
    """
    Give the signed note at an address, to whoever has it.

    Raises:
        NotFound: there is none.
    """
    with database.outside_clubs() as connection:
        note = checkpoints.find_note(connection, address)
    if note is None:
        raise NotFound(f"there is no checkpoint {address}")
    return note

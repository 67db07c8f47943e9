from collections.abc import Sequence

from service.database import Database
from service.repository import checkpoints
from service.repository.checkpoints import PublishedKey


def list_checkpoint_keys(database: Database) -> Sequence[PublishedKey]:
    """List every public key that ever signed a checkpoint, the oldest first."""
    with database.outside_clubs() as connection:
        return checkpoints.list_keys(connection)

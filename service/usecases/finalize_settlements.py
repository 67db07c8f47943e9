from typing import Final
from uuid import UUID

from service.database import Database
from service.repository import settlement_states

_AT_ONCE: Final = 200
"""So many rounds are changed in one transaction."""
MOST_AT_A_TIME: Final = 2000
"""So many of a club at a time, so that no club waits long for another's."""


def finalize_settlements(database: Database, club_id: UUID) -> int:
    """
    Make a club's settlements final whose correction window has passed, and say how many.

    Whatever ends it, every settlement is either final, with its event, or as it was. Several may do so at once.
    """
    finalized = 0
    while finalized < MOST_AT_A_TIME:
        with database.transaction(club_id) as transaction:
            found = settlement_states.finalize_due(transaction, _AT_ONCE)
        finalized += found
        if found < _AT_ONCE:
            break
    return finalized

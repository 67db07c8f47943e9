"""The disputes of a round that the player of a link has opened: only these can they reply to and withdraw."""

from typing import Final
from uuid import UUID

from service.clubs.queries.keys import StoredKey
from service.db import Transaction
from service.disputes.actions.deciders import list_own_ids
from service.disputes.queries import disputes
from service.disputes.queries.disputes import DisputeFilter, StoredDispute
from service.errors import NotFound

_MOST: Final = 100


def list_own_disputes(transaction: Transaction, key: StoredKey, round_id: UUID) -> list[StoredDispute]:
    """List the disputes of a round that the player of a link has opened, the oldest first."""
    of_round = disputes.list_page(transaction, DisputeFilter(round_id=round_id), limit=_MOST)
    own = list_own_ids(transaction, key)
    return [each for each in of_round if each.player in own]


def find_own_dispute(transaction: Transaction, key: StoredKey, round_id: UUID, dispute_id: str) -> StoredDispute:
    """
    Return a dispute of a round that the player of a link has opened.

    Raises:
        NotFound: the player has opened no dispute of the round with this ID.
    """
    for each in list_own_disputes(transaction, key, round_id):
        if str(each.id) == dispute_id:
            return each
    raise NotFound(f"the player has opened no dispute {dispute_id} of the round")

from uuid import UUID

from schemas.rounds import RecordedHand
from service.database import Transaction
from service.repository import hands, rounds
from service.usecases.pages import Page, cut_page
from service.usecases.views import view_hand


def list_hands(transaction: Transaction, round_id: UUID, *, after: UUID | None, limit: int) -> Page[RecordedHand]:
    """
    List the hands of a round in the order in which they were played.

    Raises:
        NotFound: the club has no such round.
    """
    revision = rounds.get(transaction, round_id).revision
    found = hands.list_page(transaction, round_id, revision, after=after, limit=limit + 1)
    return cut_page(found, limit, view_hand)

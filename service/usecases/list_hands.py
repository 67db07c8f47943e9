from uuid import UUID

from schemas.rounds import RecordedHand
from service.database import Transaction
from service.repository import hands, rounds
from service.usecases.find_revision import find_revision
from service.usecases.pages import Page, cut_page
from service.usecases.views import view_hand


def list_hands(
    transaction: Transaction, round_id: UUID, *, revision: int | None = None, after: UUID | None, limit: int
) -> Page[RecordedHand]:
    """
    List the hands of a round, as it stands or in an older revision, in the order in which they were played.

    Raises:
        NotFound: the club has no such round, or the round no such revision.
    """
    asked = find_revision(rounds.get(transaction, round_id), revision)
    found = hands.list_page(transaction, round_id, asked, after=after, limit=limit + 1)
    return cut_page(found, limit, view_hand)

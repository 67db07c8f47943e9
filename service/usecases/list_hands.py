from uuid import UUID

from schemas.base import WireError
from schemas.pages import NO_CURSOR
from schemas.rounds import RecordedHand
from scoring.errors import Mistake
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
        WireError: the cursor is that of another list.
    """
    asked = find_revision(rounds.get(transaction, round_id), revision)
    if after is not None and not hands.is_recorded(transaction, round_id, after):
        raise WireError((Mistake("not-a-cursor", ("query", "cursor"), NO_CURSOR),))
    found = hands.list_page(transaction, round_id, asked, after=after, limit=limit + 1)
    return cut_page(found, limit, view_hand)

from uuid import UUID

from schemas.rounds import RoundView
from service.database import Transaction
from service.repository import rounds
from service.usecases.views import view_round


def get_round(transaction: Transaction, round_id: UUID) -> RoundView:
    """
    Show a round as it stands.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_round(rounds.get(transaction, round_id))

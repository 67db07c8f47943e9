from dataclasses import dataclass
from uuid import UUID

from schemas.rounds import RoundView
from scoring.history import Paid
from service.database import Transaction
from service.repository import rounds, transfers
from service.usecases.views import view_round


@dataclass(frozen=True, slots=True)
class RoundSettlement:
    """Who paid whom in a round, in one revision."""

    view: RoundView
    revision: int
    payments: tuple[Paid, ...]


def get_settlement(transaction: Transaction, round_id: UUID) -> RoundSettlement:
    """
    Show who paid whom in a round.

    Raises:
        NotFound: the club has no such round.
    """
    stored = rounds.get(transaction, round_id)
    payments = transfers.list_paid(transaction, round_id, stored.revision)
    return RoundSettlement(view_round(stored), stored.revision, tuple(payments))

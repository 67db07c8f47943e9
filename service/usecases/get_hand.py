from uuid import UUID

from service.database import Transaction
from service.repository import hands, rounds
from service.usecases.record_hand import HandResult
from service.usecases.views import view_hand, view_round


def get_hand(transaction: Transaction, hand_id: UUID) -> HandResult:
    """
    Show a hand, what it came to, and its round as it stands now.

    Raises:
        NotFound: the club has none with this id.
    """
    stored = hands.get(transaction, hand_id)
    return HandResult(view_hand(stored), view_round(rounds.get(transaction, stored.round_id)), is_replay=True)

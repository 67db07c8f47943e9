from uuid import UUID

from schemas.hands import canonical_json
from schemas.rounds import RoundView
from scoring.history import Closing
from scoring.round import close_round as end_round
from service.database import Transaction
from service.repository import endings, rounds
from service.usecases.views import view_round


def close_round(transaction: Transaction, round_id: UUID, reason: str) -> RoundView:
    """
    End a round early: what scope `round` has added up is settled, Fantasyland still owed is void.

    Raises:
        NotFound: the club has no such round.
        RoundError: it is no longer open.
    """
    before = rounds.lock(transaction, round_id)
    ended = end_round(before.round)
    closing = Closing(before.round.hands, reason)
    event = {"round": str(round_id), "after_hand": closing.after_hand, "reason": reason}
    return view_round(endings.add_closing(transaction, before, ended, closing, canonical_json(event)))

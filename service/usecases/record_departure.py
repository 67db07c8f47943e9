from uuid import UUID

from schemas.hands import canonical_json
from schemas.rounds import DepartureRequest, RoundView
from scoring.history import Departure
from scoring.round import depart
from service.database import Transaction
from service.repository import endings, rounds
from service.usecases.views import view_round


def record_departure(transaction: Transaction, round_id: UUID, request: DepartureRequest) -> RoundView:
    """
    Record that a player left between two hands; what his leaving completes is settled at once.

    Raises:
        NotFound: the club has no such round.
        RoundError: he cannot leave now.
    """
    before = rounds.lock(transaction, round_id)
    departed = depart(before.round, request.seat)
    departure = Departure(request.seat, before.round.hands, request.reason)
    event = {"round": str(round_id), "seat": request.seat, "after_hand": departure.after_hand, "reason": request.reason}
    return view_round(endings.add_departure(transaction, before, departed, departure, canonical_json(event)))

"""Close a round, or record that a player leaves it."""

from uuid import UUID

from evidence.events import DepartureRecorded, RoundClosed
from schemas.rounds import DepartureRequest, RoundView
from scoring.history import Closing, Departure
from scoring.round import close_round as end_round
from scoring.round import depart
from service.db import Transaction
from service.rounds.actions.open_round import view_round
from service.rounds.queries import endings, rounds


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
    event = RoundClosed(round=round_id, after_hand=closing.after_hand, reason=reason)
    return view_round(endings.add_closing(transaction, before, ended, closing, event.encode()))


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
    event = DepartureRecorded(
        round=round_id, seat=departure.seat, after_hand=departure.after_hand, reason=departure.reason
    )
    return view_round(endings.add_departure(transaction, before, departed, departure, event.encode()))

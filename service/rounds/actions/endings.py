"""Record departures, and close rounds."""

from uuid import UUID

from evidence.events import DepartureRecorded, RoundClosed
from schemas.rounds import DepartureRequest, RoundView
from scoring.history import Closing, Departure
from scoring.round import Departed, depart
from scoring.round import close_round as end_round
from service.db import Transaction
from service.rounds.actions.opening import view_round
from service.rounds.queries import rounds
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, write_rounds


def close_round(transaction: Transaction, round_id: UUID, reason: str) -> RoundView:
    """
    Close a round early. Points added up under scope `round` are settled; Fantasyland still owed is void.

    Raises:
        NotFound: the round does not exist.
        RoundError: the round is not open.
    """
    before = rounds.lock(transaction, round_id)
    ended = end_round(before.round)
    closing = Closing(before.round.hands, reason)
    return _end(transaction, before, ended, closing)


def record_departure(transaction: Transaction, round_id: UUID, request: DepartureRequest) -> RoundView:
    """
    Record that a player left between two hands. If the departure ends the round, the round is settled.

    Raises:
        NotFound: the round does not exist.
        RoundError: the player cannot leave now.
    """
    before = rounds.lock(transaction, round_id)
    departed = depart(before.round, request.seat)
    departure = Departure(request.seat, before.round.hands, request.reason)
    return _end(transaction, before, departed, departure)


def _end(transaction: Transaction, before: StoredRound, ended: Departed, ending: Departure | Closing) -> RoundView:
    change = RoundChange(transaction, before)
    change.add_ending(before.round, ended, ending, ending_event(before.id, ending))
    after = change.finish(ended.round)
    write_rounds(transaction, change)
    return view_round(after)


def ending_event(round_id: UUID, ending: Departure | Closing) -> bytes:
    """Return the encoded event payload of a departure or closing."""
    if isinstance(ending, Departure):
        return DepartureRecorded(
            round=round_id, seat=ending.seat, after_hand=ending.after_hand, reason=ending.reason
        ).encode()
    return RoundClosed(round=round_id, after_hand=ending.after_hand, reason=ending.reason).encode()

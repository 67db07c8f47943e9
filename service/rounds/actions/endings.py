"""Record departures, and close rounds."""

from uuid import UUID

from schemas.rounds import DepartureRequest
from scoring.history import Closing, Departure
from scoring.round import Departed, depart
from scoring.round import close_round as end_round
from scoring.round_state import RoundStatus
from service.db import Transaction
from service.rounds.actions.opening import ChangedRound, view_round
from service.rounds.queries import rounds
from service.rounds.queries.boards import list_boards
from service.rounds.queries.records import RoundRecords, get_records
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, write_rounds


def close_round(transaction: Transaction, round_id: UUID, reason: str) -> ChangedRound:
    """
    Close a round early. Points added up under scope `round` are settled; Fantasyland still owed is void.

    The same closing sent again returns the round as it is now; if its reason was erased, any is the same.

    Raises:
        NotFound: the round does not exist.
        RoundError: the round is not open.
    """
    before = rounds.lock(transaction, round_id)
    if before.round.status is RoundStatus.CLOSED:
        closed = get_records(transaction, round_id, before.revision).closed
        if closed is not None and closed.reason in (None, reason):
            return ChangedRound(view_round(before), is_replay=True)
    ended = end_round(before.round)
    closing = Closing(before.round.hands, reason)
    return _end(transaction, before, ended, closing)


def record_departure(transaction: Transaction, round_id: UUID, request: DepartureRequest) -> ChangedRound:
    """
    Record that a player left between two hands. If the departure ends the round, the round is settled.

    The same departure sent again returns the round as it is now.

    Raises:
        NotFound: the round does not exist.
        RoundError: the player cannot leave now.
    """
    before = rounds.lock(transaction, round_id)
    has_left = request.seat in before.round.left
    if has_left and _is_departed(get_records(transaction, round_id, before.revision), request):
        return ChangedRound(view_round(before), is_replay=True)
    departed = depart(before.round, request.seat)
    departure = Departure(request.seat, before.round.hands, request.reason)
    return _end(transaction, before, departed, departure)


def _is_departed(records: RoundRecords, request: DepartureRequest) -> bool:
    """Return whether a departure is recorded with this reason, or with one that was erased."""
    return any(
        each.seat == request.seat
        and (each.reason == request.reason or (each.reason is None and record["reason"] is not None))
        for each, record in zip(records.departed, records.departures, strict=True)
    )


def _end(transaction: Transaction, before: StoredRound, ended: Departed, ending: Departure | Closing) -> ChangedRound:
    change = RoundChange(transaction, before)
    change.add_ending(before.round, ended, ending)
    played = list_boards(transaction, before.id) if before.charge_per is not None else ()
    after = change.finish(ended.round, dealt=[seats for _, seats, _ in played])
    write_rounds(transaction, change)
    return ChangedRound(view_round(after), is_replay=False)

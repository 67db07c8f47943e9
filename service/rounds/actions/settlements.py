"""Read, confirm and finalize settlements."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from schemas.round_settlements import RoundSettlementView, view_round_settlement
from schemas.settlements import ConfirmationRequest, SettlementState, SettlementView, view_settlement
from scoring.errors import Mistake, RoundError
from service.db import Database, Transaction
from service.errors import ConfirmationRefused
from service.rounds.actions.opening import view_round
from service.rounds.actions.reading import find_revision
from service.rounds.queries import rounds, settlements
from service.rounds.queries.records import RoundRecords, get_records
from service.rounds.queries.stored_round import StoredRound


def get_settlement(transaction: Transaction, round_id: UUID, revision: int | None = None) -> SettlementView:
    """
    Return the settlement of a round, in its newest revision or an older one.

    Raises:
        NotFound: the round or the revision does not exist.
    """
    return _get_settlement(transaction, rounds.get(transaction, round_id), revision)


def _get_settlement(transaction: Transaction, stored: StoredRound, revision: int | None) -> SettlementView:
    return _view(stored, get_records(transaction, stored.id, find_revision(stored, revision)))


def get_round_settlement(transaction: Transaction, round_id: UUID, revision: int | None = None) -> RoundSettlementView:
    """
    Return the settlement of a round with the round, table and players that it is about.

    Raises:
        NotFound: the round or the revision does not exist.
    """
    stored = rounds.get(transaction, round_id)
    return _with_round(stored, _get_settlement(transaction, stored, revision))


def _with_round(stored: StoredRound, settlement: SettlementView) -> RoundSettlementView:
    return view_round_settlement(view_round(stored), settlement)


def list_settlements(stored: StoredRound, revisions: Iterable[RoundRecords]) -> dict[int, SettlementView]:
    """Return the settlement of each revision of a round, from the records of its revisions."""
    return {records.revision: _view(stored, records) for records in revisions}


def settlement_of(transaction: Transaction, stored: StoredRound) -> SettlementView:
    """Return the settlement of a round in its newest revision."""
    return _view(stored, get_records(transaction, stored.id, stored.revision))


def _view(stored: StoredRound, records: RoundRecords) -> SettlementView:
    view = view_settlement(
        stored.round,
        records.paid,
        records.revision,
        stored.point_value,
        stored.unit,
        records.reason,
        records.irregular,
    )
    charge = stored.standing_charge
    view = replace(
        view,
        state=stored.finality.settlement_state,
        provisional_until=stored.finality.provisional_until,
        confirmed=tuple(records.confirmed),
        adjustment=records.adjustment,
        charged={} if charge is None else charge.charge(hand["seats"] or () for hand in records.hands),
    )
    if records.revision == stored.revision:
        return view
    then = records.result
    return replace(view, state=SettlementState.SUPERSEDED, provisional_until=None, stacks=then.stacks, nets=then.nets)


_WHY_NOT: Final = {
    SettlementState.OPEN: "the round is open; its settlement can be confirmed once the round has ended",
    SettlementState.DISPUTED: "the settlement is disputed; it can be confirmed once all its disputes have ended",
    SettlementState.FINAL: "the settlement is final; it needs no further confirmation",
}


@dataclass(frozen=True, slots=True)
class ConfirmedSettlement:
    """A settlement, and whether the request is a replay."""

    view: RoundSettlementView
    is_replay: bool


def confirm_settlement(transaction: Transaction, round_id: UUID, request: ConfirmationRequest) -> ConfirmedSettlement:
    """
    Confirm a round's settlement for a player. It is final once every player of the round has confirmed it.

    The same confirmation sent again changes nothing.

    Raises:
        NotFound: the round does not exist.
        RoundError: the seat is empty.
        ConfirmationRefused: the settlement is not provisional, or the round has a newer revision.
    """
    stored = rounds.lock(transaction, round_id)
    if request.seat not in stored.round.seat_numbers:
        sitting = ", ".join(map(str, stored.round.seat_numbers))
        raise RoundError(
            [Mistake("seat-unknown", ("seat",), f"nobody sits in seat {request.seat}; expected one of {sitting}")]
        )
    seen = request.revision or stored.revision
    if seen <= stored.revision and request.seat in settlements.list_confirmed(transaction, round_id, seen):
        return ConfirmedSettlement(_with_round(stored, settlement_of(transaction, stored)), is_replay=True)
    _check_provisional(stored, seen)
    confirmed = settlements.confirm(transaction, stored, request.seat)
    return ConfirmedSettlement(_with_round(confirmed, settlement_of(transaction, confirmed)), is_replay=False)


def _check_provisional(stored: StoredRound, seen: int) -> None:
    if seen != stored.revision:
        detail = f"the request confirms revision {seen}; expected revision {stored.revision}, which is in force"
        raise ConfirmationRefused(detail, (Mistake("settlement-superseded", ("revision",), detail),))
    state = stored.finality.settlement_state
    if state in _WHY_NOT:
        raise ConfirmationRefused(_WHY_NOT[state], (Mistake(f"settlement-{state}", (), _WHY_NOT[state]),))


_AT_ONCE: Final = 200
"""The number of rounds that are changed in one transaction."""
MOST_AT_A_TIME: Final = 2000
"""The number of rounds of one club that are changed before the next club's turn."""


def finalize_settlements(database: Database, club_id: UUID) -> int:
    """
    Finalize a club's settlements whose correction window has passed, and return their number.

    It can be interrupted at any time, and several processes may call it at once.
    """
    finalized = 0
    while finalized < MOST_AT_A_TIME:
        with database.transaction(club_id) as transaction:
            count = settlements.finalize_due(transaction, _AT_ONCE)
        finalized += count
        if count < _AT_ONCE:
            break
    return finalized

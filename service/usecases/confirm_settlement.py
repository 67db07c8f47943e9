from dataclasses import dataclass
from typing import Final
from uuid import UUID

from schemas.settlement_states import SettlementState
from schemas.settlements import ConfirmationRequest, SettlementView
from scoring.errors import Mistake, RoundError
from service.database import Transaction
from service.errors import ConfirmationRefused
from service.repository import rounds, settlement_states
from service.repository.stored_round import StoredRound
from service.usecases.get_settlement import settlement_of

_WHY_NOT: Final = {
    SettlementState.OPEN: "hands can still come in this round; its settlement can be confirmed when none can",
    SettlementState.DISPUTED: "the settlement is disputed; it can be confirmed when every dispute of it is resolved",
    SettlementState.FINAL: "the settlement is final; there is nothing left to confirm",
}


@dataclass(frozen=True, slots=True)
class ConfirmedSettlement:
    """The settlement as it stands, and whether the player had confirmed it before."""

    view: SettlementView
    is_replay: bool


def confirm_settlement(transaction: Transaction, round_id: UUID, request: ConfirmationRequest) -> ConfirmedSettlement:
    """
    Keep that a player says a round's settlement is right; once everyone of the round does, it is final.

    The same word again changes nothing.

    Raises:
        NotFound: the club has no such round.
        RoundError: nobody sits in the seat.
        ConfirmationRefused: the settlement is not provisional, or another revision is in force.
    """
    stored = rounds.lock(transaction, round_id)
    if request.seat not in stored.round.seat_numbers:
        sitting = ", ".join(map(str, stored.round.seat_numbers))
        raise RoundError(
            [Mistake("seat-unknown", ("seat",), f"nobody sits in seat {request.seat}; {sitting} are right")]
        )
    seen = request.revision or stored.revision
    if seen <= stored.revision and request.seat in settlement_states.list_confirmed(transaction, round_id, seen):
        return ConfirmedSettlement(settlement_of(transaction, stored), is_replay=True)
    _refuse_what_is_not_provisional(stored, seen)
    confirmed = settlement_states.confirm(transaction, stored, request.seat)
    return ConfirmedSettlement(settlement_of(transaction, confirmed), is_replay=False)


def _refuse_what_is_not_provisional(stored: StoredRound, seen: int) -> None:
    if seen != stored.revision:
        detail = f"revision {seen} is confirmed; revision {stored.revision} is in force"
        raise ConfirmationRefused(detail, (Mistake("settlement-superseded", ("revision",), detail),))
    state = stored.firmness.settlement_state
    if state in _WHY_NOT:
        raise ConfirmationRefused(_WHY_NOT[state], (Mistake(f"settlement-{state}", (), _WHY_NOT[state]),))

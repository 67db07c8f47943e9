"""Read, confirm and finalize settlements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from schemas.hands import IrregularHand
from schemas.settlements import Adjustment, ConfirmationRequest, SettlementState, SettlementView, view_settlement
from scoring.errors import Mistake, RoundError
from scoring.hand import Seat
from scoring.history import Paid
from service.db import Database, Transaction
from service.errors import ConfirmationRefused
from service.rounds.actions.reading import find_revision
from service.rounds.queries import histories, revisions, rounds, settlement_states, transfers
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.revisions import StoredRevision
from service.rounds.queries.stored_round import StoredRound


def get_settlement(transaction: Transaction, round_id: UUID, revision: int | None = None) -> SettlementView:
    """
    Show who paid whom in a round: as it stands or, in an older revision, as it was recorded then.

    Raises:
        NotFound: the club has no such round, or the round no such revision.
    """
    stored = rounds.get(transaction, round_id)
    asked = find_revision(stored, revision)
    view = settlement_of(transaction, stored, asked)
    if asked == stored.revision:
        return view
    return _superseded(view, revisions.get(transaction, round_id, asked))


def list_settlements(
    transaction: Transaction, stored: StoredRound, happened: Mapping[int, StoredHistory]
) -> dict[int, SettlementView]:
    """
    Show the settlement of each revision of a round, the older ones as they were recorded then.

    Args:
        transaction: of the club.
        stored: the round as it stands.
        happened: what happened in each revision.
    """
    paid = transfers.list_paid_by_revision(transaction, stored.id)
    reasons = revisions.list_reasons(transaction, stored.id)
    confirmed = settlement_states.list_confirmed_by_revision(transaction, stored.id)
    adjusted = transfers.list_adjustments_by_revision(transaction, stored.id)
    results = revisions.list_by_revision(transaction, stored.id)
    views = {}
    for number, history in happened.items():
        view = _view(
            stored,
            number,
            _Recorded(
                paid.get(number, []),
                reasons[number],
                histories.irregular_of(history),
                confirmed.get(number, []),
                adjusted.get(number),
            ),
        )
        views[number] = view if number == stored.revision else _superseded(view, results[number])
    return views


def settlement_of(transaction: Transaction, stored: StoredRound, revision: int | None = None) -> SettlementView:
    """Show what is recorded of a revision of a round, beside where the round stands and how firm that is."""
    asked = revision or stored.revision
    recorded = _Recorded(
        transfers.list_paid(transaction, stored.id, asked),
        revisions.get_reason(transaction, stored.id, asked),
        histories.list_irregular(transaction, stored.id, asked),
        settlement_states.list_confirmed(transaction, stored.id, asked),
        transfers.find_adjustment(transaction, stored.id, asked),
    )
    return _view(stored, asked, recorded)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What is recorded of a revision's settlement."""

    paid: Sequence[Paid]
    reason: str | None
    irregular: tuple[IrregularHand, ...]
    confirmed: Sequence[Seat]
    adjustment: Adjustment | None


def _view(stored: StoredRound, revision: int, recorded: _Recorded) -> SettlementView:
    view = view_settlement(
        stored.round,
        recorded.paid,
        revision,
        stored.point_value,
        stored.currency,
        recorded.reason,
        recorded.irregular,
    )
    return replace(
        view,
        state=stored.firmness.settlement_state,
        provisional_until=stored.firmness.provisional_until,
        confirmed=tuple(recorded.confirmed),
        adjustment=recorded.adjustment,
    )


def _superseded(view: SettlementView, then: StoredRevision) -> SettlementView:
    return replace(view, state=SettlementState.SUPERSEDED, provisional_until=None, stacks=then.stacks, nets=then.nets)


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
            [Mistake("seat-unknown", ("seat",), f"nobody sits in seat {request.seat}; expected one of {sitting}")]
        )
    seen = request.revision or stored.revision
    if seen <= stored.revision and request.seat in settlement_states.list_confirmed(transaction, round_id, seen):
        return ConfirmedSettlement(settlement_of(transaction, stored), is_replay=True)
    _refuse_what_is_not_provisional(stored, seen)
    confirmed = settlement_states.confirm(transaction, stored, request.seat)
    return ConfirmedSettlement(settlement_of(transaction, confirmed), is_replay=False)


def _refuse_what_is_not_provisional(stored: StoredRound, seen: int) -> None:
    if seen != stored.revision:
        detail = f"the request confirms revision {seen}; expected revision {stored.revision}, which is in force"
        raise ConfirmationRefused(detail, (Mistake("settlement-superseded", ("revision",), detail),))
    state = stored.firmness.settlement_state
    if state in _WHY_NOT:
        raise ConfirmationRefused(_WHY_NOT[state], (Mistake(f"settlement-{state}", (), _WHY_NOT[state]),))


_AT_ONCE: Final = 200
"""So many rounds are changed in one transaction."""
MOST_AT_A_TIME: Final = 2000
"""So many of a club at a time, so that no club waits long for another's."""


def finalize_settlements(database: Database, club_id: UUID) -> int:
    """
    Make a club's settlements final whose correction window has passed, and say how many.

    Whatever ends it, every settlement is either final, with its event, or as it was. Several may do so at once.
    """
    finalized = 0
    while finalized < MOST_AT_A_TIME:
        with database.transaction(club_id) as transaction:
            found = settlement_states.finalize_due(transaction, _AT_ONCE)
        finalized += found
        if found < _AT_ONCE:
            break
    return finalized

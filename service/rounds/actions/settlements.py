"""Read, confirm and finalize settlements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from schemas.hands import Irregularity
from schemas.round_settlements import RoundSettlementView, view_round_settlement
from schemas.settlements import Adjustment, ConfirmationRequest, SettlementState, SettlementView, view_settlement
from scoring.errors import Mistake, RoundError
from scoring.hand import Seat
from scoring.history import Paid
from service.db import Database, Transaction
from service.errors import ConfirmationRefused
from service.rounds.actions.opening import view_round
from service.rounds.actions.reading import find_revision
from service.rounds.queries import histories, revisions, rounds, settlements
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.revisions import StoredRevision
from service.rounds.queries.stored_round import StoredRound


def get_settlement(transaction: Transaction, round_id: UUID, revision: int | None = None) -> SettlementView:
    """
    Return the settlement of a round, in its newest revision or an older one.

    Raises:
        NotFound: the round or the revision does not exist.
    """
    return _get_settlement(transaction, rounds.get(transaction, round_id), revision)


def _get_settlement(transaction: Transaction, stored: StoredRound, revision: int | None) -> SettlementView:
    asked = find_revision(stored, revision)
    view = settlement_of(transaction, stored, asked)
    if asked == stored.revision:
        return view
    return _superseded(view, revisions.get(transaction, stored.id, asked))


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


def list_settlements(
    transaction: Transaction, stored: StoredRound, happened: Mapping[int, StoredHistory]
) -> dict[int, SettlementView]:
    """
    Return the settlement of each revision of a round.

    Args:
        transaction: the club's transaction.
        stored: the round.
        happened: the history of each revision.
    """
    paid = settlements.list_paid_by_revision(transaction, stored.id)
    reasons = revisions.list_reasons(transaction, stored.id)
    confirmed = settlements.list_confirmed_by_revision(transaction, stored.id)
    adjusted = settlements.list_adjustments_by_revision(transaction, stored.id)
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
    """Return the settlement of a revision, with the round's current settlement state."""
    asked = revision or stored.revision
    recorded = _Recorded(
        settlements.list_paid(transaction, stored.id, asked),
        revisions.get_reason(transaction, stored.id, asked),
        histories.list_irregular(transaction, stored.id, asked),
        settlements.list_confirmed(transaction, stored.id, asked),
        settlements.find_adjustment(transaction, stored.id, asked),
    )
    return _view(stored, asked, recorded)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """The records of a revision's settlement."""

    paid: Sequence[Paid]
    reason: str | None
    irregular: tuple[Irregularity, ...]
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
        state=stored.finality.settlement_state,
        provisional_until=stored.finality.provisional_until,
        confirmed=tuple(recorded.confirmed),
        adjustment=recorded.adjustment,
    )


def _superseded(view: SettlementView, then: StoredRevision) -> SettlementView:
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
            found = settlements.finalize_due(transaction, _AT_ONCE)
        finalized += found
        if found < _AT_ONCE:
            break
    return finalized

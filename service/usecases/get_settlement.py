from dataclasses import replace
from uuid import UUID

from schemas.settlement_states import SettlementState
from schemas.settlements import SettlementView, view_settlement
from service.database import Transaction
from service.repository import adjustments, histories, revisions, rounds, settlement_states, transfers
from service.repository.stored_round import StoredRound
from service.usecases.find_revision import find_revision


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
    then = revisions.get(transaction, round_id, asked)
    return replace(view, state=SettlementState.SUPERSEDED, provisional_until=None, stacks=then.stacks, nets=then.nets)


def settlement_of(transaction: Transaction, stored: StoredRound, revision: int | None = None) -> SettlementView:
    """Show what is recorded of a revision of a round, beside where the round stands and how firm that is."""
    asked = revision or stored.revision
    view = view_settlement(
        stored.round,
        transfers.list_paid(transaction, stored.id, asked),
        asked,
        stored.point_value,
        stored.currency,
        revisions.get_reason(transaction, stored.id, asked),
        histories.list_irregular(transaction, stored.id, asked),
    )
    return replace(
        view,
        state=stored.firmness.settlement_state,
        provisional_until=stored.firmness.provisional_until,
        confirmed=tuple(settlement_states.list_confirmed(transaction, stored.id, asked)),
        adjustment=adjustments.find(transaction, stored.id, asked),
    )

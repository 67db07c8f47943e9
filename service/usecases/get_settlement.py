from uuid import UUID

from schemas.settlement_states import SettlementState
from schemas.settlements import SettlementView, view_settlement
from service.database import Transaction
from service.repository import histories, revisions, rounds, transfers
from service.usecases.find_revision import find_revision


def get_settlement(transaction: Transaction, round_id: UUID, revision: int | None = None) -> SettlementView:
    """
    Show who paid whom in a round: as it stands or, in an older revision, as it was recorded then.

    Raises:
        NotFound: the club has no such round, or the round no such revision.
    """
    stored = rounds.get(transaction, round_id)
    asked = find_revision(stored, revision)
    payments = transfers.list_paid(transaction, round_id, asked)
    reason = revisions.get_reason(transaction, round_id, asked)
    irregular = histories.list_irregular(transaction, round_id, asked)
    if asked == stored.revision:
        return view_settlement(stored.round, payments, asked, stored.point_value, stored.currency, reason, irregular)
    then = revisions.get(transaction, round_id, asked)
    return SettlementView(
        asked,
        SettlementState.SUPERSEDED,
        then.stacks,
        then.nets,
        tuple(payments),
        stored.point_value,
        stored.currency,
        reason,
        irregular,
    )

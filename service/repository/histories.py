"""What happened in a round, as a revision has it, ready to be played again."""

from uuid import UUID

from sqlalchemy import select

from scoring.history import History
from scoring.round_state import RoundSeat
from service.database import Transaction
from service.models import RoundSeatRecord, SettlementRecord
from service.repository import endings, hands, rulesets


def get(transaction: Transaction, round_id: UUID, revision: int) -> History:
    """Read all that happened; the round has the revision, as its caller knows."""
    made, seat = SettlementRecord, RoundSeatRecord
    of_revision = (made.club_id == transaction.club_id, made.round_id == round_id, made.revision == revision)
    rules = transaction.execute(select(made.ruleset_name, made.ruleset_version).where(*of_revision)).one()
    sitting = transaction.execute(
        select(seat.seat, seat.player, seat.opening_stack)
        .where(seat.club_id == transaction.club_id, seat.round_id == round_id, seat.revision == revision)
        .order_by(seat.seat)
    )
    return History(
        rulesets.get(transaction, rules.ruleset_name, rules.ruleset_version),
        tuple(RoundSeat(each.seat, each.player, each.opening_stack) for each in sitting),
        tuple(recorded.hand for recorded in hands.list_page(transaction, round_id, revision)),
        tuple(endings.list_departures(transaction, round_id, revision)),
        endings.find_closing(transaction, round_id, revision),
    )

"""What happened in a round, in any of its revisions."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select

from schemas.irregular import IrregularHand
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.models import HandScoreRecord, RoundSeatRecord, SettlementRecord
from service.repository import endings, hands, rulesets
from service.repository.hands import StoredHand


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """What happened in a revision of a round, and the records that say so."""

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    hands: tuple[StoredHand, ...]
    departures: tuple[Departure, ...]
    closed: Closing | None

    @property
    def history(self) -> History:
        """What the rules need of it: played again, it comes to what was recorded."""
        played = tuple(stored.hand for stored in self.hands)
        irregular = frozenset(stored.hand.number for stored in self.hands if stored.irregular)
        return History(self.ruleset, self.seats, played, self.departures, self.closed, irregular)


def list_irregular(transaction: Transaction, round_id: UUID, revision: int) -> tuple[IrregularHand, ...]:
    """List the hands of a revision that stand though they could not have followed."""
    score = HandScoreRecord
    query = select(score.number, score.irregular).where(
        score.club_id == transaction.club_id,
        score.round_id == round_id,
        score.revision == revision,
        score.irregular.is_not(None),
    )
    found = transaction.execute(query.order_by(score.number))
    return tuple(IrregularHand(each.number, hands.load_mistakes(each.irregular)) for each in found)


def get(transaction: Transaction, round_id: UUID, revision: int) -> StoredHistory:
    """Read what happened in a revision of a round; the round has it, as its caller knows."""
    made, seat = SettlementRecord, RoundSeatRecord
    of_made = (made.club_id == transaction.club_id, made.round_id == round_id, made.revision == revision)
    of_seats = (seat.club_id == transaction.club_id, seat.round_id == round_id, seat.revision == revision)
    rules = transaction.execute(select(made.ruleset_name, made.ruleset_version).where(*of_made)).one()
    sat_down = select(seat.seat, seat.player, seat.opening_stack).where(*of_seats).order_by(seat.seat)
    return StoredHistory(
        rulesets.get(transaction, rules.ruleset_name, rules.ruleset_version),
        tuple(RoundSeat(sat.seat, sat.player, sat.opening_stack) for sat in transaction.execute(sat_down)),
        tuple(hands.list_page(transaction, round_id, revision)),
        tuple(endings.list_departures(transaction, round_id, revision)),
        endings.find_closing(transaction, round_id, revision),
    )

"""Departures, closings and the whole history of a round, by revision."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import and_, select

from schemas.hands import Irregularity
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.rounds.models import ClosingRecord, DepartureRecord, HandScoreRecord, RoundSeatRecord, SettlementRecord
from service.rounds.queries import hands
from service.rounds.queries.hands import StoredHand
from service.rulesets import queries as rulesets
from service.rulesets.models import RulesetRecord


def list_departures(transaction: Transaction, round_id: UUID, revision: int) -> list[Departure]:
    """List the departures of a revision, in order."""
    return list_departures_by_revision(transaction, round_id, revision)[revision]


def list_departures_by_revision(
    transaction: Transaction, round_id: UUID, revision: int | None = None
) -> dict[int, list[Departure]]:
    """List the departures of each revision of a round, or of one, in order."""
    record = DepartureRecord
    query = select(record.revision, record.seat, record.after_hand, record.reason).where(
        record.club_id == transaction.club_id, record.round_id == round_id
    )
    if revision is not None:
        query = query.where(record.revision == revision)
    departures: dict[int, list[Departure]] = defaultdict(list)
    for found in transaction.execute(query.order_by(record.position)):
        departures[found.revision].append(Departure(found.seat, found.after_hand, found.reason))
    return departures


def list_closings(transaction: Transaction, round_id: UUID, revision: int | None = None) -> dict[int, Closing]:
    """Return the closings of each revision of a round, or of one; revisions without a closing are omitted."""
    record = ClosingRecord
    query = select(record.revision, record.after_hand, record.reason).where(
        record.club_id == transaction.club_id, record.round_id == round_id
    )
    if revision is not None:
        query = query.where(record.revision == revision)
    return {found.revision: Closing(found.after_hand, found.reason) for found in transaction.execute(query)}


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """The history of a revision of a round, with the stored hands."""

    ruleset: Ruleset
    seats: tuple[RoundSeat, ...]
    hands: tuple[StoredHand, ...]
    departures: tuple[Departure, ...]
    closed: Closing | None

    @property
    def history(self) -> History:
        """The history in the form that `scoring.history.replay` accepts."""
        played = tuple(stored.hand for stored in self.hands)
        irregular = frozenset(stored.hand.number for stored in self.hands if stored.is_accepted)
        return History(self.ruleset, self.seats, played, self.departures, self.closed, irregular)


def list_irregular(transaction: Transaction, round_id: UUID, revision: int) -> tuple[Irregularity, ...]:
    """List the hands of a revision that were accepted as played."""
    score = HandScoreRecord
    query = select(score.number, score.irregular).where(
        score.club_id == transaction.club_id,
        score.round_id == round_id,
        score.revision == revision,
        score.irregular.is_not(None),
    )
    found = transaction.execute(query.order_by(score.number))
    return tuple(Irregularity(each.number, hands.load_mistakes(each.irregular)) for each in found)


def irregular_of(happened: StoredHistory) -> tuple[Irregularity, ...]:
    """Return the hands of a revision that were accepted as played."""
    accepted = (hand for hand in happened.hands if hand.is_accepted)
    return tuple(Irregularity(hand.hand.number, hand.irregular) for hand in accepted)


def get(transaction: Transaction, round_id: UUID, revision: int) -> StoredHistory:
    """Return the history of an existing revision."""
    played = {revision: hands.list_page(transaction, round_id, revision)}
    return _read(transaction, round_id, played, revision)[revision]


def list_by_revision(transaction: Transaction, round_id: UUID) -> dict[int, StoredHistory]:
    """Return the history of each revision of a round, in order, with a fixed number of queries."""
    return _read(transaction, round_id, hands.list_by_revision(transaction, round_id))


def _read(
    transaction: Transaction, round_id: UUID, played: Mapping[int, list[StoredHand]], revision: int | None = None
) -> dict[int, StoredHistory]:
    """Build the history of each revision of a round, or of one, from its hands."""
    made, seat, rules = SettlementRecord, RoundSeatRecord, RulesetRecord
    query = select(made.revision, rulesets.CONTENT).join(
        rules,
        and_(rules.club_id == made.club_id, rules.name == made.ruleset_name, rules.version == made.ruleset_version),
    )
    query = query.where(made.club_id == transaction.club_id, made.round_id == round_id)
    sat_down = select(seat.revision, seat.seat, seat.player, seat.opening_stack).where(
        seat.club_id == transaction.club_id, seat.round_id == round_id
    )
    if revision is not None:
        query, sat_down = query.where(made.revision == revision), sat_down.where(seat.revision == revision)
    seats: dict[int, list[RoundSeat]] = defaultdict(list)
    for sat in transaction.execute(sat_down.order_by(seat.seat)):
        seats[sat.revision].append(RoundSeat(sat.seat, sat.player, sat.opening_stack))
    departures = list_departures_by_revision(transaction, round_id, revision)
    closings = list_closings(transaction, round_id, revision)
    return {
        found.revision: StoredHistory(
            rulesets.parse_ruleset(found.ruleset_content),
            tuple(seats[found.revision]),
            tuple(played.get(found.revision, ())),
            tuple(departures.get(found.revision, ())),
            closings.get(found.revision),
        )
        for found in transaction.execute(query.order_by(made.revision))
    }

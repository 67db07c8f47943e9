from uuid import UUID

from schemas.documents import RoundDocument
from schemas.hands import SubmittedHand
from schemas.irregular import IrregularHand
from service.database import Transaction
from service.repository import histories, rounds, tables
from service.repository.histories import StoredHistory
from service.repository.rounds import StoredRound
from service.usecases.find_revision import find_revision


def get_document(transaction: Transaction, round_id: UUID, revision: int | None = None) -> RoundDocument:
    """
    Show a round as one document: all that happened, as it stands or in an older revision, and no result.

    Raises:
        NotFound: the club has no such round, or the round no such revision.
    """
    stored = rounds.get(transaction, round_id)
    happened = histories.get(transaction, round_id, find_revision(stored, revision))
    return write_document(stored, happened, tables.get(transaction, stored.table_id).name)


def document_of(transaction: Transaction, stored: StoredRound, table: str) -> RoundDocument:
    """Make the document of a round as it stands from its records."""
    return write_document(stored, histories.get(transaction, stored.id, stored.revision), table)


def write_document(stored: StoredRound, happened: StoredHistory, table: str) -> RoundDocument:
    """Make the document of what happened in a round."""
    return RoundDocument(
        ruleset=str(happened.ruleset),
        table=table,
        reference=stored.reference,
        point_value=stored.point_value,
        currency=stored.currency,
        seats=happened.seats,
        hands=tuple(SubmittedHand(hand.hand, hand.played_at) for hand in happened.hands),
        departures=happened.departures,
        closed=happened.closed,
        irregular=tuple(IrregularHand(hand.hand.number, hand.irregular) for hand in happened.hands if hand.irregular),
    )

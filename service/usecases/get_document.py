from uuid import UUID

from schemas.documents import RoundDocument
from schemas.hands import SubmittedHand
from service.database import Transaction
from service.repository import endings, hands, rounds, tables
from service.repository.rounds import StoredRound


def get_document(transaction: Transaction, round_id: UUID) -> RoundDocument:
    """
    Show a round as one document: all that happened, and no result.

    Raises:
        NotFound: the club has no such round.
    """
    stored = rounds.get(transaction, round_id)
    return document_of(transaction, stored, tables.get(transaction, stored.table_id).name)


def document_of(transaction: Transaction, stored: StoredRound, table: str) -> RoundDocument:
    """Make the document of a stored round from its records."""
    recorded = hands.list_page(transaction, stored.id, stored.revision)
    return RoundDocument(
        ruleset=str(stored.round.ruleset),
        table=table,
        reference=stored.reference,
        point_value=stored.point_value,
        currency=stored.currency,
        seats=stored.round.seats,
        hands=tuple(SubmittedHand(hand.hand, hand.played_at) for hand in recorded),
        departures=tuple(endings.list_departures(transaction, stored.id, stored.revision)),
        closed=endings.find_closing(transaction, stored.id, stored.revision),
    )

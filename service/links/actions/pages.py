"""Read what the pages of links show: a round with its hands, and the explanation of a hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID
from zoneinfo import ZoneInfo

from schemas.explanations.explanations import ExplanationView
from schemas.hands import HandView
from schemas.rounds import RoundView
from schemas.settlements import SettlementView
from scoring.explanation import hands as explaining
from service.clubs.queries import clubs
from service.db import Transaction
from service.errors import NotFound
from service.links.actions.changes import RevisionChanges, list_changes
from service.rounds.actions.reading import get_round
from service.rounds.actions.recording import view_hand
from service.rounds.actions.settlements import get_settlement
from service.rounds.queries import hands, histories, rounds
from service.tables import queries as tables


def show_linked_hand(transaction: Transaction, round_id: UUID, number: int) -> tuple[ExplanationView, int]:
    """
    Explain the score of a hand in the current revision of a round, and return how many hands that has.

    Raises:
        NotFound: the round has no hand with this number.
    """
    stored = rounds.get(transaction, round_id)
    happened = histories.get(transaction, stored.id, stored.revision)
    if not 1 <= number <= len(happened.hands):
        raise NotFound(f"the round has no hand {number}; expected a number from 1 to {len(happened.hands)}")
    hand_id = str(happened.hands[number - 1].id)
    explained = explaining.explain_hand(happened.history, number)
    return ExplanationView(hand_id, str(stored.id), stored.revision, True, explained), len(happened.hands)


@dataclass(frozen=True, slots=True)
class RoundPage:
    """What the players' page of a round has."""

    round: RoundView
    settlement: SettlementView
    table: str
    zone: ZoneInfo
    hands: Sequence[HandView]
    changes: Sequence[RevisionChanges]


def read_round_page(transaction: Transaction, round_id: UUID) -> RoundPage:
    """Return the current revision of a round with its hands, the table's name and what revisions changed."""
    view, settlement = get_round(transaction, round_id), get_settlement(transaction, round_id)
    return RoundPage(
        view,
        settlement,
        tables.get(transaction, UUID(view.table)).name,
        ZoneInfo(clubs.get(transaction).time_zone),
        list(map(view_hand, hands.list_page(transaction, round_id, settlement.revision))),
        list_changes(transaction, round_id) if settlement.revision > 1 else [],
    )

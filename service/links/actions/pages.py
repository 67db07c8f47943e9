"""Read what the pages of links show: a round with its hands, an evening of the table, and the explanation of a hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from schemas.clubs import ClubView
from schemas.explanations.explanations import ExplanationView
from schemas.hands import HandView
from schemas.rounds import RoundView
from schemas.settlements import SettlementView
from scoring.explanation import hands as explaining
from service.clubs.actions import get_club
from service.db import Transaction
from service.db.pages import Page
from service.errors import NotFound
from service.links.actions.changes import RevisionChanges, list_changes
from service.rounds.actions.reading import get_round, list_rounds
from service.rounds.actions.recording import view_hand
from service.rounds.actions.settlements import get_settlement
from service.rounds.queries import hands, histories, rounds
from service.rounds.queries.round_filter import RoundFilter
from service.rounds.queries.rounds import RoundPlace
from service.tables import queries as tables

_MOST_IN_EVENING = 100


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
    """
    What the players' page of a round has.

    Attributes:
        number: the number of the round in its evening; None for a link to the round, which shows no other.
    """

    round: RoundView
    settlement: SettlementView
    table: str
    club: ClubView
    number: int | None
    hands: Sequence[HandView]
    changes: Sequence[RevisionChanges]

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the club."""
        return ZoneInfo(self.club.time_zone)


def read_round_page(transaction: Transaction, round_id: UUID) -> RoundPage:
    """Return the current revision of a round with its hands, the table's name and what revisions changed."""
    view, settlement = get_round(transaction, round_id), get_settlement(transaction, round_id)
    club = get_club(transaction)
    return RoundPage(
        view,
        settlement,
        tables.get(transaction, UUID(view.table)).name,
        club,
        None if transaction.round_id is not None else number_rounds(transaction, club, [view])[view.id],
        list(map(view_hand, hands.list_page(transaction, round_id, settlement.revision))),
        list_changes(transaction, round_id) if settlement.revision > 1 else [],
    )


def list_evening(transaction: Transaction, club: ClubView, table_id: UUID, evening: date) -> Page[RoundView]:
    """List the rounds of an evening at a table, newest first; of very many, the last ones."""
    begin, end = club.evening(evening)
    filter_ = RoundFilter(table_id=table_id, opened_from=begin, opened_before=end)
    return list_rounds(transaction, filter_, after=None, limit=_MOST_IN_EVENING)


def number_rounds(transaction: Transaction, club: ClubView, listed: Sequence[RoundView]) -> Mapping[str, int]:
    """
    Return the number of each round in its evening, by its ID.

    Args:
        transaction: of a link to the table.
        club: whose evenings count.
        listed: rounds of one table, newest first, with none left out between them.
    """
    numbers: dict[str, int] = {}
    evening, number = None, 0
    for view in reversed(listed):
        of_round = club.evening_of(view.opened_at)
        if evening is None:
            place = RoundPlace(view.opened_at, UUID(view.id))
            number = rounds.count_until(transaction, UUID(view.table), club.evening(of_round)[0], place)
        else:
            number = number + 1 if of_round == evening else 1
        evening, numbers[view.id] = of_round, number
    return numbers

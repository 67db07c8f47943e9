"""Hands of a round by revision, and the figures that a hand's records hold."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import select, text

from scoring.hand import Seat
from scoring.round import PlayedHand
from scoring.round_state import Round
from scoring.ruleset import Points
from scoring.settlement import Transfer
from service.db import Statement, Transaction
from service.rounds.models import HandRecord, HandScoreRecord
from service.rounds.queries.hands import StoredHand, score_parameters

PaidRow = tuple[int, int, Points, Points, str | None, Points, Points]
"""Payer, payee, due, paid, what limited it, and the stacks of both after it."""


class HandFigures(NamedTuple):
    """
    What a hand came to.

    Attributes:
        points, fouls, royalties, earned, stays: of who was dealt in, by seat.
        exchanges: in paying order.
        top_ups, stacks_before, stacks: of everyone in the round, by seat.
        transfers: in order.
        irregular: why it could not have followed, as JSON; None unless it was accepted as played.
    """

    points: Sequence[Points]
    fouls: Sequence[bool]
    royalties: Sequence[Points]
    earned: Sequence[int]
    stays: Sequence[int]
    exchanges: Sequence[Points]
    top_ups: Sequence[Points]
    stacks_before: Sequence[Points]
    stacks: Sequence[Points]
    transfers: Sequence[PaidRow]
    irregular: str | None = None


def figures_of(before: Round, played: PlayedHand) -> HandFigures:
    """Say what a hand came to that was played in a round as it stood before."""
    score = score_parameters(before, played)
    return HandFigures(
        points=score["points"],
        fouls=score["fouls"],
        royalties=score["royalties"],
        earned=score["earned"],
        stays=score["stays"],
        exchanges=score["exchanges"],
        top_ups=score["added"],
        stacks_before=score["stacks_before"],
        stacks=score["stacks"],
        transfers=rows_of(played.transfers),
        irregular=score["irregular"],
    )


def rows_of(transfers: Sequence[Transfer]) -> list[PaidRow]:
    """Write transfers as rows, in order."""
    return [
        (each.payer, each.payee, each.due, each.paid, each.limited_by, each.payer_stack, each.payee_stack)
        for each in transfers
    ]


_LIST_BOARDS: Final = Statement(
    text("""
        SELECT hand.number, hand.seats, hand.boards
        FROM hand_scores AS score
        JOIN hands AS hand ON hand.club_id = score.club_id AND hand.id = score.hand_id
        WHERE score.club_id = :club_id AND score.round_id = :round_id AND score.revision = :revision
        ORDER BY score.number
    """)
)


def list_records(transaction: Transaction, round_id: UUID, number: int) -> list[UUID]:
    """List the ids of all records ever made of a round's hand, the oldest first."""
    return [record_id for record_id, _ in list_contents(transaction, round_id, number)]


def list_contents(
    transaction: Transaction, round_id: UUID, number: int | None = None
) -> list[tuple[UUID, Mapping[str, Any]]]:
    """List the id and content of all records ever made of a round's hands, or of one of them, the oldest first."""
    record = HandRecord
    query = select(record.id, record.content).where(record.club_id == transaction.club_id, record.round_id == round_id)
    if number is not None:
        query = query.where(record.number == number)
    return [(found.id, found.content) for found in transaction.execute(query.order_by(record.number, record.id))]


def list_boards(transaction: Transaction, round_id: UUID, revision: int) -> list[tuple[int, list[Seat], bytes]]:
    """List the number, seats and packed boards of the hands that a revision of a round has."""
    parameters = {"club_id": transaction.club_id, "round_id": round_id, "revision": revision}
    found = transaction.query(_LIST_BOARDS, parameters)
    return [(each["number"], each["seats"], each["boards"]) for each in found]


def find_in_revision(transaction: Transaction, round_id: UUID, revision: int, number: int) -> UUID | None:
    """Find the id of the record that a revision of a round has of a hand."""
    score = HandScoreRecord
    query = select(score.hand_id).where(
        score.club_id == transaction.club_id,
        score.round_id == round_id,
        score.revision == revision,
        score.number == number,
    )
    return transaction.execute(query).scalar_one_or_none()


def is_recorded(transaction: Transaction, round_id: UUID, hand_id: UUID) -> bool:
    """Say whether a hand was ever recorded in a round."""
    record = HandRecord
    query = select(record.id).where(
        record.club_id == transaction.club_id, record.round_id == round_id, record.id == hand_id
    )
    return transaction.execute(query).one_or_none() is not None


def is_in_revision(transaction: Transaction, stored: StoredHand, revision: int) -> bool:
    """Say whether a revision of the hand's round has this record of it."""
    return find_in_revision(transaction, stored.round_id, revision, stored.hand.number) == stored.id

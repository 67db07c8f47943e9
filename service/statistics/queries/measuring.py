"""Read the records of rounds to measure, and replace their statistics."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, text

from scoring.ruleset import Points
from service.db import Transaction

_HANDS: Final = text("""
    SELECT head.round_id, head.table_id, round.opened_at, head.seats, head.players, score.number,
        score.ruleset_name, score.ruleset_version, score.points, score.fouls, score.earned,
        hand.seats AS hand_seats, hand.fantasyland, hand.boards
    FROM unnest(CAST(:round_ids AS uuid[])) AS wanted (round_id)
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (CAST(:club_id AS uuid), wanted.round_id)
    JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
        = (head.club_id, head.round_id, head.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
""")
_UNPAID: Final = text("""
    SELECT head.round_id, paid.payer, paid.payee, sum(paid.due - paid.paid) AS points
    FROM unnest(CAST(:round_ids AS uuid[])) AS wanted (round_id)
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (CAST(:club_id AS uuid), wanted.round_id)
    JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
        = (head.club_id, head.round_id, head.revision)
    WHERE paid.paid < paid.due
    GROUP BY head.round_id, paid.payer, paid.payee
""")
_LOCK: Final = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
_TAKE: Final = text("""
    DELETE FROM unmeasured_rounds WHERE club_id = :club_id AND id IN (
        SELECT id FROM unmeasured_rounds WHERE club_id = :club_id LIMIT :limit
    ) RETURNING round_id
""")
_REMOVE: Final = text("DELETE FROM round_statistics WHERE club_id = :club_id AND round_id = ANY (:round_ids)")
_ADD_ALL: Final = text("""
    INSERT INTO unmeasured_rounds (club_id, round_id)
    SELECT club_id, round_id FROM round_heads WHERE club_id = :club_id
""")
_CLUBS: Final = text("SELECT club_id FROM clubs_with_unmeasured_rounds() AS due (club_id)")


@dataclass(slots=True)
class RoundFigures:
    """The figures of a player in a round."""

    round_id: UUID
    player: str
    table_id: UUID
    ruleset_name: str
    ruleset_version: int
    opened_at: datetime
    hands: int = 0
    points: Points = 0
    squares: int = 0
    fouls: int = 0
    fantasyland_entered: int = 0
    fantasyland_stayed: int = 0
    royalties_top: Points = 0
    royalties_middle: Points = 0
    royalties_bottom: Points = 0
    scoops: int = 0
    not_received: Points = 0
    not_paid: Points = 0


_COLUMNS: Final = tuple(RoundFigures.__dataclass_fields__)
_INSERT: Final = text(
    f"INSERT INTO round_statistics (club_id, {', '.join(_COLUMNS)})"
    f" VALUES (:club_id, {', '.join(f':{name}' for name in _COLUMNS)})"
)


def list_hands(transaction: Transaction, round_ids: Collection[UUID]) -> Sequence[Row[Any]]:
    """List the hands of rounds in the revisions in force, with their scores."""
    return transaction.execute(_HANDS, _of(transaction, round_ids)).all()


def list_unpaid(transaction: Transaction, round_ids: Collection[UUID]) -> Sequence[Row[Any]]:
    """List the points that were due and not paid in rounds, by payer and payee."""
    return transaction.execute(_UNPAID, _of(transaction, round_ids)).all()


def try_lock(transaction: Transaction) -> bool:
    """Lock the statistics of the club until the transaction ends, unless another transaction has locked them."""
    return bool(transaction.execute(_LOCK, {"name": f"statistics {transaction.club_id}"}).scalar_one())


def take_unmeasured(transaction: Transaction, limit: int) -> set[UUID]:
    """Remove changes of rounds from the list of those to measure, and return the rounds."""
    taken = transaction.execute(_TAKE, {"club_id": transaction.club_id, "limit": limit})
    return {found.round_id for found in taken}


def replace_statistics(transaction: Transaction, round_ids: Collection[UUID], figures: Iterable[RoundFigures]) -> None:
    """Replace the statistics of rounds."""
    transaction.execute(_REMOVE, _of(transaction, round_ids))
    records = [{"club_id": transaction.club_id, **asdict(each)} for each in figures]
    if records:
        transaction.execute(_INSERT, records)


def add_all_rounds(transaction: Transaction) -> None:
    """Add every round of the club to those to measure."""
    transaction.execute(_ADD_ALL, {"club_id": transaction.club_id})


def list_clubs_due(connection: Connection) -> Sequence[UUID]:
    """List the clubs with rounds to measure."""
    return connection.execute(_CLUBS).scalars().all()


def _of(transaction: Transaction, round_ids: Collection[UUID]) -> dict[str, Any]:
    return {"club_id": transaction.club_id, "round_ids": [*round_ids]}

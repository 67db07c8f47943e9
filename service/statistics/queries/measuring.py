"""Read the records of rounds to measure, and replace their statistics."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, TextClause, text

from scoring.ruleset import Points
from service.db import Transaction
from service.statistics.queries.seats import SEATS

_SEATS: Final = text(f"{SEATS} WHERE head.club_id = :club_id AND head.round_id = ANY (:round_ids)")
_HANDS: Final = text("""
    SELECT score.round_id, score.ruleset_name, score.ruleset_version, score.points, score.fouls, score.earned,
        score.exchanges, hand.button, hand.seats, hand.fantasyland, hand.boards
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) AS wanted (round_id, revision)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
        = (CAST(:club_id AS uuid), wanted.round_id, wanted.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    ORDER BY score.round_id, score.number
""")
_PAID: Final = text("""
    SELECT paid.round_id, paid.payer, paid.payee, sum(paid.due) - sum(paid.paid) AS unpaid, sum(paid.paid) AS paid
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) AS wanted (round_id, revision)
    JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
        = (CAST(:club_id AS uuid), wanted.round_id, wanted.revision)
    GROUP BY paid.round_id, paid.payer, paid.payee
""")
_LOCK: Final = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
_TAKE: Final = text("""
    DELETE FROM unmeasured_rounds WHERE club_id = :club_id AND id IN (
        SELECT id FROM unmeasured_rounds WHERE club_id = :club_id LIMIT :limit
    ) RETURNING round_id
""")
_REMOVE: Final = tuple(
    text(f"DELETE FROM {table} WHERE club_id = :club_id AND round_id = ANY (:round_ids)")
    for table in ("round_statistics", "round_opponents")
)
_ADD: Final = text("""
    INSERT INTO unmeasured_rounds (club_id, round_id)
    SELECT club_id, round_id FROM round_heads
    WHERE club_id = :club_id AND round_id = coalesce(CAST(:round_id AS uuid), round_id)
""")
_CLUBS: Final = text("SELECT club_id FROM clubs_with_unmeasured_rounds() AS due (club_id)")


@dataclass(slots=True)
class RoundFigures:
    """The figures of a player in a round, with the columns of `RoundStatisticsRecord`."""

    round_id: UUID
    player: str
    table_id: UUID
    ruleset_name: str
    ruleset_version: int
    opened_at: datetime
    place: int
    point_value: int | None
    currency: str | None
    top_ups: Points
    hands: int = 0
    points: Points = 0
    squares: int = 0
    fouls: int = 0
    fantasyland_hands: int = 0
    fantasyland_entered: int = 0
    fantasyland_stayed: int = 0
    royalties_top: Points = 0
    royalties_middle: Points = 0
    royalties_bottom: Points = 0
    scoops: int = 0
    not_received: Points = 0
    not_paid: Points = 0
    best: Points = 0
    worst: Points = 0
    received: Points = 0
    paid: Points = 0
    from_rows: Points = 0
    from_bonuses: Points = 0
    from_royalties: Points = 0
    from_fouls: Points = 0
    points_by_hand: list[Points] = field(default_factory=list)


@dataclass(slots=True)
class RoundOpponentFigures:
    """The figures of a player against one opponent in a round."""

    round_id: UUID
    player: str
    opponent: str
    table_id: UUID
    ruleset_name: str
    ruleset_version: int
    opened_at: datetime
    hands: int = 0
    points: Points = 0
    squares: int = 0
    scoops: int = 0
    scooped: int = 0
    paid: Points = 0


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of the players of rounds, and those of each against each opponent."""

    players: list[RoundFigures]
    opponents: list[RoundOpponentFigures]


def _insert_into(table: str, figures: type[RoundFigures] | type[RoundOpponentFigures]) -> TextClause:
    columns = tuple(figures.__dataclass_fields__)
    return text(
        f"INSERT INTO {table} (club_id, {', '.join(columns)})"
        f" VALUES (:club_id, {', '.join(f':{name}' for name in columns)})"
    )


_INSERT: Final = _insert_into("round_statistics", RoundFigures)
_INSERT_OPPONENTS: Final = _insert_into("round_opponents", RoundOpponentFigures)


def list_seats(transaction: Transaction, round_ids: Collection[UUID]) -> Sequence[Row[Any]]:
    """List the players of rounds."""
    return transaction.execute(_SEATS, _of(transaction, round_ids)).all()


def list_hands(transaction: Transaction, revisions: Mapping[UUID, int]) -> Sequence[Row[Any]]:
    """List the hands of revisions of rounds with their scores, by round and in order."""
    return transaction.execute(_HANDS, _of_revisions(transaction, revisions)).all()


def list_paid(transaction: Transaction, revisions: Mapping[UUID, int]) -> Sequence[Row[Any]]:
    """List the points that were paid in revisions of rounds, and those that were due and not, by payer and payee."""
    return transaction.execute(_PAID, _of_revisions(transaction, revisions)).all()


def try_lock(transaction: Transaction) -> bool:
    """Lock the statistics of the club until the transaction ends, unless another transaction has locked them."""
    return bool(transaction.execute(_LOCK, {"name": f"statistics {transaction.club_id}"}).scalar_one())


def take_unmeasured(transaction: Transaction, limit: int) -> set[UUID]:
    """Remove changes of rounds from the list of those to measure, and return the rounds."""
    taken = transaction.execute(_TAKE, {"club_id": transaction.club_id, "limit": limit})
    return {found.round_id for found in taken}


def replace_statistics(transaction: Transaction, round_ids: Collection[UUID], measured: Measured) -> None:
    """Replace the statistics of rounds."""
    for removal in _REMOVE:
        transaction.execute(removal, _of(transaction, round_ids))
    for insertion, figures in ((_INSERT, measured.players), (_INSERT_OPPONENTS, measured.opponents)):
        records = [{"club_id": transaction.club_id, **asdict(each)} for each in figures]
        if records:
            transaction.execute(insertion, records)


def add_unmeasured(transaction: Transaction, round_id: UUID | None = None) -> int:
    """Add a round of the club, or every round, to those to measure, and return the number of added rounds."""
    added: int = transaction.execute(_ADD, {"club_id": transaction.club_id, "round_id": round_id}).rowcount
    return added


def list_clubs_due(connection: Connection) -> Sequence[UUID]:
    """List the clubs with rounds to measure."""
    return connection.execute(_CLUBS).scalars().all()


def _of(transaction: Transaction, round_ids: Collection[UUID]) -> dict[str, Any]:
    return {"club_id": transaction.club_id, "round_ids": [*round_ids]}


def _of_revisions(transaction: Transaction, revisions: Mapping[UUID, int]) -> dict[str, Any]:
    return {"club_id": transaction.club_id, "round_ids": [*revisions], "revisions": [*revisions.values()]}

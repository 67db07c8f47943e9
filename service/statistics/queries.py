"""Read the records of rounds to measure, replace their statistics, and sum them up by player."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, TextClause, text

from schemas.accounting.statistics import NotedHand
from scoring.board import Board
from scoring.ruleset import Points
from service.db import Transaction


@dataclass(frozen=True, slots=True)
class PlayerSearch:
    """A search for players: those with a text in their IDs, in small or capital letters, and some by their IDs."""

    text: str
    named: tuple[str, ...] = ()

    def finds(self, player: str) -> bool:
        """
        Return whether a player is found.

        >>> search = PlayerSearch("AN", named=("7",))
        >>> search.finds("Joanna"), search.finds("7"), search.finds("bob")
        (True, True, False)
        """
        return self.text.lower() in player.lower() or player in self.named


@dataclass(frozen=True, slots=True)
class StatisticsFilter:
    """A filter for rounds and players; None matches any. The times are opening times."""

    player: str | None = None
    search: PlayerSearch | None = None
    table_id: UUID | None = None
    ruleset_name: str | None = None
    ruleset_version: int | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None

    def includes(self, player: str) -> bool:
        """Return whether a player matches."""
        return self.player in (None, player) and (self.search is None or self.search.finds(player))


def _conditions(wanted: StatisticsFilter, of_round: str, of_ruleset: str) -> str:
    conditions = {
        f"{of_ruleset}.table_id = :table_id": wanted.table_id,
        f"{of_ruleset}.ruleset_name = :ruleset_name": wanted.ruleset_name,
        f"{of_ruleset}.ruleset_version = :ruleset_version": wanted.ruleset_version,
        f"{of_round}.opened_at >= :opened_from": wanted.opened_from,
        f"{of_round}.opened_at < :opened_before": wanted.opened_before,
    }
    return "".join(f" AND {condition}" for condition, value in conditions.items() if value is not None)


FIGURES: Final = (
    "hands", "points", "squares", "fouls", "fantasyland_hands", "fantasyland_entered", "fantasyland_stayed",
    "royalties_top", "royalties_middle", "royalties_bottom", "scoops", "not_received", "not_paid",
)  # as a table  # fmt: skip
OPPONENT_FIGURES: Final = ("hands", "points", "squares", "scoops", "scooped", "paid")
_SUMS: Final = ", ".join(f"sum(measured.{name}) AS {name}" for name in FIGURES)
_OPPONENT_SUMS: Final = ", ".join(f"sum(measured.{name}) AS {name}" for name in OPPONENT_FIGURES)
_AFTER: Final = " AND measured.player > :after"


def list_sums(
    transaction: Transaction, wanted: StatisticsFilter, *, after: str | None = None, limit: int | None = None
) -> Sequence[Row[Any]]:
    """
    List the sums of the statistics by player, without rounds that have changed since they were measured.

    With `limit`, only the first players after `after`, in the order of their IDs.
    """
    page = "" if limit is None else " ORDER BY measured.player LIMIT :limit"
    query = f"""
        SELECT measured.player, count(*) AS rounds, {_SUMS}
        FROM round_statistics AS measured WHERE {_measured(wanted)}{"" if after is None else _AFTER}
        GROUP BY measured.player{page}
    """
    parameters = _parameters(transaction, wanted) | {"after": after, "limit": limit}
    return transaction.execute(text(query), parameters).all()


def list_opponents(transaction: Transaction, wanted: StatisticsFilter) -> Sequence[Row[Any]]:
    """List the sums of a player's statistics by opponent, without rounds that have changed since they were measured."""
    query = f"""
        SELECT measured.opponent, count(*) AS rounds, {_OPPONENT_SUMS}
        FROM round_opponents AS measured WHERE {_measured(wanted)} GROUP BY measured.opponent
    """
    return transaction.execute(text(query), _parameters(transaction, wanted)).all()


def list_noted_rounds(transaction: Transaction, wanted: StatisticsFilter, limit: int) -> Sequence[UUID]:
    """
    List the rounds with the best and those with the worst hands of a player.

    These rounds contain the `limit` best and the `limit` worst hands. Rounds that have changed are omitted.
    """
    rounds = f"SELECT round_id FROM round_statistics AS measured WHERE {_measured(wanted)}"
    query = f"""
        ({rounds} ORDER BY best DESC, opened_at, round_id LIMIT :limit)
        UNION ({rounds} ORDER BY worst, opened_at, round_id LIMIT :limit)
    """
    return transaction.execute(text(query), {**_parameters(transaction, wanted), "limit": limit}).scalars().all()


def sort_players(transaction: Transaction, players: Collection[str], *, after: str | None, limit: int) -> list[str]:
    """Return the first players after `after`, in the order in which `list_sums` lists them."""
    query = f"""
        SELECT measured.player FROM unnest(CAST(:players AS text[])) AS measured (player)
        WHERE true{"" if after is None else _AFTER} ORDER BY measured.player LIMIT :limit
    """
    parameters = {"players": [*players], "after": after, "limit": limit}
    return list(transaction.execute(text(query), parameters).scalars())


def _measured(wanted: StatisticsFilter) -> str:
    """Return the conditions for the stored statistics of a filter."""
    of_player = " AND measured.player = :player" if wanted.player is not None else ""
    found = ""
    if wanted.search is not None:
        found = " AND (position(lower(:search) IN lower(measured.player)) > 0 OR measured.player = ANY (:named))"
    return f"""
        measured.club_id = :club_id{of_player}{found}{_conditions(wanted, "measured", "measured")}
            AND NOT EXISTS (
                SELECT FROM unmeasured_rounds AS changed
                WHERE (changed.club_id, changed.round_id) = (measured.club_id, measured.round_id)
            )
    """


def list_unmeasured(transaction: Transaction, wanted: StatisticsFilter, limit: int) -> list[UUID]:
    """List rounds that have changed since they were measured, newest first."""
    of_player = " AND :player = ANY (head.players)" if wanted.player is not None else ""
    query = f"""
        SELECT head.round_id FROM round_heads AS head
        JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
        WHERE head.club_id = :club_id{of_player}{_conditions(wanted, "round", "head")}
            AND head.round_id IN (SELECT round_id FROM unmeasured_rounds WHERE club_id = :club_id)
        ORDER BY head.round_id DESC LIMIT :limit
    """
    found = transaction.execute(text(query), {**_parameters(transaction, wanted), "limit": limit})
    return list(found.scalars())


def has_played(transaction: Transaction, player: str) -> bool:
    """Return whether a player sat in a round of the club."""
    query = text("SELECT EXISTS (SELECT FROM round_seats WHERE club_id = :club_id AND player = :player)")
    return bool(transaction.execute(query, {"club_id": transaction.club_id, "player": player}).scalar_one())


def _parameters(transaction: Transaction, wanted: StatisticsFilter) -> dict[str, Any]:
    return {
        "club_id": transaction.club_id,
        "player": wanted.player,
        "search": None if wanted.search is None else wanted.search.text,
        "named": [] if wanted.search is None else [*wanted.search.named],
        "table_id": wanted.table_id,
        "ruleset_name": wanted.ruleset_name,
        "ruleset_version": wanted.ruleset_version,
        "opened_from": wanted.opened_from,
        "opened_before": wanted.opened_before,
    }


_HANDS: Final = text("""
    SELECT head.round_id, head.table_id, round.opened_at, head.seats, head.players, score.number,
        score.ruleset_name, score.ruleset_version, score.points, score.fouls, score.earned,
        score.exchanges, hand.button, hand.seats AS hand_seats, hand.fantasyland, hand.boards
    FROM unnest(CAST(:round_ids AS uuid[])) AS wanted (round_id)
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (CAST(:club_id AS uuid), wanted.round_id)
    JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
        = (head.club_id, head.round_id, head.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
""")
_PAID: Final = text("""
    SELECT head.round_id, paid.payer, paid.payee, sum(paid.due - paid.paid) AS unpaid, sum(paid.paid) AS paid
    FROM unnest(CAST(:round_ids AS uuid[])) AS wanted (round_id)
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (CAST(:club_id AS uuid), wanted.round_id)
    JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
        = (head.club_id, head.round_id, head.revision)
    GROUP BY head.round_id, paid.payer, paid.payee
""")
_LOCK: Final = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
_TAKE: Final = text("""
    DELETE FROM unmeasured_rounds WHERE club_id = :club_id AND id IN (
        SELECT id FROM unmeasured_rounds WHERE club_id = :club_id LIMIT :limit
    ) RETURNING round_id
""")
_NOTED: Final = text("""
    SELECT head.round_id, score.number, score.points[place.of_hand] AS points, score.fouls[place.of_hand] AS is_foul,
        substring(hand.boards FROM 13 * place.of_hand - 12 FOR 13) AS board, score.ruleset_name, score.ruleset_version,
        round.opened_at, round.table_id, playing_at.name AS table_name
    FROM unnest(CAST(:round_ids AS uuid[])) AS wanted (round_id)
    JOIN round_heads AS head ON (head.club_id, head.round_id) = (CAST(:club_id AS uuid), wanted.round_id)
    JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
    JOIN tables AS playing_at ON (playing_at.club_id, playing_at.id) = (round.club_id, round.table_id)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
        = (head.club_id, head.round_id, head.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    CROSS JOIN LATERAL (
        SELECT array_position(hand.seats, head.seats[array_position(head.players, CAST(:player AS text))]) AS of_hand
    ) AS place
    WHERE place.of_hand IS NOT NULL
""")
_REMOVE: Final = tuple(
    text(f"DELETE FROM {table} WHERE club_id = :club_id AND round_id = ANY (:round_ids)")
    for table in ("round_statistics", "round_opponents")
)
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


def list_hands(transaction: Transaction, round_ids: Collection[UUID]) -> Sequence[Row[Any]]:
    """List the hands of rounds in the revisions in force, with their scores."""
    return transaction.execute(_HANDS, _of(transaction, round_ids)).all()


def list_paid(transaction: Transaction, round_ids: Collection[UUID]) -> Sequence[Row[Any]]:
    """List the points that were paid in rounds, and those that were due and not paid, by payer and payee."""
    return transaction.execute(_PAID, _of(transaction, round_ids)).all()


def list_noted_hands(transaction: Transaction, player: str, round_ids: Collection[UUID]) -> list[NotedHand]:
    """List the hands of a player in rounds, in the revisions in force."""
    return [
        NotedHand(
            round_id=found.round_id,
            number=found.number,
            points=found.points,
            table_id=found.table_id,
            table_name=found.table_name,
            ruleset=f"{found.ruleset_name}@{found.ruleset_version}",
            opened_at=found.opened_at,
            board=Board.unpacked(found.board),
            is_foul=found.is_foul,
        )
        for found in transaction.execute(_NOTED, {**_of(transaction, round_ids), "player": player})
    ]


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


def add_all_rounds(transaction: Transaction) -> None:
    """Add every round of the club to those to measure."""
    transaction.execute(_ADD_ALL, {"club_id": transaction.club_id})


def list_clubs_due(connection: Connection) -> Sequence[UUID]:
    """List the clubs with rounds to measure."""
    return connection.execute(_CLUBS).scalars().all()


def _of(transaction: Transaction, round_ids: Collection[UUID]) -> dict[str, Any]:
    return {"club_id": transaction.club_id, "round_ids": [*round_ids]}

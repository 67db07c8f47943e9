"""
Read the figures of plots from the revisions in force.

Some are sums of the statistics of rounds. Rounds that have changed since these were computed are read from their hands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from schemas.accounting.plots import MOST_SERIES
from service.db import Transaction
from service.statistics.queries.seats import CHANGED, SEATS, UNCHANGED


@dataclass(frozen=True, slots=True)
class PlotFilter:
    """
    A filter for rounds and players; None matches any. The times are opening times, `opened_before` excluded.

    Attributes:
        most_players: how many players have a line or a column, those with the most hands; None for all players.
    """

    round_id: UUID | None = None
    table_id: UUID | None = None
    player: str | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None
    most_players: int | None = MOST_SERIES


_CONDITIONS: Final = {
    "round_id": "head.round_id = :round_id",
    "table_id": "head.table_id = :table_id",
    "player": "head.round_id IN (SELECT round_id FROM round_seats WHERE club_id = :club_id AND player = :player)"
    " AND :player = ANY (head.players)",
    "opened_from": "round.opened_at >= :opened_from",
    "opened_before": "round.opened_at < :opened_before",
}
_OF_MEASURED: Final = {
    "round_id": "measured.round_id = :round_id",
    "table_id": "measured.table_id = :table_id",
    "player": "measured.player = :player",
    "opened_from": "measured.opened_at >= :opened_from",
    "opened_before": "measured.opened_at < :opened_before",
}
_ROUNDS: Final = """
    FROM round_heads AS head JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
"""
_HANDS: Final = f"""
    {_ROUNDS}
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
        = (head.club_id, head.round_id, head.revision)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
"""
_IN_ORDER: Final = "ORDER BY round.opened_at, round.id, score.number LIMIT :limit"


def list_rounds(transaction: Transaction, wanted: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List rounds, oldest first, with their players and stacks."""
    query = f"""
        SELECT round.id, round.opened_at, head.seats, head.players, head.opening_stacks, head.top_ups, head.stacks
        {_ROUNDS} WHERE {_where(wanted)} ORDER BY round.opened_at, round.id LIMIT :limit
    """
    return _read(transaction, query, wanted, limit=limit)


def list_stacks(transaction: Transaction, wanted: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List hands, oldest round first, with the stacks of all seats of the round after each, and after its payout."""
    query = f"""
        SELECT score.round_id, score.number, coalesce(payout.stacks, score.stacks) AS stacks
        {_ROUNDS}
        JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
            = (head.club_id, head.round_id, head.revision)
        LEFT JOIN payouts AS payout ON (payout.club_id, payout.round_id, payout.revision, payout.number)
            = (score.club_id, score.round_id, score.revision, score.number)
        WHERE {_where(wanted)} {_IN_ORDER}
    """
    return _read(transaction, query, wanted, limit=limit)


def list_hand_counts(transaction: Transaction, wanted: PlotFilter) -> Sequence[Row[Any]]:
    """List the number of hands of each player; with a player, of each opponent against that player."""
    if wanted.player is not None:
        other = "AND :player <> head.players[array_position(head.seats, dealt.seat)]"
        query = f"""
            SELECT player, sum(hands) AS hands FROM (
                SELECT opponent AS player, hands FROM round_opponents AS measured WHERE {_measured(wanted)}
                UNION ALL
                SELECT head.players[array_position(head.seats, dealt.seat)], 1
                {_HANDS} CROSS JOIN LATERAL unnest(hand.seats) AS dealt (seat)
                WHERE {_unmeasured(wanted)} {other}
                    AND head.seats[array_position(head.players, CAST(:player AS text))] = ANY (hand.seats)
            ) AS found GROUP BY player
        """
    else:
        query = f"""
            SELECT player, sum(hands) AS hands FROM (
                SELECT player, hands FROM round_statistics AS measured WHERE {_played(wanted)}
                UNION ALL
                SELECT head.players[array_position(head.seats, dealt.seat)], 1
                {_HANDS} CROSS JOIN LATERAL unnest(hand.seats) AS dealt (seat)
                WHERE {_unmeasured(wanted)}
            ) AS found GROUP BY player
        """
    return _read(transaction, query, wanted)


def list_pairs(transaction: Transaction, wanted: PlotFilter, opponents: Sequence[str]) -> Sequence[Row[Any]]:
    """List the points of players against opponents, in rounds that have not changed since they were measured."""
    of_player = "" if wanted.player is not None else "AND measured.player = ANY (:opponents)"
    query = f"""
        SELECT measured.player, measured.opponent, sum(measured.points) AS points
        FROM round_opponents AS measured
        WHERE {_measured(wanted)} {of_player} AND measured.opponent = ANY (:opponents)
        GROUP BY measured.player, measured.opponent
    """
    return _read(transaction, query, wanted, opponents=[*opponents])


def list_exchanges(transaction: Transaction, wanted: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List hands of rounds that have changed since they were measured, with the points of each pair in paying order."""
    query = f"""
        SELECT head.seats, head.players, hand.seats AS hand_seats, hand.button, score.exchanges
        {_HANDS} WHERE {_unmeasured(wanted)} LIMIT :limit
    """
    return _read(transaction, query, wanted, limit=limit)


def list_nets(transaction: Transaction, wanted: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List the points that a player won or, below zero, lost in each round, oldest round first."""
    query = f"""
        SELECT round_id, opened_at, received - paid AS net FROM round_statistics AS measured WHERE {_measured(wanted)}
        UNION ALL
        SELECT round_id, opened_at, stack - opening_stack - top_ups FROM ({SEATS} WHERE {_unmeasured(wanted)}) AS seat
        WHERE player = :player
        ORDER BY opened_at, round_id LIMIT :limit
    """
    return _read(transaction, query, wanted, limit=limit)


def list_boards(transaction: Transaction, wanted: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List hands of rounds that have changed since they were measured, with their boards and points."""
    query = f"""
        SELECT head.seats, head.players, hand.seats AS hand_seats, hand.fantasyland, hand.boards, score.points,
            score.ruleset_name, score.ruleset_version
        {_HANDS} WHERE {_unmeasured(wanted)} LIMIT :limit
    """
    return _read(transaction, query, wanted, limit=limit)


def list_sources(transaction: Transaction, wanted: PlotFilter) -> Sequence[Row[Any]]:
    """List the points of players by source, in rounds that have not changed since they were measured."""
    query = f"""
        SELECT player, sum(hands) AS hands, sum(from_rows) AS rows, sum(from_bonuses) AS bonuses,
            sum(from_royalties) AS royalties, sum(from_fouls) AS fouls,
            sum(points - from_rows - from_bonuses - from_royalties - from_fouls) AS fantasyland
        FROM round_statistics AS measured WHERE {_played(wanted)} GROUP BY player
    """
    return _read(transaction, query, wanted)


def list_caps(transaction: Transaction, wanted: PlotFilter) -> Sequence[Row[Any]]:
    """List the points that players received and paid, and those that were due and not paid, if any were due."""
    paid = f"""
        {_ROUNDS}
        JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
            = (head.club_id, head.round_id, head.revision)
        WHERE {_unmeasured(wanted)}
    """
    query = f"""
        SELECT player, sum(received) AS received, sum(not_received) AS not_received, sum(paid) AS paid,
            sum(not_paid) AS not_paid
        FROM (
            SELECT player, received, not_received, paid, not_paid
            FROM round_statistics AS measured WHERE {_measured(wanted)}
            UNION ALL
            SELECT head.players[array_position(head.seats, paid.payee)], paid.paid, paid.due - paid.paid, 0, 0 {paid}
            UNION ALL
            SELECT head.players[array_position(head.seats, paid.payer)], 0, 0, paid.paid, paid.due - paid.paid {paid}
        ) AS found {"" if wanted.player is None else "WHERE player = :player"}
        GROUP BY player HAVING sum(received + not_received + paid + not_paid) > 0
    """
    return _read(transaction, query, wanted)


def list_fouls(transaction: Transaction, wanted: PlotFilter) -> Sequence[Row[Any]]:
    """List the number of boards and of foul ones by the opening time of rounds, oldest first."""
    query = f"""
        SELECT opened_at, sum(hands) AS hands, sum(fouls) AS fouls FROM (
            SELECT opened_at, hands, fouls FROM round_statistics AS measured WHERE {_played(wanted)}
            UNION ALL
            SELECT round.opened_at, 1, CAST(dealt.is_foul AS integer)
            {_HANDS} CROSS JOIN LATERAL unnest(hand.seats, score.fouls) AS dealt (seat, is_foul)
            WHERE {_unmeasured(wanted)} {_of_player(wanted)}
        ) AS counted GROUP BY opened_at ORDER BY opened_at
    """
    return _read(transaction, query, wanted)


def count_points(transaction: Transaction, wanted: PlotFilter) -> Sequence[Row[Any]]:
    """Count how often each number of points was won or lost in a hand, the least points first."""
    query = f"""
        SELECT points, count(*) AS boards FROM (
            SELECT unnest(points_by_hand) AS points FROM round_statistics AS measured WHERE {_played(wanted)}
            UNION ALL
            SELECT dealt.points
            {_HANDS} CROSS JOIN LATERAL unnest(hand.seats, score.points) AS dealt (seat, points)
            WHERE {_unmeasured(wanted)} {_of_player(wanted)}
        ) AS counted GROUP BY points ORDER BY points
    """
    return _read(transaction, query, wanted)


def find_newest_opening(transaction: Transaction) -> datetime | None:
    """Find the opening time of the newest round of the club."""
    query = text("SELECT opened_at FROM rounds WHERE club_id = :club_id ORDER BY opened_at DESC LIMIT 1")
    found: datetime | None = transaction.execute(query, {"club_id": transaction.club_id}).scalar_one_or_none()
    return found


def _of_player(wanted: PlotFilter) -> str:
    if wanted.player is None:
        return ""
    return "AND head.players[array_position(head.seats, dealt.seat)] = :player"


def _measured(wanted: PlotFilter) -> str:
    """Return the conditions for the statistics of rounds that have not changed since."""
    conditions = [condition for name, condition in _OF_MEASURED.items() if getattr(wanted, name) is not None]
    return " AND ".join(("measured.club_id = :club_id", *conditions, UNCHANGED))


def _played(wanted: PlotFilter) -> str:
    """Return the conditions for the statistics of players with hands."""
    return f"{_measured(wanted)} AND measured.hands > 0"


def _unmeasured(wanted: PlotFilter) -> str:
    """Return the conditions for rounds that have changed since they were measured."""
    return f"{_where(wanted)} AND head.round_id IN ({CHANGED})"


def _where(wanted: PlotFilter) -> str:
    conditions = [condition for name, condition in _CONDITIONS.items() if getattr(wanted, name) is not None]
    return " AND ".join(("head.club_id = :club_id", *conditions))


def _read(transaction: Transaction, query: str, wanted: PlotFilter, **more: Any) -> Sequence[Row[Any]]:
    given = {name: value for name in _CONDITIONS if (value := getattr(wanted, name)) is not None}
    return transaction.execute(text(query), {"club_id": transaction.club_id, **given, **more}).all()

"""Read the figures of plots from the revisions in force. Most are sums of the results of players in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, text

from schemas.statistics.plots import MOST_SERIES
from service.db import Transaction
from service.players.queries.aliases import add_up, read_aliases
from service.rounds.queries.round_filter import (
    RoundFilter,
    filter_parameters,
    list_conditions,
    list_result_conditions,
)


@dataclass(frozen=True, slots=True)
class PlotFilter(RoundFilter):
    """
    A filter for rounds and players; None matches any.

    Attributes:
        most_players: how many players have a line or a column, those with the most hands; None for all players.
    """

    most_players: int | None = MOST_SERIES


_ROUNDS: Final = """
    FROM round_heads AS head JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
"""
_IN_ORDER: Final = "ORDER BY round.opened_at, round.id, score.number LIMIT :limit"


def list_rounds(transaction: Transaction, filter_: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List rounds, oldest first, with their players and stacks."""
    query = f"""
        SELECT round.id, round.opened_at, head.seats, head.players, head.opening_stacks, head.top_ups, head.stacks
        {_ROUNDS} WHERE {_where(filter_)} ORDER BY round.opened_at, round.id LIMIT :limit
    """
    return _read(transaction, query, filter_, limit=limit)


def list_stacks(transaction: Transaction, filter_: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List hands, oldest round first, with the stacks of all seats of the round after each, and after its payout."""
    query = f"""
        SELECT score.round_id, score.number, coalesce(payout.stacks, score.stacks) AS stacks
        {_ROUNDS}
        JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision)
            = (head.club_id, head.round_id, head.revision)
        LEFT JOIN payouts AS payout ON (payout.club_id, payout.round_id, payout.revision, payout.number)
            = (score.club_id, score.round_id, score.revision, score.number)
        WHERE {_where(filter_)} {_IN_ORDER}
    """
    return _read(transaction, query, filter_, limit=limit)


def list_hand_counts(transaction: Transaction, filter_: PlotFilter) -> Sequence[Row[Any]]:
    """List the number of hands of each player; with a player, of each opponent against that player."""
    of, view = ("player", "player_rounds") if filter_.player is None else ("opponent", "player_opponents")
    by_id = f"""
        SELECT {of} AS player, sum(hands) AS hands FROM {view} AS result WHERE {_played(filter_)} GROUP BY {of}
    """
    return _read(transaction, add_up(by_id, counts=(), sums=["hands"]), filter_)


def list_pairs(transaction: Transaction, filter_: PlotFilter, opponents: Sequence[str]) -> Sequence[Row[Any]]:
    """List the points of players against opponents."""
    of_player = "" if filter_.player is not None else "AND result.player = ANY (:ids)"
    by_id = f"""
        SELECT result.player, result.opponent, sum(result.points) AS points FROM player_opponents AS result
        WHERE {_of_filter(filter_)} {of_player} AND result.opponent = ANY (:ids)
        GROUP BY result.player, result.opponent
    """
    query = add_up(by_id, players=["player", "opponent"], counts=(), sums=["points"])
    return _read(transaction, query, filter_, ids=read_aliases(transaction).ids_of_all(opponents))


def list_nets(transaction: Transaction, filter_: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List the points that a player won or, below zero, lost in each round, oldest round first."""
    query = f"""
        SELECT round_id, opened_at, received - paid AS net FROM player_rounds AS result WHERE {_of_filter(filter_)}
        ORDER BY opened_at, round_id LIMIT :limit
    """
    return _read(transaction, query, filter_, limit=limit)


def list_sources(transaction: Transaction, filter_: PlotFilter) -> Sequence[Row[Any]]:
    """List the points of players by what they are for."""
    by_id = f"""
        SELECT player, sum(hands) AS hands, sum(from_rows) AS rows, sum(from_bonuses) AS bonuses,
            sum(from_royalties) AS royalties, sum(from_fouls) AS fouls,
            sum(points - from_rows - from_bonuses - from_royalties - from_fouls) AS fantasyland
        FROM player_rounds AS result WHERE {_played(filter_)} GROUP BY player
    """
    sums = ["hands", "rows", "bonuses", "royalties", "fouls", "fantasyland"]
    return _read(transaction, add_up(by_id, counts=(), sums=sums), filter_)


def list_caps(transaction: Transaction, filter_: PlotFilter) -> Sequence[Row[Any]]:
    """List the points that players received and paid, and those that were due and not paid, if any were due."""
    by_id = f"""
        SELECT player, sum(received) AS received, sum(not_received) AS not_received, sum(paid) AS paid,
            sum(not_paid) AS not_paid
        FROM player_rounds AS result WHERE {_of_filter(filter_)}
        GROUP BY player HAVING sum(received + not_received + paid + not_paid) > 0
    """
    query = add_up(by_id, counts=(), sums=["received", "not_received", "paid", "not_paid"])
    return _read(transaction, query, filter_)


def list_fouls(transaction: Transaction, filter_: PlotFilter) -> Sequence[Row[Any]]:
    """List the number of boards and of foul ones by the opening time of rounds, oldest first."""
    query = f"""
        SELECT opened_at, sum(hands) AS hands, sum(fouls) AS fouls
        FROM player_rounds AS result WHERE {_played(filter_)} GROUP BY opened_at ORDER BY opened_at
    """
    return _read(transaction, query, filter_)


def count_points(transaction: Transaction, filter_: PlotFilter) -> Sequence[Row[Any]]:
    """Count how often each number of points was won or lost in a hand, the least points first."""
    query = f"""
        SELECT points, count(*) AS boards FROM (
            SELECT unnest(points_by_hand) AS points FROM player_rounds AS result WHERE {_of_filter(filter_)}
        ) AS counted GROUP BY points ORDER BY points
    """
    return _read(transaction, query, filter_)


def find_newest_opening(transaction: Transaction) -> datetime | None:
    """Find the opening time of the newest round of the club."""
    query = text("SELECT opened_at FROM rounds WHERE club_id = :club_id ORDER BY opened_at DESC LIMIT 1")
    opened_at: datetime | None = transaction.execute(query, {"club_id": transaction.club_id}).scalar_one_or_none()
    return opened_at


def _of_filter(filter_: PlotFilter) -> str:
    """Return the conditions for the results of a filter."""
    return " AND ".join(("result.club_id = :club_id", *list_result_conditions(filter_)))


def _played(filter_: PlotFilter) -> str:
    """Return the conditions for the results of players with hands."""
    return f"{_of_filter(filter_)} AND result.hands > 0"


def _where(filter_: PlotFilter) -> str:
    conditions = list_conditions(filter_, head="head", round_="round", table="head")
    return " AND ".join(("head.club_id = :club_id", *conditions))


def _read(transaction: Transaction, query: str, filter_: PlotFilter, **more: Any) -> Sequence[Row[Any]]:
    parameters = {"club_id": transaction.club_id, **filter_parameters(transaction, filter_), **more}
    return transaction.execute(text(query), parameters).all()

"""Read the figures of plots from the revisions in force. Most are sums of the results of players in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, text

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
        highlight: the player whose line is in color, and who is not left out.
        has_all_players: whether no player is left out.
    """

    highlight: str | None = None
    has_all_players: bool = False


_ROUNDS: Final = """
    FROM round_heads AS head JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
"""
_IN_ORDER: Final = "ORDER BY round.opened_at, round.id, score.number LIMIT :limit"
_OF_PERIOD: Final = "width_bucket(result.opened_at, CAST(:starts AS timestamptz[]))"
"""The number of a period, from 1, by the times at which periods start."""


def list_rounds(transaction: Transaction, filter_: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List rounds, oldest first, with their players and opening stacks."""
    query = f"""
        SELECT round.id, round.opened_at, head.players, head.opening_stacks
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


def list_pairs(transaction: Transaction, filter_: PlotFilter, chosen: Sequence[str] | None) -> Sequence[Row[Any]]:
    """List the points of players against each other; if some are chosen, theirs, with None as all other opponents."""
    opponent, of_player = "result.opponent", ""
    if chosen is not None:
        opponent = "CASE WHEN result.opponent = ANY (:ids) THEN result.opponent END"
        of_player = "" if filter_.player is not None else "AND result.player = ANY (:ids)"
    by_id = f"""
        SELECT result.player, {opponent} AS opponent, sum(result.points) AS points
        FROM player_opponents AS result WHERE {_of_filter(filter_)} {of_player} GROUP BY 1, 2
    """
    query = add_up(by_id, players=["player", "opponent"], counts=(), sums=["points"])
    return _read(transaction, query, filter_, ids=chosen and read_aliases(transaction).ids_of_all(chosen))


def list_openings(transaction: Transaction, filter_: PlotFilter, limit: int) -> Sequence[Row[Any]]:
    """List rounds, oldest first, with their opening times."""
    query = f"SELECT round.id, round.opened_at {_ROUNDS} WHERE {_where(filter_)} ORDER BY opened_at, id LIMIT :limit"
    return _read(transaction, query, filter_, limit=limit)


def find_span(transaction: Transaction, filter_: PlotFilter) -> tuple[datetime, datetime] | None:
    """Find the opening times of the oldest and the newest round; None if no round matches."""
    rounds = f"{_ROUNDS} WHERE {_where(filter_)}"
    query = f"SELECT min(round.opened_at) AS first, max(round.opened_at) AS last {rounds}"
    if filter_.player is None:
        # Both ends of the index on opening times. Few rounds may be those of a player, so they are read once.
        opened_at = f"SELECT round.opened_at {rounds} ORDER BY round.opened_at"
        query = f"SELECT ({opened_at}, round.id LIMIT 1) AS first, ({opened_at} DESC, round.id DESC LIMIT 1) AS last"
    [row] = _read(transaction, query, filter_)
    return None if row.first is None else (row.first, row.last)


def list_nets(transaction: Transaction, filter_: PlotFilter, starts: Sequence[datetime] | None) -> Sequence[Row[Any]]:
    """
    List the points that each player won or, below zero, lost: by round, or by period if there are starts of periods.

    A row has the number of hands of a player, the rounds or the numbers of the periods in no order, and the points.
    """
    place = "round_id" if starts is None else _OF_PERIOD
    by_id = f"""
        SELECT player, {place} AS place, sum(received - paid) AS net, sum(hands) AS hands
        FROM player_rounds AS result WHERE {_of_filter(filter_)} GROUP BY 1, 2
    """
    query = f"""
        SELECT player, CAST(sum(hands) AS bigint) AS hands, array_agg(place) AS places, array_agg(net) AS nets
        FROM ({add_up(by_id, by=["place"], counts=["net", "hands"], sums=[])}) AS by_place GROUP BY player
    """
    return _read(transaction, query, filter_, starts=starts)


def list_last_openings(transaction: Transaction, filter_: PlotFilter, starts: Sequence[datetime]) -> Sequence[Row[Any]]:
    """List the numbers of periods with rounds, in order, and when the last round of each was opened."""
    number = _OF_PERIOD.replace("result", "round")
    query = f"""
        SELECT {number} AS place, max(round.opened_at) AS last {_ROUNDS} WHERE {_where(filter_)} GROUP BY 1 ORDER BY 1
    """
    return _read(transaction, query, filter_, starts=starts)


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
        SELECT player, sum(hands) AS hands, sum(received) AS received, sum(not_received) AS not_received,
            sum(paid) AS paid, sum(not_paid) AS not_paid
        FROM player_rounds AS result WHERE {_of_filter(filter_)}
        GROUP BY player HAVING sum(received + not_received + paid + not_paid) > 0
    """
    query = add_up(by_id, counts=(), sums=["hands", "received", "not_received", "paid", "not_paid"])
    return _read(transaction, query, filter_)


def list_fouls(transaction: Transaction, filter_: PlotFilter, starts: Sequence[datetime]) -> Sequence[Row[Any]]:
    """List the number of boards and of foul ones by the number of periods, and the last opening time of each."""
    query = f"""
        SELECT {_OF_PERIOD} AS place, max(opened_at) AS last, sum(hands) AS hands, sum(fouls) AS fouls
        FROM player_rounds AS result WHERE {_played(filter_)} GROUP BY 1 ORDER BY 1
    """
    return _read(transaction, query, filter_, starts=starts)


def count_points(transaction: Transaction, filter_: PlotFilter) -> Sequence[Row[Any]]:
    """Count how often each number of points was won or lost in a hand, the least points first."""
    query = f"""
        SELECT points, count(*) AS boards FROM (
            SELECT unnest(points_by_hand) AS points FROM player_rounds AS result WHERE {_of_filter(filter_)}
        ) AS counted GROUP BY points ORDER BY points
    """
    return _read(transaction, query, filter_)


def find_newest(transaction: Transaction, filter_: PlotFilter) -> Row[Any] | None:
    """Find the opening time and the table of the newest round."""
    query = f"""
        SELECT round.opened_at, head.table_id {_ROUNDS} WHERE {_where(filter_)}
        ORDER BY round.opened_at DESC, round.id DESC LIMIT 1
    """
    return next(iter(_read(transaction, query, filter_)), None)


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

"""Sum up rounds by table and player in the revisions in force, and what players paid each other in them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, text

from schemas.ledger.settling import PaidBetween, Worth
from schemas.ledger.statements import PlayerStatement, PointTotals
from service.db import Transaction
from service.players.queries.aliases import add_up, read_aliases
from service.rounds.queries.journal import load_worth
from service.rounds.queries.round_filter import (
    RoundFilter,
    filter_parameters,
    list_conditions,
    list_result_conditions,
)

_SUMS: Final = "count(*) AS rounds, sum(top_ups) AS top_ups, sum(received) - sum(paid) AS net"
_COUNTED: Final = "count(*) FILTER (WHERE place = 1) AS counted_rounds"
_TABLE_OF_UNIT: Final = "CASE WHEN point_value IS NULL THEN table_id END AS table_id"
_ANY_TABLE: Final = "CAST(NULL AS uuid) AS table_id"
_PLAYED: Final = """
    result.round_id IN (SELECT round_id FROM player_rounds WHERE club_id = :club_id AND player = ANY (:player))
"""
_SEATS: Final = """
    CROSS JOIN unnest(head.players, head.opening_stacks, head.top_ups, head.stacks)
        AS seat (recorded_player, opening_stack, top_ups, stack)
    LEFT JOIN aliases AS joined ON (joined.club_id, joined.alias) = (round.club_id, seat.recorded_player)
"""
_TRANSFERS: Final = """
    JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
        = (head.club_id, head.round_id, head.revision)
"""
# As the index of these entries has it: no payment belongs to a round.
_CHARGES: Final = """
    JOIN entries AS entry ON (entry.club_id, entry.round_id) = (round.club_id, round.id)
        AND entry.round_id IS NOT NULL AND (entry.revision IS NULL OR entry.charges IS NOT NULL)
    CROSS JOIN LATERAL unnest(entry.accounts, entry.amounts, entry.charges) AS part (account, amount, charge)
    LEFT JOIN aliases AS joined ON (joined.club_id, joined.alias) = (round.club_id, part.account)
"""
_COUNT: Final = "count(*) AS rounds, count(*) FILTER (WHERE head.status = 'open') AS open_rounds"
_POINTS: Final = """
    SELECT player, count(*) AS rounds, sum(top_ups) AS top_ups, sum(net) AS net,
        (array_agg(opening_stack ORDER BY opened_at, table_sequence))[1] AS opening_stack,
        (array_agg(stack ORDER BY opened_at DESC, table_sequence DESC))[1] AS stack
    FROM seat GROUP BY player
"""
_NETS: Final = """
    SELECT player, point_value, unit, unit_digits, table_id, sum(net) AS net FROM seat
    GROUP BY player, point_value, unit, unit_digits, table_id
"""


@dataclass(frozen=True, slots=True)
class RoundSums:
    """The number of rounds and of open rounds, and the totals of their players."""

    rounds: int
    open_rounds: int
    players: list[PlayerStatement]


def list_totals(transaction: Transaction, filter_: RoundFilter, *, by_table: bool) -> Sequence[Row[Any]]:
    """
    List sums of rounds by player, point value and unit; those of rounds without a value `by_table` or in one.

    Each round counts once in the sum of `counted_rounds`.
    """
    table = _TABLE_OF_UNIT if by_table else _ANY_TABLE
    query = _sums(filter_, ("player", "point_value", "unit", "unit_digits", table), _COUNTED)
    return transaction.execute(text(query), _parameters(transaction, filter_)).all()


def list_sums(
    transaction: Transaction, filter_: RoundFilter, *, players: Sequence[str] | None = None
) -> Sequence[Row[Any]]:
    """List sums as `list_totals` does, but by table too; with `players`, only those of these players, not counted."""
    by = ("table_id", "player", "point_value", "unit", "unit_digits")
    if players is None:
        summed = _sums(filter_, by, _COUNTED)
    else:
        summed = _sums(filter_, by, of_players=" AND player = ANY (:ids)")
    query = f"""
        SELECT summed.*, tables.name AS table_name
        FROM ({summed}) AS summed JOIN tables ON (tables.club_id, tables.id) = (:club_id, summed.table_id)
    """
    parameters = _parameters(transaction, filter_)
    ids = {} if players is None else {"ids": read_aliases(transaction).ids_of_all(players)}
    return transaction.execute(text(query), parameters | ids).all()


def list_months(
    transaction: Transaction, filter_: RoundFilter, begins: Sequence[datetime], *, most: int
) -> Sequence[Row[Any]]:
    """
    List sums of rounds by month, player, point value and unit, of the players who won or lost most in each month.

    Args:
        transaction: of the club.
        filter_: the rounds, none of which was opened before the first month.
        begins: when each month begins; the first one is the month 1.
        most: the number of players of a month.
    """
    month = "width_bucket(opened_at, CAST(:begins AS timestamptz[])) AS month"
    summed = _sums(filter_, ("player", month, "point_value", "unit", "unit_digits", _TABLE_OF_UNIT), _COUNTED)
    query = f"""
        SELECT * FROM (
            SELECT *, dense_rank() OVER (PARTITION BY month ORDER BY abs(total) DESC, player) AS place FROM (
                SELECT *, sum(net) OVER (PARTITION BY month, player) AS total,
                    sum(counted_rounds) OVER (PARTITION BY month) AS month_rounds
                FROM ({summed}) AS by_worth
            ) AS with_totals
        ) AS ranked WHERE place <= :most ORDER BY month, place
    """
    parameters = {**_parameters(transaction, filter_), "begins": [*begins], "most": most}
    return transaction.execute(text(query), parameters).all()


def list_tables_without_value(transaction: Transaction, filter_: RoundFilter) -> Sequence[Row[Any]]:
    """List the id and name of each table with rounds whose points have no value, in the order of the names."""
    query = f"""
        SELECT id, name FROM tables WHERE club_id = :club_id AND id IN (
            SELECT table_id FROM player_rounds AS result
            WHERE {_of_results(filter_)} AND place = 1 AND point_value IS NULL
        ) ORDER BY name
    """
    return transaction.execute(text(query), _parameters(transaction, filter_)).all()


def count_open_rounds(transaction: Transaction, filter_: RoundFilter) -> int:
    """Count open rounds."""
    query = f"SELECT count(*) {_rounds(filter_)} AND head.status = 'open'"
    return int(transaction.execute(text(query), _parameters(transaction, filter_)).scalar_one())


def sum_rounds(transaction: Transaction, filter_: RoundFilter) -> RoundSums:
    """Sum up the rounds of one table, with the stacks before and after them."""
    parameters = _parameters(transaction, filter_)
    seats = f"""
        WITH seat AS (
            SELECT round.opened_at, round.table_sequence, round.table_id, round.point_value, round.unit,
                round.unit_digits, coalesce(joined.player, seat.recorded_player) AS player, seat.opening_stack,
                seat.top_ups, seat.stack, seat.stack - seat.opening_stack - seat.top_ups AS net
            {_rounds(filter_, _SEATS)}
        )
    """
    nets: dict[str, dict[Worth, int]] = defaultdict(dict)
    for row in transaction.execute(text(f"{seats} {_NETS}"), parameters):
        nets[row.player][load_worth(row)] = int(row.net)
    players = [
        PlayerStatement(
            row.player,
            row.rounds,
            PointTotals(row.opening_stack, int(row.top_ups), int(row.net), row.stack),
            nets[row.player],
        )
        for row in transaction.execute(text(f"{seats} {_POINTS}"), parameters)
    ]
    counted = transaction.execute(text(f"SELECT {_COUNT} {_rounds(filter_)}"), parameters).one()
    return RoundSums(counted.rounds, counted.open_rounds, players)


def list_paid_between(transaction: Transaction, filter_: RoundFilter, *, with_value: bool = False) -> list[PaidBetween]:
    """List what each player has paid each other in the revisions in force, after caps; all, or points `with_value`."""
    query = f"""
        SELECT round.point_value, round.unit, round.unit_digits,
            CASE WHEN round.point_value IS NULL THEN round.table_id END AS table_id,
            head.players[array_position(head.seats, paid.payer)] AS payer,
            head.players[array_position(head.seats, paid.payee)] AS payee,
            sum(paid.paid) AS points
        {_rounds(filter_, _TRANSFERS)} {"AND round.point_value IS NOT NULL" if with_value else ""}
        GROUP BY 1, 2, 3, 4, 5, 6
    """
    aliases = read_aliases(transaction)
    return [
        PaidBetween(load_worth(row), aliases.player_of(row.payer), aliases.player_of(row.payee), int(row.points))
        for row in transaction.execute(text(query), _parameters(transaction, filter_))
    ]


def list_charges(transaction: Transaction, filter_: RoundFilter) -> Sequence[Row[Any]]:
    """List what the house has charged players for rounds, by table, player and unit; reversals are subtracted."""
    query = f"""
        SELECT round.table_id, coalesce(joined.player, part.account) AS player, entry.unit,
            entry.unit_digits, -sum(CASE WHEN entry.revision IS NULL THEN part.amount ELSE part.charge END) AS amount
        {_rounds(filter_, _CHARGES)} AND part.account <> ''
        GROUP BY 1, 2, 3, 4
        HAVING sum(CASE WHEN entry.revision IS NULL THEN part.amount ELSE part.charge END) <> 0
    """
    return transaction.execute(text(query), _parameters(transaction, filter_)).all()


def _rounds(filter_: RoundFilter, joined: str = "") -> str:
    """Return the rounds of a filter, with their heads and what is joined to them."""
    conditions = list_conditions(filter_, head="head", round_="round", table="round")
    return f"""
        FROM rounds AS round JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
        {joined} WHERE {" AND ".join(("round.club_id = :club_id", *conditions))}
    """


def _sums(filter_: RoundFilter, by: Sequence[str], *more: str, of_players: str = "") -> str:
    """Return the query of sums of the results of all players in the rounds of a filter."""
    by_id = f"""
        SELECT {", ".join((*by, _SUMS, *more))} FROM player_rounds AS result
        WHERE {_of_results(filter_)}{of_players}
        GROUP BY {", ".join(str(place) for place in range(1, len(by) + 1))}
    """
    others = [each.rpartition(" ")[2] for each in by if each != "player"]
    counts = ["rounds", *(each.rpartition(" ")[2] for each in more)]
    return add_up(by_id, by=others, counts=counts, sums=["top_ups", "net"])


def _of_results(filter_: RoundFilter) -> str:
    """Return the condition of the results of all players in the rounds of a filter, whose player played them too."""
    conditions = list_result_conditions(replace(filter_, player=None))
    if filter_.player is not None:
        conditions.append(_PLAYED)
    return " AND ".join(("result.club_id = :club_id", *conditions))


def _parameters(transaction: Transaction, filter_: RoundFilter) -> dict[str, Any]:
    return {"club_id": transaction.club_id, **filter_parameters(transaction, filter_)}

"""Sum up the rounds of a club: by table and player, or those of one table."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row

from schemas.fields import MOST_INTEGER
from schemas.ledger.club_statements import ClubStatementView, PlayerAtTable, PlayerInClub, PlayerResult
from schemas.ledger.settling import SettleBy, Worth, settle_fewest, settle_pairs
from schemas.ledger.statements import PlayerStatement, PointTotals, StatementView
from schemas.money import Unit
from scoring.errors import Mistake, RoundError
from service.db import Transaction
from service.ledger.queries import statements as queries
from service.ledger.queries.statements import count_open_rounds, list_sums, list_totals
from service.players.queries.aliases import read_aliases
from service.rounds.queries.journal import load_worth
from service.rounds.queries.round_filter import RoundFilter
from service.tables import queries as tables


def get_club_statement(
    transaction: Transaction, filter_: RoundFilter, by: SettleBy = SettleBy.FEWEST
) -> ClubStatementView:
    """
    Sum up rounds by player and table, and compute the payments that settle up.

    Open rounds count with their current stacks.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    return _settle(transaction, filter_, by, list_sums(transaction, filter_), has_tables=True)


def get_club_totals(
    transaction: Transaction, filter_: RoundFilter, by: SettleBy, *, with_value: bool = False
) -> ClubStatementView:
    """
    Sum up rounds as `get_club_statement` does, without the players' results at each table.

    Args:
        transaction: of the club.
        filter_: the rounds.
        by: how they are settled up.
        with_value: whether only points that have a value are settled up.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    sums = list_totals(transaction, filter_, by_table=not with_value)
    return _settle(transaction, filter_, by, sums, has_tables=False, with_value=with_value)


def list_tables_of(
    transaction: Transaction, filter_: RoundFilter, players: Sequence[str]
) -> dict[str, list[PlayerAtTable]]:
    """Return the results of players at each table, by player."""
    sums = list_sums(transaction, filter_, players=players)
    charges = _by_player(queries.list_charges(transaction, filter_))
    return {player: _at_tables(rows, charges.get(player, ())) for player, rows in _by_player(sums).items()}


def get_player_result(transaction: Transaction, filter_: RoundFilter, player: str) -> PlayerResult | None:
    """Return what a player won or lost in the rounds of a filter, without charges; None if they played none."""
    sums = list_sums(transaction, replace(filter_, player=None), players=[player])
    return _add(sums, ()) if sums else None


@dataclass(frozen=True, slots=True)
class MonthSums:
    """The number of rounds of a month, and the results of those who won or lost most, the largest net first."""

    rounds: int
    results: list[tuple[str, PlayerResult]]


def sum_months(
    transaction: Transaction, filter_: RoundFilter, begins: Sequence[datetime], *, most: int
) -> dict[int, MonthSums]:
    """
    Sum up rounds by month and player, without charges; months without rounds are omitted.

    Args:
        transaction: of the club.
        filter_: the rounds, none of which was opened before the first month.
        begins: when each month begins; the first one is the month 1.
        most: the number of players of a month.
    """
    by_month: dict[int, list[Row[Any]]] = defaultdict(list)
    for row in queries.list_months(transaction, filter_, begins, most=most):
        by_month[row.month].append(row)
    return {
        month: MonthSums(
            int(rows[0].month_rounds), [(player, _add(sums, ())) for player, sums in _by_player(rows).items()]
        )
        for month, rows in by_month.items()
    }


def _settle(
    transaction: Transaction,
    filter_: RoundFilter,
    by: SettleBy,
    sums: Sequence[Row[Any]],
    *,
    has_tables: bool,
    with_value: bool = False,
) -> ClubStatementView:
    charges = _by_player(queries.list_charges(transaction, filter_))
    players = [
        PlayerInClub(
            player, _add(rows, charges.get(player, ())), _at_tables(rows, charges.get(player, ())) if has_tables else []
        )
        for player, rows in _by_player(sums).items()
    ]
    _check_figures(players)
    return ClubStatementView(
        opened_from=filter_.opened_from,
        opened_before=filter_.opened_before,
        rounds=sum(row.counted_rounds for row in sums),
        open_rounds=count_open_rounds(transaction, filter_),
        players=players,
        settled=settle_pairs(queries.list_paid_between(transaction, filter_, with_value=with_value))
        if by is SettleBy.PAIRS
        else settle_fewest({each.player: _settled_nets(each, with_value=with_value) for each in players}),
        aliases=read_aliases(transaction).among(each.player for each in players),
    )


def _settled_nets(player: PlayerInClub, *, with_value: bool) -> Mapping[Worth, int]:
    """Return the points of a player that are settled up: all, or those that have a value."""
    nets = player.result.nets
    return {unit: net for unit, net in nets.items() if unit.point_value is not None} if with_value else nets


def _by_player(sums: Iterable[Row[Any]]) -> dict[str, list[Row[Any]]]:
    by_player: dict[str, list[Row[Any]]] = defaultdict(list)
    for row in sums:
        by_player[row.player].append(row)
    return by_player


def _at_tables(sums: Iterable[Row[Any]], charges: Iterable[Row[Any]]) -> list[PlayerAtTable]:
    by_table: dict[UUID, list[Row[Any]]] = defaultdict(list)
    for row in sums:
        by_table[row.table_id].append(row)
    charged: dict[UUID, list[Row[Any]]] = defaultdict(list)
    for row in charges:
        charged[row.table_id].append(row)
    return [
        PlayerAtTable(str(table), rows[0].table_name, _add(rows, charged[table])) for table, rows in by_table.items()
    ]


def _add(sums: Iterable[Row[Any]], charges: Iterable[Row[Any]]) -> PlayerResult:
    rounds, top_ups, nets = 0, 0, defaultdict[Worth, int](int)
    for row in sums:
        rounds, top_ups = rounds + row.rounds, top_ups + int(row.top_ups)
        nets[load_worth(row)] += int(row.net)
    return PlayerResult(rounds, top_ups, dict(nets), _add_charges(charges))


def _add_charges(charges: Iterable[Row[Any]]) -> dict[Unit, int]:
    """Return what was charged, by unit."""
    charged = defaultdict[Unit, int](int)
    for row in charges:
        charged[Unit(row.unit, row.unit_digits)] += int(row.amount)
    return dict(charged)


def _check_figures(players: list[PlayerInClub]) -> None:
    """
    Check that every sum is an exact integer for every JSON parser.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    for each in players:
        amounts = (*each.result.money.values(), *each.result.charges.values())
        figures = (each.result.top_ups, abs(each.result.net), *map(abs, amounts))
        if max(figures) > MOST_INTEGER:
            detail = f"the sum over the rounds is more than {MOST_INTEGER}; expected a shorter period"
            raise RoundError([Mistake("points-overflow", ("query", "from"), detail)])


def get_statement(
    transaction: Transaction,
    table_id: UUID,
    by: SettleBy = SettleBy.FEWEST,
    *,
    opened_from: datetime | None,
    opened_before: datetime | None,
) -> StatementView:
    """
    Sum up a table's rounds by player, and compute the payments that settle up.

    Open rounds count with their current stacks.

    Raises:
        NotFound: the club has no table with this ID.
        RoundError: a sum exceeds the largest exact integer.
    """
    table = tables.get(transaction, table_id)
    filter_ = RoundFilter(table_id=table.id, opened_from=opened_from, opened_before=opened_before)
    summed = queries.sum_rounds(transaction, filter_)
    charges = _by_player(queries.list_charges(transaction, filter_))
    players = [replace(each, charges=_add_charges(charges.get(each.player, ()))) for each in summed.players]
    points = [each.points for each in summed.players]
    totals = PointTotals(
        opening_stack=sum(each.opening_stack for each in points),
        top_ups=sum(each.top_ups for each in points),
        net=sum(each.net for each in points),
        stack=sum(each.stack for each in points),
    )
    if max(_figures(totals, players)) > MOST_INTEGER:
        detail = f"the sum over the rounds is more than {MOST_INTEGER}; expected a shorter period"
        raise RoundError([Mistake("points-overflow", ("query", "from"), detail)])
    paid = queries.list_paid_between(transaction, filter_) if by is SettleBy.PAIRS else None
    return StatementView(
        table=str(table.id),
        opened_from=opened_from,
        opened_before=opened_before,
        rounds=summed.rounds,
        open_rounds=summed.open_rounds,
        players=players,
        totals=totals,
        settled=settle_fewest({each.player: each.nets for each in summed.players})
        if paid is None
        else settle_pairs(paid),
        aliases=read_aliases(transaction).among(each.player for each in summed.players),
    )


def _figures(totals: PointTotals, players: list[PlayerStatement]) -> Iterator[int]:
    """Yield the absolute value of every figure of a statement."""
    for points in (totals, *(each.points for each in players)):
        yield from (points.opening_stack, points.top_ups, points.stack, abs(points.net), abs(points.between_rounds))
    yield from (abs(amount) for each in players for amount in (*each.money.values(), *each.charges.values()))

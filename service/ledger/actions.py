"""List the payments of a club, and sum up its rounds: by table and player, or those of one table."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row

from schemas.fields import MOST_INTEGER
from schemas.ledger.club_statements import ClubStatementView, PlayerAtTable, PlayerInClub, PlayerResult
from schemas.ledger.payment_lines import LEDGER_HEADER, LedgerLine, PaymentPlace, dump_ledger_rows
from schemas.ledger.settling import PointUnit, SettleBy, settle_fewest, settle_pairs, unit_of
from schemas.ledger.statements import PlayerStatement, PointTotals, StatementView
from schemas.pages import cursor_error
from scoring.errors import Mistake, RoundError
from service.db import Transaction
from service.ledger import queries
from service.ledger.queries import count_open_rounds, list_sums, list_totals
from service.rounds.queries.round_filter import RoundFilter
from service.rounds.queries.rounds import find_place
from service.tables import queries as tables

_ROUNDS: Final = 200
_PAYMENTS: Final = 1000
"""The number of rounds and of payments that are read at once."""


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """A part of the ledger, and the place after which the next page starts; None on the last page."""

    lines: list[LedgerLine]
    next_after: PaymentPlace | None


def list_ledger(
    transaction: Transaction, filter_: RoundFilter, *, after: PaymentPlace | None, limit: int
) -> LedgerPage:
    """
    List payments of the revisions in force: oldest round first, then in the order of payment.

    Raises:
        WireError: the cursor `after` is invalid.
    """
    # With a player, some payments of the rounds that are read are between others.
    payments = chain.from_iterable(
        _read(transaction, filter_, after, rounds_at_once=limit + 1, payments_at_once=2 * limit)
    )
    lines = [*islice(payments, limit + 1)]
    return LedgerPage(lines[:limit], lines[limit - 1].place if len(lines) > limit else None)


def export_ledger(
    transaction: Transaction, filter_: RoundFilter, *, after: PaymentPlace | None, raw: bool | None = False
) -> Iterator[bytes]:
    """
    Yield all payments after a place as blocks of CSV with a header, in constant memory.

    Args:
        transaction: a transaction with a single snapshot, open until the last block is read.
        filter_: the filter.
        after: the place after which to begin.
        raw: whether texts are as they are stored, also those that a spreadsheet would run as formulas.

    Raises:
        WireError: the cursor `after` is invalid.
    """
    yield LEDGER_HEADER
    yield from map(partial(dump_ledger_rows, raw=raw), _read(transaction, filter_, after))


def _read(
    transaction: Transaction,
    filter_: RoundFilter,
    after: PaymentPlace | None,
    *,
    rounds_at_once: int = _ROUNDS,
    payments_at_once: int = _PAYMENTS,
) -> Iterator[list[LedgerLine]]:
    """Yield blocks of payments, in order."""
    most_rounds, most_payments = min(rounds_at_once, _ROUNDS), min(payments_at_once, _PAYMENTS)
    since = None
    if after is not None:
        since = find_place(transaction, after.round_id)
        if since is None:
            raise cursor_error(after.show())
    last = None
    while rounds := queries.list_rounds(transaction, filter_, since=since, after=last, limit=most_rounds):
        if after is not None and rounds[0].id != after.round_id:
            after = None
        remaining = rounds
        while True:
            lines = queries.list_payments(transaction, remaining, after=after, limit=most_payments)
            yield [line for line in lines if filter_.player in (None, line.payer, line.payee)]
            if len(lines) < most_payments:
                break
            after = lines[-1].place
            remaining = rounds[[each.id for each in rounds].index(after.round_id) :]
        since, after, last = None, None, queries.place_of(rounds[-1])


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
    return {player: _at_tables(rows) for player, rows in _by_player(sums).items()}


def _settle(
    transaction: Transaction,
    filter_: RoundFilter,
    by: SettleBy,
    sums: Sequence[Row[Any]],
    *,
    has_tables: bool,
    with_value: bool = False,
) -> ClubStatementView:
    players = [
        PlayerInClub(player, _add(rows), _at_tables(rows) if has_tables else [])
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
    )


def _settled_nets(player: PlayerInClub, *, with_value: bool) -> Mapping[PointUnit, int]:
    """Return the points of a player that are settled up: all, or those that have a value."""
    nets = player.result.nets
    return {unit: net for unit, net in nets.items() if unit.point_value is not None} if with_value else nets


def _by_player(sums: Iterable[Row[Any]]) -> dict[str, list[Row[Any]]]:
    by_player: dict[str, list[Row[Any]]] = defaultdict(list)
    for row in sums:
        by_player[row.player].append(row)
    return by_player


def _at_tables(sums: Iterable[Row[Any]]) -> list[PlayerAtTable]:
    by_table: dict[UUID, list[Row[Any]]] = defaultdict(list)
    for row in sums:
        by_table[row.table_id].append(row)
    return [PlayerAtTable(str(table), rows[0].table_name, _add(rows)) for table, rows in by_table.items()]


def _add(sums: Iterable[Row[Any]]) -> PlayerResult:
    rounds, top_ups, nets = 0, 0, defaultdict[PointUnit, int](int)
    for row in sums:
        rounds, top_ups = rounds + row.rounds, top_ups + int(row.top_ups)
        nets[unit_of(row.point_value, row.currency, str(row.table_id))] += int(row.net)
    return PlayerResult(rounds, top_ups, dict(nets))


def _check_figures(players: list[PlayerInClub]) -> None:
    """
    Check that every sum is an exact integer for every JSON parser.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    for each in players:
        figures = (each.result.top_ups, abs(each.result.net), *map(abs, each.result.money.values()))
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
    points = [each.points for each in summed.players]
    totals = PointTotals(
        opening_stack=sum(each.opening_stack for each in points),
        top_ups=sum(each.top_ups for each in points),
        net=sum(each.net for each in points),
        stack=sum(each.stack for each in points),
    )
    if max(_figures(totals, summed.players)) > MOST_INTEGER:
        detail = f"the sum over the rounds is more than {MOST_INTEGER}; expected a shorter period"
        raise RoundError([Mistake("points-overflow", ("query", "from"), detail)])
    paid = queries.list_paid_between(transaction, filter_) if by is SettleBy.PAIRS else None
    return StatementView(
        table=str(table.id),
        opened_from=opened_from,
        opened_before=opened_before,
        rounds=summed.rounds,
        open_rounds=summed.open_rounds,
        players=summed.players,
        totals=totals,
        settled=settle_fewest({each.player: each.nets for each in summed.players})
        if paid is None
        else settle_pairs(paid),
    )


def _figures(totals: PointTotals, players: list[PlayerStatement]) -> Iterator[int]:
    """Yield the absolute value of every figure of a statement."""
    for points in (totals, *(each.points for each in players)):
        yield from (points.opening_stack, points.top_ups, points.stack, abs(points.net), abs(points.between_rounds))
    yield from (abs(net) for each in players for net in each.money.values())

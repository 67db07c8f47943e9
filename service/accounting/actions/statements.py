"""Sum up the rounds of several tables."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Row

from schemas.accounting.club_statements import ClubStatementView, PlayerAtTable, PlayerInClub, PlayerResult
from schemas.fields import MOST_INTEGER
from scoring.errors import Mistake, RoundError
from scoring.settle_up import find_payments
from service.accounting.queries.statements import StatementFilter, count_rounds, list_sums
from service.db import Transaction


def get_club_statement(transaction: Transaction, wanted: StatementFilter) -> ClubStatementView:
    """
    Sum up rounds by player and table, and compute the fewest payments that settle up.

    Open rounds count with their current stacks.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    rounds, open_rounds = count_rounds(transaction, wanted)
    sums: dict[str, dict[str, list[Row[Any]]]] = defaultdict(lambda: defaultdict(list))
    for found in list_sums(transaction, wanted):
        sums[found.player][str(found.table_id)].append(found)
    players = [_player(player, by_table) for player, by_table in sums.items()]
    _check_figures(players)
    currencies = {currency for each in players for currency in each.result.money}
    return ClubStatementView(
        opened_from=wanted.opened_from,
        opened_before=wanted.opened_before,
        rounds=rounds,
        open_rounds=open_rounds,
        players=players,
        in_points=find_payments({each.player: each.result.net for each in players}),
        in_money={
            currency: find_payments({each.player: each.result.money.get(currency, 0) for each in players})
            for currency in currencies
        },
    )


def _player(player: str, by_table: dict[str, list[Row[Any]]]) -> PlayerInClub:
    tables = [PlayerAtTable(table, sums[0].table_name, _add(sums)) for table, sums in by_table.items()]
    return PlayerInClub(player, _add(found for sums in by_table.values() for found in sums), tables)


def _add(sums: Iterable[Row[Any]]) -> PlayerResult:
    rounds, top_ups, net, money = 0, 0, 0, defaultdict[str, int](int)
    for found in sums:
        rounds, top_ups, net = rounds + found.rounds, top_ups + int(found.top_ups), net + int(found.net)
        if found.money is not None:
            money[found.currency] += int(found.money)
    return PlayerResult(rounds, top_ups, net, dict(money))


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

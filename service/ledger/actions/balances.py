"""Sum up what everyone is owed or owes, and find the payments that settle it."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from schemas.fields import MOST_INTEGER
from schemas.ledger.balances import Balance, BalancesView, UnitBalances
from schemas.ledger.units import table_of
from scoring.errors import Mistake, RoundError
from scoring.settle_up import find_payments
from service.db import Transaction
from service.ledger.queries.balances import sum_entries
from service.ledger.queries.statements import count_open_rounds
from service.rounds.queries.round_filter import RoundFilter
from service.tables import queries as tables


def get_balances(
    transaction: Transaction,
    *,
    player: str | None = None,
    table_id: UUID | None = None,
    as_of: datetime | None = None,
    most_settled: int | None = None,
) -> BalancesView:
    """
    Sum up the journal by unit and player, and compute the payments that settle up.

    Args:
        transaction: of the club.
        player: only the balances and payments of this player.
        table_id: only entries of this table.
        as_of: only entries written until then.
        most_settled: the number of units for which the payments are computed; None for all.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    sums = sum_entries(transaction, table_id=table_id, as_of=as_of)
    _check_figures(balance for each in sums for balance in each.balances)
    of_unit = {each.unit: table_of(each.unit) for each in sums}
    names = tables.list_names(transaction, [table for table in of_unit.values() if table is not None])
    units = []
    for place, each in enumerate(sums):
        table = of_unit[each.unit]
        # Most payments of money belong to no table, so that what is still to be paid is not known for one.
        is_whole = (table_id or transaction.table_id) is None or table is not None
        is_settled = is_whole and (most_settled is None or place < most_settled)
        settled = find_payments({balance.account: balance.total for balance in each.balances} if is_settled else {})
        units.append(UnitBalances(each.unit, None if table is None else names.get(table), each.balances, settled))
    if player is not None:
        units = [mine for each in units if (mine := each.of(player)).balances]
    open_rounds = count_open_rounds(transaction, RoundFilter(table_id=table_id, player=player))
    return BalancesView(as_of, open_rounds, units)


def _check_figures(balances: Iterable[Balance]) -> None:
    """
    Check that every sum is an exact integer for every JSON parser.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    for each in balances:
        figures = (each.total, each.final, each.provisional, each.disputed, each.payments, each.charges)
        if max(map(abs, figures)) > MOST_INTEGER:
            detail = f"the sum over the entries is more than {MOST_INTEGER}; expected the entries of one table"
            raise RoundError([Mistake("points-overflow", ("query", "table"), detail)])

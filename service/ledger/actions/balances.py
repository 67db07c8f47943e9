"""Sum up what everyone is owed or owes, and find the payments that settle it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from schemas.fields import MOST_INTEGER
from schemas.ledger.balances import Balance, BalancesView, UnitBalances
from schemas.ledger.units import table_of
from scoring.errors import Mistake, RoundError
from scoring.settle_up import find_payments
from service.db import Transaction
from service.ledger.queries.balances import EntryFilter, UnitSums, sum_entries
from service.ledger.queries.statements import count_open_rounds
from service.players.queries.aliases import Aliases, read_aliases
from service.rounds.queries.round_filter import RoundFilter
from service.tables import queries as tables


def get_balances(
    transaction: Transaction,
    *,
    player: str | None = None,
    unit: str | None = None,
    other_units: Sequence[str] | None = None,
    table_id: UUID | None = None,
    as_of: datetime | None = None,
) -> BalancesView:
    """
    Sum up the journal by unit and player, and compute the payments that settle up.

    Args:
        transaction: of the club.
        player: only the balances and payments of this player, by any of their IDs.
        unit: only the balances in this unit.
        other_units: units that are left out.
        table_id: only entries of this table.
        as_of: only entries written until then.

    Raises:
        RoundError: a sum exceeds the largest exact integer.
    """
    # A personal link also sees the player's payments elsewhere, which are not of its table.
    table_id = table_id or transaction.table_id
    aliases = read_aliases(transaction)
    sums = [
        UnitSums(each.unit, _sum_by_player(each.balances, aliases))
        for each in sum_entries(transaction, EntryFilter(unit, other_units, table_id, as_of))
    ]
    shown = None if player is None else aliases.player_of(player)
    _check_figures(balance for each in sums for balance in each.balances)
    of_unit = {each.unit: table_of(each.unit.code) for each in sums}
    names = tables.list_names(transaction, [table for table in of_unit.values() if table is not None])
    units = []
    for each in sums:
        if shown is not None and all(balance.account != shown for balance in each.balances):
            continue
        table = of_unit[each.unit]
        # Most payments of money belong to no table, so that what is still to be paid is not known for one.
        is_whole = table_id is None or table is not None
        settled = find_payments({balance.account: balance.total for balance in each.balances} if is_whole else {})
        whole = UnitBalances(each.unit, None if table is None else names.get(table), each.balances, settled)
        units.append(whole if shown is None else whole.of(shown))
    open_rounds = count_open_rounds(transaction, RoundFilter(table_id=table_id, player=player))
    listed = dict.fromkeys(balance.account for each in units for balance in each.balances)
    return BalancesView(as_of, open_rounds, units, aliases.among(listed))


def _sum_by_player(balances: Sequence[Balance], aliases: Aliases) -> Sequence[Balance]:
    """Return the balances of players, the highest first, from those of all accounts, of which an alias is one."""
    if not any(each.account in aliases.players for each in balances):
        return balances
    by_player: dict[str, list[Balance]] = defaultdict(list)
    for each in balances:
        by_player[aliases.player_of(each.account)].append(each)
    sums = (Balance.sum(player, its_own) for player, its_own in by_player.items())
    return sorted(sums, key=lambda each: (-each.total, each.account))


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

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from schemas.fields import MOST_INTEGER
from schemas.statements import PlayerStatement, PointSums, StatementView
from scoring.errors import Mistake, RoundError
from scoring.settle_up import find_payments
from service.database import Transaction
from service.repository import statements, tables


def get_statement(
    transaction: Transaction, table_id: UUID, *, opened_from: datetime | None, opened_before: datetime | None
) -> StatementView:
    """
    Sum up a table's rounds, player by player, and find the fewest payments that settle everyone.

    Rounds that are open count as they stand.

    Raises:
        NotFound: the club has no such table.
        RoundError: together they are more than can be counted exactly.
    """
    table = tables.get(transaction, table_id)
    summed = statements.sum_rounds(transaction, table.id, opened_from=opened_from, opened_before=opened_before)
    points = [each.points for each in summed.players]
    totals = PointSums(
        opening_stack=sum(each.opening_stack for each in points),
        top_ups=sum(each.top_ups for each in points),
        net=sum(each.net for each in points),
        stack=sum(each.stack for each in points),
    )
    if max(_figures(totals, summed.players)) > MOST_INTEGER:
        detail = f"the rounds come to more than {MOST_INTEGER}, which is counted exactly; ask for fewer of them"
        raise RoundError([Mistake("points-beyond-count", ("query", "from"), detail)])
    currencies = {currency for each in summed.players for currency in each.money}
    return StatementView(
        table=str(table.id),
        opened_from=opened_from,
        opened_before=opened_before,
        rounds=summed.rounds,
        open_rounds=summed.open_rounds,
        players=summed.players,
        totals=totals,
        in_points=find_payments({each.player: each.points.net for each in summed.players}),
        in_money={
            currency: find_payments({each.player: each.money.get(currency, 0) for each in summed.players})
            for currency in currencies
        },
    )


def _figures(totals: PointSums, players: list[PlayerStatement]) -> Iterator[int]:
    """Give the size of every figure of a statement."""
    for points in (totals, *(each.points for each in players)):
        yield from (points.opening_stack, points.top_ups, points.stack, abs(points.net), abs(points.between_rounds))
    yield from (abs(net) for each in players for net in each.money.values())

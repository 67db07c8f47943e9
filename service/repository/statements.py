"""What rounds of a table come to together, summed up where they are kept."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import text

from schemas.statements import PlayerStatement, PointSums
from service.database import Transaction


@dataclass(frozen=True, slots=True)
class RoundSums:
    """How many rounds there were, how many of them are open, and what their players have won and lost."""

    rounds: int
    open_rounds: int
    players: list[PlayerStatement]


_ROUNDS: Final = """
    FROM rounds AS round JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
    WHERE round.club_id = :club_id AND round.table_id = :table_id
        AND round.opened_at >= coalesce(CAST(:opened_from AS timestamptz), '-infinity')
        AND round.opened_at < coalesce(CAST(:opened_before AS timestamptz), 'infinity')
"""
_SEATS: Final = f"""
    WITH round AS (
        SELECT round.id, round.point_value, round.currency, head.players, head.opening_stacks, head.top_ups, head.stacks
        {_ROUNDS}
    ), seat AS (
        SELECT round.id, round.point_value, round.currency, seat.*,
            seat.stack - seat.opening_stack - seat.top_ups AS net
        FROM round, unnest(players, opening_stacks, top_ups, stacks) AS seat (player, opening_stack, top_ups, stack)
    )
"""
_COUNT: Final = text(
    f"SELECT count(*) AS rounds, count(*) FILTER (WHERE head.status = 'open') AS open_rounds {_ROUNDS}"
)
_POINTS: Final = text(f"""
    {_SEATS}
    SELECT player, count(*) AS rounds, sum(top_ups) AS top_ups, sum(net) AS net,
        (array_agg(opening_stack ORDER BY id))[1] AS opening_stack, (array_agg(stack ORDER BY id DESC))[1] AS stack
    FROM seat GROUP BY player
""")
_MONEY: Final = text(f"""
    {_SEATS}
    SELECT player, currency, sum(net * point_value) AS net
    FROM seat WHERE point_value IS NOT NULL AND currency IS NOT NULL GROUP BY player, currency
""")


def sum_rounds(
    transaction: Transaction, table_id: UUID, *, opened_from: datetime | None, opened_before: datetime | None
) -> RoundSums:
    """Sum up the rounds of a table that were opened from a moment on and before another, as they stand."""
    asked = {
        "club_id": transaction.club_id,
        "table_id": table_id,
        "opened_from": opened_from,
        "opened_before": opened_before,
    }
    money: dict[str, dict[str, int]] = defaultdict(dict)
    for found in transaction.execute(_MONEY, asked):
        money[found.player][found.currency] = int(found.net)
    players = [
        PlayerStatement(
            found.player,
            found.rounds,
            PointSums(found.opening_stack, int(found.top_ups), int(found.net), found.stack),
            money[found.player],
        )
        for found in transaction.execute(_POINTS, asked)
    ]
    counted = transaction.execute(_COUNT, asked).one()
    return RoundSums(counted.rounds, counted.open_rounds, players)

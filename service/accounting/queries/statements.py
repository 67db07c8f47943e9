"""Sum up the rounds of a club by table and player."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from service.db import Transaction


@dataclass(frozen=True, slots=True)
class StatementFilter:
    """A filter for the rounds of a statement; None matches any. The times are opening times."""

    tables: Sequence[UUID] | None = None
    player: str | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None


_ROUNDS: Final = """
    FROM rounds AS round JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
    WHERE round.club_id = :club_id
        AND (CAST(:tables AS uuid[]) IS NULL OR round.table_id = ANY (CAST(:tables AS uuid[])))
        AND (CAST(:player AS text) IS NULL OR CAST(:player AS text) = ANY (head.players))
        AND round.opened_at >= coalesce(CAST(:opened_from AS timestamptz), '-infinity')
        AND round.opened_at < coalesce(CAST(:opened_before AS timestamptz), 'infinity')
"""
_COUNT: Final = text(
    f"SELECT count(*) AS rounds, count(*) FILTER (WHERE head.status = 'open') AS open_rounds {_ROUNDS}"
)
_SUMS: Final = text(f"""
    WITH seat AS (
        SELECT round.table_id, seat.player, seat.top_ups, seat.stack - seat.opening_stack - seat.top_ups AS net,
            round.point_value, round.currency
        FROM (
            SELECT round.table_id, round.point_value, round.currency, head.players, head.opening_stacks, head.top_ups,
                head.stacks
            {_ROUNDS}
        ) AS round, unnest(players, opening_stacks, top_ups, stacks) AS seat (player, opening_stack, top_ups, stack)
    ), summed AS (
        SELECT table_id, player, currency, count(*) AS rounds, sum(top_ups) AS top_ups, sum(net) AS net,
            sum(net * point_value) AS money
        FROM seat GROUP BY table_id, player, currency
    )
    SELECT summed.*, tables.name AS table_name
    FROM summed JOIN tables ON (tables.club_id, tables.id) = (:club_id, summed.table_id)
""")


def count_rounds(transaction: Transaction, wanted: StatementFilter) -> tuple[int, int]:
    """Count rounds, and those of them that are open."""
    counted = transaction.execute(_COUNT, _parameters(transaction, wanted)).one()
    return counted.rounds, counted.open_rounds


def list_sums(transaction: Transaction, wanted: StatementFilter) -> Sequence[Row[Any]]:
    """List the sums of rounds by table, player and currency; rounds without a point value have no currency."""
    return transaction.execute(_SUMS, _parameters(transaction, wanted)).all()


def _parameters(transaction: Transaction, wanted: StatementFilter) -> Mapping[str, Any]:
    return {
        "club_id": transaction.club_id,
        "tables": None if wanted.tables is None else [*wanted.tables],
        "player": wanted.player,
        "opened_from": wanted.opened_from,
        "opened_before": wanted.opened_before,
    }

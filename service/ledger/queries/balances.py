"""Sum up the journal by unit and account."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from schemas.ledger.balances import Balance
from schemas.ledger.units import table_of
from schemas.money import Unit
from service.db import Transaction


@dataclass(frozen=True, slots=True)
class UnitSums:
    """The balances in one unit."""

    unit: Unit
    balances: Sequence[Balance]


_SOURCES: Final = ("final", "provisional", "disputed", "payments", "charges")
# Most rounds are final, so the others are few in an index. The entries of an open round add up to nothing, but not
# always those until some time: it was provisional then.
_SUMS: Final = f"""
    SELECT entry.unit, entry.unit_digits, part.account,
        {", ".join(f"sum(part.amount) FILTER (WHERE source = '{source}') AS {source}" for source in _SOURCES)}
    FROM (
        SELECT entry.unit, entry.unit_digits, entry.accounts, entry.amounts, CASE
            WHEN entry.revision IS NOT NULL AND head.settlement_state = 'open' THEN 'provisional'
            WHEN entry.revision IS NOT NULL THEN coalesce(head.settlement_state, 'final')
            WHEN entry.kind = 'charge' THEN 'charges'
            WHEN entry.reverses IS NULL THEN 'payments'
            ELSE (
                SELECT reversed.kind || 's' FROM entries AS reversed
                WHERE (reversed.club_id, reversed.id) = (entry.club_id, entry.reverses)
            )
        END AS source
        FROM entries AS entry
        LEFT JOIN round_heads AS head ON head.club_id = :club_id AND head.round_id = entry.round_id
            AND head.settlement_state IN {{states}}
        WHERE entry.club_id = :club_id {{conditions}}
    ) AS entry
    CROSS JOIN LATERAL unnest(entry.accounts, entry.amounts) AS part (account, amount)
    GROUP BY entry.unit, entry.unit_digits, part.account
"""


def sum_entries(transaction: Transaction, *, table_id: UUID | None, as_of: datetime | None) -> list[UnitSums]:
    """Sum up entries by unit and account, with the points of tables last, and the highest balances first."""
    conditions = (" AND entry.table_id = :table_id" if table_id else "") + (
        " AND entry.posted_at <= :as_of" if as_of else ""
    )
    parameters = {"club_id": transaction.club_id, "table_id": table_id, "as_of": as_of}
    states = "('provisional', 'disputed', 'open')" if as_of else "('provisional', 'disputed')"
    rows = transaction.execute(
        text(_SUMS.format(conditions=conditions, states=states)),
        {name: value for name, value in parameters.items() if value is not None},
    )
    by_unit: dict[Unit, list[Balance]] = {}
    for row in rows:
        by_unit.setdefault(Unit(row.unit, row.unit_digits), []).append(_load(row))
    return [
        UnitSums(unit, sorted(by_unit[unit], key=lambda each: (-each.total, each.account)))
        for unit in sorted(by_unit, key=lambda unit: (table_of(unit.code) is not None, unit))
    ]


def _load(row: Row[Any]) -> Balance:
    return Balance(row.account, *(int(getattr(row, source) or 0) for source in _SOURCES))

"""Sum up the journal by unit and account."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from schemas.ledger.balances import Balance
from schemas.ledger.units import in_order
from schemas.money import Unit
from service.db import Transaction


@dataclass(frozen=True, slots=True)
class UnitSums:
    """The balances in one unit."""

    unit: Unit
    balances: Sequence[Balance]


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """
    A filter for the entries that are added up; None matches any.

    Attributes:
        unit: of their amounts.
        other_units: units of others, which are left out.
        table_id: of their rounds, or of their points.
        as_of: when the last of them was written.
    """

    unit: str | None = None
    other_units: Sequence[str] | None = None
    table_id: UUID | None = None
    as_of: datetime | None = None


_CONDITIONS: Final = {
    "unit": "entry.unit = :unit",
    "other_units": "entry.unit <> ALL (CAST(:other_units AS text[]))",
    "table_id": "entry.table_id = :table_id",
    "as_of": "entry.posted_at <= :as_of",
}
_SOURCES: Final = ("final", "provisional", "disputed", "payments", "charges")
# Most rounds are final, so the others are few in an index. The entries of an open round add up to nothing, but not
# always those until some time: it was provisional then.
_SUMS: Final = """
    SELECT unit, unit_digits, source, array_agg(account) AS accounts, array_agg(amount) AS amounts,
        array_agg(charge) AS charges
    FROM (
        SELECT unit, unit_digits, account, source, sum(amount) AS amount, coalesce(sum(charge), 0) AS charge
        FROM (
            SELECT entry.unit, entry.unit_digits, unnest(entry.accounts) AS account,
                unnest(entry.amounts) AS amount, unnest(entry.charges) AS charge, CASE
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
                AND head.settlement_state IN {states}
            WHERE {conditions}
        ) AS part
        GROUP BY unit, unit_digits, account, source
    ) AS summed
    GROUP BY unit, unit_digits, source
"""
_POINT_TABLES: Final = text("""
    SELECT id, name FROM tables
    WHERE club_id = :club_id AND EXISTS (
        SELECT FROM entries AS entry
        WHERE entry.club_id = :club_id AND entry.unit = CAST(tables.id AS text)
            AND (CAST(:player AS text) IS NULL OR CAST(:player AS text) = ANY (entry.accounts))
    )
    ORDER BY name
""")


def sum_entries(transaction: Transaction, filter_: EntryFilter) -> list[UnitSums]:
    """Sum up entries by unit and account, with the points of tables last, and the highest balances first."""
    of_filter = {name: value for name in _CONDITIONS if (value := getattr(filter_, name)) is not None}
    conditions = " AND ".join(("entry.club_id = :club_id", *(_CONDITIONS[name] for name in of_filter)))
    states = "('provisional', 'disputed', 'open')" if filter_.as_of else "('provisional', 'disputed')"
    query = text(_SUMS.format(conditions=conditions, states=states))
    by_unit: dict[Unit, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in transaction.execute(query, {"club_id": transaction.club_id, **of_filter}):
        sums = by_unit[Unit(row.unit, row.unit_digits)]
        for account, amount, charge in zip(row.accounts, row.amounts, row.charges, strict=True):
            sums[row.source][account] += int(amount - charge)
            sums["charges"][account] += int(charge)
    return [
        UnitSums(unit, sorted(_add_up(by_unit[unit]), key=lambda each: (-each.total, each.account)))
        for unit in sorted(by_unit, key=in_order)
    ]


# The function is of the whole club, also in the transaction of a personal link, and empty in any other.
_OF_PLAYER: Final = text("SELECT list_net_balances()")


def list_net_balances(transaction: Transaction) -> dict[Unit, dict[str, int]]:
    """Return what everyone is owed or owes in the club, in the units of the player of a personal link, by unit."""
    listed: list[dict[str, Any]] = transaction.execute(_OF_PLAYER).scalar_one()
    return {Unit(each["unit"], each["unit_digits"]): each["amounts"] for each in listed}


def _add_up(sums: Mapping[str, Counter[str]]) -> Iterator[Balance]:
    """Yield the balances in one unit from the sums of each source by account."""
    for account in sums["charges"]:
        yield Balance(account, *(sums[source][account] for source in _SOURCES))


def list_tables_of_points(transaction: Transaction, player: str | None) -> Sequence[Row[Any]]:
    """List the id and name of each table in whose points the journal has entries, of a player or of anyone, by name."""
    return transaction.execute(_POINT_TABLES, {"club_id": transaction.club_id, "player": player}).all()

"""Ranges of rounds, and the division of rounds into ranges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from service.db import Transaction
from service.rounds.queries.round_filter import RoundFilter, filter_parameters, list_conditions

FIRST: Final = UUID(int=0)
"""The ID before every other one."""
LAST: Final = UUID(int=2**128 - 1)
"""The largest ID."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """
    A range of IDs, usually of rounds: those after one, up to and including another.

    Attributes:
        scope: only the rounds that match this filter.
    """

    after: UUID = FIRST
    upto: UUID = LAST
    scope: RoundFilter = field(default_factory=RoundFilter)

    @classmethod
    def between(cls, first: UUID, last: UUID, scope: RoundFilter | None = None) -> "Stretch":
        """Return a stretch of the IDs between two, including both."""
        return cls(UUID(int=max(first.int - 1, 0)), last, scope or RoundFilter())

    @property
    def first(self) -> UUID:
        """The smallest ID that it can have."""
        return UUID(int=min(self.after.int + 1, LAST.int))

    @property
    def is_last(self) -> bool:
        """Whether no ID can follow."""
        return self.upto == LAST


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a stretch, and the number of its rounds and hands."""

    stretch: Stretch
    rounds: int
    hands: int


@dataclass(frozen=True, slots=True)
class Division:
    """
    A stretch divided into parts.

    Attributes:
        rounds: the number of rounds in the stretch, counted in the same query, but not as the sum of the parts.
    """

    rounds: int
    parts: Sequence[Part]


ROUNDS: Final = "rounds"
"""Rounds, of which a damaged database may have no head."""
ROUND_HEADS: Final = "round heads"
LOOSE_EVENTS: Final = "loose events"
"""Events of no round."""
_SOURCES: Final = {
    ROUNDS: "SELECT id, 0 AS hands FROM rounds WHERE club_id = %(club)s AND id > %(after)s",
    ROUND_HEADS: "SELECT round_id AS id, 0 AS hands FROM round_heads WHERE club_id = %(club)s AND round_id > %(after)s",
    LOOSE_EVENTS: "SELECT id, 0 AS hands FROM events WHERE club_id = %(club)s AND round_id IS NULL AND id > %(after)s",
}
# The order of IDs as text is that of the IDs: all have the same length, and digits come before letters.
_DIVIDE: Final = """
    SELECT min(id::text COLLATE "C") AS first, max(id::text COLLATE "C") AS last, sum(hands) AS hands,
        count(*) AS rounds, (SELECT count(*) FROM item) AS of
    FROM (SELECT id, hands, (sum(hands + 1) OVER (ORDER BY id) - 1) / %(most)s::bigint AS part FROM item) AS divided
    GROUP BY trunc(part) ORDER BY trunc(part)
"""


def divide(transaction: Transaction, stretch: Stretch, most: int) -> Division:
    """Divide the rounds of a stretch into parts of at most `most` hands and rounds together."""
    source = f"{select_rounds(stretch.scope)}, item AS (SELECT round_id AS id, greatest(hands, 0) AS hands FROM wanted)"
    return _divide(transaction, source, stretch, most)


def find_stretch(transaction: Transaction, what: str, after: UUID, most: int) -> Stretch:
    """Return the stretch that begins after an ID and has at most so many items; the last has all that follow."""
    items = f"WITH item AS ({_SOURCES[what]} ORDER BY id LIMIT {most:d})"
    parts = _divide(transaction, items, Stretch(after), most).parts
    return Stretch(after, parts[0].stretch.upto) if parts and parts[0].rounds == most else Stretch(after)


def _divide(transaction: Transaction, items: str, stretch: Stretch, most: int) -> Division:
    parameters = {**stretch_parameters(transaction, stretch), "most": most}
    rows = transaction.connection.exec_driver_sql(items + _DIVIDE, parameters).all()
    parts = [
        Part(Stretch.between(UUID(row.first), UUID(row.last), stretch.scope), row.rounds, int(row.hands))
        for row in rows
    ]
    return Division(rows[0].of if rows else 0, parts)


def select_rounds(scope: RoundFilter) -> str:
    """Return the beginning of a query that selects the heads of the rounds of a stretch, as `wanted`."""
    conditions = list_conditions(scope, head="head", round_="opened", table="head", place="%({})s")
    opening = "JOIN rounds AS opened ON (opened.club_id, opened.id) = (head.club_id, head.round_id)"
    of_club = "head.club_id = %(club)s AND head.round_id > %(after)s AND head.round_id <= %(upto)s"
    # A filtered scope is selected once; for all rounds, joining is faster.
    return f"""
        WITH wanted AS {"MATERIALIZED" if conditions else "NOT MATERIALIZED"} (
            SELECT head.* FROM round_heads AS head {opening if scope.needs_round else ""}
            WHERE {" AND ".join([of_club, *conditions])}
        )
    """


def stretch_parameters(transaction: Transaction, stretch: Stretch) -> dict[str, Any]:
    """Return the parameters of `select_rounds`."""
    of_stretch = {"club": transaction.club_id, "after": stretch.after, "upto": stretch.upto}
    return of_stretch | filter_parameters(transaction, stretch.scope)

"""Queries for rounds as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from scoring.bulk.transfers import LIMITS
from scoring.round_state import RoundStatus
from service.db import Transaction
from service.rounds.models import TRANSFER_FIELDS

STATUSES: Final = tuple(RoundStatus)
UNKNOWN: Final = -1
"""The number of an unknown word."""


@dataclass(frozen=True, slots=True)
class RoundSelection:
    """
    A filter for rounds; None matches any. The times are opening times, `opened_before` excluded.

    Attributes:
        ruleset: the name and version of their ruleset.
    """

    table_id: UUID | None = None
    round_ids: tuple[UUID, ...] | None = None
    ruleset: tuple[str, int] | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of the rounds of a scope, by id, including the first and the last."""

    scope: RoundSelection
    first: UUID
    last: UUID


EVERY: Final = (UUID(int=0), UUID(int=2**128 - 1))
"""The smallest and the largest possible id."""


def wanted_rounds(scope: RoundSelection) -> str:
    """Return the beginning of a query that selects the heads of the rounds of a scope."""
    conditions = {
        "head.table_id = %(table)s": scope.table_id,
        "head.round_id = ANY (%(rounds)s)": scope.round_ids,
        "(head.ruleset_name, head.ruleset_version) = (%(ruleset_name)s, %(ruleset_version)s)": scope.ruleset,
        "opened.opened_at >= %(opened_from)s": scope.opened_from,
        "opened.opened_at < %(opened_before)s": scope.opened_before,
    }
    asked = [condition for condition, value in conditions.items() if value is not None]
    needs_opening = scope.opened_from is not None or scope.opened_before is not None
    opening = "JOIN rounds AS opened ON (opened.club_id, opened.id) = (head.club_id, head.round_id)"
    of_club = "head.club_id = %(club)s AND head.round_id BETWEEN %(first)s AND %(last)s"
    # A filtered scope is selected once; for all rounds, joining is faster.
    return f"""
        WITH wanted AS {"MATERIALIZED" if asked else "NOT MATERIALIZED"} (
            SELECT head.* FROM round_heads AS head {opening if needs_opening else ""}
            WHERE {" AND ".join([of_club, *asked])}
        )
    """


def stretch_parameters(transaction: Transaction, stretch: Stretch) -> dict[str, Any]:
    """Return the parameters of `wanted_rounds`."""
    scope = stretch.scope
    name, version = scope.ruleset or (None, None)
    return {
        "club": transaction.club_id,
        "first": stretch.first,
        "last": stretch.last,
        "table": scope.table_id,
        "rounds": None if scope.round_ids is None else list(scope.round_ids),
        "ruleset_name": name,
        "ruleset_version": version,
        "opened_from": scope.opened_from,
        "opened_before": scope.opened_before,
    }


def packed_queries(scope: RoundSelection) -> Mapping[str, str]:
    """Return the queries for the rounds of a range, by name."""
    return {name: wanted_rounds(scope) + query for name, query in _QUERIES.items()}


def planner_settings(scope: RoundSelection) -> Mapping[str, str]:
    """
    Return settings with which PostgreSQL joins the records of a range as a whole, for a scope of all rounds.

    Its statistics have a hundred steps: if there are more ranges than that, it estimates one round per range, and would
    join by nested loops. A few selected rounds are better found by index.

    Parallel workers and prefetching are disabled: the records of a range lie together, and the other cores are used for
    other ranges.
    """
    if scope != RoundSelection():
        return {}
    return {"enable_nestloop": "off", "max_parallel_workers_per_gather": "0", "effective_io_concurrency": "0"}


def _numbered(column: str, words: Mapping[str, int]) -> str:
    """Return SQL that converts words to numbers, and NULL to 0."""
    cases = " ".join(f"WHEN {column} = '{word}' THEN {number}" for word, number in words.items())
    return f"(CASE WHEN {column} IS NULL THEN 0 {cases} ELSE {UNKNOWN} END)::smallint"


_STATUS: Final = _numbered("status", {status.value: number for number, status in enumerate(STATUSES)})
_LIMITED_BY: Final = _numbered(
    "(paid).limited_by", {limit.value: number for number, limit in enumerate(LIMITS) if limit is not None}
)
_TRANSFER: Final = ", ".join(
    f"{_LIMITED_BY if name == 'limited_by' else f'coalesce((paid).{name}, {UNKNOWN})'} AS {name}"
    for name in TRANSFER_FIELDS
)
# The second condition follows from the first; the planner needs it.
_OF_ROUND: Final = """
    (found.club_id, found.round_id, found.revision) = (%(club)s, wanted.round_id, wanted.revision)
    AND found.round_id BETWEEN %(first)s AND %(last)s
"""
_QUERIES: Final = {
    "heads": f"""
        SELECT wanted.round_id, coalesce(version, {UNKNOWN}) AS version, coalesce(ruleset.place, 0)::integer AS ruleset,
            {_STATUS} AS status, coalesce(hands, {UNKNOWN}) AS hands, coalesce(closing.after_hand, -1) AS closed,
            seats, opening_stacks, top_ups, stacks
        FROM wanted
        LEFT JOIN unnest(%(names)s::text[], %(numbers)s::integer[]) WITH ORDINALITY AS ruleset (name, number, place)
            ON (ruleset.name, ruleset.number) = (ruleset_name, ruleset_version)
        LEFT JOIN closings AS closing
            ON (closing.club_id, closing.round_id, closing.revision) = (%(club)s, wanted.round_id, wanted.revision)
        ORDER BY wanted.round_id
    """,
    "seats": f"""
        SELECT found.round_id, seat, opening_stack,
            coalesce(players[array_position(seats, seat)] = player, false) AS is_player
        FROM wanted JOIN round_seats AS found ON {_OF_ROUND}
    """,
    "hands": f"""
        SELECT found.round_id, found.number, button, seats, fantasyland, boards, points, fouls,
            royalties, royalties_top, royalties_middle, from_rows, from_bonuses, from_fouls, earned, stays, exchanges,
            scoops, found.top_ups, stacks_before, found.stacks, scorer_version AS scorer,
            (irregular IS NULL AND (ruleset_name, ruleset_version) = (wanted.name, wanted.number)) IS TRUE AS follows,
            nullif(content -> 'top_ups', '[]')::text AS added
        FROM (SELECT round_id, revision, ruleset_name AS name, ruleset_version AS number FROM wanted) AS wanted
        JOIN hand_scores AS found ON {_OF_ROUND}
        JOIN hands AS hand ON (hand.club_id, hand.round_id, hand.number, hand.id)
            = (found.club_id, found.round_id, found.number, found.hand_id)
            AND hand.club_id = %(club)s AND hand.round_id BETWEEN %(first)s AND %(last)s
    """,
    "transfers": f"""
        SELECT round_id, number, position, {_TRANSFER} FROM (
            SELECT found.round_id, number, generate_subscripts(transfers, 1) AS position, unnest(transfers) AS paid
            FROM wanted JOIN hand_scores AS found ON {_OF_ROUND}
        ) AS each
    """,
    "departures": f"""
        SELECT found.round_id, position, seat, after_hand FROM wanted JOIN departures AS found ON {_OF_ROUND}
    """,
    "payouts": f"SELECT found.round_id FROM wanted JOIN payouts AS found ON {_OF_ROUND}",
}

"""Queries for rounds as arrays, and the layout of their rows."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from scoring.bulk.transfers import LIMITS
from scoring.round_state import RoundStatus
from scoring.ruleset import BOARD_SIZE
from service.db import Transaction
from service.recomputations.packed.rows import BIG, BYTE, FLAG, ID, INTEGER, SMALL, Column

STATUSES: Final = tuple(RoundStatus)
UNKNOWN: Final = -1
"""The number of an unknown word."""


@dataclass(frozen=True, slots=True)
class Scope:
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

    scope: Scope
    first: UUID
    last: UUID


EVERY: Final = (UUID(int=0), UUID(int=2**128 - 1))
"""The smallest and the largest possible id."""


def wanted_rounds(scope: Scope) -> str:
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


def packed_queries(scope: Scope) -> Mapping[str, str]:
    """Return the queries for the rounds of a range, by name."""
    return {name: wanted_rounds(scope) + query for name, query in _QUERIES.items()}


_AS_A_WHOLE: Final = text("""
    SELECT set_config('enable_nestloop', 'off', true), set_config('max_parallel_workers_per_gather', '0', true),
        set_config('effective_io_concurrency', '0', true)
""")


@contextmanager
def joined_whole(transaction: Transaction, scope: Scope) -> Iterator[None]:
    """
    Disable nested loops, so that PostgreSQL joins the records of a range as a whole.

    Its statistics have a hundred steps: if there are more ranges than that, it estimates one round per range. Nested
    loops are disabled only for a scope of all rounds: a few selected rounds are better found by index.

    Parallel workers and prefetching are disabled until the transaction ends: the records of a range lie together, and
    the other cores are used for other ranges.
    """
    if scope != Scope():
        yield
        return
    transaction.execute(_AS_A_WHOLE)
    yield
    transaction.execute(text("SET LOCAL enable_nestloop TO DEFAULT"))


def _numbered(column: str, words: Mapping[str, int]) -> str:
    """Return SQL that converts words to numbers, and NULL to 0."""
    cases = " ".join(f"WHEN {column} = '{word}' THEN {number}" for word, number in words.items())
    return f"(CASE WHEN {column} IS NULL THEN 0 {cases} ELSE {UNKNOWN} END)::smallint"


_STATUS: Final = _numbered("status", {status.value: number for number, status in enumerate(STATUSES)})
_LIMITED_BY: Final = _numbered(
    "found.limited_by", {limit.value: number for number, limit in enumerate(LIMITS) if limit is not None}
)
# The second condition follows from the first; the planner needs it.
_OF_ROUND: Final = """
    (found.club_id, found.round_id, found.revision) = (%(club)s, wanted.round_id, wanted.revision)
    AND found.round_id BETWEEN %(first)s AND %(last)s
"""
_QUERIES: Final = {
    "heads": f"""
        SELECT wanted.round_id, version, coalesce(ruleset.place, 0)::integer, {_STATUS}, hands,
            coalesce(closing.after_hand, -1), seats, opening_stacks, top_ups, stacks
        FROM wanted
        LEFT JOIN unnest(%(names)s::text[], %(numbers)s::integer[]) WITH ORDINALITY AS ruleset (name, number, place)
            ON (ruleset.name, ruleset.number) = (ruleset_name, ruleset_version)
        LEFT JOIN closings AS closing
            ON (closing.club_id, closing.round_id, closing.revision) = (%(club)s, wanted.round_id, wanted.revision)
    """,
    "versions": "SELECT round_id, version FROM wanted",
    "seats": f"""
        SELECT found.round_id, seat, opening_stack, coalesce(players[array_position(seats, seat)] = player, false)
        FROM wanted JOIN round_seats AS found ON {_OF_ROUND}
    """,
    "hands": f"""
        SELECT found.round_id, found.number, cardinality(found.stacks)::smallint, button, transfer_count,
            seats, fantasyland, boards, points, fouls, royalties, earned, stays, exchanges, found.top_ups,
            stacks_before, found.stacks, scorer_version,
            (irregular IS NULL AND (ruleset_name, ruleset_version) = (wanted.name, wanted.number)) IS TRUE,
            nullif(content -> 'top_ups', '[]')
        FROM (SELECT round_id, revision, ruleset_name AS name, ruleset_version AS number FROM wanted) AS wanted
        JOIN hand_scores AS found ON {_OF_ROUND}
        JOIN hands AS hand ON (hand.club_id, hand.round_id, hand.number, hand.id)
            = (found.club_id, found.round_id, found.number, found.hand_id)
            AND hand.club_id = %(club)s AND hand.round_id BETWEEN %(first)s AND %(last)s
    """,
    "transfers": f"""
        SELECT found.round_id, number, late, position, payer, payee, due, paid, {_LIMITED_BY}, payer_stack, payee_stack
        FROM wanted JOIN transfers AS found ON {_OF_ROUND}
    """,
    "departures": f"""
        SELECT found.round_id, position, seat, after_hand FROM wanted JOIN departures AS found ON {_OF_ROUND}
    """,
    "payouts": f"SELECT found.round_id FROM wanted JOIN payouts AS found ON {_OF_ROUND}",
}

PAYOUTS: Final = (Column("round", ID),)
VERSIONS: Final = (*PAYOUTS, Column("version", INTEGER))
SEATS: Final = (*PAYOUTS, Column("seat", SMALL), Column("opening_stack", BIG), Column("is_player", FLAG))
DEPARTURES: Final = (*PAYOUTS, Column("position", SMALL), Column("seat", SMALL), Column("after_hand", INTEGER))
TRANSFERS: Final = (
    *PAYOUTS,
    Column("number", INTEGER),
    Column("late", FLAG),
    Column("position", SMALL),
    Column("payer", SMALL),
    Column("payee", SMALL),
    Column("due", BIG),
    Column("paid", BIG),
    Column("limited_by", SMALL),
    Column("payer_stack", BIG),
    Column("payee_stack", BIG),
)


def head_columns(seats: int) -> tuple[Column, ...]:
    """Return the columns of the heads of rounds with a number of seats."""
    return (
        *VERSIONS,
        Column("ruleset", INTEGER),
        Column("status", SMALL),
        Column("hands", INTEGER),
        Column("closed", INTEGER),
        Column("seats", SMALL, seats),
        Column("opening_stacks", BIG, seats),
        Column("top_ups", BIG, seats),
        Column("stacks", BIG, seats),
    )


def hand_columns(seats: int, dealt: int) -> tuple[Column, ...]:
    """Return the columns of hands by seats and players dealt in; the last, for top-ups, is NULL if there are none."""
    return (
        *PAYOUTS,
        Column("number", INTEGER),
        Column("seat_count", SMALL),
        Column("button", SMALL),
        Column("transfer_count", SMALL),
        Column("seats", SMALL, dealt),
        Column("fantasyland", SMALL, dealt),
        Column("boards", BYTE, size=dealt * BOARD_SIZE),
        Column("points", BIG, dealt),
        Column("fouls", FLAG, dealt),
        Column("royalties", BIG, dealt),
        Column("earned", SMALL, dealt),
        Column("stays", SMALL, dealt),
        Column("exchanges", BIG, dealt * (dealt - 1) // 2),
        Column("top_ups", BIG, seats),
        Column("stacks_before", BIG, seats),
        Column("stacks", BIG, seats),
        Column("scorer", INTEGER),
        Column("follows", FLAG),
        Column("added", BYTE, size=0),
    )

"""Queries for rounds as arrays."""

from collections.abc import Mapping
from typing import Final

from scoring.bulk.transfers import LIMITS
from scoring.round_state import RoundStatus
from service.replays.stretches import select_rounds
from service.rounds.models import TRANSFER_FIELDS
from service.rounds.queries.round_filter import RoundFilter

STATUSES: Final = tuple(RoundStatus)
UNKNOWN: Final = -1
"""The number of an unknown word."""


def packed_queries(scope: RoundFilter) -> Mapping[str, str]:
    """Return the queries for the rounds of a range, by name."""
    return {name: select_rounds(scope) + query for name, query in _QUERIES.items()}


def planner_settings(scope: RoundFilter) -> Mapping[str, str]:
    """
    Return settings with which PostgreSQL joins the records of a range as a whole, for a scope of all rounds.

    Its statistics have a hundred steps: if there are more ranges than that, it estimates one round per range, and would
    join by nested loops. A few selected rounds are better found by index.

    Parallel workers and prefetching are disabled: the records of a range lie together, and the other cores are used for
    other ranges.
    """
    if scope != RoundFilter():
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
    AND found.round_id > %(after)s AND found.round_id <= %(upto)s
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
            AND hand.club_id = %(club)s AND hand.round_id > %(after)s AND hand.round_id <= %(upto)s
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

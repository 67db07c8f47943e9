"""Events in the order of a club's tree, and the results of the hands and rounds that they are about."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

import orjson
from sqlalchemy import Row, TextClause, bindparam, column, func, select, text
from sqlalchemy.dialects.postgresql import ARRAY, TEXT
from sqlalchemy.dialects.postgresql import UUID as UUID_TYPE

from evidence import read_event
from evidence.events import EventKind
from schemas.events import MOST_POSITION
from schemas.feed.events import EventResult, FeedEvent
from scoring.hand import Seat
from scoring.ruleset import Points
from service.db import Transaction
from service.rounds.queries.stored_round import load_transfers


@dataclass(frozen=True, slots=True)
class EventSelection:
    """
    Which events to list.

    Attributes:
        limit: the most events to list.
        kinds: only events of these kinds; None for all.
        hidden: no events of these kinds.
        table_id: only events of this table and of its rounds.
        round_id: only events of this round.
        only_table_id: the only table of which events are visible, for a link to a table; None for all.
    """

    limit: int
    kinds: Collection[str] | None = None
    hidden: Collection[str] = ()
    table_id: UUID | None = None
    round_id: UUID | None = None
    only_table_id: UUID | None = None


# Hidden kinds are left out before the limit, so that a page is empty only where no events follow.
_OF_ROUND: Final = """
    SELECT leaf.position FROM events AS mine CROSS JOIN LATERAL (
        SELECT position FROM tree_nodes WHERE club_id = :club_id AND event_id = mine.id LIMIT 1
    ) AS leaf
    WHERE mine.club_id = :club_id AND mine.round_id = :round_id AND leaf.position >= :first
        AND mine.kind <> ALL (:hidden) AND (:kinds IS NULL OR mine.kind = ANY (:kinds))
"""
_OF_TABLE: Final = """
    SELECT position FROM feed_entries
    WHERE club_id = :club_id AND table_id = :table_id AND position >= :first
        AND kind <> ALL (:hidden) AND (:kinds IS NULL OR kind = ANY (:kinds))
"""
# The first entries of each kind from the index; PostgreSQL would otherwise sort all entries of several kinds.
_OF_KINDS: Final = """
    SELECT entry.position FROM unnest(:kinds) AS wanted (kind) CROSS JOIN LATERAL (
        SELECT position FROM feed_entries
        WHERE club_id = :club_id AND kind = wanted.kind AND position >= :first
        ORDER BY position LIMIT :limit
    ) AS entry
"""
_OF_ALL: Final = """
    SELECT leaf.position FROM tree_nodes AS leaf
    WHERE leaf.club_id = :club_id AND leaf.level = 0 AND leaf.position >= :first AND NOT EXISTS (
        SELECT FROM feed_entries AS entry
        WHERE entry.club_id = :club_id AND entry.kind = ANY (:hidden) AND entry.position = leaf.position
    )
"""
# The positions first, and then one event after the other: PostgreSQL cannot know how few there are.
_EVENTS: Final = """
    WITH wanted AS MATERIALIZED (
        SELECT position FROM ({positions}) AS entry ORDER BY position LIMIT :limit
    )
    SELECT wanted.position, found.written, found.table_id, found.reference
    FROM wanted CROSS JOIN LATERAL (
        SELECT event.heading || event.content AS written, round.table_id, round.reference FROM tree_nodes AS node
        JOIN events AS event ON event.club_id = :club_id AND event.id = node.event_id
        LEFT JOIN rounds AS round ON round.club_id = :club_id AND round.id = event.round_id
        WHERE node.club_id = :club_id AND node.level = 0 AND node.position = wanted.position
            AND event.kind <> ALL (:hidden) {condition}
        LIMIT 1
    ) AS found ORDER BY wanted.position
"""
_TRAIL_ARRAYS: Final = (bindparam("hidden", type_=ARRAY(TEXT)), bindparam("actors", type_=ARRAY(UUID_TYPE)))
_TEXTS: Final = (bindparam("kinds", type_=ARRAY(TEXT)), bindparam("hidden", type_=ARRAY(TEXT)))


def list_events(transaction: Transaction, selection: EventSelection, first: int) -> list[FeedEvent]:
    """List the selected events of the club from a position on, without results."""
    parameters: dict[str, Any] = {
        "club_id": transaction.club_id,
        "first": first,
        "limit": selection.limit,
        "kinds": None if selection.kinds is None else list(selection.kinds),
        "hidden": list(selection.hidden),
        "table_id": selection.table_id,
        "round_id": selection.round_id,
    }
    query = select_events(selection)
    used = {name: parameters[name] for name in query.compile().params}
    return [
        FeedEvent(each.position, bytes(each.written), each.table_id, each.reference)
        for each in transaction.execute(query, used)
    ]


def select_events(selection: EventSelection) -> TextClause:
    """Return the query of a selection: the positions come from the index that selects the fewest events."""
    return _build(selection.round_id is not None, selection.table_id is not None, selection.kinds is not None)


@cache
def _build(has_round: bool, has_table: bool, has_kinds: bool) -> TextClause:
    condition = ""
    if has_round:
        positions = _OF_ROUND
        condition = "AND round.table_id = :table_id" if has_table else ""
    elif has_table:
        positions = _OF_TABLE
    else:
        positions = _OF_KINDS if has_kinds else _OF_ALL
    sql = _EVENTS.format(positions=positions, condition=condition)
    return text(sql).bindparams(*[each for each in _TEXTS if f":{each.key}" in sql])


@dataclass(frozen=True, slots=True)
class TrailFilter:
    """
    Filters of the audit trail.

    Attributes:
        kind: only events of this kind; None for all.
        hidden: no events of these kinds.
        table_id: only events of this table and of its rounds.
        round_id: only events of this round.
        actors: only what one of these did, of which None is the service itself; None for everyone.
        begin, end: only events of this period.
    """

    kind: str | None = None
    hidden: Collection[str] = ()
    table_id: UUID | None = None
    round_id: UUID | None = None
    actors: Collection[UUID | None] | None = None
    begin: datetime | None = None
    end: datetime | None = None


_TRAIL: Final = """
    SELECT {columns}
    FROM {leaves} AS leaf
    JOIN tree_nodes AS node ON node.club_id = :club_id AND node.level = 0 AND node.position = leaf.position
    JOIN events AS event ON event.club_id = :club_id AND event.id = node.event_id
    LEFT JOIN rounds AS round ON round.club_id = :club_id AND round.id = event.round_id
    WHERE leaf.club_id = :club_id AND leaf.position {follows} :place AND event.kind <> ALL (:hidden) {conditions}
    ORDER BY leaf.position {direction} LIMIT :limit
"""
_WRITTEN: Final = "leaf.position, event.heading || event.content AS written, round.table_id, round.reference"
_CONDITIONS: Final = {
    "kind": "AND leaf.kind = :kind",
    "table_id": "AND leaf.table_id = :table_id",
    "round_id": "AND event.round_id = :round_id",
    "actors": "AND (event.actor = ANY (:actors) OR (:is_service AND event.actor IS NULL))",
    "begin": "AND event.at >= :begin AND event.id >= :first_id",
    "end": "AND event.at < :end AND event.id < :last_id",
}
_LONGEST_TRANSACTION: Final = timedelta(days=1)


def list_trail(
    transaction: Transaction, filter_: TrailFilter, *, after: int | None, limit: int, oldest_first: bool = False
) -> list[FeedEvent]:
    """List events of the club that have joined its tree, the newest or the oldest first, from the one after a place."""
    return [
        FeedEvent(each.position, bytes(each.written), each.table_id, each.reference)
        for each in transaction.execute(*_select_trail(transaction, filter_, _WRITTEN, after, limit, oldest_first))
    ]


def count_trail(transaction: Transaction, filter_: TrailFilter, limit: int) -> int:
    """Count the events of the audit trail up to a limit."""
    query, parameters = _select_trail(transaction, filter_, "leaf.position", None, limit, oldest_first=False)
    counted = select(func.count()).select_from(query.columns(column("position")).subquery())
    return int(transaction.execute(counted, parameters).scalar_one())


def _select_trail(
    transaction: Transaction, filter_: TrailFilter, columns: str, after: int | None, limit: int, oldest_first: bool
) -> tuple[TextClause, dict[str, Any]]:
    """Return the query of events of the audit trail, and its parameters."""
    parameters: dict[str, Any] = {
        "club_id": transaction.club_id,
        "place": (-1 if oldest_first else MOST_POSITION + 1) if after is None else after,
        "limit": limit,
        "hidden": list(filter_.hidden),
        "kind": filter_.kind,
        "table_id": filter_.table_id,
        "round_id": filter_.round_id,
        "actors": None if filter_.actors is None else [actor for actor in filter_.actors if actor is not None],
        "is_service": filter_.actors is not None and None in filter_.actors,
        "begin": filter_.begin,
        "end": filter_.end,
        # IDs begin with their time, so that the index of the IDs bounds the period. They are made in the transaction.
        "first_id": filter_.begin and _first_id(filter_.begin),
        "last_id": filter_.end and _first_id(filter_.end + _LONGEST_TRANSACTION),
    }
    chosen = [condition for name, condition in _CONDITIONS.items() if parameters[name] is not None]
    is_indexed = filter_.kind is not None or filter_.table_id is not None
    leaves = "feed_entries" if is_indexed else "(SELECT * FROM tree_nodes WHERE level = 0)"
    follows, direction = (">", "ASC") if oldest_first else ("<", "DESC")
    sql = _TRAIL.format(
        columns=columns, leaves=leaves, conditions=" ".join(chosen), follows=follows, direction=direction
    )
    query = text(sql).bindparams(*[each for each in _TRAIL_ARRAYS if f":{each.key})" in sql])
    return query, {name: parameters[name] for name in query.compile().params}


def _first_id(moment: datetime) -> UUID:
    """
    Return the smallest ID that is made at a moment: version 7 begins with its milliseconds.

    >>> _first_id(datetime.fromisoformat("2026-11-20T20:15:00Z"))
    UUID('01a1fa99-19a0-7000-8000-000000000000')
    """
    return UUID(int=int(moment.timestamp() * 1000) << 80 | 0x7000_8000_0000_0000_0000)


# The event of a closing does not name the revision: it is the first with this closing. For a hand: its first result, in
# the revision in which it was recorded. For a revision: the result after a hand, or after the last one, with what was
# paid when the round ended. Top-ups are few, so only hands that have some are read.
_RESULTS: Final = text("""
    SELECT wanted.position, coalesce(score.revision, wanted.revision) AS revision, score.number, score.points,
        to_jsonb(score.transfers) AS transfers, hand.seats AS dealt, coalesce(payout.stacks, score.stacks) AS stacks,
        seating.seats, seating.players, seating.opening_stacks, added.top_ups
    FROM (
        SELECT position, round_id, number, hand_id, CASE WHEN closed_at IS NULL THEN revision ELSE coalesce((
            SELECT min(revision) FROM closings
            WHERE club_id = :club_id AND round_id = each.round_id AND recorded_at = each.closed_at
        ), 0) END AS revision
        FROM unnest(CAST(:positions AS bigint[]), CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[]),
            CAST(:numbers AS integer[]), CAST(:hand_ids AS uuid[]), CAST(:closings AS timestamptz[]))
            AS each (position, round_id, revision, number, hand_id, closed_at)
    ) AS wanted
    LEFT JOIN LATERAL (
        SELECT revision, number, hand_id, points, stacks, transfers FROM hand_scores
        WHERE club_id = :club_id AND round_id = wanted.round_id
            AND (wanted.revision IS NULL OR revision = wanted.revision)
            AND (wanted.number IS NULL OR number <= wanted.number)
            AND (wanted.hand_id IS NULL OR hand_id = wanted.hand_id)
        ORDER BY revision, number DESC LIMIT 1
    ) AS score ON true
    LEFT JOIN hands AS hand ON wanted.hand_id IS NOT NULL AND hand.club_id = :club_id AND hand.id = score.hand_id
    LEFT JOIN payouts AS payout ON wanted.hand_id IS NULL AND payout.club_id = :club_id
        AND payout.round_id = wanted.round_id AND payout.revision = score.revision AND payout.number = score.number
    CROSS JOIN LATERAL (
        SELECT array_agg(seat ORDER BY seat) AS seats, array_agg(player ORDER BY seat) AS players,
            array_agg(opening_stack ORDER BY seat) AS opening_stacks
        FROM round_seats WHERE club_id = :club_id AND round_id = wanted.round_id
            AND revision = coalesce(score.revision, wanted.revision)
    ) AS seating
    CROSS JOIN LATERAL (
        SELECT array_agg(top_ups) AS top_ups FROM hand_scores
        WHERE club_id = :club_id AND round_id = wanted.round_id AND revision = score.revision
            AND number <= score.number AND 0 < ANY (top_ups)
    ) AS added
""")
_OF_REVISION: Final = (
    EventKind.HAND_WITHDRAWN,
    EventKind.ROUND_CLOSED,
    EventKind.ROUND_CORRECTED,
    EventKind.ROUND_RECOMPUTED,
    EventKind.SETTLEMENT_CONFIRMED,
    EventKind.SETTLEMENT_FINALIZED,
)


def add_results(transaction: Transaction, events: Sequence[FeedEvent]) -> list[FeedEvent]:
    """Return events with the results of their hands and rounds, which takes one query at most."""
    keys = [each for each in map(_find_result_key, events) if each is not None]
    if not keys:
        return list(events)
    names = ("positions", "round_ids", "revisions", "numbers", "hand_ids", "closings")
    parameters = dict(zip(names, map(list, zip(*keys, strict=True)), strict=True))
    rows = {
        each.position: each for each in transaction.execute(_RESULTS, {"club_id": transaction.club_id, **parameters})
    }
    results = {position: _build_result(each) for position, each in rows.items() if each.seats}
    return [replace(event, result=results.get(event.position)) for event in events]


class _ResultKey(NamedTuple):
    """The result of an event: that of a hand, of a revision until a hand, or of the revision of a closing."""

    position: int
    round_id: UUID
    revision: int | None = None
    number: int | None = None
    hand_id: UUID | None = None
    closed_at: datetime | None = None


def _find_result_key(event: FeedEvent) -> _ResultKey | None:
    """Return what is read for an event; None if it has no result."""
    read = read_event(event.written)
    if read.round_id is None:
        return None
    if read.kind == EventKind.HAND_RECORDED:
        content = orjson.loads(read.content)
        return _ResultKey(event.position, read.round_id, None, content["hand"]["number"], UUID(content["id"]))
    if read.kind not in _OF_REVISION:
        return None
    content = orjson.loads(read.content)
    # Hands that are recorded later count in the same revision, and are no part of this result.
    match read.kind:
        case EventKind.ROUND_CLOSED:
            return _ResultKey(event.position, read.round_id, closed_at=read.at)
        case EventKind.HAND_WITHDRAWN:
            return _ResultKey(event.position, read.round_id, content["revision"], content["number"] - 1)
        case EventKind.ROUND_CORRECTED:
            return _ResultKey(event.position, read.round_id, content["revision"], len(content["hands"]))
    return _ResultKey(event.position, read.round_id, content["revision"])


def _build_result(row: Row[Any]) -> EventResult:
    brought = [sum(points) for points in zip(row.opening_stacks, *(row.top_ups or ()), strict=True)]
    stacks = row.stacks or row.opening_stacks

    def by_seat(points: Sequence[Points]) -> Mapping[Seat, Points]:
        return dict(zip(row.seats, points, strict=True))

    return EventResult(
        revision=row.revision,
        players=dict(zip(row.seats, row.players, strict=True)),
        stacks=by_seat(stacks),
        net=by_seat([stack - points for stack, points in zip(stacks, brought, strict=True)]),
        points=dict(zip(row.dealt, row.points, strict=True)) if row.dealt else None,
        transfers=load_transfers(row.transfers) if row.dealt else None,
    )

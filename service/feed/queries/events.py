"""Events in the order of a club's tree, filtered by kind, table and round."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import TextClause, bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY, TEXT

from schemas.feed.events import FeedEvent
from service.db import Transaction


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


_OF_ROUND: Final = """
    SELECT leaf.position FROM events AS mine CROSS JOIN LATERAL (
        SELECT position FROM tree_nodes WHERE club_id = :club_id AND event_id = mine.id LIMIT 1
    ) AS leaf
    WHERE mine.club_id = :club_id AND mine.round_id = :round_id AND leaf.position >= :first
        AND (:kinds IS NULL OR mine.kind = ANY (:kinds))
"""
_OF_TABLE: Final = """
    SELECT position FROM feed_entries
    WHERE club_id = :club_id AND table_id = :table_id AND position >= :first
        AND (:kinds IS NULL OR kind = ANY (:kinds))
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

"""Clubs' trees and maps of rounds as stored, read for verification."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import text

from evidence import Place, VerifierKey
from evidence.events import EventKind
from service.audit_trail.queries.checkpoints import list_keys
from service.db import Transaction

_EVENTS: Final = text("""
    SELECT node.position, event.round_id, event.sequence, event.hash FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position >= :first AND node.position < :last
        AND event.round_id IS NOT NULL AND event.sequence > 0 AND length(event.hash) = 32
    ORDER BY node.position
""")
_SEALS: Final = text(f"""
    SELECT node.position, event.id, coalesce(event.content, '') AS content FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position >= :first AND node.position < :last
        AND event.kind = '{EventKind.CHECKPOINT_SEALED}'
    ORDER BY node.position
""")
_TILES: Final = text("""
    SELECT prefix, coalesce(tile, '') AS tile FROM round_map_tiles
    WHERE club_id = :club_id AND (CAST(:after AS text) IS NULL OR prefix > :after) ORDER BY prefix LIMIT :most
""")
_SERVED_TILES: Final = text("""
    SELECT prefix, tile FROM (
        SELECT prefix, CASE WHEN since <= CAST(:served_size AS bigint) THEN tile ELSE signed_tile END AS tile
        FROM round_map_tiles WHERE club_id = :club_id
    ) AS served WHERE tile IS NOT NULL AND (CAST(:after AS text) IS NULL OR prefix > :after)
    ORDER BY prefix LIMIT :most
""")
_AT_ONCE: Final = 10_000


def list_events(transaction: Transaction, first: int, last: int) -> Sequence[Any]:
    """List the events of rounds from one leaf to before another, in order."""
    events = transaction.execute(_EVENTS, {"club_id": transaction.club_id, "first": first, "last": last})
    return events.all()


def list_seals(transaction: Transaction, first: int, last: int) -> Sequence[Any]:
    """List the events of checkpoints from one leaf to before another, in order."""
    return transaction.execute(_SEALS, {"club_id": transaction.club_id, "first": first, "last": last}).all()


def read_tiles(transaction: Transaction, served_size: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield all tiles in order of their prefixes: as they are, or as they were at the served checkpoint."""
    query = _TILES if served_size is None else _SERVED_TILES
    after: str | None = None
    while True:
        parameters: dict[str, Any] = {"club_id": transaction.club_id, "after": after, "most": _AT_ONCE}
        if served_size is not None:
            parameters["served_size"] = served_size
        rows = transaction.execute(query, parameters).all()
        for each in rows:
            yield each.prefix, bytes(each.tile)
        if len(rows) < _AT_ONCE:
            break
        after = rows[-1].prefix


# Each level by itself, so that its nodes are a range of the index.
_COMPLETED: Final = text("""
    SELECT node.* FROM generate_series(0, 62) AS of (level) CROSS JOIN LATERAL (
        SELECT level, position, coalesce(hash, '') AS hash, event_id FROM tree_nodes
        WHERE club_id = :club_id AND level = of.level
            AND position >= CAST(:first AS bigint) >> of.level AND position < CAST(:last AS bigint) >> of.level
    ) AS node ORDER BY node.level, node.position
""")
# Not joined to the leaves: PostgreSQL would then read all events for every page.
_LEAF_EVENTS: Final = text(f"""
    SELECT id, coalesce(hash, '') AS hash, coalesce(kind = '{EventKind.CHECKPOINT_SEALED}', false) AS is_seal,
        CASE WHEN kind = '{EventKind.CHECKPOINT_SEALED}' THEN at END AS at
    FROM events WHERE club_id = :club_id AND id = ANY (:ids)
""")
_NODES: Final = text("""
    SELECT node.level, node.position, coalesce(node.hash, '') AS hash, node.event_id FROM tree_nodes AS node
    JOIN unnest(CAST(:levels AS smallint[]), CAST(:positions AS bigint[])) AS wanted (level, position)
        USING (level, position)
    WHERE node.club_id = :club_id
""")
_HEAD: Final = text("""
    SELECT coalesce(size, -1) AS size, coalesce(signed_size, -1) AS signed_size, signed_at,
        coalesce(served_size, -1) AS served_size, coalesce(mapped_size, -1) AS mapped_size
    FROM tree_heads WHERE club_id = :club_id
""")
_CHECKPOINTS: Final = text("""
    SELECT size, coalesce(root, '') AS root, coalesce(note, '') AS note, created_at
    FROM checkpoints WHERE club_id = :club_id AND size > :first AND size <= :last
    ORDER BY size
""")
_NEWEST: Final = text("""
    SELECT size, created_at FROM checkpoints WHERE club_id = :club_id ORDER BY size DESC LIMIT 1
""")
_NEWEST_SERVED: Final = text("""
    SELECT checkpoint.size, checkpoint.created_at FROM checkpoints AS checkpoint
    JOIN tree_heads AS head ON head.club_id = checkpoint.club_id AND checkpoint.size <= head.served_size
    WHERE checkpoint.club_id = :club_id ORDER BY checkpoint.size DESC LIMIT 1
""")
_END: Final = text("SELECT max(position) + 1 FROM tree_nodes WHERE club_id = :club_id AND level = 0")
# One scan decides whether the queries below are needed.
_LEAVES_COUNTED: Final = text("""
    SELECT count(*) AS size, count(DISTINCT event_id) = count(*) AS are_once,
        count(DISTINCT position) = count(*)
            AND coalesce(min(position) = 0 AND max(position) = count(*) - 1, true) AS are_gapless
    FROM tree_nodes WHERE club_id = :club_id AND level = 0
""")
# In order from leaf to leaf: looking for each position by itself can scan all leaves each time.
_MISSING: Final = text("""
    WITH leaf AS (
        SELECT position FROM tree_nodes
        WHERE club_id = :club_id AND level = 0 AND position >= 0 AND position < CAST(:size AS bigint)
        UNION ALL SELECT CAST(:size AS bigint)
    )
    SELECT place FROM (
        SELECT position, lag(position, 1, CAST(-1 AS bigint)) OVER (ORDER BY position) AS before FROM leaf
    ) AS gap CROSS JOIN LATERAL generate_series(before + 1, position - 1) AS place
    WHERE position > before + 1 ORDER BY place LIMIT :most
""")
# Each level and each side by itself, so that the index is used.
_BEYOND: Final = text("""
    SELECT node.level, node.position FROM generate_series(0, 62) AS level CROSS JOIN LATERAL (
        SELECT level, position FROM tree_nodes WHERE club_id = :club_id AND level = level.level
            AND position >= CAST(:size AS bigint) >> level.level
        UNION ALL
        SELECT level, position FROM tree_nodes WHERE club_id = :club_id AND level = level.level AND position < 0
    ) AS node
    UNION ALL SELECT level, position FROM tree_nodes WHERE club_id = :club_id AND level < 0
    UNION ALL SELECT level, position FROM tree_nodes WHERE club_id = :club_id AND level > 62
""")
_TWICE: Final = text("""
    SELECT event_id FROM tree_nodes WHERE club_id = :club_id AND level = 0 GROUP BY event_id HAVING count(*) > 1
""")
# A full join, because for a table without statistics PostgreSQL would look for each event by itself.
_UNPLACED: Final = text("""
    SELECT event.id FROM (SELECT id FROM events WHERE club_id = :club_id) AS event FULL JOIN (
        SELECT event_id FROM tree_nodes WHERE club_id = :club_id AND event_id IS NOT NULL
    ) AS node ON node.event_id = event.id WHERE node.event_id IS NULL
        AND NOT EXISTS (SELECT FROM waiting_events AS w WHERE w.club_id = :club_id AND w.event_id = event.id)
    ORDER BY event.id
""")
_WAITING_FOR_NOTHING: Final = text("""
    SELECT waiting.event_id, EXISTS (
        SELECT FROM tree_nodes AS n WHERE n.club_id = :club_id AND n.event_id = waiting.event_id
    ) AS has_place FROM waiting_events AS waiting WHERE waiting.club_id = :club_id AND (
        NOT EXISTS (SELECT FROM events AS e WHERE e.club_id = :club_id AND e.id = waiting.event_id)
        OR EXISTS (SELECT FROM tree_nodes AS n WHERE n.club_id = :club_id AND n.event_id = waiting.event_id)
    ) ORDER BY waiting.event_id
""")


def read_head(transaction: Transaction) -> Any:
    """Return the head of the tree; None where there is no tree."""
    return transaction.execute(_HEAD, _mine(transaction)).one_or_none()


def read_end(transaction: Transaction) -> int:
    """Return the position after the last leaf."""
    return transaction.execute(_END, _mine(transaction)).scalar_one() or 0


class CountedLeaves(NamedTuple):
    """
    The number of leaves.

    Attributes:
        size: the number.
        are_once: whether no event has two leaves.
        are_gapless: whether their positions are 0 to size - 1, each once.
    """

    size: int
    are_once: bool
    are_gapless: bool


def count_leaves(transaction: Transaction) -> CountedLeaves:
    """Count the leaves."""
    row = transaction.execute(_LEAVES_COUNTED, _mine(transaction)).one()
    return CountedLeaves(row.size, row.are_once, row.are_gapless)


def list_missing(transaction: Transaction, size: int, most: int) -> Sequence[int]:
    """List at most so many positions below a size that have no leaf."""
    return transaction.execute(_MISSING, {**_mine(transaction), "size": size, "most": most}).scalars().all()


def list_completed(transaction: Transaction, first: int, last: int) -> Sequence[Any]:
    """
    List the subtrees that the leaves from one position to before another complete, these leaves first.

    Each has its level, position, hash and event.
    """
    return transaction.execute(_COMPLETED, {**_mine(transaction), "first": first, "last": last}).all()


def read_leaf_events(transaction: Transaction, event_ids: Sequence[UUID]) -> dict[UUID, Any]:
    """Return the hash and the time of those of some events that exist, and whether they seal a checkpoint."""
    events: Any = transaction.execute(_LEAF_EVENTS, {**_mine(transaction), "ids": event_ids})
    return {event.id: event for event in events.all()}


def read_nodes(transaction: Transaction, places: Sequence[Place]) -> Mapping[Place, tuple[bytes, UUID | None]]:
    """Return the hash and the event of those of some full subtrees that exist."""
    levels, positions = [level for level, _ in places], [position for _, position in places]
    nodes: Any = transaction.execute(_NODES, {**_mine(transaction), "levels": levels, "positions": positions})
    return {(level, position): (hash_, event_id) for level, position, hash_, event_id in nodes.all()}


def list_checkpoints(transaction: Transaction, first: int, last: int) -> Sequence[Any]:
    """List the checkpoints of trees larger than one size and up to another."""
    return transaction.execute(_CHECKPOINTS, {**_mine(transaction), "first": first, "last": last}).all()


def find_newest(transaction: Transaction) -> Any:
    """Return the newest checkpoint; None where nothing was signed."""
    return transaction.execute(_NEWEST, _mine(transaction)).one_or_none()


def find_newest_served(transaction: Transaction) -> Any:
    """Return the newest checkpoint that may be served; None without one."""
    return transaction.execute(_NEWEST_SERVED, _mine(transaction)).one_or_none()


def list_beyond(transaction: Transaction, size: int) -> Iterator[Place]:
    """List the subtrees that lie outside of a tree of a size."""
    for node in transaction.execute(_BEYOND, {**_mine(transaction), "size": size}):
        yield node.level, node.position


def list_twice(transaction: Transaction) -> Sequence[UUID]:
    """List the events that have more than one leaf."""
    return transaction.execute(_TWICE, _mine(transaction)).scalars().all()


def list_unplaced(transaction: Transaction) -> Sequence[UUID]:
    """List the events that have no leaf and do not wait for one."""
    return transaction.execute(_UNPLACED, _mine(transaction)).scalars().all()


def list_waiting_for_nothing(transaction: Transaction) -> Sequence[Any]:
    """List the waiting events that do not exist, or have a leaf already."""
    return transaction.execute(_WAITING_FOR_NOTHING, _mine(transaction)).all()


def list_verifiers(transaction: Transaction) -> list[VerifierKey]:
    """List every published key."""
    return [published.key for published in list_keys(transaction.connection)]


def _mine(transaction: Transaction) -> dict[str, UUID]:
    return {"club_id": transaction.club_id}

"""A club's tree as it is kept, in pages of leaves, for who hashes it anew."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy import TextClause, text

from schemas.evidence import Place, VerifierKey
from schemas.evidence.tree import HASH_BYTES
from service.database import Transaction
from service.repository.checkpoints import list_keys

_LEAVES: Final = text("""
    SELECT position, coalesce(hash, '') AS hash, event_id FROM tree_nodes
    WHERE club_id = :club_id AND level = 0 AND position >= :first AND position < :last ORDER BY position
""")
# By themselves, for joined to the leaves they would be read all, for every page anew.
_HASHES: Final = text("SELECT id, hash FROM events WHERE club_id = :club_id AND id = ANY (:ids)")
# For each leaf by the key of its event: joined all at once, the events would be read all, for every page anew.
_LEAVES_AT_ONCE: Final = text("""
    SELECT coalesce(string_agg(int8send(leaf.position) || leaf.hash, ''), '') AS nodes,
        coalesce(bool_and(coalesce(leaf.hash = event.hash, false)), true) AS are_right
    FROM (
        SELECT position, hash, event_id FROM tree_nodes
        WHERE club_id = :club_id AND level = 0 AND position >= :first AND position < :last ORDER BY position
    ) AS leaf LEFT JOIN LATERAL (
        SELECT hash FROM events WHERE club_id = :club_id AND id = leaf.event_id LIMIT 1
    ) AS event ON true
""")
_NODES_AT_ONCE: Final = text("""
    SELECT coalesce(string_agg(int8send(position) || hash, ''), '') AS nodes,
        coalesce(bool_and(event_id IS NULL), true) AS are_right
    FROM (
        SELECT node.* FROM generate_series(1, CAST(:levels AS integer)) AS above (level) CROSS JOIN LATERAL (
            SELECT position, hash, event_id FROM tree_nodes
            WHERE club_id = :club_id AND level = above.level
                AND position >= CAST(:first AS bigint) >> above.level
                AND position < CAST(:last AS bigint) >> above.level
        ) AS node ORDER BY above.level, node.position
    ) AS ordered
""")
_PLACED: Final = np.dtype([("position", ">i8"), ("hash", "u1", (HASH_BYTES,))])
_NODES: Final = text("""
    SELECT node.level, node.position, coalesce(node.hash, '') AS hash, node.event_id FROM tree_nodes AS node
    JOIN unnest(CAST(:levels AS smallint[]), CAST(:positions AS bigint[])) AS wanted (level, position)
        USING (level, position)
    WHERE node.club_id = :club_id
""")
_HEAD: Final = text("""
    SELECT coalesce(size, -1) AS size, coalesce(signed_size, -1) AS signed_size, signed_at
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
_END: Final = text("SELECT max(position) + 1 FROM tree_nodes WHERE club_id = :club_id AND level = 0")
_COUNT: Final = text("SELECT count(*) FROM tree_nodes WHERE club_id = :club_id AND level = 0")
# From leaf to leaf in order: to look for each place by itself can take a look at all leaves each time.
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
# Each level by itself, and either side of it: the index leads there, past all that has its place.
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
_UNPLACED: Final = text("""
    SELECT event.id FROM events AS event WHERE event.club_id = :club_id
        AND NOT EXISTS (SELECT FROM waiting_events AS w WHERE w.club_id = :club_id AND w.event_id = event.id)
        AND NOT EXISTS (SELECT FROM tree_nodes AS n WHERE n.club_id = :club_id AND n.event_id = event.id)
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
    """Read how far the tree goes by its own account; None where there is no tree."""
    return transaction.execute(_HEAD, _mine(transaction)).one_or_none()


def read_end(transaction: Transaction) -> int:
    """Say where the last leaf is."""
    return transaction.execute(_END, _mine(transaction)).scalar_one() or 0


def count_leaves(transaction: Transaction) -> int:
    """Count the leaves, wherever they are."""
    return int(transaction.execute(_COUNT, _mine(transaction)).scalar_one())


def list_missing(transaction: Transaction, size: int, most: int) -> Sequence[int]:
    """List the places of leaves that a tree of a size does not have; so many at most."""
    return transaction.execute(_MISSING, {**_mine(transaction), "size": size, "most": most}).scalars().all()


def list_leaves(transaction: Transaction, first: int, last: int) -> Sequence[Any]:
    """List leaves from one to the one before another."""
    return transaction.execute(_LEAVES, {**_mine(transaction), "first": first, "last": last}).all()


class PlacedNodes(NamedTuple):
    """
    Subtrees, in order.

    Attributes:
        positions: of each, within its level.
        hashes: one after the other.
        are_right: whether every leaf has the hash of its event, and what is above leaves names no event.
    """

    positions: list[int]
    hashes: bytes
    are_right: bool


def read_leaves(transaction: Transaction, first: int, last: int) -> PlacedNodes:
    """
    Read leaves from one to the one before another.

    Raises:
        ValueError: one has a hash that is none.
    """
    return _read_placed(transaction, _LEAVES_AT_ONCE, {"first": first, "last": last})


def read_above(transaction: Transaction, first: int, last: int, levels: int) -> PlacedNodes:
    """
    Read the subtrees that are full of some leaves, so many levels up, level by level.

    Raises:
        ValueError: one has a hash that is none.
    """
    return _read_placed(transaction, _NODES_AT_ONCE, {"first": first, "last": last, "levels": levels})


def _read_placed(transaction: Transaction, query: TextClause, parameters: Mapping[str, int]) -> PlacedNodes:
    found = transaction.execute(query, {**_mine(transaction), **parameters}).one()
    nodes = np.frombuffer(found.nodes, _PLACED)
    return PlacedNodes(nodes["position"].tolist(), nodes["hash"].tobytes(), found.are_right)


def read_hashes(transaction: Transaction, event_ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """Read the hash that each of some events has; of those that are there."""
    found = transaction.execute(_HASHES, {**_mine(transaction), "ids": event_ids})
    return {event.id: bytes(event.hash or b"") for event in found}


def read_nodes(transaction: Transaction, places: Sequence[Place]) -> Mapping[Place, Any]:
    """Read some full subtrees; those that are there."""
    levels, positions = [level for level, _ in places], [position for _, position in places]
    found = transaction.execute(_NODES, {**_mine(transaction), "levels": levels, "positions": positions})
    return {(node.level, node.position): node for node in found}


def list_checkpoints(transaction: Transaction, first: int, last: int) -> Sequence[Any]:
    """List what was signed of trees larger than one size and up to another."""
    return transaction.execute(_CHECKPOINTS, {**_mine(transaction), "first": first, "last": last}).all()


def find_newest(transaction: Transaction) -> Any:
    """Find what was signed last; None where nothing was."""
    return transaction.execute(_NEWEST, _mine(transaction)).one_or_none()


def list_beyond(transaction: Transaction, size: int) -> Iterator[Place]:
    """List the subtrees that a tree of a size has no place for."""
    for node in transaction.execute(_BEYOND, {**_mine(transaction), "size": size}):
        yield node.level, node.position


def list_twice(transaction: Transaction) -> Sequence[UUID]:
    """List the events that have more than one place."""
    return transaction.execute(_TWICE, _mine(transaction)).scalars().all()


def list_unplaced(transaction: Transaction) -> Sequence[UUID]:
    """List the events that neither have a place nor wait for one."""
    return transaction.execute(_UNPLACED, _mine(transaction)).scalars().all()


def list_waiting_for_nothing(transaction: Transaction) -> Sequence[Any]:
    """List what waits for a place though it is no event, or has one."""
    return transaction.execute(_WAITING_FOR_NOTHING, _mine(transaction)).all()


def list_verifiers(transaction: Transaction) -> list[VerifierKey]:
    """List every public key that ever signed."""
    return [published.key for published in list_keys(transaction.connection)]


def _mine(transaction: Transaction) -> dict[str, UUID]:
    return {"club_id": transaction.club_id}

"""Clubs' trees and maps of rounds as stored, read for verification."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy import text

from evidence import Place, VerifierKey
from evidence.tree import HASH_BYTES
from service.db import Transaction
from service.ledger.queries.checkpoints import list_keys
from service.recomputations.packed.rows import Rows, split_rows

_EVENTS: Final = text("""
    SELECT node.position, event.round_id, event.sequence, event.hash FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position >= :first AND node.position < :last
        AND event.round_id IS NOT NULL AND event.sequence > 0 AND length(event.hash) = 32
    ORDER BY node.position
""")
_TILES: Final = text("""
    SELECT prefix, coalesce(tile, '') AS tile FROM round_map_tiles
    WHERE club_id = :club_id AND (CAST(:after AS text) IS NULL OR prefix > :after) ORDER BY prefix LIMIT :most
""")
_SIGNED_TILES: Final = text("""
    SELECT prefix, tile FROM (
        SELECT prefix, CASE WHEN since <= CAST(:signed_size AS bigint) THEN tile ELSE signed_tile END AS tile
        FROM round_map_tiles WHERE club_id = :club_id
    ) AS signed WHERE tile IS NOT NULL AND (CAST(:after AS text) IS NULL OR prefix > :after)
    ORDER BY prefix LIMIT :most
""")
_AT_ONCE: Final = 10_000


def list_events(transaction: Transaction, first: int, last: int) -> Sequence[Any]:
    """List the events of rounds from one place of the tree to the one before another, in that order."""
    found = transaction.execute(_EVENTS, {"club_id": transaction.club_id, "first": first, "last": last})
    return found.all()


def read_tiles(transaction: Transaction, signed_size: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Read all tiles in order of their prefixes: as they are, or as they were when a size was signed."""
    query = _TILES if signed_size is None else _SIGNED_TILES
    after: str | None = None
    while True:
        parameters: dict[str, Any] = {"club_id": transaction.club_id, "after": after, "most": _AT_ONCE}
        if signed_size is not None:
            parameters["signed_size"] = signed_size
        found = transaction.execute(query, parameters).all()
        for each in found:
            yield each.prefix, bytes(each.tile)
        if len(found) < _AT_ONCE:
            break
        after = found[-1].prefix


_LEAVES: Final = text("""
    SELECT position, coalesce(hash, '') AS hash, event_id FROM tree_nodes
    WHERE club_id = :club_id AND level = 0 AND position >= :first AND position < :last ORDER BY position
""")
# By themselves, for joined to the leaves they would be read all, for every page anew.
_HASHES: Final = text("SELECT id, hash FROM events WHERE club_id = :club_id AND id = ANY (:ids)")
# Their events by the keys of all of them at once: joined, they would be read all, for every page anew.
_LEAVES_AT_ONCE: Final = f"""
    WITH leaf AS MATERIALIZED (
        SELECT position, event_id, hash FROM tree_nodes
        WHERE club_id = %(club_id)s AND level = 0 AND position >= %(first)s AND position < %(last)s
    )
    SELECT coalesce(bool_and(coalesce(event_id IS NOT NULL AND length(hash) = {HASH_BYTES}, false)), true),
        coalesce(string_agg(int8send(position) || uuid_send(event_id) || hash, ''), ''),
        (
            SELECT coalesce(string_agg(uuid_send(id) || hash, ''), '') FROM events
            WHERE club_id = %(club_id)s AND id = ANY (ARRAY(SELECT event_id FROM leaf)) AND length(hash) = {HASH_BYTES}
        )
    FROM leaf
"""
# Level by level as the index has them, which all of them would have to be put in order for.
_NODES_AT_ONCE: Final = f"""
    SELECT bool_and(are_right), string_agg(nodes, '') FROM (
        SELECT level.* FROM generate_series(1, CAST(%(levels)s AS integer)) AS above (level) CROSS JOIN LATERAL (
            SELECT coalesce(bool_and(coalesce(event_id IS NULL AND length(hash) = {HASH_BYTES}, false)), true)
                AS are_right,
                coalesce(string_agg(int8send(position) || hash, ''), '') AS nodes
            FROM (
                SELECT position, hash, event_id FROM tree_nodes
                WHERE club_id = %(club_id)s AND level = above.level
                    AND position >= CAST(%(first)s AS bigint) >> above.level
                    AND position < CAST(%(last)s AS bigint) >> above.level
                ORDER BY position
            ) AS node
        ) AS level ORDER BY above.level
    ) AS ordered
"""
_HASH: Final = ("hash", "u1", (HASH_BYTES,))
_NODE: Final = np.dtype([("position", ">i8"), _HASH])
_EVENT: Final = np.dtype([("id", ">u8", (2,)), _HASH])
_LEAF: Final = np.dtype([("position", ">i8"), ("event", _EVENT)])
_NODES: Final = text("""
    SELECT node.level, node.position, coalesce(node.hash, '') AS hash, node.event_id FROM tree_nodes AS node
    JOIN unnest(CAST(:levels AS smallint[]), CAST(:positions AS bigint[])) AS wanted (level, position)
        USING (level, position)
    WHERE node.club_id = :club_id
""")
_HEAD: Final = text("""
    SELECT coalesce(size, -1) AS size, coalesce(signed_size, -1) AS signed_size, signed_at,
        coalesce(mapped_size, -1) AS mapped_size
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
# One look at all of them says where nothing has to be looked for.
_LEAVES_COUNTED: Final = text("""
    SELECT count(*) AS size, count(DISTINCT event_id) = count(*) AS are_once,
        count(DISTINCT position) = count(*)
            AND coalesce(min(position) = 0 AND max(position) = count(*) - 1, true) AS are_gapless
    FROM tree_nodes WHERE club_id = :club_id AND level = 0
""")
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
# A full join, for one of few records, as an unknown table seems to have, would look for each event's place by itself.
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
    """Read how far the tree goes by its own account; None where there is no tree."""
    return transaction.execute(_HEAD, _mine(transaction)).one_or_none()


def read_end(transaction: Transaction) -> int:
    """Say where the last leaf is."""
    return transaction.execute(_END, _mine(transaction)).scalar_one() or 0


class CountedLeaves(NamedTuple):
    """
    All leaves, wherever they are.

    Attributes:
        size: how many.
        are_once: whether each is of another event.
        are_gapless: whether they have the first places, each its own.
    """

    size: int
    are_once: bool
    are_gapless: bool


def count_leaves(transaction: Transaction) -> CountedLeaves:
    """Count the leaves."""
    found = transaction.execute(_LEAVES_COUNTED, _mine(transaction)).one()
    return CountedLeaves(found.size, found.are_once, found.are_gapless)


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
    are_right, leaves, events = _read_values(transaction, _LEAVES_AT_ONCE, {"first": first, "last": last})
    placed, told = np.frombuffer(leaves, _LEAF), np.frombuffer(events, _EVENT)
    placed = placed.take(np.argsort(placed["position"], kind="stable"))
    are_told = _by_id(placed["event"]).tobytes() == _by_id(told).tobytes()
    return PlacedNodes(placed["position"].tolist(), placed["event"]["hash"].tobytes(), any(are_right) and are_told)


def read_above(transaction: Transaction, first: int, last: int, levels: int) -> PlacedNodes:
    """
    Read the subtrees that are full of some leaves, so many levels up, level by level.

    Raises:
        ValueError: one has a hash that is none.
    """
    parameters = {"first": first, "last": last, "levels": levels}
    are_right, nodes = _read_values(transaction, _NODES_AT_ONCE, parameters)
    placed = np.frombuffer(nodes, _NODE)
    return PlacedNodes(placed["position"].tolist(), placed["hash"].tobytes(), any(are_right))


def _read_values(transaction: Transaction, query: str, parameters: Mapping[str, int]) -> Iterator[bytes]:
    """Read the columns of one row."""
    [row] = split_rows(transaction.copy_out(query, {**_mine(transaction), **parameters}))
    place = 2
    while place < len(row):
        first = place + 4
        place = first + int.from_bytes(row[place:first])
        yield row[first:place]


def _by_id(events: Rows) -> Rows:
    return events.take(np.lexsort((events["id"][:, 1], events["id"][:, 0])))


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

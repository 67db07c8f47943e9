"""Clubs' Merkle trees of events and maps from rounds to their newest events, with proofs."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, text

from evidence import (
    Edge,
    MapEntry,
    Place,
    Range,
    Tile,
    consistency_ranges,
    hashes_of,
    inclusion_ranges,
    key_of,
    places_of,
    prove_entry,
    read_tile,
    root_of,
    update_map,
    write_tile,
)
from evidence.files import ProvedEvent
from service.audit_trail.queries.events import Leaf
from service.db import Statement, Transaction


@dataclass(frozen=True, slots=True)
class TreeHead:
    """
    The sizes of a club's tree.

    Attributes:
        size: the number of events in the tree.
        signed_size: the number of events that the newest checkpoint covers.
        signed_at: when the newest checkpoint was signed; None without one.
        served_size: the number of events that the newest checkpoint covers that may be served.
        mapped_size: the number of events that the map of rounds covers.
    """

    size: int
    signed_size: int
    signed_at: datetime | None
    served_size: int
    mapped_size: int


_CLUBS: Final = text("SELECT club_id FROM clubs_with_trees_due(:moment) AS due (club_id)")
_BEGIN: Final = text("""
    INSERT INTO tree_heads (club_id, size, signed_size, served_size, mapped_size) VALUES (:club_id, 0, 0, 0, 0)
    ON CONFLICT DO NOTHING
""")
_HEAD: Final = "SELECT size, signed_size, signed_at, served_size, mapped_size FROM tree_heads WHERE club_id = :club_id"
_LOCK: Final = text(f"{_HEAD} FOR UPDATE")
_TRY_LOCK: Final = text(f"{_HEAD} FOR UPDATE SKIP LOCKED")
_GET: Final = text(_HEAD)
# Waiting events are selected by id and not by a number, so an event that is committed later is never skipped.
_TAKE: Final = text("""
    WITH next AS (
        SELECT event_id FROM waiting_events WHERE club_id = :club_id ORDER BY event_id LIMIT :most
    ), taken AS (
        DELETE FROM waiting_events USING next
        WHERE waiting_events.club_id = :club_id AND waiting_events.event_id = next.event_id
        RETURNING waiting_events.event_id
    )
    SELECT event.id, event.hash FROM events AS event JOIN taken ON event.id = taken.event_id
    WHERE event.club_id = :club_id ORDER BY event.id
""")
_COUNT_WAITING: Final = text("SELECT count(*) FROM waiting_events WHERE club_id = :club_id")
_ADD: Final = text("""
    INSERT INTO tree_nodes (club_id, level, position, hash, event_id)
    SELECT :club_id, node.* FROM unnest(
        CAST(:levels AS smallint[]), CAST(:positions AS bigint[]), CAST(:hashes AS bytea[]), CAST(:events AS uuid[])
    ) AS node
""")
# The events that create or change a table, and links to it, belong to no round. Entries never change, also where a tree
# was lost and grows again.
_INDEX: Final = text("""
    INSERT INTO feed_entries (club_id, kind, position, table_id)
    SELECT :club_id, event.kind, leaf.position, coalesce(round.table_id, CASE event.kind
        WHEN 'table.created' THEN CAST(convert_from(event.content, 'UTF8')::jsonb ->> 'id' AS uuid)
        WHEN 'table.changed' THEN CAST(convert_from(event.content, 'UTF8')::jsonb ->> 'id' AS uuid)
        WHEN 'link.issued' THEN CAST(convert_from(event.content, 'UTF8')::jsonb ->> 'table' AS uuid)
        WHEN 'link.revoked' THEN CAST(convert_from(event.content, 'UTF8')::jsonb ->> 'table' AS uuid) END)
    FROM unnest(CAST(:positions AS bigint[]), CAST(:events AS uuid[])) AS leaf (position, event_id)
    JOIN events AS event ON event.club_id = :club_id AND event.id = leaf.event_id
    LEFT JOIN rounds AS round ON round.club_id = :club_id AND round.id = event.round_id
    ON CONFLICT DO NOTHING
""")
_GROW: Final = text("UPDATE tree_heads SET size = :size WHERE club_id = :club_id")
_SIGN: Final = text(
    "UPDATE tree_heads SET signed_size = size, mapped_size = size, signed_at = :now WHERE club_id = :club_id"
)
# Tiles have their content at the served checkpoint, so the map must not have changed since this one was signed.
_SERVE_SIGNED: Final = Statement(
    text("""
    UPDATE tree_heads SET served_size = :size
    WHERE club_id = :club_id AND signed_size = :size AND mapped_size = :size AND served_size < :size
""")
)
_NODES: Final = text("""
    SELECT node.level, node.position, node.hash FROM tree_nodes AS node
    JOIN unnest(CAST(:levels AS smallint[]), CAST(:positions AS bigint[])) AS wanted (level, position)
        USING (level, position)
    WHERE node.club_id = :club_id
""")


def list_clubs_due(connection: Connection, now: datetime, pause: timedelta) -> Sequence[UUID]:
    """
    List the clubs with events that wait to join the tree, or with a tree to sign.

    Args:
        connection: from `Database.outside_clubs`.
        now: the current time.
        pause: the time between two checkpoints of a tree that grows.
    """
    return connection.execute(_CLUBS, {"moment": now - pause}).scalars().all()


def lock_head(transaction: Transaction) -> TreeHead:
    """Lock the club's tree until the transaction ends, and insert its head if there is none."""
    transaction.execute(_BEGIN, {"club_id": transaction.club_id})
    return _load(transaction.execute(_LOCK, {"club_id": transaction.club_id}).one())


def try_lock_head(transaction: Transaction) -> TreeHead | None:
    """Lock the club's tree; return None if another transaction has locked it."""
    parameters = {"club_id": transaction.club_id}
    row = transaction.execute(_TRY_LOCK, parameters).one_or_none()
    if row is None and transaction.execute(_GET, parameters).one_or_none() is None:
        return lock_head(transaction)
    return None if row is None else _load(row)


def get_head(transaction: Transaction) -> TreeHead:
    """Return the head of the club's tree."""
    row = transaction.execute(_GET, {"club_id": transaction.club_id}).one_or_none()
    return TreeHead(0, 0, None, 0, 0) if row is None else _load(row)


def count_waiting(transaction: Transaction) -> int:
    """Count the club's events that are not in its tree yet."""
    return int(transaction.execute(_COUNT_WAITING, {"club_id": transaction.club_id}).scalar_one())


def grow(transaction: Transaction, head: TreeHead, most: int) -> TreeHead:
    """
    Add waiting events to the tree and to the index of the feed, oldest first.

    Args:
        transaction: in which the head was locked.
        head: the head as it was locked.
        most: the most events to add.

    Returns:
        The new head; the same if no events waited.
    """
    events = transaction.execute(_TAKE, {"club_id": transaction.club_id, "most": most}).all()
    return append(transaction, head, [Leaf(event.id, bytes(event.hash)) for event in events]) if events else head


def append(transaction: Transaction, head: TreeHead, events: Sequence[Leaf]) -> TreeHead:
    """Add events to the tree and to the index of the feed, notify those who wait for them, and return the new head."""
    edge = _edge(transaction, head.size)
    nodes = [
        (level, position, node, event.id if level == 0 else None)
        for event in events
        for (level, position), node in edge.append(event.hash)
    ]
    levels, positions, hashes, ids = map(list, zip(*nodes, strict=True))
    added = {"levels": levels, "positions": positions, "hashes": hashes, "events": ids}
    transaction.execute(_ADD, {"club_id": transaction.club_id, **added})
    positions = list(range(head.size, edge.size))
    indexed = {"positions": positions, "events": [event.id for event in events]}
    transaction.execute(_INDEX, {"club_id": transaction.club_id, **indexed})
    transaction.execute(_GROW, {"club_id": transaction.club_id, "size": edge.size})
    return replace(head, size=edge.size)


def mark_signed(transaction: Transaction) -> None:
    """Update the locked head: the whole tree is signed, and the map of rounds covers it, as its last event has it."""
    transaction.execute(_SIGN, {"club_id": transaction.club_id, "now": transaction.now})


def serve_signed(transaction: Transaction, size: int) -> None:
    """
    Mark the newest checkpoint as served, in a second transaction after the commit of this one.

    This commit waits until the standbys have the checkpoint. Without it, a failover could lose a checkpoint that
    somebody has, and the tree would grow in another way.

    Args:
        transaction: that of the signature, or a later one.
        size: the number of events that the checkpoint covers.
    """
    transaction.afterwards.append(
        lambda following: following.write(_SERVE_SIGNED, {"club_id": following.club_id, "size": size})
    )


def get_root(transaction: Transaction, size: int) -> bytes:
    """Return the root hash of the tree at a size."""
    return _edge(transaction, size).root


def hash_ranges(transaction: Transaction, ranges: Sequence[Range]) -> list[bytes]:
    """Return the hashes of ranges of leaves, for a proof."""
    return hashes_of(ranges, _read(transaction, places_of(ranges)))


def _load(row: Row[Any]) -> TreeHead:
    return TreeHead(row.size, row.signed_size, row.signed_at, row.served_size, row.mapped_size)


def _edge(transaction: Transaction, size: int) -> Edge:
    places = places_of([(0, size)])
    nodes = _read(transaction, places)
    return Edge(size, [nodes[place] for place in places])


def _read(transaction: Transaction, places: Iterable[Place]) -> dict[Place, bytes]:
    keys = list(places)
    parameters = {"levels": [level for level, _ in keys], "positions": [position for _, position in keys]}
    nodes = transaction.execute(_NODES, {"club_id": transaction.club_id, **parameters})
    return {(node.level, node.position): bytes(node.hash) for node in nodes}


_LAST: Final = text("""
    SELECT node.position, event.heading || event.content AS written FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position = ANY (:positions)
""")


def prove_last(transaction: Transaction, sizes: Collection[int]) -> Mapping[int, ProvedEvent]:
    """Return the last event of the tree at each of some sizes, with its inclusion proof in the tree of that size."""
    positions = [size - 1 for size in sizes]
    rows = transaction.execute(_LAST, {"club_id": transaction.club_id, "positions": positions}).all()
    ranges = {each.position: inclusion_ranges(each.position, each.position + 1) for each in rows}
    hashes = iter(hash_ranges(transaction, [each for some in ranges.values() for each in some]))
    return {
        each.position + 1: ProvedEvent(
            bytes(each.written), each.position, tuple(islice(hashes, len(ranges[each.position])))
        )
        for each in rows
    }


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The position of an event in the tree, and its inclusion proof."""

    position: int
    proof: tuple[bytes, ...]


_POSITIONS: Final = text("""
    SELECT event_id, position FROM tree_nodes
    WHERE club_id = :club_id AND level = 0 AND event_id = ANY (:event_ids) AND position < :size
""")


def prove_inclusion(transaction: Transaction, event_ids: Collection[UUID], size: int) -> Mapping[UUID, Inclusion]:
    """Return the inclusion proofs of events in the tree at a size; events that it does not contain are omitted."""
    parameters = {"club_id": transaction.club_id, "event_ids": list(event_ids), "size": size}
    positions = {each.event_id: each.position for each in transaction.execute(_POSITIONS, parameters)}
    ranges = {event_id: inclusion_ranges(position, size) for event_id, position in positions.items()}
    hashes: Iterator[bytes] = iter(hash_ranges(transaction, [each for some in ranges.values() for each in some]))
    return {
        event_id: Inclusion(positions[event_id], tuple(islice(hashes, len(some)))) for event_id, some in ranges.items()
    }


def prove_growth(transaction: Transaction, old: int, new: int) -> tuple[bytes, ...]:
    """
    Return the consistency proof between two sizes of the tree.

    Raises:
        EvidenceError: the old size is larger than the new one.
    """
    return tuple(hash_ranges(transaction, consistency_ranges(old, new)))


# A later event of a round can have joined before an earlier one: compare sequence numbers, not positions.
_NEWEST: Final = text("""
    SELECT DISTINCT ON (event.round_id) event.round_id, event.sequence, event.hash FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position >= :first AND node.position < :last
        AND event.round_id IS NOT NULL
    ORDER BY event.round_id, event.sequence DESC
""")
_TILES: Final = text("""
    SELECT prefix, tile FROM round_map_tiles WHERE club_id = :club_id AND prefix = ANY (:prefixes)
""")
_SERVED_TILES: Final = text("""
    SELECT prefix, tile FROM (
        SELECT prefix, CASE WHEN since <= :served_size THEN tile ELSE signed_tile END AS tile
        FROM round_map_tiles WHERE club_id = :club_id AND prefix = ANY (:prefixes)
    ) AS served WHERE tile IS NOT NULL
""")
_STORE: Final = text("""
    INSERT INTO round_map_tiles AS stored (club_id, prefix, tile, since)
    SELECT :club_id, changed.prefix, changed.tile, :since
    FROM unnest(CAST(:prefixes AS text[]), CAST(:tiles AS bytea[])) AS changed (prefix, tile)
    ON CONFLICT (club_id, prefix) DO UPDATE SET
        tile = excluded.tile,
        since = excluded.since,
        signed_tile = CASE WHEN stored.since <= :served_size THEN stored.tile ELSE stored.signed_tile END
""")
_MAPPED: Final = text("UPDATE tree_heads SET mapped_size = :size WHERE club_id = :club_id")


def update_round_map(transaction: Transaction, head: TreeHead, most: int) -> TreeHead:
    """
    Add the next events of the tree to the map of rounds.

    Args:
        transaction: in which the head was locked.
        head: the head as it was locked.
        most: the most events to add.

    Returns:
        The new head.
    """
    last = min(head.size, head.mapped_size + most)
    rows = transaction.execute(_NEWEST, {"club_id": transaction.club_id, "first": head.mapped_size, "last": last})
    entries = [MapEntry.of(each.round_id, each.sequence, bytes(each.hash)) for each in rows]
    if entries:
        changed = update_map(entries, lambda prefixes: dict(_read_tiles(transaction, prefixes)))
        written = {
            "prefixes": list(changed),
            "tiles": [write_tile(tile) for tile in changed.values()],
            "since": last,
            "served_size": head.served_size,
        }
        transaction.execute(_STORE, {"club_id": transaction.club_id, **written})
    transaction.execute(_MAPPED, {"club_id": transaction.club_id, "size": last})
    return replace(head, mapped_size=last)


def get_round_map_root(transaction: Transaction) -> bytes:
    """Return the root hash of the map of rounds."""
    return root_of(dict(_read_tiles(transaction, [""])).get("", {}))


def prove_newest_event(
    transaction: Transaction, round_id: UUID, served_size: int
) -> tuple[MapEntry, tuple[bytes, ...]] | None:
    """Prove a round's newest event at the newest served checkpoint; None if the round had no event in the tree."""
    key = key_of(round_id)
    prefixes = [key[:depth] for depth in range(len(key))]
    parameters = {"club_id": transaction.club_id, "prefixes": prefixes, "served_size": served_size}
    return prove_entry(round_id, dict(_load_tiles(transaction.execute(_SERVED_TILES, parameters).all())))


def _read_tiles(transaction: Transaction, prefixes: Collection[str]) -> Iterator[tuple[str, Tile]]:
    parameters = {"club_id": transaction.club_id, "prefixes": list(prefixes)}
    return _load_tiles(transaction.execute(_TILES, parameters).all())


def _load_tiles(rows: Sequence[Row[Any]]) -> Iterator[tuple[str, Tile]]:
    for each in rows:
        yield each.prefix, read_tile(bytes(each.tile))

"""The map from a club's rounds to their newest events: updated from the tree, and read for proofs."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from evidence import MapEntry, Tile, key_of, prove_entry, read_tile, root_of, update_map, write_tile
from service.db import Transaction
from service.ledger.queries.trees import TreeHead

# A later event of a round can have joined before an earlier one: the number in the round decides, not the place.
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
_SIGNED_TILES: Final = text("""
    SELECT prefix, tile FROM (
        SELECT prefix, CASE WHEN since <= :signed_size THEN tile ELSE signed_tile END AS tile
        FROM round_map_tiles WHERE club_id = :club_id AND prefix = ANY (:prefixes)
    ) AS signed WHERE tile IS NOT NULL
""")
_STORE: Final = text("""
    INSERT INTO round_map_tiles AS stored (club_id, prefix, tile, since)
    SELECT :club_id, changed.prefix, changed.tile, :since
    FROM unnest(CAST(:prefixes AS text[]), CAST(:tiles AS bytea[])) AS changed (prefix, tile)
    ON CONFLICT (club_id, prefix) DO UPDATE SET
        tile = excluded.tile,
        since = excluded.since,
        signed_tile = CASE WHEN stored.since <= :signed_size THEN stored.tile ELSE stored.signed_tile END
""")
_MAPPED: Final = text("UPDATE tree_heads SET mapped_size = :size WHERE club_id = :club_id")


def update(transaction: Transaction, head: TreeHead, most: int) -> TreeHead:
    """
    Enter events of the tree into the map of rounds, from the first that it does not stand for.

    Args:
        transaction: in which the head was locked.
        head: as it was locked.
        most: so many events at once.

    Returns:
        The head as it is then.
    """
    last = min(head.size, head.mapped_size + most)
    found = transaction.execute(_NEWEST, {"club_id": transaction.club_id, "first": head.mapped_size, "last": last})
    entries = [MapEntry.of(each.round_id, each.sequence, bytes(each.hash)) for each in found]
    if entries:
        changed = update_map(entries, lambda prefixes: dict(_read(transaction, prefixes)))
        written = {
            "prefixes": list(changed),
            "tiles": [write_tile(tile) for tile in changed.values()],
            "since": last,
            "signed_size": head.signed_size,
        }
        transaction.execute(_STORE, {"club_id": transaction.club_id, **written})
    transaction.execute(_MAPPED, {"club_id": transaction.club_id, "size": last})
    return replace(head, mapped_size=last)


def get_root(transaction: Transaction) -> bytes:
    """Return the root of the map as it is."""
    return root_of(dict(_read(transaction, [""])).get("", {}))


def prove_signed(
    transaction: Transaction, round_id: UUID, signed_size: int
) -> tuple[MapEntry, tuple[bytes, ...]] | None:
    """Prove which was a round's newest event when the newest checkpoint was signed; None where it had none yet."""
    key = key_of(round_id)
    prefixes = [key[:depth] for depth in range(len(key))]
    parameters = {"club_id": transaction.club_id, "prefixes": prefixes, "signed_size": signed_size}
    return prove_entry(round_id, dict(_load(transaction.execute(_SIGNED_TILES, parameters).all())))


def _read(transaction: Transaction, prefixes: Collection[str]) -> Iterator[tuple[str, Tile]]:
    parameters = {"club_id": transaction.club_id, "prefixes": list(prefixes)}
    return _load(transaction.execute(_TILES, parameters).all())


def _load(found: Sequence[Row[Any]]) -> Iterator[tuple[str, Tile]]:
    for each in found:
        yield each.prefix, read_tile(bytes(each.tile))

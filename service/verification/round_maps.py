"""A club's map of rounds built again from its events, and compared with its tiles and every checkpoint."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from evidence import EvidenceError, MapEntry, Tile, read_tile, root_of, update_map, write_tile
from evidence.events import CheckpointSealed, EventKind, decode_event
from service.db import Transaction
from service.replays.findings import MOST_NAMED, Finding, FindingKind
from service.verification.queries import trees

_EVENTS_AT_ONCE: Final = 20_000


def check_round_map(transaction: Transaction) -> Iterator[Finding]:
    """Build the map again, event by event, and compare it with the events of checkpoints and as it is stored."""
    head, newest = trees.read_head(transaction), trees.find_newest_served(transaction)
    end = trees.read_end(transaction)
    mapped = head.mapped_size if head else 0
    least = newest.size if newest else 0
    club = {"club_id": transaction.club_id}
    if not least <= mapped <= end:
        right = max(least, min(mapped, end))
        yield Finding(FindingKind.RECORD_DIFFERS, "tree_heads", club, "mapped_size", mapped, right)
    round_map = _RoundMap()
    last = min(end, max(least, mapped))
    for first in range(0, last, _EVENTS_AT_ONCE):
        upto = min(first + _EVENTS_AT_ONCE, last)
        events = trees.list_events(transaction, first, upto)
        sealed = {each.position + 1: each for each in trees.list_seals(transaction, first, upto)}
        stops = {*sealed, least, mapped, upto}
        for size in sorted(stop for stop in stops if first < stop <= upto):
            round_map.add([event for event in events if round_map.size <= event.position < size], size)
            if size in sealed:
                yield from _check_seal(transaction, sealed[size], round_map.root)
            if newest is not None and size == newest.size:
                stored = trees.read_tiles(transaction, size)
                yield from islice(_check_tiles(transaction, stored, round_map.tiles, "signed_tile"), MOST_NAMED)
            if size == mapped:
                stored = trees.read_tiles(transaction)
                yield from islice(_check_tiles(transaction, stored, round_map.tiles, "tile"), MOST_NAMED)
    if not last or not mapped:
        stored = trees.read_tiles(transaction)
        yield from islice(_check_tiles(transaction, stored, {}, "tile"), MOST_NAMED)


class _RoundMap:
    """The map of the first events of a tree, in memory."""

    def __init__(self) -> None:
        self.size = 0
        self.tiles: dict[str, bytes] = {}

    @property
    def root(self) -> bytes:
        return root_of(self._read([""]).get("", {}))

    def add(self, events: Iterable[Any], size: int) -> None:
        """Add the events up to a size."""
        entries: dict[Any, MapEntry] = {}
        for event in events:
            there = entries.get(event.round_id)
            if there is None or there.sequence < event.sequence:
                entries[event.round_id] = MapEntry.of(event.round_id, event.sequence, bytes(event.hash))
        if entries:
            changed = update_map(entries.values(), self._read)
            self.tiles.update((prefix, write_tile(tile)) for prefix, tile in changed.items())
        self.size = size

    def _read(self, prefixes: Collection[str]) -> Mapping[str, Tile]:
        return {prefix: read_tile(self.tiles[prefix]) for prefix in prefixes if prefix in self.tiles}


def _check_seal(transaction: Transaction, event: Any, root: bytes) -> Iterator[Finding]:
    """Compare the event of a checkpoint with the map."""
    key = {"club_id": transaction.club_id, "id": event.id}
    try:
        payload = decode_event(EventKind.CHECKPOINT_SEALED, bytes(event.content))
    except EvidenceError as error:
        yield Finding(FindingKind.CONTENT_UNPLAYABLE, "events", key, "content", str(error))
        return
    if isinstance(payload, CheckpointSealed) and payload.map_root != root:
        yield Finding(FindingKind.ROUND_MAP_WRONG, "events", key, "content", payload.map_root, root)


def _check_tiles(
    transaction: Transaction, stored: Iterable[tuple[str, bytes]], right: Mapping[str, bytes], column: str
) -> Iterator[Finding]:
    """Compare the stored tiles with those that follow from the events."""
    seen = set()
    for prefix, tile in stored:
        key = {"club_id": transaction.club_id, "prefix": prefix}
        seen.add(prefix)
        if prefix not in right:
            yield Finding(FindingKind.RECORD_SURPLUS, "round_map_tiles", key)
        elif tile != right[prefix]:
            yield Finding(FindingKind.RECORD_DIFFERS, "round_map_tiles", key, column, tile, right[prefix])
    for prefix in right.keys() - seen:
        key = {"club_id": transaction.club_id, "prefix": prefix}
        yield Finding(FindingKind.RECORD_MISSING, "round_map_tiles", key)

"""A club's map of rounds built again from its events, and compared with its tiles and with every checkpoint."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from evidence import Checkpoint, EvidenceError, MapEntry, Tile, read_note, read_tile, root_of, update_map, write_tile
from service.db import Transaction
from service.verification.findings import MOST_NAMED, Finding, FindingKind
from service.verification.queries import trees

_EVENTS_AT_ONCE: Final = 20_000


def check_round_map(transaction: Transaction, retained: Sequence[Checkpoint]) -> Iterator[Finding]:
    """
    Build the map again, event by event, and compare it at every signed size and as it is stored.

    Args:
        transaction: of the club.
        retained: checkpoints of the club that were retained elsewhere.
    """
    head, newest = trees.read_head(transaction), _read_newest(transaction)
    end = trees.read_end(transaction)
    mapped = head.mapped_size if head else 0
    least = newest.size if newest else 0
    club = {"club_id": transaction.club_id}
    if not least <= mapped <= end:
        right = max(least, min(mapped, end))
        yield Finding(FindingKind.RECORD_DIFFERS, "tree_heads", club, "mapped_size", mapped, right)
    made = _RoundMap()
    last = min(end, max(least, mapped))
    for first in range(0, last, _EVENTS_AT_ONCE):
        upto = min(first + _EVENTS_AT_ONCE, last)
        events = trees.list_events(transaction, first, upto)
        signed = {each.size: each for each in trees.list_checkpoints(transaction, first, upto)}
        here = [checkpoint for checkpoint in retained if first < checkpoint.size <= upto]
        stops = {*signed, *(checkpoint.size for checkpoint in here), mapped, upto}
        for size in sorted(stop for stop in stops if first < stop <= upto):
            made.add([event for event in events if made.size <= event.position < size], size)
            if size in signed:
                yield from _check_signed(transaction, signed[size], made.root)
            yield from _check_retained(transaction, here, size, made.root)
            if newest is not None and size == newest.size:
                stored = trees.read_tiles(transaction, size)
                yield from islice(_check_tiles(transaction, stored, made.tiles, "signed_tile"), MOST_NAMED)
            if size == mapped:
                stored = trees.read_tiles(transaction)
                yield from islice(_check_tiles(transaction, stored, made.tiles, "tile"), MOST_NAMED)
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


def _read_newest(transaction: Transaction) -> Any:
    """Return the newest checkpoint; None where none with a map was signed."""
    newest = trees.find_newest(transaction)
    if newest is None:
        return None
    [stored] = trees.list_checkpoints(transaction, newest.size - 1, newest.size)
    return newest if _rounds_root(stored) is not None else None


def _rounds_root(stored: Any) -> bytes | None:
    """Return the root of the map in a checkpoint; None where it is invalid, which the pass of the tree reports."""
    try:
        return Checkpoint.read(read_note(stored.note).text).rounds_root
    except EvidenceError:
        return None


def _check_signed(transaction: Transaction, stored: Any, root: bytes) -> Iterator[Finding]:
    found = _rounds_root(stored)
    if found is not None and found != root:
        key = {"club_id": transaction.club_id, "size": stored.size}
        yield Finding(FindingKind.ROUND_MAP_WRONG, "checkpoints", key, "note", found, root)


def _check_retained(
    transaction: Transaction, retained: Iterable[Checkpoint], size: int, root: bytes
) -> Iterator[Finding]:
    for checkpoint in retained:
        if checkpoint.size == size and checkpoint.rounds_root not in (None, root):
            key = {"club_id": transaction.club_id}
            yield Finding(FindingKind.CHECKPOINT_BROKEN, "round_map_tiles", key, "tile", root, checkpoint.rounds_root)


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

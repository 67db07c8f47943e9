"""
The map from each round to its newest event: its root hash proves that no later event was omitted.

It is a sparse Merkle tree. The id of a round determines its key, so that a root has at most one entry per round.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from struct import Struct
from typing import Final
from uuid import UUID

from evidence.errors import refuse
from evidence.tree import HASH_BYTES

EMPTY: Final = bytes(HASH_BYTES)
"""The hash of a subtree without an entry, and the root of an empty map."""
MOST_LEVELS: Final = 8 * HASH_BYTES
MOST_SEQUENCE: Final = 2**63 - 1
"""The highest number of an event in its round."""

_DIGITS: Final = "0123456789abcdef"
_LEVELS_OF_TILE: Final = 4
_MASKS: Final = Struct(">HH")
_ENTRY: Final = Struct(f">{HASH_BYTES}sQ{HASH_BYTES}s")


@dataclass(frozen=True)
class MapEntry:
    """
    The newest event of a round.

    Attributes:
        key: the key of the round, as returned by `key_of`.
        sequence: the event's number in the round.
        event: the event's hash.
    """

    key: str
    sequence: int
    event: bytes

    @classmethod
    def of(cls, round_id: UUID, sequence: int, event: bytes) -> "MapEntry":
        """Build the entry of a round."""
        return cls(key_of(round_id), sequence, event)

    @cached_property
    def hash(self) -> bytes:
        """The hash of the entry, and of every subtree that has no other entry."""
        return sha256(b"\x02" + self.written).digest()

    @property
    def written(self) -> bytes:
        """The key, the number in eight bytes, big-endian, and the event's hash."""
        return _ENTRY.pack(bytes.fromhex(self.key), self.sequence, self.event)


Node = MapEntry | bytes | None
"""A subtree: its only entry, the hash of one that holds several, or None for one without any."""

Tile = dict[str, MapEntry | bytes]
"""Four levels of the tree: what is below each of the sixteen hexadecimal digits that follow the tile's prefix."""

ReadTiles = Callable[[Collection[str]], Mapping[str, Tile]]
"""Reads the tiles at some prefixes; those that there are."""


def key_of(round_id: UUID) -> str:
    """
    Return the key of a round in the map: the SHA-256 of its id in lower case, as 64 hexadecimal digits.

    >>> key_of(UUID(int=7))[:8]
    '0d25a51a'
    """
    return sha256(str(round_id).encode()).hexdigest()


def update_map(entries: Collection[MapEntry], read: ReadTiles) -> dict[str, Tile]:
    """
    Add events to a map; of two events of a round, the one with the higher sequence number is kept.

    Returns:
        The changed tiles, by prefix; the root tile has the empty prefix.
    """
    tiles: dict[str, Tile] = {}
    waiting: Mapping[str, Sequence[MapEntry]] = {"": list(entries)}
    while waiting:
        tiles |= read(waiting.keys())
        below: dict[str, list[MapEntry]] = defaultdict(list)
        for prefix, some in waiting.items():
            tile = tiles.setdefault(prefix, {})
            for entry in some:
                digit = entry.key[len(prefix)]
                there = tile.get(digit)
                if there is None or (isinstance(there, MapEntry) and there.key == entry.key):
                    tile[digit] = entry if there is None or there.sequence < entry.sequence else there
                    continue
                if isinstance(there, MapEntry):
                    below[prefix + digit].append(there)
                    tile[digit] = EMPTY
                below[prefix + digit].append(entry)
        waiting = below
    for prefix in sorted(tiles, key=len, reverse=True):
        if prefix:
            tiles[prefix[:-1]][prefix[-1]] = root_of(tiles[prefix])
    return tiles


def root_of(tile: Tile) -> bytes:
    """Return the root hash of a tile's subtree; for the tile with the empty prefix, that of the map."""
    return _hash(_levels_of(tile)[0][0])


def prove_entry(round_id: UUID, tiles: Mapping[str, Tile]) -> tuple[MapEntry, tuple[bytes, ...]] | None:
    """
    Return a round's entry and its proof, from the bottom up; None if the round has no entry.

    Args:
        round_id: the round.
        tiles: the existing tiles whose prefixes begin its key.
    """
    key, beside = key_of(round_id), []
    for depth, digit in enumerate(key):
        levels = _levels_of(tiles.get(key[:depth], {}))
        node = levels[0][0]
        for level, nodes in enumerate(levels[1:], 1):
            if not isinstance(node, bytes):
                break
            place = int(digit, 16) >> (_LEVELS_OF_TILE - level)
            beside.append(_hash(nodes[place ^ 1]))
            node = nodes[place]
        if not isinstance(node, bytes):
            return (node, tuple(reversed(beside))) if node is not None and node.key == key else None
    return None


def verify_entry(entry: MapEntry, proof: Sequence[bytes], root: bytes) -> None:
    """
    Verify that the map of a root has an entry, and so no other entry for the same round.

    Raises:
        EvidenceError: the proof does not show it.
    """
    if len(proof) > MOST_LEVELS:
        refuse("proof-length", f"the proof has {len(proof)} hashes; expected at most {MOST_LEVELS}")
    way, node = int(entry.key, 16) >> (MOST_LEVELS - len(proof)), entry.hash
    for beside in proof:
        node = _hash_pair(beside, node) if way & 1 else _hash_pair(node, beside)
        way >>= 1
    if node != root:
        refuse(
            "newest-event-unproved", f"the proof leads to the root {node.hex()}; expected the signed root {root.hex()}"
        )


def write_tile(tile: Tile) -> bytes:
    """
    Encode a tile: which digits have an entry, which have a larger subtree, then these in order of the digits.

    >>> entry = MapEntry.of(UUID(int=7), 1, EMPTY)
    >>> read_tile(write_tile({"9": entry, "a": EMPTY})) == {"9": entry, "a": EMPTY}
    True
    """
    entries = sum(1 << int(digit, 16) for digit, node in tile.items() if isinstance(node, MapEntry))
    subtrees = sum(1 << int(digit, 16) for digit, node in tile.items() if not isinstance(node, MapEntry))
    parts = [node.written if isinstance(node, MapEntry) else node for _, node in sorted(tile.items())]
    return _MASKS.pack(entries, subtrees) + b"".join(parts)


def read_tile(written: bytes) -> Tile:
    """
    Decode a tile.

    Raises:
        ValueError: the bytes are not a tile.
    """
    if len(written) < _MASKS.size:
        raise ValueError("a tile ends within its first bytes")
    entries, subtrees = _MASKS.unpack_from(written)
    if len(written) != _MASKS.size + entries.bit_count() * _ENTRY.size + subtrees.bit_count() * HASH_BYTES:
        raise ValueError("a tile has not as many bytes as its entries and subtrees have")
    tile: Tile = {}
    place = _MASKS.size
    for number, digit in enumerate(_DIGITS):
        if entries >> number & 1:
            key, sequence, event = _ENTRY.unpack_from(written, place)
            tile[digit] = MapEntry(key.hex(), sequence, event)
            place += _ENTRY.size
        elif subtrees >> number & 1:
            tile[digit] = written[place : place + HASH_BYTES]
            place += HASH_BYTES
    return tile


def _levels_of(tile: Tile) -> list[list[Node]]:
    """List the subtrees of a tile, from its top down to the sixteen below it."""
    levels: list[list[Node]] = [[tile.get(digit) for digit in _DIGITS]]
    while len(below := levels[-1]) > 1:
        levels.append([_join(*below[place : place + 2]) for place in range(0, len(below), 2)])
    return levels[::-1]


def _join(left: Node, right: Node) -> Node:
    """Join two subtrees: a subtree with a single entry is that entry, and one without entries is None."""
    if right is None and not isinstance(left, bytes):
        return left
    if left is None and not isinstance(right, bytes):
        return right
    return _hash_pair(_hash(left), _hash(right))


def _hash(node: Node) -> bytes:
    if node is None:
        return EMPTY
    return node.hash if isinstance(node, MapEntry) else node


def _hash_pair(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x03" + left + right).digest()

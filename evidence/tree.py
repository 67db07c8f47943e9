"""The Merkle tree of RFC 6962: its root hash covers all events and their order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Final

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()
"""The root of a tree that has no leaf yet."""

Range = tuple[int, int]
"""Leaves from the first to the one before the last."""

Place = tuple[int, int]
"""
A full subtree: its level, 0 for a leaf, and its position in it.

What is once there never changes, however far the tree grows: (3, 2) holds the leaves 16 to 23 for ever.
"""


def hash_leaf(content: bytes) -> bytes:
    """Hash a leaf; a prefix byte distinguishes leaves from nodes."""
    return sha256(b"\x00" + content).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """Hash two subtrees into their parent."""
    return sha256(b"\x01" + left + right).digest()


def places_of(ranges: Iterable[Range]) -> list[Place]:
    """
    Return the complete subtrees that ranges of leaves consist of.

    Each range begins where a subtree at least as large would, as those of proofs and of whole trees do.

    >>> places_of([(0, 7)]), places_of([(8, 11)])
    ([(2, 0), (1, 2), (0, 6)], [(1, 4), (0, 10)])
    """
    return [place for first, last in ranges for place in _places(first, last)]


def hashes_of(ranges: Iterable[Range], nodes: Mapping[Place, bytes]) -> list[bytes]:
    """Return the hash of each range of leaves, from the complete subtrees that `places_of` returns."""
    return [_fold([nodes[place] for place in _places(first, last)]) for first, last in ranges]


class Edge:
    """
    The complete subtrees that a tree consists of, which suffice to append leaves.

    >>> edge = Edge()
    >>> [place for leaf in b"abc" for place, _ in edge.append(hash_leaf(bytes([leaf])))]
    [(0, 0), (0, 1), (1, 0), (0, 2)]
    >>> edge.size, edge.root == hash_node(hash_node(hash_leaf(b"a"), hash_leaf(b"b")), hash_leaf(b"c"))
    (3, True)
    """

    def __init__(self, size: int = 0, subtrees: Sequence[bytes] = ()) -> None:
        """Build the edge of a tree of a size, from the subtrees of `places_of([(0, size)])`."""
        if len(subtrees) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} full subtrees, not {len(subtrees)}")
        self.size = size
        self._subtrees = list(subtrees)

    def append(self, leaf: bytes, level: int = 0) -> Iterator[tuple[Place, bytes]]:
        """
        Append a leaf's hash, and return every subtree that it completes, itself first.

        A full subtree can be added as well, by its level, where the tree ends in no smaller one.
        """
        added, position, node = 1 << level, self.size >> level, leaf
        yield (level, position), node
        while position % 2:
            node = hash_node(self._subtrees.pop(), node)
            level, position = level + 1, position // 2
            yield (level, position), node
        self._subtrees.append(node)
        self.size += added

    @property
    def subtrees(self) -> Sequence[bytes]:
        """The full subtrees that it is made of, the largest first."""
        return tuple(self._subtrees)

    @property
    def root(self) -> bytes:
        """The root hash of the tree."""
        return _fold(self._subtrees) if self._subtrees else EMPTY_ROOT


def _places(first: int, last: int) -> Iterator[Place]:
    size = last - first
    levels = [level for level in reversed(range(size.bit_length())) if size >> level & 1]
    begins = accumulate((1 << level for level in levels), initial=first)
    for level, (begin, _) in zip(levels, pairwise(begins), strict=True):
        yield level, begin >> level


def _fold(subtrees: Sequence[bytes]) -> bytes:
    """Hash subtrees that shrink from left to right into one."""
    return reduce(lambda right, left: hash_node(left, right), reversed(subtrees))

"""The Merkle tree of RFC 6962: its root hash covers all events and their order. Inclusion and consistency proofs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Final

from evidence.errors import refuse

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


def inclusion_ranges(position: int, size: int) -> list[Range]:
    """
    Return the ranges of leaves whose hashes form an inclusion proof, from the bottom up.

    >>> inclusion_ranges(2, 7)
    [(3, 4), (0, 2), (4, 7)]

    Raises:
        EvidenceError: the leaf is not in the tree.
    """
    if not 0 <= position < size:
        refuse("position-unknown", f"a tree of {size} leaves has no position {position}; expected 0 to {size - 1}")
    first, last, ranges = 0, size, []
    while last - first > 1:
        middle = _middle(first, last)
        if position < middle:
            ranges.append((middle, last))
            last = middle
        else:
            ranges.append((first, middle))
            first = middle
    return ranges[::-1]


def consistency_ranges(old: int, new: int) -> list[Range]:
    """
    Return the ranges of leaves whose hashes form a consistency proof between two sizes.

    >>> consistency_ranges(4, 7), consistency_ranges(6, 7)
    ([(4, 7)], [(4, 6), (6, 7), (0, 4)])

    Raises:
        EvidenceError: the old size is larger than the new one.
    """
    if not 0 <= old <= new:
        refuse("sizes-reversed", f"a tree does not grow from {old} to {new} leaves; expected the smaller size first")
    if old == 0:
        return []
    first, last, ranges = 0, new, []
    while old < last:
        middle = _middle(first, last)
        if old <= middle:
            ranges.append((middle, last))
            last = middle
        else:
            ranges.append((first, middle))
            first = middle
    # The old root is known to the verifier; every other subtree must be part of the proof.
    return [(first, last), *ranges[::-1]] if first else ranges[::-1]


def verify_inclusion(leaf: bytes, position: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """
    Verify that a leaf's hash is at its position in the tree of a root.

    Raises:
        EvidenceError: the proof does not show it.
    """
    ranges = inclusion_ranges(position, size)
    _check_length(proof, ranges)
    node = leaf
    for (first, _), beside in zip(ranges, proof, strict=True):
        node = hash_node(node, beside) if first > position else hash_node(beside, node)
    if node != root:
        refuse("inclusion-unproved", f"the proof leads to the root {node.hex()}; expected the signed root {root.hex()}")


def verify_consistency(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    """
    Verify that the tree of the new root begins with the leaves of the old one, unchanged and in order.

    Raises:
        EvidenceError: the proof does not show it.
    """
    ranges = consistency_ranges(old, new)
    _check_length(proof, ranges)
    if old == 0:
        found_old, found_new = EMPTY_ROOT, new_root if new else EMPTY_ROOT
    else:
        pairs = list(zip(ranges, proof, strict=True))
        begins_with_old = not ranges or ranges[0][1] != old
        found_old = found_new = old_root if begins_with_old else pairs.pop(0)[1]
        for (first, _), beside in pairs:
            if first >= old:
                found_new = hash_node(found_new, beside)
            else:
                found_old, found_new = hash_node(beside, found_old), hash_node(beside, found_new)
    for size, node, root in ((old, found_old, old_root), (new, found_new, new_root)):
        if node != root:
            refuse(
                "consistency-unproved",
                f"for {size} leaves the proof leads to the root {node.hex()}; expected the signed root {root.hex()}",
            )


def _middle(first: int, last: int) -> int:
    """Return where a subtree splits: its left part is complete, and at least as large as its right part."""
    return first + (1 << ((last - first - 1).bit_length() - 1))


def _check_length(proof: Sequence[bytes], ranges: Sequence[Range]) -> None:
    if len(proof) != len(ranges):
        refuse("proof-length", f"the proof has {len(proof)} hashes; expected {len(ranges)}")

"""Inclusion proofs of events in a tree, and consistency proofs between trees."""

from collections.abc import Sequence

from evidence.errors import refuse
from evidence.tree import EMPTY_ROOT, Range, hash_node


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
        given = list(zip(ranges, proof, strict=True))
        begins_with_old = not ranges or ranges[0][1] != old
        found_old = found_new = old_root if begins_with_old else given.pop(0)[1]
        for (first, _), beside in given:
            if first >= old:
                found_new = hash_node(found_new, beside)
            else:
                found_old, found_new = hash_node(beside, found_old), hash_node(beside, found_new)
    for size, found, root in ((old, found_old, old_root), (new, found_new, new_root)):
        if found != root:
            refuse(
                "consistency-unproved",
                f"for {size} leaves the proof leads to the root {found.hex()}; expected the signed root {root.hex()}",
            )


def _middle(first: int, last: int) -> int:
    """Return where a subtree splits: its left part is complete, and at least as large as its right part."""
    return first + (1 << ((last - first - 1).bit_length() - 1))


def _check_length(proof: Sequence[bytes], ranges: Sequence[Range]) -> None:
    if len(proof) != len(ranges):
        refuse("proof-length", f"the proof has {len(proof)} hashes; expected {len(ranges)}")

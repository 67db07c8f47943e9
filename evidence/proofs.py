"""Proofs: that an event is in a tree, and that a tree only grew. A few hashes, whatever the tree's size."""

from collections.abc import Sequence

from evidence.errors import refuse
from evidence.tree import EMPTY_ROOT, Range, hash_node


def inclusion_ranges(position: int, size: int) -> list[Range]:
    """
    Say whose hashes prove that a leaf is in a tree: everything beside its way up, from the bottom.

    >>> inclusion_ranges(2, 7)
    [(3, 4), (0, 2), (4, 7)]

    Raises:
        EvidenceError: the tree has no such leaf.
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
    Say whose hashes prove that a tree grew from one size to another and nothing in it changed.

    >>> consistency_ranges(4, 7), consistency_ranges(6, 7)
    ([(4, 7)], [(4, 6), (6, 7), (0, 4)])

    Raises:
        EvidenceError: the old tree is the larger one.
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
    # A subtree that is not the old tree itself has to be given; who checks knows the old root only.
    return [(first, last), *ranges[::-1]] if first else ranges[::-1]


def verify_inclusion(leaf: bytes, position: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """
    See that a leaf's hash is where it should be in the tree of a root.

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
    See that the tree of the new root holds the old one's leaves first, unchanged and in their order.

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
    """Find where a subtree splits: its left half is full, and at least as large as its right."""
    return first + (1 << ((last - first - 1).bit_length() - 1))


def _check_length(proof: Sequence[bytes], ranges: Sequence[Range]) -> None:
    if len(proof) != len(ranges):
        refuse("proof-length", f"the proof has {len(proof)} hashes; expected {len(ranges)}")

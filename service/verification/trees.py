"""A club's tree hashed anew from its events, page by page, and held against everything that was ever signed of it."""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from evidence import Checkpoint, Edge, EvidenceError, VerifierKey, places_of, read_note, verify_note
from evidence.tree import HASH_BYTES, hash_levels
from service.db import Transaction
from service.ledger.actions import origin_of
from service.verification.findings import MOST_NAMED, Finding, FindingKind
from service.verification.queries import trees

LEAVES_AT_ONCE: Final = 8192
_NOTHING: Final = b""


def check_leaves(transaction: Transaction, first: int, kept: Sequence[Checkpoint]) -> Iterator[Finding]:
    """
    Hash a page of the tree anew: every leaf is its event's, every subtree is of those below it.

    What is before the page was looked at with the pages before; of it only the few subtrees are read that are needed.

    Args:
        transaction: of whose club.
        first: the first leaf.
        kept: checkpoints that somebody kept elsewhere.
    """
    at_once = _hash_at_once(transaction, first)
    if at_once is None:
        yield from _check_one_by_one(transaction, first, kept)
        return
    edge, levels, size = at_once
    last = first + LEAVES_AT_ONCE
    signed = {each.size: each for each in trees.list_checkpoints(transaction, first, last)}
    keys = trees.list_verifiers(transaction)
    for stored in signed.values():
        if stored.size > size:
            place = {"club_id": transaction.club_id, "size": stored.size}
            yield Finding(FindingKind.RECORD_SURPLUS, "checkpoints", place)
        else:
            yield from _check_signed(transaction.club_id, stored, _root(edge, levels, stored.size), keys)
    for checkpoint in kept:
        if first < checkpoint.size <= size:
            root = _root(edge, levels, checkpoint.size)
            if root != checkpoint.root:
                yield _broken(transaction, checkpoint, root)


def _hash_at_once(transaction: Transaction, first: int) -> tuple[Edge, list[bytes], int] | None:
    """
    Hash a page of the tree anew, where all of it is as it ought to be.

    Returns:
        The edge before the page, the hashes of all its subtrees, level by level, and the size of the tree with it; None
        where something is otherwise.
    """
    try:
        edge = _edge(transaction, first)
        last = first + LEAVES_AT_ONCE
        leaves = trees.read_leaves(transaction, first, last)
        nodes = trees.read_above(transaction, first, last, LEAVES_AT_ONCE.bit_length() - 1)
    except ValueError:
        return None
    size = first + len(leaves.positions)
    levels = hash_levels(leaves.hashes)
    above = [position for level in range(1, len(levels)) for position in range(first >> level, size >> level)]
    if (
        not (leaves.are_right and nodes.are_right)
        or leaves.positions != list(range(first, size))
        or nodes.positions != above
        or nodes.hashes != b"".join(levels[1:])
    ):
        return None
    grown, top = _edge(transaction, first), len(levels) - 1
    if size == last:
        higher = dict(grown.append(levels[top], top))
        del higher[top, first >> top]
        if any(_check_nodes(transaction, higher)):
            return None
    return edge, levels, size


def _root(edge: Edge, levels: Sequence[bytes], size: int) -> bytes:
    """Hash the tree of a size that ends within a page, from the edge before the page and the page's subtrees."""
    grown = Edge(edge.size, edge.subtrees)
    for level, position in places_of([(edge.size, size)]):
        place = (position - (edge.size >> level)) * HASH_BYTES
        for _ in grown.append(levels[level][place : place + HASH_BYTES], level):
            pass
    return grown.root


def _edge(transaction: Transaction, first: int) -> Edge:
    """Read the edge of the tree before a page."""
    places = places_of([(0, first)])
    before = trees.read_nodes(transaction, places)
    return Edge(first, [bytes(before[place].hash) if place in before else _NOTHING for place in places])


def _check_one_by_one(transaction: Transaction, first: int, kept: Sequence[Checkpoint]) -> Iterator[Finding]:
    """Look at a page leaf by leaf."""
    edge = _edge(transaction, first)
    last = first + LEAVES_AT_ONCE
    signed = {each.size: each for each in trees.list_checkpoints(transaction, first, last)}
    keys = trees.list_verifiers(transaction)
    right: dict[tuple[int, int], bytes] = {}
    leaves = trees.list_leaves(transaction, first, last)
    hashes = trees.read_hashes(transaction, [leaf.event_id for leaf in leaves])
    for leaf in leaves:
        key = {"club_id": transaction.club_id, "level": 0, "position": leaf.position}
        while edge.size < leaf.position:
            right.update(edge.append(_NOTHING))
        if leaf.position < edge.size:
            yield Finding(FindingKind.RECORD_SURPLUS, "tree_nodes", key)
            continue
        event_hash = hashes.get(leaf.event_id)
        if event_hash is None:
            event = {"club_id": transaction.club_id, "id": leaf.event_id}
            yield Finding(FindingKind.EVENT_MISSING, "events", event)
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "event_id", leaf.event_id)
            if len(leaf.hash) != HASH_BYTES:
                yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "hash", leaf.hash)
        elif event_hash != leaf.hash:
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "hash", leaf.hash, event_hash)
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "event_id", leaf.event_id)
        right.update(edge.append(bytes(event_hash or leaf.hash)))
        if edge.size in signed:
            yield from _check_signed(transaction.club_id, signed.pop(edge.size), edge.root, keys)
        for checkpoint in kept:
            if checkpoint.size == edge.size and checkpoint.root != edge.root:
                yield _broken(transaction, checkpoint, edge.root)
    yield from _check_nodes(transaction, right)
    for size in signed:
        yield Finding(FindingKind.RECORD_SURPLUS, "checkpoints", {"club_id": transaction.club_id, "size": size})


def check_tree(transaction: Transaction, kept: Sequence[Checkpoint]) -> Iterator[Finding]:
    """Look at the tree as a whole, after its leaves: that it has all of them once, and nothing beside."""
    club = {"club_id": transaction.club_id}
    leaves, head = trees.count_leaves(transaction), trees.read_head(transaction)
    size = leaves.size
    newest = trees.find_newest(transaction)
    right = {
        "size": size,
        "signed_size": newest.size if newest else 0,
        "signed_at": newest.created_at if newest else None,
    }
    if head is None and size:
        yield Finding(FindingKind.RECORD_MISSING, "tree_heads", club)
    elif head is not None:
        for column, value in right.items():
            if getattr(head, column) != value:
                yield Finding(FindingKind.RECORD_DIFFERS, "tree_heads", club, column, getattr(head, column), value)
        if (newest is None and head.signed_size) or (newest is not None and newest.size < head.signed_size):
            place = {**club, "size": head.signed_size}
            yield Finding(FindingKind.RECORD_MISSING, "checkpoints", place)
    most = max(size, min(head.size, size + MOST_NAMED) if head else 0)
    if most > size or not leaves.are_gapless:
        for missing in trees.list_missing(transaction, most, MOST_NAMED):
            yield Finding(FindingKind.RECORD_MISSING, "tree_nodes", {**club, "level": 0, "position": missing})
    for level, position in trees.list_beyond(transaction, most):
        yield Finding(FindingKind.RECORD_SURPLUS, "tree_nodes", {**club, "level": level, "position": position})
    if not leaves.are_once:
        for event_id in trees.list_twice(transaction):
            yield Finding(FindingKind.RECORD_SURPLUS, "tree_nodes", {**club, "event_id": event_id})
    for event_id in trees.list_unplaced(transaction):
        yield Finding(FindingKind.RECORD_MISSING, "waiting_events", {**club, "event_id": event_id})
        yield Finding(FindingKind.EVENT_SURPLUS, "events", {**club, "id": event_id})
    for waiting in trees.list_waiting_for_nothing(transaction):
        yield Finding(FindingKind.RECORD_SURPLUS, "waiting_events", {**club, "event_id": waiting.event_id})
        if not waiting.has_place:
            yield Finding(FindingKind.EVENT_MISSING, "events", {**club, "id": waiting.event_id})
    for checkpoint in kept:
        if checkpoint.size > size:
            yield _broken(transaction, checkpoint, None)
        elif not any(
            each.root == checkpoint.root
            for each in trees.list_checkpoints(transaction, checkpoint.size - 1, checkpoint.size)
        ):
            yield Finding(FindingKind.RECORD_MISSING, "checkpoints", {**club, "size": checkpoint.size})


def _check_nodes(transaction: Transaction, right: dict[tuple[int, int], bytes]) -> Iterator[Finding]:
    """Hold the subtrees that became full against what they are of."""
    kept = trees.read_nodes(transaction, list(right))
    for (level, position), node in right.items():
        key = {"club_id": transaction.club_id, "level": level, "position": position}
        found = kept.get((level, position))
        if found is None:
            yield Finding(FindingKind.RECORD_MISSING, "tree_nodes", key)
            continue
        if found.hash != node:
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "hash", found.hash, node)
        if level and found.event_id is not None:
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "event_id", found.event_id)


def _check_signed(club_id: UUID, stored: Any, root: bytes, keys: Sequence[VerifierKey]) -> Iterator[Finding]:
    """Hold a stored checkpoint against the tree, its note against both, and see that every signature is right."""
    key = {"club_id": club_id, "size": stored.size}
    if stored.root != root:
        yield Finding(FindingKind.RECORD_DIFFERS, "checkpoints", key, "root", stored.root, root)
    if stored.created_at is None:
        yield Finding(FindingKind.RECORD_DIFFERS, "checkpoints", key, "created_at", None)
    try:
        note = read_note(stored.note)
        signed = verify_note(note, keys)
        read = Checkpoint.read(note.text)
    except EvidenceError as error:
        yield Finding(FindingKind.SIGNATURE_WRONG, "checkpoints", key, "note", stored.note, str(error))
        return
    # The map of rounds is held against the events by itself; checkpoints from before there was one have no time either.
    text = Checkpoint(origin_of(club_id), stored.size, root, read.rounds_root, read.signed_at).text
    if stored.created_at is not None and read.signed_at not in (None, stored.created_at):
        yield Finding(FindingKind.RECORD_DIFFERS, "checkpoints", key, "created_at", stored.created_at, read.signed_at)
    if note.text != text:
        yield Finding(FindingKind.RECORD_DIFFERS, "checkpoints", key, "note", note.text, text)
    elif len(signed) != len(note.signatures) or note.written != stored.note:
        why = "signatures by published keys alone"
        yield Finding(FindingKind.SIGNATURE_WRONG, "checkpoints", key, "note", stored.note, why)


def _broken(transaction: Transaction, checkpoint: Checkpoint, root: bytes | None) -> Finding:
    key = {"club_id": transaction.club_id}
    found = root or f"a tree of {trees.read_end(transaction)} events"
    return Finding(FindingKind.CHECKPOINT_BROKEN, "tree_nodes", key, "hash", found, checkpoint.root)

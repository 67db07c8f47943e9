"""A club's tree hashed again from its events, page by page, and compared with every checkpoint."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from evidence import Checkpoint, Edge, EvidenceError, Place, VerifierKey, places_of, read_note, verify_note
from evidence.tree import HASH_BYTES
from service.db import Transaction
from service.replays.findings import MOST_NAMED, Finding, FindingKind
from service.verification.queries import trees

LEAVES_PER_PAGE: Final = 8192
_NOTHING: Final = b""


def check_leaves(
    transaction: Transaction, first: int, retained: Sequence[Checkpoint], origin: str
) -> Iterator[Finding]:
    """
    Hash a page of the tree again: each leaf from its event, each subtree from those below it.

    Of the pages before, only the few subtrees at the edge are read.

    Args:
        transaction: of the club.
        first: the first leaf.
        retained: checkpoints that were retained elsewhere.
        origin: the origin of the club's checkpoints.
    """
    edge = _read_edge(transaction, first)
    last = first + LEAVES_PER_PAGE
    signed = {each.size: each for each in trees.list_checkpoints(transaction, first, last)}
    keys = trees.list_verifiers(transaction)
    expected: dict[Place, bytes] = {}
    nodes = trees.list_completed(transaction, first, last)
    leaves = [node for node in nodes if node.level == 0]
    events = trees.read_leaf_events(transaction, [leaf.event_id for leaf in leaves])
    for _, position, stored, event_id in leaves:
        while edge.size < position:
            expected.update(edge.append(_NOTHING))
        if position < edge.size:
            key = {"club_id": transaction.club_id, "level": 0, "position": position}
            yield Finding(FindingKind.RECORD_SURPLUS, "tree_nodes", key)
            continue
        event = events.get(event_id)
        event_hash = None if event is None else event.hash
        if event_hash != stored:
            yield from _report_leaf(transaction.club_id, position, stored, event_id, event_hash)
        expected.update(edge.append(event_hash or stored))
        if edge.size in signed:
            stored_checkpoint = signed.pop(edge.size)
            yield from _check_signed(transaction.club_id, origin, stored_checkpoint, edge.root, keys)
            yield from _check_seal(transaction.club_id, stored_checkpoint, event)
        elif event is not None and event.is_seal:
            key = {"club_id": transaction.club_id, "size": edge.size}
            yield Finding(FindingKind.RECORD_MISSING, "checkpoints", key)
        for checkpoint in retained:
            if checkpoint.size == edge.size and checkpoint.root != edge.root:
                yield _report_broken(transaction, checkpoint, edge.root)
    yield from _check_nodes(transaction.club_id, nodes, expected)
    for size in signed:
        yield Finding(FindingKind.RECORD_SURPLUS, "checkpoints", {"club_id": transaction.club_id, "size": size})


def _read_edge(transaction: Transaction, first: int) -> Edge:
    """Read the edge of the tree before a page."""
    places = places_of([(0, first)])
    before = trees.read_nodes(transaction, places)
    return Edge(first, [before[place][0] if place in before else _NOTHING for place in places])


def _report_leaf(
    club_id: UUID, position: int, stored: bytes, event_id: UUID, event_hash: bytes | None
) -> Iterator[Finding]:
    """Report a leaf whose hash is not that of its event, which is None where the event is missing."""
    key = {"club_id": club_id, "level": 0, "position": position}
    if event_hash is None:
        yield Finding(FindingKind.EVENT_MISSING, "events", {"club_id": club_id, "id": event_id})
        if len(stored) != HASH_BYTES:
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "hash", stored)
    else:
        yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "hash", stored, event_hash)
    yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "event_id", event_id)


def check_tree(transaction: Transaction, retained: Sequence[Checkpoint]) -> Iterator[Finding]:
    """Check the tree as a whole, after its leaves: it has each of them once and nothing besides."""
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
        if head.served_size and not trees.list_checkpoints(transaction, head.served_size - 1, head.served_size):
            expected = newest.size if newest else 0
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_heads", club, "served_size", head.served_size, expected)
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
    for checkpoint in retained:
        if checkpoint.size > size:
            yield _report_broken(transaction, checkpoint, None)
        elif not any(
            each.root == checkpoint.root
            for each in trees.list_checkpoints(transaction, checkpoint.size - 1, checkpoint.size)
        ):
            yield Finding(FindingKind.RECORD_MISSING, "checkpoints", {**club, "size": checkpoint.size})


def _check_nodes(club_id: UUID, nodes: Iterable[Any], expected: Mapping[Place, bytes]) -> Iterator[Finding]:
    """Compare the stored full subtrees with the expected hashes."""
    stored = {(node.level, node.position): node for node in nodes}
    for place, right in expected.items():
        level, position = place
        key = {"club_id": club_id, "level": level, "position": position}
        node = stored.get(place)
        if node is None:
            yield Finding(FindingKind.RECORD_MISSING, "tree_nodes", key)
            continue
        if node.hash != right:
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "hash", node.hash, right)
        if level and node.event_id is not None:
            yield Finding(FindingKind.RECORD_DIFFERS, "tree_nodes", key, "event_id", node.event_id)


def _check_signed(
    club_id: UUID, origin: str, stored: Any, root: bytes, keys: Sequence[VerifierKey]
) -> Iterator[Finding]:
    """Compare a stored checkpoint with the tree and with its note, and verify every signature."""
    key = {"club_id": club_id, "size": stored.size}
    if stored.root != root:
        yield Finding(FindingKind.RECORD_DIFFERS, "checkpoints", key, "root", stored.root, root)
    try:
        note = read_note(stored.note)
        signed = verify_note(note, keys)
    except EvidenceError as error:
        yield Finding(FindingKind.SIGNATURE_WRONG, "checkpoints", key, "note", stored.note, str(error))
        return
    text = Checkpoint(origin, stored.size, root).text
    if note.text != text:
        yield Finding(FindingKind.RECORD_DIFFERS, "checkpoints", key, "note", note.text, text)
    elif len(signed) != len(note.signatures) or note.written != stored.note:
        why = "signatures by published keys alone"
        yield Finding(FindingKind.SIGNATURE_WRONG, "checkpoints", key, "note", stored.note, why)


def _check_seal(club_id: UUID, stored: Any, last: Any) -> Iterator[Finding]:
    """Compare a stored checkpoint with the last event of its tree, which was recorded with it."""
    key = {"club_id": club_id, "size": stored.size}
    if last is None or not last.is_seal:
        yield Finding(FindingKind.RECORD_SURPLUS, "checkpoints", key)
    elif stored.created_at is None or stored.created_at != last.at:
        yield Finding(FindingKind.RECORD_DIFFERS, "checkpoints", key, "created_at", stored.created_at, last.at)


def _report_broken(transaction: Transaction, checkpoint: Checkpoint, root: bytes | None) -> Finding:
    key = {"club_id": transaction.club_id}
    value = root or f"a tree of {trees.read_end(transaction)} events"
    return Finding(FindingKind.CHECKPOINT_BROKEN, "tree_nodes", key, "hash", value, checkpoint.root)

"""Add events to clubs' trees; make and read checkpoints; prove inclusion and consistency."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence import Checkpoint, EvidenceError, SigningKey, consistency_ranges, inclusion_ranges, read_note, sign_note
from evidence.cosignatures import CosignerKey
from evidence.events import CheckpointSealed
from evidence.files import ProvedEvent
from schemas.events import MOST_COSIGNATURES
from scoring.errors import Mistake
from service.audit_trail.queries import checkpoints, trees
from service.audit_trail.queries.checkpoints import PublishedKey, StoredCheckpoint, StoredCosignature
from service.audit_trail.queries.events import record_leaf
from service.audit_trail.queries.trees import TreeHead
from service.db import Database, Transaction
from service.db.pages import Page, cut_page
from service.errors import NotFound

AT_ONCE: Final = 2000
"""The number of events that are added to a tree in one transaction."""
MOST_AT_A_TIME: Final = 20_000
"""The number of events of one club that are added before the next club's turn."""
MAPPED_AT_ONCE: Final = 20_000
"""The number of events that are added to the map of rounds in one statement."""
PAUSE: Final = timedelta(minutes=1)
"""How often workers sign a tree that has grown."""


@dataclass(frozen=True, slots=True)
class MadeCheckpoint:
    """A checkpoint, and whether it existed before."""

    checkpoint: StoredCheckpoint
    is_replay: bool


def make_checkpoint(transaction: Transaction, key: SigningKey) -> MadeCheckpoint:
    """
    Add waiting events to the club's tree, and sign it.

    Without new events, the newest checkpoint is returned. If very many events wait, the checkpoint covers the first
    part; workers add the rest.
    """
    head = trees.lock_head(transaction)
    for _ in range(MOST_AT_A_TIME // AT_ONCE):
        grown = trees.grow(transaction, head, AT_ONCE)
        if grown == head:
            break
        head = grown
    if head.size > head.signed_size:
        while head.mapped_size < head.size:
            head = trees.update_round_map(transaction, head, MAPPED_AT_ONCE)
        return MadeCheckpoint(_sign(transaction, head, key), is_replay=False)
    # Without an event there is nothing to sign, and the creation of a club is one.
    trees.serve_signed(transaction, head.signed_size)
    return MadeCheckpoint(checkpoints.get_signed(transaction, head.signed_size), is_replay=True)


def join_events(database: Database, club_id: UUID, key: SigningKey | None) -> int:
    """
    Add a club's waiting events to its tree, sign the tree if it is due, and return the number of events added.

    It can be interrupted at any time, and several processes may call it at once: only one adds events.
    """
    joined = 0
    while joined < MOST_AT_A_TIME:
        with database.transaction(club_id) as transaction:
            head = trees.try_lock_head(transaction)
            if head is None:
                break
            grown = trees.grow(transaction, head, AT_ONCE)
            joined += grown.size - head.size
            if grown.signed_size > grown.served_size:
                trees.serve_signed(transaction, grown.signed_size)
            is_all = grown.size - head.size < AT_ONCE
            if is_all and key is not None and _is_due(transaction, grown):
                mapped = trees.update_round_map(transaction, grown, MAPPED_AT_ONCE)
                is_all = mapped.mapped_size == mapped.size
                if is_all:
                    _sign(transaction, mapped, key)
        if is_all:
            break
    return joined


def _is_due(transaction: Transaction, head: TreeHead) -> bool:
    is_pause_over = head.signed_at is None or head.signed_at <= transaction.now - PAUSE
    return is_pause_over and head.size > head.signed_size


def _sign(transaction: Transaction, head: TreeHead, key: SigningKey) -> StoredCheckpoint:
    """Seal the tree with the root of the map of its rounds, sign it, and serve the checkpoint after the commit."""
    sealed = CheckpointSealed(map_root=trees.get_round_map_root(transaction))
    head = trees.append(transaction, head, [record_leaf(transaction, sealed.kind, sealed.encode())])
    root = trees.get_root(transaction, head.size)
    note = sign_note(Checkpoint(origin_of(transaction.club_id), head.size, root).text, [key])
    checkpoint = StoredCheckpoint(uuid7(), head.size, root, note.written, transaction.now)
    checkpoints.publish_key(transaction, key.verifier)
    checkpoints.add(transaction, checkpoint)
    trees.mark_signed(transaction)
    trees.serve_signed(transaction, head.size)
    return checkpoint


def origin_of(club_id: UUID) -> str:
    """
    Return the origin line of a club's checkpoints.

    >>> origin_of(UUID(int=7))
    'tablestakes/clubs/00000000-0000-0000-0000-000000000007'
    """
    return f"tablestakes/clubs/{club_id}"


def get_checkpoint(database: Database, address: UUID) -> str:
    """
    Return a checkpoint as a signed note. No key is required.

    Raises:
        NotFound: the checkpoint does not exist.
    """
    with database.outside_clubs() as connection:
        note = checkpoints.find_note(connection, address)
    if note is None:
        raise NotFound(f"there is no checkpoint {address}")
    return note


def add_cosignature(transaction: Transaction, address: UUID, key: CosignerKey, signature: bytes) -> StoredCosignature:
    """
    Add the cosignature of a witness to a checkpoint, and return it; one that the witness has already made stays.

    Args:
        transaction: a transaction of the club.
        address: the checkpoint's id.
        key: of the witness.
        signature: the time and the signature over it and the text of the checkpoint.

    Raises:
        NotFound: the club has no checkpoint with this ID.
        EvidenceError: the signature is not by the key, or there are too many.
    """
    checkpoint = checkpoints.find(transaction, address)
    if checkpoint is None:
        raise NotFound(f"there is no checkpoint {address}")
    if not key.has_signed(read_note(checkpoint.note).text.encode(), signature):
        detail = "is not a cosignature of the checkpoint by the key in `witness`"
        raise EvidenceError((Mistake("signature-wrong", ("signature",), detail),))
    for each in checkpoint.cosignatures:
        if each.key == key:
            return each
    if len(checkpoint.cosignatures) >= MOST_COSIGNATURES:
        detail = f"the checkpoint has {MOST_COSIGNATURES} cosignatures; expected one of a witness that has one"
        raise EvidenceError((Mistake("cosignatures-too-many", ("witness",), detail),))
    cosignature = StoredCosignature(key, signature)
    checkpoints.add_cosignature(transaction, checkpoint.size, cosignature)
    return cosignature


def list_checkpoints(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[StoredCheckpoint]:
    """List the club's checkpoints, newest first."""
    return cut_page(
        checkpoints.list_page(transaction, after=after, limit=limit + 1), limit, lambda checkpoint: checkpoint
    )


def list_seals(transaction: Transaction, signed: Collection[StoredCheckpoint]) -> Mapping[int, ProvedEvent]:
    """Return the last event of each checkpoint, `checkpoint.sealed`, by the size of the checkpoint."""
    return trees.prove_last(transaction, [each.size for each in signed])


def list_checkpoint_keys(database: Database) -> Sequence[PublishedKey]:
    """List every public key that signed a checkpoint, oldest first."""
    with database.outside_clubs() as connection:
        return checkpoints.list_keys(connection)


def prove_consistency(transaction: Transaction, old: int, new: int) -> list[bytes]:
    """
    Return the hashes of the consistency proof between two sizes of the club's tree.

    Raises:
        EvidenceError: the old size is larger than the new one, or the new one is larger than the tree.
    """
    ranges = consistency_ranges(old, new)
    require_size(transaction, new, "to")
    return trees.hash_ranges(transaction, ranges)


def require_size(transaction: Transaction, size: int, name: str) -> None:
    """
    Check that a size is not larger than the club's tree.

    Raises:
        EvidenceError: the size is larger; `name` is its name in the request.
    """
    largest = trees.get_head(transaction).size
    if size > largest:
        detail = f"is {size}; expected at most {largest}, the number of events in the tree"
        raise EvidenceError((Mistake("size-unknown", ("query", name), detail),))


def prove_inclusion(transaction: Transaction, position: int, size: int) -> list[bytes]:
    """
    Return the hashes of the inclusion proof of a position in the club's tree of a size.

    Raises:
        EvidenceError: the position is not in a tree of that size, or the size is larger than the tree.
    """
    require_size(transaction, size, "size")
    if position >= size:
        detail = f"is {position}; expected 0 to {size - 1}, the positions in a tree of {size} events"
        raise EvidenceError((Mistake("position-unknown", ("query", "position"), detail),))
    return trees.hash_ranges(transaction, inclusion_ranges(position, size))

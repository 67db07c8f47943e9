from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.evidence import Checkpoint, SigningKey, sign_note
from service.database import Database, Transaction
from service.repository import checkpoints, trees
from service.repository.checkpoints import StoredCheckpoint
from service.repository.trees import TreeHead

AT_ONCE: Final = 2000
"""So many events get their places in one go."""
MOST_AT_A_TIME: Final = 20_000
"""So many of a club at a time, so that no club waits long for another's."""
PAUSE: Final = timedelta(minutes=1)
"""A tree that grows is signed so often, beside when somebody asks for it."""


@dataclass(frozen=True, slots=True)
class MadeCheckpoint:
    """A checkpoint, and whether it was there before."""

    checkpoint: StoredCheckpoint
    is_replay: bool


def make_checkpoint(transaction: Transaction, key: SigningKey) -> MadeCheckpoint:
    """
    Give what waits its place in the club's tree, and sign the tree.

    Where nothing happened since the newest checkpoint, that is it. Of very much that waits, the checkpoint stands for
    the first part; workers see to the rest.
    """
    head = trees.lock_head(transaction)
    for _ in range(MOST_AT_A_TIME // AT_ONCE):
        grown = trees.grow(transaction, head, AT_ONCE)
        if grown == head:
            break
        head = grown
    if head.size > head.signed_size:
        return MadeCheckpoint(_sign(transaction, head, key), is_replay=False)
    newest = checkpoints.find_newest(transaction)
    assert newest is not None, "that the club was made is an event"
    return MadeCheckpoint(newest, is_replay=True)


def join_events(database: Database, club_id: UUID, key: SigningKey | None) -> int:
    """
    Give a club's events that wait their places, sign its tree where it is time and there is a key, and say how many.

    Whatever ends it, every event has one place or waits; several may do so at once, and one does it.
    """
    joined = 0
    while joined < MOST_AT_A_TIME:
        with database.transaction(club_id) as transaction:
            head = trees.try_lock_head(transaction)
            if head is None:
                break
            grown = trees.grow(transaction, head, AT_ONCE)
            joined += grown.size - head.size
            is_all = grown.size - head.size < AT_ONCE
            if is_all and key is not None and _is_due(transaction, grown):
                _sign(transaction, grown, key)
        if is_all:
            break
    return joined


def _is_due(transaction: Transaction, head: TreeHead) -> bool:
    rested = head.signed_at is None or head.signed_at <= transaction.now - PAUSE
    return rested and head.size > head.signed_size


def _sign(transaction: Transaction, head: TreeHead, key: SigningKey) -> StoredCheckpoint:
    root = trees.get_root(transaction, head.size)
    note = sign_note(Checkpoint(origin_of(transaction.club_id), head.size, root).text, [key])
    made = StoredCheckpoint(uuid7(), head.size, root, note.written, transaction.now)
    checkpoints.publish_key(transaction, key.verifier)
    checkpoints.add(transaction, made)
    trees.mark_signed(transaction)
    return made


def origin_of(club_id: UUID) -> str:
    """
    Say in a checkpoint whose tree it is.

    >>> origin_of(UUID(int=7))
    'tablestakes/clubs/00000000-0000-0000-0000-000000000007'
    """
    return f"tablestakes/clubs/{club_id}"

"""Make and read checkpoints, prove inclusion and consistency, and list events."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence import Checkpoint, EvidenceError, SigningKey, consistency_ranges, inclusion_ranges, sign_note
from scoring.errors import Mistake
from service.db import Database, Transaction
from service.db.pages import Page, cut_page
from service.errors import NotFound
from service.ledger.queries import checkpoints, events, trees
from service.ledger.queries.checkpoints import PublishedKey, StoredCheckpoint
from service.ledger.queries.events import JoinedEvent
from service.ledger.queries.trees import TreeHead

AT_ONCE: Final = 2000
"""So many events get their places in one go."""
MOST_AT_A_TIME: Final = 20_000
"""So many of a club at a time, so that no club waits long for another's."""
MAPPED_AT_ONCE: Final = 20_000
"""So many events are entered into the map of rounds in one go, before the tree is signed."""
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
        while head.mapped_size < head.size:
            head = trees.update_round_map(transaction, head, MAPPED_AT_ONCE)
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
                mapped = trees.update_round_map(transaction, grown, MAPPED_AT_ONCE)
                is_all = mapped.mapped_size == mapped.size
                if is_all:
                    _sign(transaction, mapped, key)
        if is_all:
            break
    return joined


def _is_due(transaction: Transaction, head: TreeHead) -> bool:
    rested = head.signed_at is None or head.signed_at <= transaction.now - PAUSE
    return rested and head.size > head.signed_size


def _sign(transaction: Transaction, head: TreeHead, key: SigningKey) -> StoredCheckpoint:
    """Sign the tree and the map of rounds, which stand for the same events."""
    root, rounds_root = trees.get_root(transaction, head.size), trees.get_round_map_root(transaction)
    signed = Checkpoint(origin_of(transaction.club_id), head.size, root, rounds_root, transaction.now)
    note = sign_note(signed.text, [key])
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


def get_checkpoint(database: Database, address: UUID) -> str:
    """
    Give the signed note at an address, to whoever has it.

    Raises:
        NotFound: there is none.
    """
    with database.outside_clubs() as connection:
        note = checkpoints.find_note(connection, address)
    if note is None:
        raise NotFound(f"there is no checkpoint {address}")
    return note


def list_checkpoints(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[StoredCheckpoint]:
    """List what was signed of the club's tree, the newest first."""
    return cut_page(checkpoints.list_page(transaction, after=after, limit=limit + 1), limit, lambda found: found)


def list_checkpoint_keys(database: Database) -> Sequence[PublishedKey]:
    """List every public key that ever signed a checkpoint, the oldest first."""
    with database.outside_clubs() as connection:
        return checkpoints.list_keys(connection)


def prove_consistency(transaction: Transaction, old: int, new: int) -> list[bytes]:
    """
    Give the hashes that prove that the club's tree only grew from one size to another.

    Raises:
        EvidenceError: the old size is the larger one, or the tree has never been so large.
    """
    ranges = consistency_ranges(old, new)
    require_size(transaction, new, "to")
    return trees.hash_ranges(transaction, ranges)


def require_size(transaction: Transaction, size: int, name: str) -> None:
    """
    Go on only where the club's tree has ever been so large.

    Raises:
        EvidenceError: it never was; `name` is what the request calls the size.
    """
    largest = trees.get_head(transaction).size
    if size > largest:
        detail = f"{size} is given; the tree has {largest} events, and no size beyond that can be proved"
        raise EvidenceError((Mistake("size-unknown", ("query", name), detail),))


def prove_inclusion(transaction: Transaction, position: int, size: int) -> list[bytes]:
    """
    Give the hashes that prove that the club's tree of a size has the event that is at a position.

    Raises:
        EvidenceError: the tree of that size has no such position, or has never been so large.
    """
    require_size(transaction, size, "size")
    if position >= size:
        detail = f"{position} is given; a tree of {size} events has the positions 0 to {size - 1}"
        raise EvidenceError((Mistake("position-unknown", ("query", "position"), detail),))
    return trees.hash_ranges(transaction, inclusion_ranges(position, size))


_LOOKS_EVERY: Final = 0.5


def list_events(
    database: Database, club_id: UUID, *, after: int | None, limit: int, wait: float, gives_up: Callable[[], bool]
) -> list[JoinedEvent]:
    """
    List what happened in a club after an event, in the order of the tree; where there is nothing yet, wait for it.

    Meanwhile no connection is held.

    Args:
        database: where to look.
        club_id: whose events.
        after: the position of the last that is known; None for from the first.
        limit: so many at most.
        wait: so many seconds at most.
        gives_up: says while it waits whether it should end at once, with what there is.
    """
    deadline = time.monotonic() + wait
    while True:
        with database.reading(club_id) as transaction:
            found = events.list_joined(transaction, 0 if after is None else after + 1, limit)
        left = deadline - time.monotonic()
        if found or left <= 0 or gives_up():
            return found
        time.sleep(min(_LOOKS_EVERY, left))

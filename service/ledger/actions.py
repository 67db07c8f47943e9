"""Add events to clubs' trees, also when notified; make and read checkpoints; prove inclusion and consistency."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence import Checkpoint, EvidenceError, SigningKey, consistency_ranges, inclusion_ranges, sign_note
from scoring.errors import Mistake
from service.db import Database, Transaction
from service.db.notifications import Batcher, Listener
from service.db.pages import Page, cut_page
from service.errors import NotFound, ServiceError
from service.ledger.queries import checkpoints, trees
from service.ledger.queries.checkpoints import PublishedKey, StoredCheckpoint
from service.ledger.queries.trees import RECORDED, TreeHead
from service.logs import get_log

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
    newest = checkpoints.find_newest(transaction)
    assert newest is not None, "the creation of a club is an event"
    return MadeCheckpoint(newest, is_replay=True)


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
    """Sign the tree and the map of rounds, which cover the same events."""
    root, rounds_root = trees.get_root(transaction, head.size), trees.get_round_map_root(transaction)
    signed = Checkpoint(get_origin(transaction), head.size, root, rounds_root, transaction.now)
    note = sign_note(signed.text, [key])
    made = StoredCheckpoint(uuid7(), head.size, root, note.written, transaction.now)
    checkpoints.publish_key(transaction, key.verifier)
    checkpoints.add(transaction, made)
    trees.mark_signed(transaction)
    return made


def origin_of(club_id: UUID, *, is_test: bool = False) -> str:
    """
    Return the origin line of a club's checkpoints.

    That of a test club is another one, because the tree of a test club can begin again, and its checkpoints then
    contradict each other.

    >>> origin_of(UUID(int=7))
    'tablestakes/clubs/00000000-0000-0000-0000-000000000007'
    >>> origin_of(UUID(int=7), is_test=True)
    'tablestakes/test-clubs/00000000-0000-0000-0000-000000000007'
    """
    return f"tablestakes/{'test-clubs' if is_test else 'clubs'}/{club_id}"


def get_origin(transaction: Transaction) -> str:
    """Return the origin line of the checkpoints of the transaction's club."""
    return origin_of(transaction.club_id, is_test=checkpoints.is_of_test_club(transaction))


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


def list_checkpoints(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[StoredCheckpoint]:
    """List the club's checkpoints, newest first."""
    return cut_page(checkpoints.list_page(transaction, after=after, limit=limit + 1), limit, lambda found: found)


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


_PAUSE: Final = 0.1
"""Seconds between two batches: under load, many events join at once and send one notification."""
_ATTEMPTS: Final = 4
_RETRY_SECONDS: Final = 0.05

_log = get_log(__name__)


class Joiner:
    """
    Adds the events of clubs to their trees when it is notified of a commit.

    Nothing depends on it: the sweeper adds what it misses, and signs the trees.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batcher = Batcher(self._join, _PAUSE, "joiner")
        self._listener = Listener(database, RECORDED, self._batcher.add)

    def start(self) -> None:
        """Start the threads."""
        self._batcher.start()
        self._listener.start()

    def stop(self) -> None:
        """End the threads."""
        self._listener.stop()
        self._batcher.stop()

    def _join(self, clubs: Collection[str]) -> None:
        for club in clubs:
            try:
                # Another process may hold the tree with a batch that was taken before the commit.
                for _ in range(_ATTEMPTS):
                    if join_events(self._database, UUID(club), None):
                        break
                    time.sleep(_RETRY_SECONDS)
            except ServiceError as error:
                _log.warning("join_interrupted", club=club, error=str(error))
            except Exception:
                _log.exception("join_failed", club=club)

"""Checkpoints of clubs' trees, and the public keys that verify them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, insert, select, text

from evidence import VerifierKey
from service.audit_trail.models import CheckpointRecord, TreeHeadRecord
from service.db import Transaction

_RECORD: Final = CheckpointRecord
_ADD_KEY: Final = text("""
    INSERT INTO shared.signing_keys (public_key, name, first_used_at) VALUES (:public_key, :name, now())
    ON CONFLICT DO NOTHING
""")
_KEYS: Final = text("""
    SELECT name, public_key, first_used_at FROM shared.signing_keys ORDER BY first_used_at, public_key
""")
_BY_ADDRESS: Final = text("""
    SELECT club_id, size, note FROM set_config('ofc.checkpoint', :id, true), checkpoints WHERE id = CAST(:id AS uuid)
""")
_SET_CLUB: Final = text("SELECT set_config('ofc.club', CAST(:club_id AS text), true)")
_SERVED_SIZE: Final = text("SELECT served_size FROM tree_heads WHERE club_id = :club_id")


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """
    A checkpoint.

    Attributes:
        id: its address, which cannot be guessed: anyone who knows it may read the note.
        size: the number of events that it covers.
        root: the root hash of the tree of these events.
        note: the signed note, as it is served.
    """

    id: UUID
    size: int
    root: bytes
    note: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A public key, and when it was first used."""

    key: VerifierKey
    first_used_at: datetime


def add(transaction: Transaction, checkpoint: StoredCheckpoint) -> None:
    """Insert the first checkpoint of a size."""
    transaction.execute(
        insert(_RECORD).values(
            club_id=transaction.club_id,
            id=checkpoint.id,
            size=checkpoint.size,
            root=checkpoint.root,
            note=checkpoint.note,
            created_at=checkpoint.created_at,
        )
    )


def find_newest(transaction: Transaction) -> StoredCheckpoint | None:
    """Find the checkpoint that covers the most events, of those that may be served."""
    checkpoints = list_page(transaction, limit=1)
    return checkpoints[0] if checkpoints else None


def get_signed(transaction: Transaction, size: int) -> StoredCheckpoint:
    """Return the checkpoint of a size, which may not be served yet."""
    query = select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id, _RECORD.size == size)
    return _load(transaction.execute(query).one())


def list_page(transaction: Transaction, *, after: UUID | None = None, limit: int) -> list[StoredCheckpoint]:
    """List checkpoints that may be served, after `after`, newest first."""
    served = select(TreeHeadRecord.served_size).where(TreeHeadRecord.club_id == transaction.club_id)
    query = select(_RECORD.__table__).where(
        _RECORD.club_id == transaction.club_id, _RECORD.size <= served.scalar_subquery()
    )
    if after is not None:
        last = select(_RECORD.size).where(_RECORD.club_id == transaction.club_id, _RECORD.id == after)
        query = query.where(_RECORD.size < last.scalar_subquery())
    return [_load(row) for row in transaction.execute(query.order_by(_RECORD.size.desc()).limit(limit))]


def find_note(connection: Connection, address: UUID) -> str | None:
    """
    Find the note at an address, in any club; None also while it may not be served.

    Args:
        connection: from `Database.outside_clubs`.
        address: the checkpoint's id.
    """
    row = connection.execute(_BY_ADDRESS, {"id": str(address)}).one_or_none()
    if row is None:
        return None
    connection.execute(_SET_CLUB, {"club_id": row.club_id})
    served_size = connection.execute(_SERVED_SIZE, {"club_id": row.club_id}).scalar_one_or_none() or 0
    return str(row.note) if row.size <= served_size else None


def publish_key(transaction: Transaction, key: VerifierKey) -> None:
    """Insert a public key that signs, unless it is already published."""
    transaction.execute(_ADD_KEY, {"public_key": key.public, "name": key.name})


def list_keys(connection: Connection) -> Sequence[PublishedKey]:
    """List every public key that signed, oldest first."""
    return [
        PublishedKey(VerifierKey(row.name, bytes(row.public_key)), row.first_used_at)
        for row in connection.execute(_KEYS)
    ]


def _load(row: Row[Any]) -> StoredCheckpoint:
    return StoredCheckpoint(row.id, row.size, bytes(row.root), row.note, row.created_at)

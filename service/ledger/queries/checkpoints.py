"""Checkpoints: what was signed of each club's tree, and the public keys that it can be verified with."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, insert, select, text

from evidence import VerifierKey
from service.db import Transaction
from service.ledger.models import CheckpointRecord

_RECORD: Final = CheckpointRecord
_ADD_KEY: Final = text("""
    INSERT INTO machinery.signing_keys (public_key, name, first_used_at) VALUES (:public_key, :name, now())
    ON CONFLICT DO NOTHING
""")
_KEYS: Final = text("""
    SELECT name, public_key, first_used_at FROM machinery.signing_keys ORDER BY first_used_at, public_key
""")
_BY_ADDRESS: Final = text("""
    SELECT note FROM set_config('ofc.checkpoint', :id, true), checkpoints WHERE id = CAST(:id AS uuid)
""")


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """
    A checkpoint.

    Attributes:
        id: its address, which cannot be guessed: whoever has it may read the note.
        size: how many events it stands for.
        root: of the tree over them.
        note: signed, as it is served.
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


def add(transaction: Transaction, made: StoredCheckpoint) -> None:
    """Keep a checkpoint; its size has none yet."""
    transaction.execute(
        insert(_RECORD).values(
            club_id=transaction.club_id,
            id=made.id,
            size=made.size,
            root=made.root,
            note=made.note,
            created_at=made.created_at,
        )
    )


def find_newest(transaction: Transaction) -> StoredCheckpoint | None:
    """Find the checkpoint that stands for most events."""
    found = list_page(transaction, limit=1)
    return found[0] if found else None


def list_page(transaction: Transaction, *, after: UUID | None = None, limit: int) -> list[StoredCheckpoint]:
    """List checkpoints, the newest first, from the one after `after`."""
    query = select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id)
    if after is not None:
        last = select(_RECORD.size).where(_RECORD.club_id == transaction.club_id, _RECORD.id == after)
        query = query.where(_RECORD.size < last.scalar_subquery())
    return [_load(found) for found in transaction.execute(query.order_by(_RECORD.size.desc()).limit(limit))]


def find_note(connection: Connection, address: UUID) -> str | None:
    """
    Find the note at an address, whichever club's it is.

    Args:
        connection: from `Database.outside_clubs`.
        address: the checkpoint's id.
    """
    note: str | None = connection.execute(_BY_ADDRESS, {"id": str(address)}).scalar_one_or_none()
    return note


def publish_key(transaction: Transaction, key: VerifierKey) -> None:
    """Let everybody see the public key of one that signs; the same again is nothing new."""
    transaction.execute(_ADD_KEY, {"public_key": key.public, "name": key.name})


def list_keys(connection: Connection) -> Sequence[PublishedKey]:
    """List every public key that ever signed, the oldest first."""
    return [
        PublishedKey(VerifierKey(found.name, bytes(found.public_key)), found.first_used_at)
        for found in connection.execute(_KEYS)
    ]


def _load(found: Row[Any]) -> StoredCheckpoint:
    return StoredCheckpoint(found.id, found.size, bytes(found.root), found.note, found.created_at)

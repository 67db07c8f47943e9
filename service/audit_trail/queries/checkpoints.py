"""Checkpoints of clubs' trees, and the public keys that verify them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, Select, func, insert, select, text
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.dialects.postgresql import insert as insert_or_leave

from evidence import VerifierKey
from evidence.cosignatures import CosignerKey
from evidence.notes import Signature, SignedNote
from service.audit_trail.models import CheckpointRecord, CosignatureRecord, TreeHeadRecord
from service.db import Transaction

_RECORD: Final = CheckpointRecord
_COSIGNATURE: Final = CosignatureRecord
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
_COSIGNATURES: Final = text("""
    SELECT name, public_key, signature FROM cosignatures WHERE club_id = :club_id AND size = :size
    ORDER BY name, public_key
""")
_MOST_LOOKED_AT: Final = 100
_WITNESSES: Final = text("""
    SELECT name, public_key, max(received_at) AS at FROM (
        SELECT name, public_key, received_at FROM cosignatures WHERE club_id = :club_id ORDER BY size DESC LIMIT :most
    ) AS newest GROUP BY name, public_key ORDER BY name, public_key
""")
_SERVED_SIZE: Final = text("SELECT served_size FROM tree_heads WHERE club_id = :club_id")


@dataclass(frozen=True, slots=True)
class StoredCosignature:
    """
    The cosignature of a witness.

    Attributes:
        key: of the witness.
        signature: the time and the signature, as in the line of the note, without the id of the key.
    """

    key: CosignerKey
    signature: bytes


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """
    A checkpoint.

    Attributes:
        id: its address, which cannot be guessed: anyone who knows it may read the note.
        size: the number of events that it covers.
        root: the root hash of the tree of these events.
        note: the signed note, as it is served, with the cosignatures.
        cosignatures: of witnesses, in the order of their names.
    """

    id: UUID
    size: int
    root: bytes
    note: str
    created_at: datetime
    cosignatures: tuple[StoredCosignature, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenBy:
    """A witness, and when the service received its last cosignature."""

    key: CosignerKey
    at: datetime


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
    query = _select().where(_RECORD.club_id == transaction.club_id, _RECORD.size == size)
    return _load(transaction.execute(query).one())


def find(transaction: Transaction, checkpoint_id: UUID) -> StoredCheckpoint | None:
    """Find a checkpoint of the club by its address, if it may be served."""
    served = select(TreeHeadRecord.served_size).where(TreeHeadRecord.club_id == transaction.club_id)
    query = _select().where(
        _RECORD.club_id == transaction.club_id, _RECORD.id == checkpoint_id, _RECORD.size <= served.scalar_subquery()
    )
    row = transaction.execute(query).one_or_none()
    return None if row is None else _load(row)


def add_cosignature(transaction: Transaction, size: int, cosignature: StoredCosignature) -> None:
    """Insert the cosignature of a witness, unless the checkpoint has one of it."""
    transaction.execute(
        insert_or_leave(_COSIGNATURE)
        .values(
            club_id=transaction.club_id,
            size=size,
            name=cosignature.key.name,
            public_key=cosignature.key.public,
            signature=cosignature.signature,
            received_at=transaction.now,
        )
        .on_conflict_do_nothing()
    )


def list_page(transaction: Transaction, *, after: UUID | None = None, limit: int) -> list[StoredCheckpoint]:
    """List checkpoints that may be served, after `after`, newest first."""
    served = select(TreeHeadRecord.served_size).where(TreeHeadRecord.club_id == transaction.club_id)
    query = _select().where(_RECORD.club_id == transaction.club_id, _RECORD.size <= served.scalar_subquery())
    if after is not None:
        last = select(_RECORD.size).where(_RECORD.club_id == transaction.club_id, _RECORD.id == after)
        query = query.where(_RECORD.size < last.scalar_subquery())
    return [_load(row) for row in transaction.execute(query.order_by(_RECORD.size.desc()).limit(limit))]


def list_witnesses(transaction: Transaction) -> list[SeenBy]:
    """List the witnesses of the club's newest cosignatures by their names, with the time of the last one of each."""
    rows = transaction.execute(_WITNESSES, {"club_id": transaction.club_id, "most": _MOST_LOOKED_AT})
    return [SeenBy(CosignerKey(row.name, bytes(row.public_key)), row.at) for row in rows]


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
    if row.size > served_size:
        return None
    added = connection.execute(_COSIGNATURES, {"club_id": row.club_id, "size": row.size})
    return _with_lines(str(row.note), map(_load_cosignature, added))


def publish_key(transaction: Transaction, key: VerifierKey) -> None:
    """Insert a public key that signs, unless it is already published."""
    transaction.execute(_ADD_KEY, {"public_key": key.public, "name": key.name})


def list_keys(connection: Connection) -> Sequence[PublishedKey]:
    """List every public key that signed, oldest first."""
    return [
        PublishedKey(VerifierKey(row.name, bytes(row.public_key)), row.first_used_at)
        for row in connection.execute(_KEYS)
    ]


def _select() -> Select[Any]:
    """Select checkpoints with their cosignatures as JSON."""
    cosignature = func.jsonb_build_object(
        "name",
        _COSIGNATURE.name,
        "public_key",
        func.encode(_COSIGNATURE.public_key, "hex"),
        "signature",
        func.encode(_COSIGNATURE.signature, "hex"),
    )
    order = (_COSIGNATURE.name, _COSIGNATURE.public_key)
    added = (
        select(func.jsonb_agg(aggregate_order_by(cosignature, *order)))
        .where(_COSIGNATURE.club_id == _RECORD.club_id, _COSIGNATURE.size == _RECORD.size)
        .correlate(_RECORD)
        .scalar_subquery()
    )
    return select(_RECORD.__table__, added.label("cosignatures"))


def _load(row: Row[Any]) -> StoredCheckpoint:
    cosignatures = tuple(
        StoredCosignature(
            CosignerKey(each["name"], bytes.fromhex(each["public_key"])), bytes.fromhex(each["signature"])
        )
        for each in row.cosignatures or ()
    )
    note = _with_lines(row.note, cosignatures)
    return StoredCheckpoint(row.id, row.size, bytes(row.root), note, row.created_at, cosignatures)


def _load_cosignature(row: Row[Any]) -> StoredCosignature:
    return StoredCosignature(CosignerKey(row.name, bytes(row.public_key)), bytes(row.signature))


def _with_lines(note: str, cosignatures: Iterable[StoredCosignature]) -> str:
    """Return a note with the lines of cosignatures below those that it has."""
    lines = SignedNote("", tuple(Signature(each.key.name, each.key.id, each.signature) for each in cosignatures)).lines
    return note + lines

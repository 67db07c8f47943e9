"""Checkpoints, proofs and keys on the wire; the notes themselves are text."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from schemas.base import Dumped, WireSchema
from schemas.evidence import VerifierKey
from schemas.fields import Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.pages import QueryInteger, QuerySchema

MOST_SIZE: Final = 999_999_999
_MOST_HASHES: Final = 128


class HashField(Text):
    """A SHA-256 in hexadecimal."""

    def __init__(self) -> None:
        super().__init__(required=True, longest=64, pattern="^[0-9a-f]{64}$", wanted="64 hexadecimal digits")


class CheckpointSchema(WireSchema):
    """What was signed of the club's tree of events; the note is at `/v1/checkpoints/{id}`, for whoever has the id."""

    id = UuidField(required=True)
    size = Integer(least=1, required=True, metadata={"description": "How many events it stands for."})
    root = HashField()
    created_at = Time(required=True)


class CheckpointPageSchema(WireSchema):
    """Checkpoints, the newest first. The header `Link` leads to the next page."""

    checkpoints = Listing(Inner(CheckpointSchema), most=100, required=True)


class ConsistencyQuerySchema(QuerySchema):
    """From which size of the tree to which."""

    old = QueryInteger(least=0, most=MOST_SIZE, data_key="from", required=True)
    new = QueryInteger(least=0, most=MOST_SIZE, data_key="to", required=True)


class ConsistencySchema(WireSchema):
    """The hashes that prove that a tree only grew, as RFC 6962 has them, from the bottom up."""

    old = Integer(least=0, data_key="from", required=True)
    new = Integer(least=0, data_key="to", required=True)
    proof = Listing(HashField(), most=_MOST_HASHES, required=True)


class InclusionQuerySchema(QuerySchema):
    """Which event, and in the tree of which size."""

    position = QueryInteger(
        least=0, most=MOST_SIZE, required=True, metadata={"description": "The event's, as `/v1/events` has it."}
    )
    size = QueryInteger(
        least=1, most=MOST_SIZE, required=True, metadata={"description": "How many events the checkpoint stands for."}
    )


class InclusionSchema(WireSchema):
    """The hashes that prove that a tree has an event at a position, as RFC 6962 has them, from the bottom up."""

    position = Integer(least=0, required=True)
    size = Integer(least=1, required=True)
    proof = Listing(HashField(), most=_MOST_HASHES, required=True)


class CheckpointKeySchema(WireSchema):
    """A public key that checkpoints were signed with."""

    name = Text(required=True, longest=120)
    id = Text(required=True, longest=8, pattern="^[0-9a-f]{8}$", wanted="8 hexadecimal digits")
    verifier = Text(required=True, longest=400, metadata={"description": "The key in the line that verifiers take."})
    first_used_at = Time(required=True)


class CheckpointKeysSchema(WireSchema):
    """Every public key that ever signed, the oldest first."""

    keys = Listing(Inner(CheckpointKeySchema), most=10_000, required=True)


def dump_checkpoint(checkpoint_id: UUID, size: int, root: bytes, created_at: datetime) -> Dumped:
    """Write a checkpoint; its note is served by itself."""
    return {"id": str(checkpoint_id), "size": size, "root": root.hex(), "created_at": show_time(created_at)}


def dump_consistency(old: int, new: int, proof: Sequence[bytes]) -> Dumped:
    """Write a proof that a tree only grew."""
    return {"from": old, "to": new, "proof": [part.hex() for part in proof]}


def dump_inclusion(position: int, size: int, proof: Sequence[bytes]) -> Dumped:
    """Write a proof that a tree has an event at a position."""
    return {"position": position, "size": size, "proof": [part.hex() for part in proof]}


def dump_key(key: VerifierKey, first_used_at: datetime) -> Dumped:
    """Write a public key."""
    return {
        "name": key.name,
        "id": key.id.hex(),
        "verifier": key.written,
        "first_used_at": show_time(first_used_at),
    }

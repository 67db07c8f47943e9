"""Queries of events, and checkpoints, proofs and public keys; the checkpoint notes are plain text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from evidence import EvidenceError, VerifierKey
from evidence.codec import codec_of
from evidence.cosignatures import CosignerKey, moment_of
from evidence.events import EventKind
from evidence.files import ProvedEvent
from evidence.notes import read_signatures
from evidence.tree import HASH_BYTES
from schemas.base import Dumped, WireError, WireField, WireSchema, show
from schemas.fields import Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.pages import PageSchema, QueryInteger, QuerySchema
from scoring.errors import Mistake

MOST_EVENTS: Final = 1000
LONGEST_WAIT: Final = 30
MOST_POSITION: Final = 999_999_999


_KINDS: Final = tuple(kind.value for kind in EventKind)


class KindsField(WireField):
    """Kinds of events, separated by commas."""

    def __init__(self, **options: Any) -> None:
        described = {
            "items": {"type": "string", "enum": [*_KINDS]},
            "minItems": 1,
            "maxItems": len(_KINDS),
            "example": ["hand.recorded", "round.closed"],
        }
        super().__init__(described=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[EventKind, ...]:
        listed = value.split(",")
        if len(listed) > len(_KINDS):
            raise self.refuse("list-length", f"has {len(listed)} kinds; expected at most {len(_KINDS)}")
        for kind in listed:
            if kind not in _KINDS:
                raise self.refuse("not-a-choice", f"has {show(kind)}; expected kinds of {', '.join(_KINDS)}")
        return tuple(EventKind(kind) for kind in dict.fromkeys(listed))


class EventQuerySchema(QuerySchema):
    """Which events to list, where the list starts, and how long to wait for new ones."""

    kind = KindsField(description="Only events of these kinds, separated by commas.")
    table = UuidField(description="Only events of the table with this ID and of its rounds.")
    round = UuidField(description="Only events of the round with this ID.")

    after = QueryInteger(
        least=0,
        most=MOST_POSITION,
        description="Position of the last event that you have. Starts at the first event if omitted.",
    )
    limit = QueryInteger(
        least=1,
        most=MOST_EVENTS,
        load_default=100,
        description="Maximum number of events in the response. A stream has no maximum.",
    )
    wait = QueryInteger(
        least=0,
        most=LONGEST_WAIT,
        load_default=0,
        description="Seconds to wait for a new event if there is none yet. A stream always waits.",
    )


MOST_SIZE: Final = 999_999_999
MOST_COSIGNATURES: Final = 15
"""Readers of signed notes accept 16 signatures, and one is that of the club."""
_MOST_HASHES: Final = 128
_MOST_LEVELS: Final = 64
_MOST_BYTES: Final = 16_000_000


class HashField(Text):
    """A SHA-256 hash, in hexadecimal."""

    default_description = "SHA-256 hash, in hexadecimal."

    def __init__(self, **options: Any) -> None:
        meaning = "64 hexadecimal digits"
        super().__init__(required=True, longest=64, pattern="^[0-9a-f]{64}$", meaning=meaning, **options)


class Base64(Text):
    """Bytes in base64."""

    def __init__(self, *, size: int | None = None, **options: Any) -> None:
        longest = 4 * ((size or _MOST_BYTES) // 3 + 1)
        super().__init__(longest=longest, pattern=r"^[A-Za-z0-9+/]+={0,2}$", meaning="base64", **options)


class ProvedEventSchema(WireSchema):
    """An event of the audit trail, with its proof of inclusion in the checkpoint's tree."""

    event = Base64(required=True, description="The bytes of the event, which are hashed.")
    position = Integer(
        least=0,
        required=True,
        allow_none=True,
        description="Position of the event in the checkpoint's tree. Null if it has not joined the tree yet.",
    )
    proof = Listing(
        Base64(size=HASH_BYTES),
        most=_MOST_LEVELS,
        required=True,
        allow_none=True,
        description="Hashes of the inclusion proof (RFC 6962), in base64, from the leaf to the root.",
    )


@dataclass(frozen=True, slots=True)
class CosignatureRequest:
    """The cosignature of a witness: its key, and the time and the signature without the ID of the key."""

    key: CosignerKey
    signature: bytes


_COSIGNATURE_BYTES: Final = 76
_WITNESS: Final = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"


class CosignatureRequestSchema(WireSchema):
    """The cosignature of a witness (C2SP tlog-cosignature, version 1) to add to a checkpoint."""

    witness = Text(
        required=True,
        longest=400,
        metadata={"example": _WITNESS},
        description="The public key of the witness, in the one-line format of signed notes.",
    )
    signature = Base64(
        size=_COSIGNATURE_BYTES,
        required=True,
        description="What its signature line has after the name: key ID, time and signature, in base64.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> CosignatureRequest:
        try:
            key = CosignerKey.read(read["witness"])
        except EvidenceError as error:
            raise WireError(tuple(mistake.under("witness") for mistake in error.mistakes)) from error
        try:
            [line] = read_signatures(f"— {key.name} {read['signature']}\n")
        except EvidenceError as error:
            raise WireError(tuple(mistake.under("signature") for mistake in error.mistakes)) from error
        if line.key_id != key.id:
            detail = f"has the key ID {line.key_id.hex()}; expected {key.id.hex()}, that of `witness`"
            raise WireError((Mistake("signature-wrong", ("signature",), detail),))
        return CosignatureRequest(key, line.signature)


class CosignatureSchema(WireSchema):
    """The cosignature of a witness: at that time, the tree had only grown."""

    witness = Text(
        required=True,
        longest=400,
        metadata={"example": _WITNESS},
        description="The public key of the witness, in the one-line format of signed notes.",
    )
    cosigned_at = Time(required=True, description="Time at which the witness cosigned, by its clock.")


class CheckpointSchema(WireSchema):
    """A checkpoint of the club's tree of events. Its signed note is public at `/v1/checkpoints/{id}`."""

    id = UuidField(required=True, description="ID of the checkpoint.")
    size = Integer(least=1, required=True, description="Number of events in the tree that the checkpoint signs.")
    root = HashField(description="Root hash of the tree, in hexadecimal.")
    created_at = Time(required=True, description="Time when the checkpoint was signed.")
    sealed = Inner(
        ProvedEventSchema,
        required=True,
        description="The event `checkpoint.sealed`, the last one of the tree, which has the root of the map of rounds.",
    )
    cosignatures = Listing(
        Inner(CosignatureSchema),
        most=MOST_COSIGNATURES,
        required=True,
        description="The cosignatures of witnesses that were added; the note has them too.",
    )


class CheckpointPageSchema(PageSchema):
    """One page of checkpoints, newest first."""

    checkpoints = Listing(
        Inner(CheckpointSchema), most=100, required=True, description="The checkpoints of this page, newest first."
    )


class ConsistencyQuerySchema(QuerySchema):
    """The two tree sizes of a consistency proof."""

    old = QueryInteger(
        least=0, most=MOST_SIZE, data_key="from", required=True, description="Size of the older tree, in events."
    )
    new = QueryInteger(
        least=0, most=MOST_SIZE, data_key="to", required=True, description="Size of the newer tree, in events."
    )


class CheckpointConsistencyProofSchema(WireSchema):
    """An RFC 6962 consistency proof: the newer tree only adds events to the older one."""

    old = Integer(least=0, data_key="from", required=True, description="Size of the older tree, in events.")
    new = Integer(least=0, data_key="to", required=True, description="Size of the newer tree, in events.")
    proof = Listing(
        HashField(),
        most=_MOST_HASHES,
        required=True,
        description="Hashes of the consistency proof (RFC 6962), in hexadecimal, from the leaves to the root.",
    )


class InclusionQuerySchema(QuerySchema):
    """The event and the tree size of an inclusion proof."""

    position = QueryInteger(
        least=0, most=MOST_SIZE, required=True, description="Position of the event in the tree, as in `/v1/events`."
    )
    size = QueryInteger(
        least=1, most=MOST_SIZE, required=True, description="Number of events in the tree of the checkpoint."
    )


class CheckpointInclusionProofSchema(WireSchema):
    """An RFC 6962 inclusion proof: the tree has the event at the position."""

    position = Integer(least=0, required=True, description="Position of the event in the tree, from 0.")
    size = Integer(least=1, required=True, description="Size of the tree, in events.")
    proof = Listing(
        HashField(),
        most=_MOST_HASHES,
        required=True,
        description="Hashes of the inclusion proof (RFC 6962), in hexadecimal, from the leaf to the root.",
    )


class CheckpointKeySchema(WireSchema):
    """A public key that signed checkpoints."""

    name = Text(required=True, longest=120, description="Name of the key in signed notes.")
    id = Text(
        required=True,
        longest=8,
        pattern="^[0-9a-f]{8}$",
        meaning="8 hexadecimal digits",
        description="ID of the key in signed notes, in hexadecimal.",
    )
    verifier = Text(required=True, longest=400, description="The public key in the one-line format of signed notes.")
    first_used_at = Time(required=True, description="Time of the first checkpoint signed with the key.")


class CheckpointKeyListSchema(WireSchema):
    """Every public key that signed a checkpoint, oldest first."""

    keys = Listing(
        Inner(CheckpointKeySchema),
        most=10_000,
        required=True,
        description="Every public key that signed a checkpoint, oldest first.",
    )


def dump_checkpoint(
    checkpoint_id: UUID,
    size: int,
    root: bytes,
    created_at: datetime,
    sealed: ProvedEvent,
    cosignatures: Sequence[Dumped],
) -> Dumped:
    """Encode a checkpoint without its note."""
    return {
        "id": str(checkpoint_id),
        "size": size,
        "root": root.hex(),
        "created_at": show_time(created_at),
        "sealed": codec_of(ProvedEvent).encode(sealed),
        "cosignatures": list(cosignatures),
    }


def dump_cosignature(key: CosignerKey, signature: bytes) -> Dumped:
    """Encode the cosignature of a witness."""
    return {"witness": key.written, "cosigned_at": show_time(moment_of(signature))}


def dump_consistency(old: int, new: int, proof: Sequence[bytes]) -> Dumped:
    """Encode a consistency proof."""
    return {"from": old, "to": new, "proof": [part.hex() for part in proof]}


def dump_inclusion(position: int, size: int, proof: Sequence[bytes]) -> Dumped:
    """Encode an inclusion proof."""
    return {"position": position, "size": size, "proof": [part.hex() for part in proof]}


def dump_key(key: VerifierKey, first_used_at: datetime) -> Dumped:
    """Encode a public key."""
    return {
        "name": key.name,
        "id": key.id.hex(),
        "verifier": key.written,
        "first_used_at": show_time(first_used_at),
    }

"""All that proves a round, in one file that can be checked without the service."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load

from schemas.base import Dumped, Sentence, WireSchema, load
from schemas.documents import RoundDocumentSchema
from schemas.evidence.tree import HASH_BYTES
from schemas.fields import Anything, Choice, Inner, Integer, Listing, Text, UuidField, show
from schemas.hands import MOST_HANDS
from schemas.pages import QueryInteger, QuerySchema
from schemas.rounds import RecordedHandSchema
from schemas.rulesets import RulesetSchema
from schemas.settlements import SettlementSchema

FORMAT: Final = "tablestakes-evidence/1"
"""Says how the file is to be read; another way of writing it gets another number."""

MOST_SIZE: Final = 999_999_999
_MOST_EVENTS: Final = 100_000
_MOST_BYTES: Final = 16_000_000
_MOST_LEVELS: Final = 64


class Base64(Text):
    """Bytes in base64, written in the one way there is."""

    def __init__(self, *, size: int | None = None, most: int = _MOST_BYTES, **options: Any) -> None:
        self.size = size
        super().__init__(longest=4 * ((size or most) // 3 + 1), pattern=r"^[A-Za-z0-9+/]+={0,2}$", **options)
        self.wanted = "base64"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            read = b64decode(text, validate=True)
        except ValueError:
            read = b""
        if b64encode(read).decode() != text:
            raise self.refuse("not-base64", f"is {show(value)}; base64, padded and with no bits left over, is right")
        if self.size is not None and len(read) != self.size:
            raise self.refuse("hash-length", f"has {len(read)} bytes; {self.size} are right")
        return read


@dataclass(frozen=True, slots=True)
class ProvedEvent:
    """An event's bytes, its place in the tree and the proof of it; None for one that has not joined the tree."""

    event: bytes
    position: int | None
    proof: tuple[bytes, ...] | None


@dataclass(frozen=True, slots=True)
class Growth:
    """The proof that the checkpoint's tree grew from one of another size."""

    size: int
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class EvidenceRevision:
    """What a revision was made of and came to, as the service answers it."""

    revision: int
    document: Mapping[str, Any]
    settlement: Mapping[str, Any]
    hands: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """
    All that proves a round.

    Attributes:
        revisions: all there have been, the one in force last.
        rulesets: that they were played by, in full.
        events: of the round, in order.
        related: the events of no round that these refer to: the table, and the rules.
        checkpoint: the signed note over the tree that the proofs lead to; None where none was signed yet.
        consistency: with an older checkpoint, where that was asked for.
        keys: the public keys that signed it, each in one line.
    """

    club: UUID
    round: UUID
    revisions: tuple[EvidenceRevision, ...]
    rulesets: tuple[Mapping[str, Any], ...]
    events: tuple[ProvedEvent, ...]
    related: tuple[ProvedEvent, ...]
    checkpoint: str | None
    consistency: Growth | None
    keys: tuple[str, ...]


class NoteField(Text):
    """A signed note, which has several lines."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100_000, pattern=r"^[^\u0000-\u0009\u000b-\u001f\u007f]+$", **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= self.longest:
            raise self.refuse("not-a-text", f"is {show(value)}; a signed note is right")
        return value


class ProvedEventSchema(WireSchema):
    """An event of the audit trail, with its place in the club's tree."""

    event = Base64(required=True, metadata={"description": "The bytes that are hashed."})
    position = Integer(
        least=0,
        required=True,
        allow_none=True,
        metadata={"description": "Of its leaf in the tree; null where it has not joined the checkpoint's tree."},
    )
    proof = Listing(
        Base64(size=HASH_BYTES),
        most=_MOST_LEVELS,
        required=True,
        allow_none=True,
        metadata={"description": "RFC 6962's inclusion proof in the tree of the checkpoint, from the bottom up."},
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ProvedEvent:
        proof = read["proof"]
        if (read["position"] is None) != (proof is None):
            detail = "an event has a position and a proof, or neither"
            raise ValidationError(Sentence("proof-alone", detail), "proof")
        return ProvedEvent(read["event"], read["position"], None if proof is None else tuple(proof))


class GrowthSchema(WireSchema):
    """RFC 6962's consistency proof from an older tree to that of the checkpoint."""

    size = Integer(least=0, required=True, metadata={"description": "How many leaves the older tree has."})
    proof = Listing(Base64(size=HASH_BYTES), most=2 * _MOST_LEVELS, required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Growth:
        return Growth(read["size"], tuple(read["proof"]))


class EvidenceRevisionSchema(WireSchema):
    """What a revision of the round was made of and came to."""

    revision = Integer(least=1, required=True)
    document = Inner(RoundDocumentSchema, required=True)
    settlement = Inner(SettlementSchema, required=True)
    hands = Listing(Inner(RecordedHandSchema), most=MOST_HANDS, required=True)


class EvidenceSchema(WireSchema):
    """All that proves a round, in one file: `ofc verify` checks it without the service."""

    format = Choice({FORMAT: FORMAT}, required=True)
    club = UuidField(required=True)
    round = UuidField(required=True)
    revisions = Listing(Inner(EvidenceRevisionSchema), least=1, most=_MOST_EVENTS, required=True)
    rulesets = Listing(Inner(RulesetSchema), most=_MOST_EVENTS, required=True)
    events = Listing(
        Inner(ProvedEventSchema),
        least=1,
        most=_MOST_EVENTS,
        required=True,
        metadata={"description": "Of the round, in order; each holds the hash of the one before it."},
    )
    related = Listing(
        Inner(ProvedEventSchema),
        most=_MOST_EVENTS,
        required=True,
        metadata={"description": "Events of no round that these refer to: the table, and the rules."},
    )
    checkpoint = NoteField(
        required=True,
        allow_none=True,
        metadata={"description": "The newest checkpoint, a signed note; null where none was signed yet."},
    )
    consistency = Inner(
        GrowthSchema,
        required=True,
        allow_none=True,
        metadata={"description": "From the tree of the size asked for to the checkpoint's."},
    )
    keys = Listing(
        Text(longest=300),
        most=1000,
        required=True,
        metadata={"description": "The public keys that signed it. A key in the file itself proves nothing by itself."},
    )


class _RevisionToCheckSchema(EvidenceRevisionSchema):
    """What is to be compared is read as it is."""

    document = Anything(required=True)  # type: ignore[assignment]  # read as it is, whatever it is
    settlement = Anything(required=True)  # type: ignore[assignment]  # likewise
    hands = Listing(Anything(), most=MOST_HANDS, required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> EvidenceRevision:
        return EvidenceRevision(**read)


class _EvidenceToCheckSchema(EvidenceSchema):
    """What is to be compared is read as it is."""

    revisions = Listing(Inner(_RevisionToCheckSchema), least=1, most=_MOST_EVENTS, required=True)
    rulesets = Listing(Anything(), most=_MOST_EVENTS, required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> EvidenceFile:
        lists = {name: tuple(read[name]) for name in ("revisions", "rulesets", "events", "related", "keys")}
        del read["format"]
        return EvidenceFile(**{**read, **lists})


class EvidenceQuerySchema(QuerySchema):
    """Which older checkpoint the file should be shown to be consistent with."""

    since = QueryInteger(
        least=0,
        most=MOST_SIZE,
        metadata={
            "description": "The size of a checkpoint that you have kept: the file then proves that it only grew."
        },
    )


_TO_CHECK: Final = _EvidenceToCheckSchema()


def load_evidence(received: object) -> EvidenceFile:
    """
    Read an evidence file; what it says is not checked yet.

    Raises:
        WireError: it has not the shape of one.
    """
    read: EvidenceFile = load(_TO_CHECK, received)
    return read


def dump_evidence(file: EvidenceFile) -> Dumped:
    """Write an evidence file."""
    return {
        "format": FORMAT,
        "club": str(file.club),
        "round": str(file.round),
        "revisions": [
            {
                "revision": each.revision,
                "document": each.document,
                "settlement": each.settlement,
                "hands": list(each.hands),
            }
            for each in file.revisions
        ],
        "rulesets": list(file.rulesets),
        "events": [_dump_event(each) for each in file.events],
        "related": [_dump_event(each) for each in file.related],
        "checkpoint": file.checkpoint,
        "consistency": file.consistency
        and {"size": file.consistency.size, "proof": _dump_hashes(file.consistency.proof)},
        "keys": list(file.keys),
    }


def _dump_event(proved: ProvedEvent) -> Dumped:
    return {
        "event": b64encode(proved.event).decode(),
        "position": proved.position,
        "proof": None if proved.proof is None else _dump_hashes(proved.proof),
    }


def _dump_hashes(hashes: Sequence[bytes]) -> list[str]:
    return [b64encode(each).decode() for each in hashes]

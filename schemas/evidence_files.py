"""Evidence files as the contract describes them. `evidence/files.py` encodes and decodes them."""

from typing import Any, Final

from evidence.files import FORMAT
from evidence.round_map import MOST_LEVELS
from evidence.tree import HASH_BYTES
from schemas.base import WireSchema
from schemas.documents import RoundDocumentSchema
from schemas.events import MOST_SIZE, Base64, ProvedEventSchema
from schemas.fields import Choice, Inner, Integer, Listing, Text, UuidField
from schemas.game_fields import MOST_HANDS
from schemas.pages import QueryInteger, QuerySchema
from schemas.rulesets import RulesetSchema
from schemas.scores import RecordedHandSchema
from schemas.settlements import SettlementSchema

_MOST_EVENTS: Final = 100_000
_MOST_LEVELS: Final = 64


class NoteField(Text):
    """A signed note, which has several lines."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100_000, pattern=r"^[^\u0000-\u0009\u000b-\u001f\u007f]+$", **options)


class ConsistencyProofSchema(WireSchema):
    """An RFC 6962 consistency proof: the checkpoint's tree only adds events to an older one."""

    size = Integer(least=0, required=True, description="Size of the older tree, in events.")
    proof = Listing(
        Base64(size=HASH_BYTES),
        most=2 * _MOST_LEVELS,
        required=True,
        description="Hashes of the consistency proof (RFC 6962), in base64, from the leaves to the root.",
    )


class NewestEventSchema(WireSchema):
    """The round's newest event when the checkpoint was signed."""

    sequence = Integer(least=1, required=True, description="Number of the event in the round.")
    event = Base64(size=HASH_BYTES, required=True, description="SHA-256 hash of the event, in base64.")
    proof = Listing(
        Base64(size=HASH_BYTES),
        most=MOST_LEVELS,
        required=True,
        description="Hashes that lead from the entry to the root of the map of rounds, in base64.",
    )


class EvidenceRevisionSchema(WireSchema):
    """A revision of the round: its document and its result."""

    revision = Integer(least=1, required=True, description="Number of the revision, from 1.")
    document = Inner(
        RoundDocumentSchema,
        required=True,
        description="The round's document in this revision, with the name that its table had when it was opened.",
    )
    settlement = Inner(SettlementSchema, required=True, description="The settlement of this revision.")
    hands = Listing(
        Inner(RecordedHandSchema),
        most=MOST_HANDS,
        required=True,
        description="The hands of this revision, in the order in which they were played.",
    )


class EvidenceTextSchema(WireSchema):
    """A text of the revisions, with the key of the digest that the events have of it."""

    text = Text(required=True, longest=1000, description="The text: a reason.")
    salt = Text(
        required=True,
        longest=64,
        pattern="^[0-9a-f]{64}$",
        description="The key of its HMAC-SHA-256, in hexadecimal: a random salt.",
    )


class EvidenceSchema(WireSchema):
    """The evidence of a round in one file: `ofc verify` verifies it without the service."""

    format = Choice({FORMAT: FORMAT}, required=True, description="Name and version of the file format.")
    club = UuidField(required=True, description="ID of the club.")
    round = UuidField(required=True, description="ID of the round.")
    revisions = Listing(
        Inner(EvidenceRevisionSchema),
        least=1,
        most=_MOST_EVENTS,
        required=True,
        description="Every revision of the round, oldest first; the last one is in force.",
    )
    rulesets = Listing(
        Inner(RulesetSchema),
        most=_MOST_EVENTS,
        required=True,
        description="The rulesets of the revisions, in full.",
    )
    texts = Listing(
        Inner(EvidenceTextSchema),
        most=_MOST_EVENTS,
        required=True,
        description="The reasons in the revisions. The events have their digests; those that were erased are missing.",
    )
    events = Listing(
        Inner(ProvedEventSchema),
        least=1,
        most=_MOST_EVENTS,
        required=True,
        description="The events of the round, in order; each contains the hash of the one before it.",
    )
    related = Listing(
        Inner(ProvedEventSchema),
        most=_MOST_EVENTS,
        required=True,
        description="Events of the table and the rulesets that the round's events refer to.",
    )
    checkpoint = NoteField(
        required=True,
        allow_none=True,
        description="The newest checkpoint, as a signed note. Null if none was signed yet.",
    )
    sealed = Inner(
        ProvedEventSchema,
        required=True,
        allow_none=True,
        description="The event `checkpoint.sealed`, the last one of the checkpoint, which has the root of the map of"
        " rounds and the time. Null without a checkpoint.",
    )
    newest = Inner(
        NewestEventSchema,
        required=True,
        allow_none=True,
        description="The round's newest event when the checkpoint was signed. Null if the checkpoint has none of its"
        " events.",
    )
    consistency = Inner(
        ConsistencyProofSchema,
        required=True,
        allow_none=True,
        description="Consistency proof from the tree of the requested size. Null if none was requested.",
    )
    keys = Listing(
        Text(longest=300),
        most=1000,
        required=True,
        description="The public keys that signed the checkpoint. Trust only keys that you know from elsewhere.",
    )


class EvidenceQuerySchema(QuerySchema):
    """Which older checkpoint the file should be shown to be consistent with."""

    since = QueryInteger(
        least=0,
        most=MOST_SIZE,
        description="Size of a checkpoint that you have stored: the file then has the consistency proof from it.",
    )

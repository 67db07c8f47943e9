"""The contents of events as schemas for the contract, made from the types of the events' payloads."""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from datetime import datetime
from enum import EnumType
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints
from uuid import UUID

from evidence.codec import OMITTED, CanonicalJson
from evidence.events import CorrectedDocument, EventPayload, Received, RecordDigest, RulesetAdded
from schemas.base import WireField, WireSchema
from schemas.clubs import ScopeField
from schemas.documents import DocumentSeatSchema
from schemas.fields import Boolean, Choice, Inner, Integer, Listing, Text, Time, UuidField
from schemas.game_fields import (
    MOST_HANDS,
    MOST_PLAYERS,
    ChargeAmountField,
    ChargePerField,
    PointValueField,
    ReferenceField,
    RulesetReference,
    SeatField,
    TableNameField,
    UnitCodeField,
    UnitDigitsField,
)
from schemas.hands import HandSchema
from schemas.rulesets import RulesetSchema
from scoring.round_state import RoundSeat

_LONGEST_TEXT: Final = 1000
_DIGEST: Final = "HMAC-SHA-256, in hexadecimal, of"
_SALT: Final = " Its key is a random salt that is stored with the text and erased with it."
_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "after_hand": "Number of the last hand before it. 0 before the first hand.",
    "alias": "The ID that was joined to the player, or parted from them.",
    "amount": "Amount, in minor units.",
    "audit": "ID of the audit that is to be applied. Null if a correction is proposed.",
    "archived_at": "Time when the table was archived. Null if it is not archived.",
    "because": "Why the settlement became final.",
    "by": "The operator's ID of the player who did it. Null if the key of the event did.",
    "carried_over": "Seats whose opening stacks come from the round before.",
    "charge": "ID of the charge.",
    "charge_amount": "Amount of the standing charge, in minor units of the unit or in points. Omitted without one.",
    "charge_per": "What the standing charge of the house is for. Omitted without one.",
    "claim": f"{_DIGEST} the claim.{_SALT}",
    "club": "ID of the club.",
    "code": "Code of the unit, which amounts have as their `unit`.",
    "correction": "Number of the revision that corrects what was disputed. Null if there is none.",
    "correction_window_minutes": "Minutes after which a provisional settlement becomes final.",
    "departures": "Seats whose departure was undone too.",
    "digest": "SHA-256 of what was recorded, in hexadecimal.",
    "digits": "Number of digits after the decimal point.",
    "dispute": "ID of the dispute.",
    "document": "The document from which the round is played now.",
    "evening_begins": "Time of day when evenings begin, in the time zone of the club.",
    "events": "Number of deleted events.",
    "expires_at": "Time when it expires.",
    "hands": "IDs of the records of the hands, in order.",
    "hands_before": "IDs of the records of the hands of the revision before, in order.",
    "host": "Host of the URL of the webhook.",
    "id": "ID of what was recorded.",
    "imported": "True if the round was imported.",
    "irregular": "Whether, or which, hands were accepted as played.",
    "key": "ID of the key.",
    "key_name": f"{_DIGEST} the name of the key that did it.{_SALT} Omitted if a player did.",
    "kinds": "Kinds of messages that the webhook receives.",
    "label": f"{_DIGEST} the label of the link.{_SALT}",
    "link": "ID of the link.",
    "kind": "What was done about the dispute.",
    "minimum_stack": "Smallest opening stack. Null if there is none.",
    "metadata": f"{_DIGEST} the canonical JSON of the metadata.{_SALT} Null if there are none now.",
    "map_root": "Root hash of the map of rounds, in hexadecimal.",
    "name": "Name.",
    "note": f"{_DIGEST} the note.{_SALT} Null without a note.",
    "number": "Number of the hand in its round.",
    "of": "Kind of the record.",
    "opened_at": "Time when the round was opened.",
    "overlap_seconds": "Seconds for which the key was still valid.",
    "paid_at": "Time when it was paid.",
    "payee": "The operator's ID of the player who was paid. Null for the house.",
    "payer": "The operator's ID of the player who paid. Null for the house.",
    "payment": "ID of the payment.",
    "player": "The operator's ID of the player.",
    "point_value": "Value of one point, in minor units. Null if there is none.",
    "prefix": "First characters of the key.",
    "reason": f"{_DIGEST} the reason.{_SALT} Null if none was given.",
    "proposal": "ID of the proposal.",
    "received": f"{_DIGEST} the body of the request.{_SALT}",
    "recomputation": "ID of the recomputation.",
    "request": "Digest of the request, in hexadecimal, by which a retry is recognized.",
    "recorded": "Records that the revision before did not have.",
    "record": "ID of the record.",
    "reference": "The client's name for the record. Null, or omitted, if it has none.",
    "replaces": "ID of the key that this one replaces. Null if it replaces none.",
    "restores": "ID of the withdrawn record of the same hand that counts again.",
    "revision": "Number of the revision of the settlement.",
    "revoked_at": "Time when the key was revoked.",
    "round": "ID of the round.",
    "rounds": "Number of deleted rounds.",
    "row": "Disputed row. Null if the dispute is about no row.",
    "ruleset": "Ruleset, as `name@version`.",
    "ruleset_digest": "SHA-256 of the rules, in hexadecimal.",
    "scopes": "Scopes of the key.",
    "second_auditor": "True if a second auditor confirms what changes a final settlement. Omitted if none does.",
    "scorer": "Version of the scorer that computed the result.",
    "seat": "Seat of the player.",
    "seats": "The players with their opening stacks, by seat.",
    "secret": "SHA-256 of the stored hash of the key, in hexadecimal.",
    "state": "Whether messages are sent: `active` or `disabled`.",
    "stacks": "Stacks after the hand, in the order of the seats.",
    "submission": "The stored bytes of the request. Null, or omitted, if there are none of their own.",
    "table": "ID of the table.",
    "table_sequence": "Number of the round at its table, from 1.",
    "texts": "Digests of the texts that were erased.",
    "time_zone": "Time zone of the club, from the IANA database.",
    "unit": "Unit of the point value or amount: a currency, as an ISO 4217 code, or a unit of the club, by its code."
    " Null without a point value; of an amount of points, the ID of their table.",
    "unit_digits": "Number of digits after the decimal point of amounts in the unit. Null without a unit.",
    "upholds": "True if the dispute is upheld with the correction.",
    "version": "Version after the change.",
    "webhook": "ID of the webhook.",
    "words": f"{_DIGEST} the comment or the reason.{_SALT} Null without one.",
}
"""What a field means, by its name in JSON."""
_OWN_DESCRIPTIONS: Final[Mapping[tuple[str, str], str]] = {
    ("KeyCreated", "player"): "The operator's ID of the player who uses the key. Omitted if none was declared.",
    ("LinkIssued", "key"): "ID of the key with which the link was issued.",
    ("LinkIssued", "kind"): "What the link is for.",
    (
        "LinkIssued",
        "player",
    ): "The operator's ID of the player of the link. Omitted if it is not a player's link.",
    ("LinkIssued", "round"): "ID of the only round that the link shows. Omitted if it shows the table.",
    ("LinkIssued", "scopes"): "Scopes of the link.",
    ("LinkIssued", "secret"): "SHA-256 of the stored hash of the link's secret, in hexadecimal.",
    ("PlayerNamed", "digest"): f"{_DIGEST} the display name.{_SALT}",
    **{
        (payload, "key"): "ID of the key that proposed the decision. Omitted if it is the key of the event, and"
        " without the scope `audit`."
        for payload in ("DisputeCommented", "DisputeReviewed", "DisputeResolved", "DisputeWithdrawn")
    },
    ("PlayerErased", "texts"): "Digests of the other texts that were erased. Omitted if there were none.",
    ("KeyCreated", "name"): f"{_DIGEST} the name.{_SALT}",
    ("RoundCorrected", "correction"): "Digest of the request, in hexadecimal, by which a retry is recognized.",
    ("RoundCorrected", "digest"): "SHA-256 of the document without its reasons, in hexadecimal.",
    ("MetadataChanged", "record"): "ID of the table, the round or the hand. Omitted for a player.",
    ("MetadataChanged", "round"): "ID of the round, or of the round of the hand. Omitted for others.",
    ("MetadataChanged", "player"): "The operator's ID of the player. Omitted for others.",
    ("MetadataChanged", "replaced"): f"{_DIGEST} the metadata that the record had. Omitted if it had none.",
    ("PaymentClaimDeclined", "claim"): "ID of the claim.",
    ("PaymentClaimWithdrawn", "claim"): "ID of the claim.",
    ("PaymentClaimed", "payer"): "The operator's ID of the player who claims to have paid.",
    ("PaymentClaimed", "reference"): "The client's ID of the claim, and of the payment that confirms it.",
    ("PaymentClaimed", "round"): "ID of the round that was paid. Omitted if none was named.",
    (
        "PaymentClaimed",
        "table",
    ): "ID of the table of the round, or of the points, or of the link that recorded the claim. Null if there is none"
    " of these.",
    ("PaymentRecorded", "claim"): "ID of the claim that it confirms. Omitted if it confirms none.",
    ("PaymentRecorded", "reference"): "The client's ID of the payment.",
    ("PaymentRecorded", "round"): "ID of the round that was paid. Omitted if none was named.",
    (
        "PaymentRecorded",
        "table",
    ): "ID of the table of the round, or of the points, or of the link that recorded the payment. Null if there is none"
    " of these.",
    ("ChargeRecorded", "reference"): "The client's ID of the charge.",
    ("ChargeRecorded", "round"): "ID of the round that the charge is for. Null if it is for none.",
    ("ChargeRecorded", "table"): "ID of the table of the round, or of the points. Null if there is neither.",
    ("ProposalConfirmed", "recomputation"): "ID of the recomputation that applies the audit. Null for a correction.",
    ("ProposalConfirmed", "revision"): "Number of the revision that the correction made. Null for a recomputation.",
    ("ProposalOpened", "digest"): "Digest of what would change, in hexadecimal.",
    ("ProposalOpened", "dispute"): "ID of the dispute that the correction is for. Null if it is for none.",
    ("ProposalOpened", "kind"): "What is proposed.",
    ("ProposalOpened", "revision"): "Number of the revision to correct. Null for a recomputation.",
    ("ProposalOpened", "round"): "ID of the round to correct. Null for a recomputation.",
    ("ProposalOpened", "table"): "ID of the table of the round. Null for a recomputation.",
    ("ProposalWithdrawn", "reason"): f"{_DIGEST} the reason.{_SALT}",
    ("HandRecorded", "hand"): "The hand as it was played.",
    ("HandWithdrawn", "hand"): "ID of the record of the hand.",
    ("WebhookSecretRotated", "overlap_seconds"): "Seconds for which messages are signed with the old secret too.",
    ("DisputeOpened", "hand"): "Number of the disputed hand. Null if the dispute is about the whole round.",
    ("DisputeOpened", "seat"): "Disputed seat. Null if the dispute is about no seat.",
}
"""The same for fields whose name means something else in other events."""


class DigestField(Text):
    """A digest of 32 bytes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=64, pattern="^[0-9a-f]{64}$", **options)


class ReceivedBytesSchema(WireSchema):
    """The bytes of a request, which are stored. They have one of the two digests."""

    id = UuidField(required=True, description="ID under which the bytes are stored.")
    sha256 = DigestField(
        description="SHA-256 of the bytes, in hexadecimal. Omitted if they contain texts that can be erased."
    )
    text = DigestField(description=f"{_DIGEST} the bytes.{_SALT} Omitted if they contain no text that can be erased.")


class HandRecordDigestSchema(WireSchema):
    """The record of a hand, and the digest of its content."""

    hand = UuidField(required=True, description="ID of the record.")
    digest = DigestField(required=True, description="SHA-256 of its content, in hexadecimal.")


class CorrectedDepartureSchema(WireSchema):
    """A departure in the document of a correction."""

    seat = SeatField(required=True, description="Seat of the player who left.")
    after_hand = Integer(
        least=0, most=MOST_HANDS, required=True, description="Number of the last hand before the departure."
    )
    reason = DigestField(required=True, allow_none=True, description=_DESCRIPTIONS["reason"])


class CorrectedClosingSchema(WireSchema):
    """The closing in the document of a correction."""

    after_hand = Integer(least=0, most=MOST_HANDS, required=True, description="Number of the last hand of the round.")
    reason = DigestField(required=True, allow_none=True, description=_DESCRIPTIONS["reason"])


class CorrectedDocumentSchema(WireSchema):
    """The document from which a round is played after a correction, with the digests of its reasons."""

    ruleset = RulesetReference(required=True)
    table = TableNameField(required=True)
    reference = ReferenceField(required=True)
    opened_at = Time(description="Time when the round was opened. Omitted if it is not known.")
    point_value = PointValueField(required=True)
    unit = UnitCodeField(required=True)
    unit_digits = UnitDigitsField(
        required=True, allow_none=True, description="Number of digits after the decimal point of amounts in the unit."
    )
    charge_per = ChargePerField(description="What the standing charge is for. Omitted without one.")
    charge_amount = ChargeAmountField(description="Amount of the standing charge. Omitted without one.")
    seats = Listing(
        Inner(DocumentSeatSchema), most=MOST_PLAYERS, required=True, description="The players of the round."
    )
    hands = Listing(Inner(HandSchema), most=MOST_HANDS, required=True, description="The hands of the round, in order.")
    departures = Listing(
        Inner(CorrectedDepartureSchema), most=MOST_PLAYERS, required=True, description="Players who left the round."
    )
    closed = Inner(
        CorrectedClosingSchema,
        required=True,
        allow_none=True,
        description="When the round was closed early. Null if it was not.",
    )


_OBJECTS: Final[Mapping[Any, type[WireSchema]]] = {
    CanonicalJson: HandSchema,
    CorrectedDocument: CorrectedDocumentSchema,
    Received: ReceivedBytesSchema,
    RecordDigest: HandRecordDigestSchema,
    RoundSeat: DocumentSeatSchema,
}
_PLAIN: Final[Mapping[Any, Callable[..., WireField]]] = {
    UUID: UuidField,
    bool: Boolean,
    bytes: DigestField,
    datetime: Time,
    int: Integer,
    str: lambda **options: Text(longest=_LONGEST_TEXT, **options),
}


def content_schema(payload: type[EventPayload]) -> type[WireSchema]:
    """
    Return the schema of the content of a kind of event.

    >>> from evidence.events import PlayerNamed
    >>> content_schema(PlayerNamed).__name__, list(content_schema(PlayerNamed)().fields)
    ('PlayerNamedContentSchema', ['player', 'digest'])
    """
    if payload is RulesetAdded:
        return RulesetSchema
    types = get_type_hints(payload)
    described = dict(_describe(payload, field, types[field.name]) for field in fields(payload))
    name = payload.__name__
    attributes = {"__doc__": f"The payload of a `{payload.kind}` event.", "__module__": __name__, **described}
    return type(f"{name}ContentSchema", (WireSchema,), attributes)


def _describe(payload: type[EventPayload], field: Field[Any], type_: Any) -> tuple[str, WireField]:
    """Return the name in JSON and the schema's field of a field of a payload."""
    key = field.metadata.get("key", field.name)
    inner = [each for each in get_args(type_) if each is not NoneType] if NoneType in get_args(type_) else [type_]
    options = {
        "required": field.metadata != OMITTED,
        "allow_none": len(get_args(type_)) != len(inner) and NoneType in get_args(type_),
        "description": _OWN_DESCRIPTIONS.get((payload.__name__, key)) or _DESCRIPTIONS[key],
    }
    return key, _build_field(key, inner[0], **options)


def _build_field(key: str, type_: Any, **options: Any) -> WireField:
    if type_ in _OBJECTS:
        return Inner(_OBJECTS[type_], **options)
    if get_origin(type_) is tuple:
        return Listing(_build_field(key, get_args(type_)[0]), most=MOST_HANDS, **options)
    if isinstance(type_, EnumType):
        return Choice({word.value: word for word in type_}, **options)  # type: ignore[var-annotated]  # an enumeration is iterable
    if key == "seat":
        return SeatField(**options)
    if key == "scopes":
        return ScopeField(**options)
    return _PLAIN[type_](**options)

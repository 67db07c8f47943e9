"""Events as the feed has them: one schema for each kind, with its content, and the results beside it."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from uuid import UUID

from evidence import Event, hash_event, read_event
from evidence.events import PAYLOADS, EventKind
from schemas.base import Dumped, WireSchema
from schemas.events import HashField
from schemas.feed.contents import content_schema
from schemas.fields import Choice, Dictionary, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import MOST_HANDS, MOST_PLAYERS, PlayerField, StackField
from schemas.pages import MOST_REVISION
from schemas.settlements import TransferSchema, dump_points, dump_transfers
from schemas.webhooks.messages import AboutRoundSchema, HandNumberField
from scoring.hand import Seat
from scoring.ruleset import Points
from scoring.settlement import Transfer

_LONGEST_BYTES: Final = 64 * 1024 * 1024
AUDITED_KINDS: Final = (
    EventKind.CHECKPOINT_SEALED,
    EventKind.KEY_CREATED,
    EventKind.KEY_REVOKED,
    EventKind.WEBHOOK_ADDED,
    EventKind.WEBHOOK_CHANGED,
    EventKind.WEBHOOK_REMOVED,
    EventKind.WEBHOOK_SECRET_ROTATED,
    EventKind.LINK_ISSUED,
    EventKind.LINK_REVOKED,
)
"""
The kinds of events that only keys with the scope `audit` see: those of checkpoints, and what was done with keys,
webhooks and links.
"""


class RevisionResultSchema(AboutRoundSchema):
    """The result of a round in a revision: computed by the service, and not part of the signed event."""

    revision = Integer(
        least=1, most=MOST_REVISION, required=True, description="Number of the revision of the settlement."
    )
    players = Dictionary(PlayerField(), required=True, description="The operator's IDs of the players, by seat.")
    stacks = Dictionary(StackField(least=0), required=True, description="Stacks after the event, by seat.")
    net = Dictionary(
        Integer(), required=True, description="Points won or, below zero, lost in the round so far, by seat."
    )


class HandResultSchema(RevisionResultSchema):
    """The result of a hand and its round: computed by the service, and not part of the signed event."""

    hand_id = UuidField(required=True, description="ID of the hand.")
    number = HandNumberField()
    points = Dictionary(
        Integer(), required=True, description="Points of the hand before caps, of each player dealt in, by seat."
    )
    transfers = Listing(
        Inner(TransferSchema),
        most=MOST_PLAYERS * MOST_PLAYERS * MOST_HANDS,
        required=True,
        description="Points paid with the hand after caps, in order.",
    )


class _FeedEventSchema(WireSchema):
    """An event."""

    position = Integer(least=0, required=True, description="Position of the event in the club's tree, from 0.")
    id = UuidField(required=True, description="ID of the event.")
    round = UuidField(required=True, allow_none=True, description="ID of the round. Null if it is about no round.")
    table = UuidField(required=True, allow_none=True, description="ID of the table. Null if it is about no table.")
    sequence = Integer(
        least=1, required=True, allow_none=True, description="Number of the event in its round. Null outside of rounds."
    )
    at = Time(required=True, description="Time of the change.")
    hash = HashField(description="SHA-256 hash of the signed bytes: the leaf of the club's tree, in hexadecimal.")
    previous = Text(
        required=True,
        longest=64,
        pattern="^[0-9a-f]{64}$",
        allow_none=True,
        description="Hash of the event before it in the round, in hexadecimal. Null if there is none.",
    )
    bytes = Text(
        required=True,
        longest=_LONGEST_BYTES,
        pattern="^[A-Za-z0-9+/]+={0,2}$",
        allow_none=True,
        description="The signed bytes, in Base64. Null without the scope `audit`.",
    )
    actor = UuidField(
        required=True,
        allow_none=True,
        description="ID of the key that made the change. Null without the scope `audit`, and if the service made it.",
    )
    request_id = Text(
        required=True,
        allow_none=True,
        description="ID of the request that made the change. Null without the scope `audit`, and if there was none.",
    )

    kind_of_event: ClassVar[EventKind]


_WITH_REVISION: Final = (
    EventKind.HAND_WITHDRAWN,
    EventKind.ROUND_CLOSED,
    EventKind.ROUND_CORRECTED,
    EventKind.ROUND_RECOMPUTED,
    EventKind.SETTLEMENT_CONFIRMED,
    EventKind.SETTLEMENT_FINALIZED,
)
"""The kinds of events with the result of a revision."""


def _event_schema(kind: EventKind) -> type[WireSchema]:
    """Return the schema of a kind of event, for example `HandRecordedEvent` of `hand.recorded`."""
    payload = PAYLOADS[kind]
    fields: dict[str, Any] = {
        "kind": Choice({kind.value: kind}, required=True, description="Kind of the event."),
        "content": Inner(content_schema(payload), required=True, description="What happened, as it is signed."),
    }
    result = HandResultSchema if kind is EventKind.HAND_RECORDED else RevisionResultSchema
    if kind in (*_WITH_REVISION, EventKind.HAND_RECORDED):
        fields["result"] = Inner(
            result,
            required=True,
            allow_none=True,
            description="Points and stacks, as the records have them. Null if the records do not have them.",
        )
    described = (payload.__doc__ or "").strip().partition("\n")[0]
    attributes = {"__doc__": described, "__module__": __name__, "kind_of_event": kind, **fields}
    return type(f"{payload.__name__}EventSchema", (_FeedEventSchema,), attributes)


EVENTS: Final[Mapping[str, type[WireSchema]]] = {kind.value: _event_schema(kind) for kind in EventKind}
"""The schema of each kind of event."""


@dataclass(frozen=True, slots=True)
class EventResult:
    """
    The result of the round of an event in a revision.

    Attributes:
        revision: the number of the revision.
        players, stacks, net: by seat.
        points: of the hand, of the players dealt in; None where the event is about no hand.
        transfers: paid with the hand.
    """

    revision: int
    players: Mapping[Seat, str]
    stacks: Mapping[Seat, Points]
    net: Mapping[Seat, Points]
    points: Mapping[Seat, Points] | None = None
    transfers: Sequence[Transfer] | None = None


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """
    An event as bytes, and what the feed has beside them.

    Attributes:
        position: in the tree of the club.
        written: the signed bytes.
        table_id: the table of its round, if it has one.
        reference: of its round, if it has one.
        result: the result of its round, for some kinds.
    """

    position: int
    written: bytes
    table_id: UUID | None = None
    reference: str | None = None
    result: EventResult | None = None


def dump_feed_event(feed_event: FeedEvent, *, is_audited: bool) -> Dumped:
    """
    Encode an event.

    Args:
        feed_event: the event.
        is_audited: whether to include what only auditors see: the signed bytes, the key and the request.
    """
    event = read_event(feed_event.written)
    content = json.loads(event.content)
    if not is_audited:
        content.pop("key", None)
    table = feed_event.table_id
    if event.kind in (EventKind.TABLE_CREATED, EventKind.TABLE_CHANGED):
        table = content["id"]
    result = {"result": _dump_result(feed_event, event, content)} if event.kind in HAVE_RESULTS else {}
    return {
        "position": feed_event.position,
        "id": str(event.id),
        "kind": event.kind,
        "round": None if event.round_id is None else str(event.round_id),
        "table": None if table is None else str(table),
        "sequence": event.sequence,
        "at": show_time(event.at),
        "content": content,
        **result,
        "hash": hash_event(feed_event.written).hex(),
        "previous": event.previous.hex() or None,
        "bytes": b64encode(feed_event.written).decode() if is_audited else None,
        "actor": str(event.actor) if is_audited and event.actor is not None else None,
        "request_id": event.request_id if is_audited else None,
    }


HAVE_RESULTS: Final = (*_WITH_REVISION, EventKind.HAND_RECORDED)


def _dump_result(feed_event: FeedEvent, event: Event, content: Mapping[str, Any]) -> Dumped | None:
    """Encode the result of a hand or a revision, in the words of the messages to webhooks."""
    result = feed_event.result
    if result is None:
        return None
    dumped: Dumped = {
        "round_id": str(event.round_id),
        "table_id": str(feed_event.table_id),
        "reference": feed_event.reference,
        "revision": result.revision,
        "players": {str(seat): player for seat, player in result.players.items()},
        "stacks": dump_points(result.stacks),
        "net": dump_points(result.net),
    }
    if result.points is not None and result.transfers is not None:
        dumped |= {
            "hand_id": content["id"],
            "number": content["hand"]["number"],
            "points": dump_points(result.points),
            "transfers": dump_transfers(result.transfers),
        }
    return dumped

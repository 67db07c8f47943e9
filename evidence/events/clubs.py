"""What happens in a club outside of rounds: keys, rulesets, tables, players, and links."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import orjson

from evidence.charges import ChargePer
from evidence.codec import OMITTED, CanonicalJson, named
from evidence.events.payload import EventKind, EventPayload


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubCreated(EventPayload):
    """A club was created."""

    kind = EventKind.CLUB_CREATED

    club: UUID
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubChanged(EventPayload):
    """
    A setting of a club was changed; the fields are those after the change.

    Attributes:
        time_zone: a name of the IANA database; UTC before the first change.
        evening_begins: hours and minutes; 06:00 before the first change.
        second_auditor: whether a second auditor confirms what changes a final settlement.
    """

    kind = EventKind.CLUB_CHANGED

    club: UUID
    time_zone: str
    evening_begins: str
    second_auditor: bool = field(default=False, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSealed(EventPayload):
    """
    A checkpoint of all events up to this one was signed, at the time of this event.

    It is the last leaf of the checkpoint's tree. Whoever has the checkpoint, this event and its inclusion proof knows
    the newest event of each round.

    Attributes:
        map_root: the root of the map from each round to its newest event before this one.
    """

    kind = EventKind.CHECKPOINT_SEALED

    map_root: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsAcknowledged(EventPayload):
    """
    Somebody acknowledged findings of a verification of the database.

    Attributes:
        verified_at: when the verification ended.
        findings: the digests of the findings that nobody had acknowledged before.
    """

    kind = EventKind.FINDINGS_ACKNOWLEDGED

    verified_at: datetime
    findings: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCreated(EventPayload):
    """
    An API key was created.

    Attributes:
        key: its id.
        prefix: the beginning of the key, by which people tell keys apart.
        name: the digest of its name, as `digest_text` returns it, because the name can be that of a person.
        expires_at: None where it does not expire.
        replaces: the id of the key that was rotated.
        secret: the SHA-256 of the stored SHA-256 of the key.
        player: the operator's ID of the player who uses it, if one was declared.
    """

    kind = EventKind.KEY_CREATED

    key: UUID
    prefix: str
    name: bytes
    scopes: tuple[str, ...]
    expires_at: datetime | None
    replaces: UUID | None
    secret: bytes
    player: str | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRevoked(EventPayload):
    """An API key was revoked, at once or after an overlap."""

    kind = EventKind.KEY_REVOKED

    key: UUID
    prefix: str
    overlap_seconds: int
    revoked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAdded(EventPayload):
    """
    A webhook was added.

    No event has the secret, or the path of the URL, which can contain one.

    Attributes:
        webhook: its id.
        host: the host of its URL.
        kinds: the kinds of messages that it receives.
        state: whether messages are sent.
    """

    kind = EventKind.WEBHOOK_ADDED

    webhook: UUID
    host: str
    kinds: tuple[str, ...]
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookChanged(EventPayload):
    """The URL, kinds, description or state of a webhook was changed; the fields are those after the change."""

    kind = EventKind.WEBHOOK_CHANGED

    webhook: UUID
    host: str
    kinds: tuple[str, ...]
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRemoved(EventPayload):
    """A webhook was removed."""

    kind = EventKind.WEBHOOK_REMOVED

    webhook: UUID
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSecretRotated(EventPayload):
    """The secret of a webhook was replaced; messages are signed with the old one too during the overlap."""

    kind = EventKind.WEBHOOK_SECRET_ROTATED

    webhook: UUID
    host: str
    overlap_seconds: int


class LinkKind(StrEnum):
    """What a link is for."""

    SCOREKEEPER = "scorekeeper"
    VIEWER = "viewer"
    PLAYER = "player"
    CLUB = "club"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkIssued(EventPayload):
    """
    A link to a table, to a round or to the club was issued.

    Attributes:
        link: its id, which is the actor of what is done with it.
        table: the table that it is for, or that of its round; None for a link to the club.
        key: the key with which it was issued, and ends.
        link_kind: what it is for.
        label: the digest of its label, as `digest_text` returns it, because the label can be that of a person.
        secret: the SHA-256 of the stored SHA-256 of its secret.
        player: the operator's ID of the player of a personal link.
        round: the only round that it shows; None where it shows the table.
    """

    kind = EventKind.LINK_ISSUED

    link: UUID
    table: UUID | None = field(default=None, metadata=OMITTED)
    key: UUID
    link_kind: LinkKind = field(metadata=named("kind"))
    label: bytes
    scopes: tuple[str, ...]
    expires_at: datetime
    secret: bytes
    player: str | None = field(default=None, metadata=OMITTED)
    round: UUID | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRevoked(EventPayload):
    """A link was revoked."""

    kind = EventKind.LINK_REVOKED

    link: UUID
    table: UUID | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerJoined(EventPayload):
    """
    An ID was joined to a player: both are IDs of one person.

    Events and records keep the ID that they have. The ID of the event is larger than those of all earlier events of
    this kind and of `PlayerParted` in the club, because they are replayed in this order.

    Attributes:
        player: the ID under which the figures of the person are shown.
        alias: the ID that was joined to it.
    """

    kind = EventKind.PLAYER_JOINED

    player: str
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerParted(EventPayload):
    """An ID was parted from the player that it was joined to, and is a player of its own again."""

    kind = EventKind.PLAYER_PARTED

    player: str
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetAdded(EventPayload):
    """
    A version of a ruleset was added.

    The content of the event is the ruleset itself, so that rounds can name it by its SHA-256.
    """

    kind = EventKind.RULESET_ADDED

    ruleset: CanonicalJson

    def encode(self) -> bytes:
        """Return the content of the event, canonical JSON."""
        return self.ruleset

    @property
    def document(self) -> dict[str, Any]:
        """The ruleset as JSON."""
        document: dict[str, Any] = orjson.loads(self.ruleset)
        return document


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitDefined(EventPayload):
    """
    The club defined a unit of amounts, which never changes.

    Attributes:
        digits: the number of digits after the decimal point.
    """

    kind = EventKind.UNIT_DEFINED

    code: str
    name: str
    digits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCreated(EventPayload):
    """
    A table was created.

    Attributes:
        ruleset: a name and a version.
        charge_per, charge_amount: the standing charge of the house; omitted without one.
        reference: the client's ID of the table.
    """

    kind = EventKind.TABLE_CREATED

    id: UUID
    name: str
    ruleset: str
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    minimum_stack: int | None
    correction_window_minutes: int
    charge_per: ChargePer | None = field(default=None, metadata=OMITTED)
    charge_amount: int | None = field(default=None, metadata=OMITTED)
    reference: str | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChanged(EventPayload):
    """
    The name or a setting of a table was changed; the fields are those after the change.

    Rounds keep what they were opened with. The id of a change is larger than those of the table's earlier changes and
    of its creation. It is also larger than those of the openings before it, and smaller than those of later openings,
    unless the clocks of two servers differ by more than the time between them: both lock the table before their events
    are written, but the time of an id is that of its server.

    Attributes:
        archived_at: when the table was archived; None where it is not.
        reference: the client's ID of the table.
    """

    kind = EventKind.TABLE_CHANGED

    id: UUID
    name: str
    ruleset: str
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    minimum_stack: int | None
    correction_window_minutes: int
    charge_per: ChargePer | None = field(default=None, metadata=OMITTED)
    charge_amount: int | None = field(default=None, metadata=OMITTED)
    archived_at: datetime | None
    reference: str | None = field(default=None, metadata=OMITTED)

"""What happens in a round, from its opening to its last correction."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from evidence.charges import ChargePer
from evidence.codec import OMITTED, CanonicalJson
from evidence.events.payload import EventKind, RoundEvent
from scoring.hand import Seat
from scoring.round_state import RoundSeat
from scoring.ruleset import Points


@dataclass(frozen=True, slots=True)
class Received:
    """
    The bytes that a client sent: the id under which they are stored, and a digest.

    They are exact, unless they had reasons of charges, which can be erased and are not in them.

    Attributes:
        sha256: their SHA-256; None if they contain a text of a person.
        text: their digest, as `digest_text` returns it, if they contain a text of a person.
    """

    id: UUID
    sha256: bytes | None = field(default=None, metadata=OMITTED)
    text: bytes | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened(RoundEvent):
    """
    A round was opened at a table.

    Attributes:
        table: the id of the table.
        table_sequence: the number of the round at its table.
        digest: of what the round was opened with.
        ruleset: name and version.
        ruleset_digest: the SHA-256 of the rules, which is that of the content of their `ruleset.added`.
        carried_over: the seats whose stack comes from the round before.
        seats: by seat.
        submission: the document that the round came in with, if any.
        charge_per, charge_amount: the standing charge of the house; omitted without one.
    """

    kind = EventKind.ROUND_OPENED

    table: UUID
    table_sequence: int
    imported: bool
    reference: str | None
    digest: bytes
    ruleset: str
    ruleset_digest: bytes
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    opened_at: datetime
    correction_window_minutes: int
    seats: tuple[RoundSeat, ...]
    carried_over: tuple[Seat, ...]
    submission: Received | None
    charge_per: ChargePer | None = field(default=None, metadata=OMITTED)
    charge_amount: int | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRecorded(RoundEvent):
    """
    A hand was recorded.

    Attributes:
        id: of the record.
        hand: the hand, which `decode_hand` decodes.
        stacks: where the hand left the stacks, by seat.
        scorer: the version of the scorer that computed it.
        irregular: whether the hand was accepted as played.
        restores: the withdrawn record of the same hand that counts again.
        reference: the client's ID of the hand.
        submission: what the client sent; None where the hand is part of the document that the round came in with.
    """

    kind = EventKind.HAND_RECORDED

    id: UUID
    hand: CanonicalJson
    stacks: tuple[Points, ...]
    scorer: int
    irregular: bool = field(default=False, metadata=OMITTED)
    restores: UUID | None = field(default=None, metadata=OMITTED)
    submission: Received | None = field(default=None, metadata=OMITTED)
    reference: str | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWithdrawn(RoundEvent):
    """
    The last hand of a round was undone, which made a revision.

    Attributes:
        number: of the hand.
        hand: the id of its record.
        digest: of its content.
        departures: the seats whose departure was dropped with it.
        irregular: the hands accepted as played from now on; None where they are those from before except this hand.
        reason: the digest of the reason, as `digest_text` returns it.
        scorer: the version of the scorer that played the rest again.
    """

    kind = EventKind.HAND_WITHDRAWN

    number: int
    hand: UUID
    digest: bytes
    departures: tuple[Seat, ...]
    irregular: tuple[int, ...] | None = field(default=None, metadata=OMITTED)
    reason: bytes
    revision: int
    scorer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DepartureRecorded(RoundEvent):
    """
    A player left after a hand.

    Attributes:
        reason: the digest of the reason, as `digest_text` returns it; None where none was given.
    """

    kind = EventKind.DEPARTURE_RECORDED

    seat: Seat
    after_hand: int
    reason: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClosed(RoundEvent):
    """
    A round was ended before it was complete.

    Attributes:
        reason: the digest of the reason, as `digest_text` returns it; None where none was given.
    """

    kind = EventKind.ROUND_CLOSED

    after_hand: int
    reason: bytes | None


@dataclass(frozen=True, slots=True)
class CorrectedDeparture:
    """A departure in the document of a correction, with the digest of its reason."""

    seat: Seat
    after_hand: int
    reason: bytes | None


@dataclass(frozen=True, slots=True)
class CorrectedClosing:
    """The closing in the document of a correction, with the digest of its reason."""

    after_hand: int
    reason: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedDocument:
    """The document that a round is played from after a correction; `table` is the name of the table."""

    ruleset: str
    table: str
    reference: str | None
    opened_at: datetime | None = field(default=None, metadata=OMITTED)
    point_value: int | None
    unit: str | None
    unit_digits: int | None
    charge_per: ChargePer | None = field(default=None, metadata=OMITTED)
    charge_amount: int | None = field(default=None, metadata=OMITTED)
    seats: tuple[RoundSeat, ...]
    hands: tuple[CanonicalJson, ...]
    departures: tuple[CorrectedDeparture, ...]
    closed: CorrectedClosing | None


@dataclass(frozen=True, slots=True)
class RecordDigest:
    """The id of a hand's record, and the digest of its content."""

    hand: UUID
    digest: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCorrected(RoundEvent):
    """
    A round was corrected, which made a revision.

    Attributes:
        reason: the digest of the reason, as `digest_text` returns it.
        dispute: the dispute that the correction is for; None where it is for none.
        correction: the digest of the request, by which a retry is recognized; its salt is that of the submission.
        digest: of the document without the reasons.
        ruleset_digest: of the rules.
        hands: the ids of the records of the document's hands.
        hands_before: the ids of those of the revision before.
        recorded: the records that the revision before did not have.
        irregular: the hands accepted as played.
        submission: what the client sent.
        scorer: the version of the scorer that played the round again.
    """

    kind = EventKind.ROUND_CORRECTED

    revision: int
    reason: bytes
    dispute: UUID | None
    correction: bytes
    document: CorrectedDocument
    digest: bytes
    ruleset: str
    ruleset_digest: bytes
    hands: tuple[UUID, ...]
    hands_before: tuple[UUID, ...]
    recorded: tuple[RecordDigest, ...]
    irregular: tuple[int, ...]
    submission: Received
    scorer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRecomputed(RoundEvent):
    """
    A recomputation settled a round again, which made a revision.

    Attributes:
        reason: the digest of the reason, as `digest_text` returns it; None if it was erased before.
    """

    kind = EventKind.ROUND_RECOMPUTED

    recomputation: UUID
    ruleset: str
    ruleset_digest: bytes
    revision: int
    reason: bytes | None
    scorer: int

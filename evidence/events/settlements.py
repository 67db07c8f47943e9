"""What happens to the settlement of a round: confirmations, disputes, and its becoming final."""

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from evidence.codec import OMITTED, named
from evidence.events.payload import EventKind, RoundEvent
from scoring.board import Row
from scoring.hand import Seat


class FinalReason(StrEnum):
    """Why a settlement became final."""

    WINDOW = "window"
    CONFIRMED = "confirmed"
    IMPORT = "import"


class DisputeStep(StrEnum):
    """What was done about a dispute. Every step but a comment gives the dispute the state of the same name."""

    COMMENT = "comment"
    UNDER_REVIEW = "under_review"
    UPHELD = "upheld"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementConfirmed(RoundEvent):
    """The player in a seat confirmed the settlement of a revision."""

    kind = EventKind.SETTLEMENT_CONFIRMED

    revision: int
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementFinalized(RoundEvent):
    """The settlement of a revision became final."""

    kind = EventKind.SETTLEMENT_FINALIZED

    revision: int
    because: FinalReason


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeOpened(RoundEvent):
    """
    A player disputed the settlement of a revision.

    Attributes:
        hand: the number of the hand that the dispute is about, if it is about one; likewise `seat` and `row`.
        by: the player who opened it; None if the key of the event did.
        key_name: the digest of the name of this key, as `digest_text` returns it.
        claim: the digest of the claim, likewise.
    """

    kind = EventKind.DISPUTE_OPENED

    dispute: UUID
    revision: int
    hand: int | None
    seat: Seat | None
    row: Row | None
    by: str | None
    key_name: bytes | None = field(default=None, metadata=OMITTED)
    claim: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeEvent(RoundEvent):
    """
    A step of a dispute was taken, or a comment was added.

    Attributes:
        version: of the dispute after it.
        by: the player who did it; None if the key of the event did.
        key_name: the digest of the name of this key, as `digest_text` returns it.
        key: the key that proposed the decision, if it is another one that confirmed it; `key_name` is then its name.
        words: the digest of the comment or reason, likewise.
        correction: the revision that put right what is upheld.
    """

    dispute: UUID
    version: int
    step: DisputeStep = field(metadata=named("kind"))
    by: str | None
    key_name: bytes | None = field(default=None, metadata=OMITTED)
    key: UUID | None = field(default=None, metadata=OMITTED)
    words: bytes | None
    correction: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeCommented(DisputeEvent):
    """Somebody commented on a dispute."""

    kind = EventKind.DISPUTE_COMMENTED


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeReviewed(DisputeEvent):
    """The review of a dispute started."""

    kind = EventKind.DISPUTE_REVIEWED


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeResolved(DisputeEvent):
    """A dispute was upheld or rejected."""

    kind = EventKind.DISPUTE_RESOLVED


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeWithdrawn(DisputeEvent):
    """A dispute was withdrawn."""

    kind = EventKind.DISPUTE_WITHDRAWN

"""The values that `fold_round` returns (a round, its revisions, hands and disputes), and the errors of its events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple, NoReturn
from uuid import UUID

from evidence.codec import CanonicalJson, show_place, show_value
from evidence.errors import EvidenceError
from evidence.events import DisputeEvent, DisputeOpened, DisputeStep, Received, RoundCorrected, RoundOpened
from scoring.errors import Mistake, Path
from scoring.hand import Hand, Seat
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Points, Ruleset


@dataclass(frozen=True)
class FoldedHand:
    """
    A recorded hand.

    Attributes:
        id: of the record.
        content: the hand as its event has it.
        submission: the id of the bytes that it came in with, where they are recorded.
        reference: the client's ID of the hand, which a corrected hand keeps.
    """

    id: UUID
    content: CanonicalJson
    hand: Hand
    played_at: datetime | None
    recorded_at: datetime
    submission: UUID | None
    reference: str | None = None

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the content."""
        return sha256(self.content).digest()


@dataclass(frozen=True, slots=True)
class FoldedDeparture:
    """A departure, the digest of its reason, and when it was recorded."""

    departure: Departure
    reason: bytes | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class FoldedClosing:
    """The closing of a round, the digest of its reason, and when it was recorded."""

    closing: Closing
    reason: bytes | None
    recorded_at: datetime


class Revision(NamedTuple):
    """
    The history of a revision of a round, without results.

    Attributes:
        ruleset: name and version.
        ruleset_digest: of the rules.
        carried_over: the seats whose stack comes from the round before.
        scorers: the version of the scorer that each hand was scored by.
        irregular: the numbers of the hands accepted as played.
        reason: the digest of the reason for the revision; None for the first.
        adjusts: the newest revision whose settlement was final by then.
        confirmed: who confirmed its settlement, and when.
        as_created: the revision before anything happened in it; None for the first.
    """

    number: int
    created_at: datetime
    ruleset: str
    ruleset_digest: bytes
    seats: tuple[RoundSeat, ...]
    carried_over: frozenset[Seat] = frozenset()
    hands: tuple[FoldedHand, ...] = ()
    scorers: tuple[int, ...] = ()
    departures: tuple[FoldedDeparture, ...] = ()
    closed: FoldedClosing | None = None
    irregular: frozenset[int] = frozenset()
    reason: bytes | None = None
    adjusts: int | None = None
    confirmed: Mapping[Seat, datetime] = MappingProxyType({})
    as_created: "Revision | None" = None

    def list_reasons(self) -> Iterator[bytes]:
        """List the digests of its reasons: that of the revision, and those of departures and of the closing."""
        endings = (*self.departures, *((self.closed,) if self.closed else ()))
        for reason in (self.reason, *(each.reason for each in endings)):
            if reason is not None:
                yield reason

    def history(self, ruleset: Ruleset) -> History:
        """Return the history in the form that `scoring.history.replay` accepts."""
        hands = tuple([each.hand for each in self.hands])
        departures = tuple([each.departure for each in self.departures])
        closed = None if self.closed is None else self.closed.closing
        return History(ruleset, self.seats, hands, departures, closed, self.irregular)


@dataclass(frozen=True, slots=True)
class RecordedStacks:
    """The stacks after a hand, by seat, from its event; `index` is that of the event."""

    index: int
    revision: int
    hand: int
    stacks: tuple[Points, ...]


@dataclass(frozen=True, slots=True)
class FoldedSubmission:
    """
    Bytes that a client sent.

    Attributes:
        kind: `hand`, `document` or `correction`.
        received: their digest.
        record: the hand, or the round.
    """

    kind: str
    received: Received
    record: UUID
    received_at: datetime


@dataclass(frozen=True, slots=True)
class DisputeEntry:
    """A comment on a dispute or a transition of it, and when."""

    event: DisputeEvent
    at: datetime


@dataclass(frozen=True, slots=True)
class FoldedDispute:
    """
    A dispute with its entries.

    Attributes:
        state: the last step that was not a comment; None while it is open.
    """

    opening: DisputeOpened
    opened_at: datetime
    entries: tuple[DisputeEntry, ...] = ()
    state: DisputeStep | None = None

    @property
    def version(self) -> int:
        """The number of its last change."""
        return len(self.entries) + 1

    @property
    def has_ended(self) -> bool:
        """Whether the dispute has ended."""
        return self.state not in (None, DisputeStep.UNDER_REVIEW)

    @property
    def state_name(self) -> str:
        """The state as the API names it."""
        return "open" if self.state is None else self.state.value


@dataclass(frozen=True, slots=True)
class FoldedRound:
    """
    A round built from its events.

    Attributes:
        recorded_at: when its opening was recorded.
        revisions: all there have been, the one in force last.
        changed_at: the last change, from which the correction window counts; a confirmation is not one.
        final_revision: the newest revision whose settlement became final.
        hands: every hand ever recorded, by the id of its record.
        stacks: the stacks after each hand when it was recorded.
        submissions: the received request bodies, by id.
        corrections: by the revision that each of them made.
        recomputations: the ID of each of them, likewise.
        authors: the keys that opened disputes or took steps of them, by the digests of their names.
        unknown: the indexes of events of kinds that this release does not know.
    """

    opening: RoundOpened
    recorded_at: datetime
    revisions: tuple[Revision, ...]
    changed_at: datetime
    final_revision: int | None
    hands: Mapping[UUID, FoldedHand]
    stacks: tuple[RecordedStacks, ...]
    submissions: Mapping[UUID, FoldedSubmission]
    corrections: Mapping[int, RoundCorrected]
    recomputations: Mapping[int, UUID]
    disputes: Mapping[UUID, FoldedDispute]
    authors: Mapping[bytes, UUID | None]
    unknown: tuple[int, ...]

    @property
    def newest(self) -> Revision:
        """The newest revision."""
        return self.revisions[-1]

    @property
    def open_disputes(self) -> int:
        """The number of disputes that have not ended."""
        return sum(not dispute.has_ended for dispute in self.disputes.values())


def expect(path: Path, value: object, right: object) -> None:
    """
    Check that a value of an event agrees with the events before it.

    Raises:
        EvidenceError: the value differs.
    """
    if value != right:
        contradict(path, f"`{show_place(path)}` is {_show(value)}; expected {_show(right)}")


def contradict(path: Path, detail: str) -> NoReturn:
    """
    Refuse a value of an event.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake("event-content", path, detail),))


def refuse_event(detail: str) -> NoReturn:
    """
    Refuse an event that cannot follow those before it.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake("event-impossible", (), detail),))


def _show(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_show, value))}]"
    return show_value(value) if value is None else str(value)

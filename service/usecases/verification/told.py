"""A round followed through its events: what must be recorded of it, before anything is played again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson

from schemas.document_lines import build_hand
from schemas.hands import SubmittedHand, canonical_json
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset
from service.audit import EventKind

Content = Mapping[str, Any]

_TOLD_LATER: Final = frozenset(
    {
        "carried_over",
        "correction_window_minutes",
        "digest",
        "id",
        "revoked_at",
        "ruleset_digest",
        "scorer",
        "secret",
        "submission",
    }
)
"""What events did not tell from the first; those that were recorded before stay as they were."""


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """An event of a round, as it is read here."""

    sequence: int
    kind: str
    at: datetime
    content: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class ToldSubmission:
    """Bytes that came in: what kind of thing, their SHA-256, and when."""

    kind: str
    sha256: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class ToldHand:
    """A hand as it was recorded, its content as JSON, and which submission it came in with."""

    id: UUID
    content: Content
    digest: bytes
    submitted: SubmittedHand
    at: datetime
    submission: UUID | None


@dataclass(frozen=True, slots=True)
class ToldDeparture:
    """A departure, and when it was recorded."""

    ending: Departure
    at: datetime


@dataclass(frozen=True, slots=True)
class ToldClosing:
    """The closing, and when it was recorded."""

    ending: Closing
    at: datetime


@dataclass(frozen=True, slots=True)
class ToldRevision:
    """
    Everything that happened in a revision of a round.

    Attributes:
        carried: seats whose stack came from the round before.
        scorers: the version of the scorer that each hand was scored by.
        replayed: how it stood when it was made; None for the first, which was played as it happened.
        adjusts: the newest revision that was final by then.
    """

    number: int
    ruleset: str
    seats: tuple[RoundSeat, ...]
    carried: frozenset[int]
    at: datetime
    reason: str | None = None
    adjusts: int | None = None
    hands: tuple[ToldHand, ...] = ()
    scorers: tuple[int, ...] = ()
    departures: tuple[ToldDeparture, ...] = ()
    closed: ToldClosing | None = None
    irregular: frozenset[int] = frozenset()
    replayed: "ToldRevision | None" = None

    def history(self, ruleset: Ruleset) -> History:
        """Give what the rules need of it."""
        hands = tuple([told.submitted.hand for told in self.hands])
        departures = tuple([each.ending for each in self.departures])
        closed = None if self.closed is None else self.closed.ending
        return History(ruleset, self.seats, hands, departures, closed, self.irregular)


@dataclass(slots=True)
class ToldDispute:
    """A dispute: how it was opened, what followed, and where it stands."""

    content: Content
    at: datetime
    state: str = "open"
    entries: list[tuple[Content, datetime]] = field(default_factory=list)


@dataclass(slots=True)
class ToldRound:
    """
    A round as its events tell it.

    Attributes:
        opening: the content of its first event.
        ruleset_digests: of each ruleset that it was played by.
        window_from: when its settlement was last changed, from which on it is provisional.
        hands: every hand ever recorded, by its id.
    """

    id: UUID
    opening: Content
    opened_at: datetime
    revisions: list[ToldRevision]
    window_from: datetime
    version: int = 1
    last_hash: bytes = b""
    final_revision: int | None = None
    ruleset_digests: dict[str, str] = field(default_factory=dict)
    hands: dict[UUID, ToldHand] = field(default_factory=dict)
    submissions: dict[UUID, ToldSubmission] = field(default_factory=dict)
    corrections: dict[int, Content] = field(default_factory=dict)
    confirmations: dict[tuple[int, int], datetime] = field(default_factory=dict)
    disputes: dict[UUID, ToldDispute] = field(default_factory=dict)

    @property
    def newest(self) -> ToldRevision:
        """The revision in force."""
        return self.revisions[-1]

    @property
    def open_disputes(self) -> int:
        """How many disputes have not ended."""
        return sum(dispute.state in ("open", "under_review") for dispute in self.disputes.values())


class UntellableError(Exception):
    """What a round's events say cannot be followed."""


class UntoldError(UntellableError):
    """A round's events say too little: they were recorded before events told all."""


def is_untold(error: Exception) -> bool:
    """Say whether an event could not be read because it is from before events told all."""
    return isinstance(error, KeyError) and error.args[0] in _TOLD_LATER


def follow_round(round_id: UUID, events: Sequence[ToldEvent]) -> ToldRound:
    """
    Follow a round through its events.

    Raises:
        UntellableError: an event says what cannot be read, or what cannot follow.
    """
    told = None
    for event in events:
        try:
            content = orjson.loads(event.content)
            if told is None:
                told = _open(round_id, event, content)
            else:
                _expect("round", content["round"], str(round_id))
                _FOLLOWING[event.kind](told, event, content)
                if event.kind != EventKind.SETTLEMENT_CONFIRMED:
                    told.window_from = event.at
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            place = f"event {event.sequence}, {event.kind}"
            if is_untold(error):
                raise UntoldError(f"{place}, was recorded before events told {error}") from error
            raise UntellableError(f"{place}: {type(error).__name__} {error}") from error
        told.version, told.last_hash = event.sequence, event.hash
    if told is None:
        raise UntellableError("there is no event")
    return told


def _open(round_id: UUID, event: ToldEvent, content: Content) -> ToldRound:
    _expect("kind", event.kind, EventKind.ROUND_OPENED.value)
    _expect("round", content["round"], str(round_id))
    seats = _seats(content["seats"])
    first = ToldRevision(1, content["ruleset"], seats, frozenset(content["carried_over"]), event.at)
    told = ToldRound(round_id, content, event.at, [first], event.at)
    told.ruleset_digests[content["ruleset"]] = content["ruleset_digest"]
    _receive(told, content["submission"], "document", event.at)
    return told


def _record_hand(told: ToldRound, event: ToldEvent, content: Content) -> None:
    newest = told.newest
    received = content.get("submission")
    document = told.opening["submission"]
    came_in = received or document
    if received is not None:
        _receive(told, received, "hand", event.at)
    hand = _hand(UUID(content["id"]), content["hand"], event.at, UUID(came_in["id"]) if came_in else None)
    number = hand.submitted.hand.number
    _expect("number", number, len(newest.hands) + 1)
    told.hands[hand.id] = hand
    told.revisions[-1] = replace(
        newest,
        hands=(*newest.hands, hand),
        scorers=(*newest.scorers, content["scorer"]),
        irregular=newest.irregular | {number} if content.get("irregular") else newest.irregular,
    )


def _depart(told: ToldRound, event: ToldEvent, content: Content) -> None:
    ended = ToldDeparture(Departure(content["seat"], content["after_hand"], content["reason"]), event.at)
    told.revisions[-1] = replace(told.newest, departures=(*told.newest.departures, ended))


def _close(told: ToldRound, event: ToldEvent, content: Content) -> None:
    ended = ToldClosing(Closing(content["after_hand"], content["reason"]), event.at)
    told.revisions[-1] = replace(told.newest, closed=ended)


def _withdraw(told: ToldRound, event: ToldEvent, content: Content) -> None:
    newest, number = told.newest, content["number"]
    _expect("number", number, len(newest.hands))
    _expect("hand", content["hand"], str(newest.hands[-1].id))
    _revise(
        told,
        event,
        content,
        hands=newest.hands[:-1],
        departures=tuple(each for each in newest.departures if each.ending.after_hand < number),
        irregular=newest.irregular - {number},
        reason=content["reason"] or f"hand {number} was undone",
    )


def _correct(told: ToldRound, event: ToldEvent, content: Content) -> None:
    document, before = content["document"], told.newest
    _receive(told, content["submission"], "correction", event.at)
    submission = UUID(content["submission"]["id"])
    told.corrections[content["revision"]] = content
    hands = []
    for hand_id, played in zip(map(UUID, content["hands"]), document["hands"], strict=True):
        hand = told.hands.get(hand_id) or _hand(hand_id, played, event.at, submission)
        _expect("hand", canonical_json(hand.content), canonical_json(played))
        hands.append(told.hands.setdefault(hand_id, hand))
    seats = _seats(document["seats"])
    departures = [Departure(**each) for each in document["departures"]]
    closed = Closing(**document["closed"]) if document["closed"] else None
    told.ruleset_digests[content["ruleset"]] = content["ruleset_digest"]
    _revise(
        told,
        event,
        content,
        ruleset=content["ruleset"],
        seats=seats,
        carried=frozenset(seat.seat for seat in seats if seat in before.seats and seat.seat in before.carried),
        hands=tuple(hands),
        departures=tuple(ToldDeparture(each, _when(event, before, each)) for each in departures),
        closed=closed and ToldClosing(closed, _when_closed(event, before, closed)),
        irregular=frozenset(content["irregular"]),
    )


def _when(event: ToldEvent, before: ToldRevision, departure: Departure) -> datetime:
    """Say when a departure was recorded: one that was there before keeps its time, whatever its reason is now."""
    place = departure.seat, departure.after_hand
    kept = (each.at for each in before.departures if (each.ending.seat, each.ending.after_hand) == place)
    return next(kept, event.at)


def _when_closed(event: ToldEvent, before: ToldRevision, closed: Closing) -> datetime:
    return before.closed.at if before.closed and before.closed.ending == closed else event.at


def _recompute(told: ToldRound, event: ToldEvent, content: Content) -> None:
    told.ruleset_digests[content["ruleset"]] = content["ruleset_digest"]
    _revise(told, event, content, ruleset=content["ruleset"])


def _revise(told: ToldRound, event: ToldEvent, content: Content, **changes: Any) -> None:
    number = told.newest.number + 1
    _expect("revision", content["revision"], number)
    made = replace(
        told.newest,
        **{"reason": content["reason"], **changes},
        number=number,
        at=event.at,
        adjusts=told.final_revision,
        replayed=None,
    )
    made = replace(made, scorers=(content["scorer"],) * len(made.hands))
    told.revisions.append(replace(made, replayed=made))


def _confirm(told: ToldRound, event: ToldEvent, content: Content) -> None:
    told.confirmations[content["revision"], content["seat"]] = event.at


def _finalize(told: ToldRound, _: ToldEvent, content: Content) -> None:
    _expect("revision", content["revision"], told.newest.number)
    told.final_revision = told.newest.number


def _open_dispute(told: ToldRound, event: ToldEvent, content: Content) -> None:
    told.disputes[UUID(content["dispute"])] = ToldDispute(content, event.at)


def _step_dispute(told: ToldRound, event: ToldEvent, content: Content) -> None:
    dispute = told.disputes[UUID(content["dispute"])]
    _expect("version", content["version"], len(dispute.entries) + 2)
    dispute.entries.append((content, event.at))
    if content["kind"] != "comment":
        dispute.state = content["kind"]


_FOLLOWING: Final[Mapping[str, Callable[[ToldRound, ToldEvent, Content], None]]] = {
    EventKind.HAND_RECORDED: _record_hand,
    EventKind.HAND_WITHDRAWN: _withdraw,
    EventKind.DEPARTURE_RECORDED: _depart,
    EventKind.ROUND_CLOSED: _close,
    EventKind.ROUND_CORRECTED: _correct,
    EventKind.ROUND_RECOMPUTED: _recompute,
    EventKind.SETTLEMENT_CONFIRMED: _confirm,
    EventKind.SETTLEMENT_FINALIZED: _finalize,
    EventKind.DISPUTE_OPENED: _open_dispute,
    EventKind.DISPUTE_COMMENTED: _step_dispute,
    EventKind.DISPUTE_REVIEWED: _step_dispute,
    EventKind.DISPUTE_RESOLVED: _step_dispute,
    EventKind.DISPUTE_WITHDRAWN: _step_dispute,
}


def _seats(told: Sequence[Content]) -> tuple[RoundSeat, ...]:
    return tuple([RoundSeat(each["seat"], each["player"], each["stack"]) for each in told])


def _hand(hand_id: UUID, content: Content, at: datetime, submission: UUID | None) -> ToldHand:
    digest = sha256(canonical_json(content)).digest()
    return ToldHand(hand_id, content, digest, build_hand(content), at, submission)


def _receive(told: ToldRound, received: Content | None, kind: str, at: datetime) -> None:
    if received is not None:
        told.submissions[UUID(received["id"])] = ToldSubmission(kind, bytes.fromhex(received["sha256"]), at)


def _expect(name: str, found: object, right: object) -> None:
    if found != right:
        raise ValueError(f"{name} is {found!r}; {right!r} is right")

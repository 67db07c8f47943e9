"""
The fold: from the events of a round to its revisions.

Every event is checked against the events before it: a history that the service never records is refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from evidence.codec import CanonicalJson, show_place
from evidence.errors import EvidenceError
from evidence.events import (
    CorrectedDocument,
    DepartureRecorded,
    DisputeEvent,
    DisputeOpened,
    EventKind,
    EventPayload,
    HandRecorded,
    HandWithdrawn,
    Received,
    RoundClosed,
    RoundCorrected,
    RoundEvent,
    RoundOpened,
    RoundRecomputed,
    SettlementConfirmed,
    SettlementFinalized,
    decode_event,
)
from evidence.fold.disputes import change_dispute, find_dispute, open_dispute, require_undisputed
from evidence.fold.values import (
    FoldedClosing,
    FoldedDeparture,
    FoldedDispute,
    FoldedHand,
    FoldedRound,
    FoldedSubmission,
    RecordedStacks,
    Revision,
    contradict,
    expect,
    refuse_event,
)
from evidence.hands import decode_hand
from scoring.errors import Mistake
from scoring.history import Closing, Departure
from scoring.same_hand import find_replaced

LONGEST_WINDOW: Final = 525_600
"""The longest correction window, in minutes."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """A stored event of a round: fields of its heading, and its content."""

    sequence: int
    kind: str
    at: datetime
    content: bytes
    actor: UUID | None = None


def fold_round(round_id: UUID, events: Iterable[StoredEvent]) -> FoldedRound:
    """
    Build a round from its events.

    Args:
        round_id: the round that the events are of.
        events: from its first, in order.

    Raises:
        EvidenceError: an event cannot be decoded, or cannot follow those before it; it is named.
    """
    fold: _Fold | None = None
    for index, event in enumerate(events):
        try:
            payload = decode_event(event.kind, event.content)
            if isinstance(payload, RoundEvent):
                expect(("round",), payload.round, round_id)
            if fold is None:
                fold = _Fold.open(payload, event)
            else:
                fold.apply(index, event.at, payload)
            if isinstance(payload, DisputeOpened | DisputeEvent) and payload.key_name is not None:
                proposer = payload.key if isinstance(payload, DisputeEvent) else None
                fold.authors[payload.key_name] = proposer or event.actor
        except EvidenceError as error:
            raise EvidenceError(tuple([_name_event(index, event, each) for each in error.mistakes])) from error
    if fold is None:
        detail = "there is no event of the round; expected at least its opening"
        raise EvidenceError((Mistake("events-missing", ("events",), detail),))
    return fold.fold()


@dataclass(slots=True)
class _Fold:
    """A round as of the events so far."""

    opening: RoundOpened
    recorded_at: datetime
    revisions: list[Revision]
    changed_at: datetime
    final_revision: int | None = None
    hands: dict[UUID, FoldedHand] = field(default_factory=dict)
    stacks: list[RecordedStacks] = field(default_factory=list)
    submissions: dict[UUID, FoldedSubmission] = field(default_factory=dict)
    corrections: dict[int, RoundCorrected] = field(default_factory=dict)
    recomputations: dict[int, UUID] = field(default_factory=dict)
    disputes: dict[UUID, FoldedDispute] = field(default_factory=dict)
    authors: dict[bytes, UUID | None] = field(default_factory=dict)
    unknown: list[int] = field(default_factory=list)

    @classmethod
    def open(cls, opening: EventPayload | None, event: StoredEvent) -> "_Fold":
        """Apply the first event of a round."""
        if not isinstance(opening, RoundOpened):
            contradict((), f"the first event is {event.kind}; expected {EventKind.ROUND_OPENED}")
        if not opening.seats:
            raise EvidenceError((Mistake("list-length", ("seats",), "`seats` has 0 items; expected at least 1"),))
        window = opening.correction_window_minutes
        if not 0 <= window <= LONGEST_WINDOW:
            place = "correction_window_minutes"
            contradict((place,), f"`{place}` is {window}; expected 0 to {LONGEST_WINDOW}")
        carried_over = frozenset(opening.carried_over)
        first = Revision(1, event.at, opening.ruleset, opening.ruleset_digest, opening.seats, carried_over)
        fold = cls(opening, event.at, [first], event.at)
        fold._receive("document", opening.submission, opening.round, event.at)
        return fold

    def fold(self) -> FoldedRound:
        """Return the round."""
        return FoldedRound(
            opening=self.opening,
            recorded_at=self.recorded_at,
            revisions=tuple(self.revisions),
            changed_at=self.changed_at,
            final_revision=self.final_revision,
            hands=self.hands,
            stacks=tuple(self.stacks),
            submissions=self.submissions,
            corrections=self.corrections,
            recomputations=self.recomputations,
            disputes=self.disputes,
            authors=self.authors,
            unknown=tuple(self.unknown),
        )

    def apply(self, index: int, at: datetime, event: EventPayload | None) -> None:
        """Apply an event; one of an unknown kind changes nothing but the time of the last change."""
        match event:
            case HandRecorded():
                self._record_hand(index, at, event)
            case DepartureRecorded():
                self._record_departure(at, event)
            case RoundClosed():
                self._close(at, event)
            case HandWithdrawn():
                self._withdraw_hand(at, event)
            case RoundCorrected():
                self._correct(at, event)
            case RoundRecomputed():
                self._recompute(at, event)
            case SettlementConfirmed():
                self._confirm(at, event)
            case SettlementFinalized():
                self._finalize(event)
            case DisputeOpened():
                self.disputes[event.dispute] = open_dispute(self.disputes, event, at, self._newest)
            case DisputeEvent():
                self.disputes[event.dispute] = change_dispute(self.disputes, event, at, self.corrections)
            case RoundOpened():
                refuse_event("the round is opened a second time")
            case _:
                self.unknown.append(index)
        if not isinstance(event, SettlementConfirmed):
            self.changed_at = at

    @property
    def _newest(self) -> Revision:
        return self.revisions[-1]

    @_newest.setter
    def _newest(self, revision: Revision) -> None:
        self.revisions[-1] = revision

    def _record_hand(self, index: int, at: datetime, event: HandRecorded) -> None:
        self._require_played("the hand")
        newest, document = self._newest, self.opening.submission
        came_in = event.submission or document
        submission = None if came_in is None else came_in.id
        hand = replace(_read_hand(event.id, event.hand, at, submission, "hand"), reference=event.reference)
        number = hand.hand.number
        expect(("hand", "number"), number, len(newest.hands) + 1)
        if event.id in self.hands:
            contradict(("id",), f"`id` is {event.id}, which an earlier hand has")
        if event.restores is not None and event.restores not in self.hands:
            contradict(("restores",), f"`restores` is {event.restores}, which no earlier hand has")
        self._receive("hand", event.submission, hand.id, at)
        self.hands[hand.id] = hand
        self.stacks.append(RecordedStacks(index, newest.number, number, event.stacks))
        self._newest = newest._replace(
            hands=(*newest.hands, hand),
            scorers=(*newest.scorers, event.scorer),
            irregular=newest.irregular | {number} if event.irregular else newest.irregular,
        )

    def _record_departure(self, at: datetime, event: DepartureRecorded) -> None:
        self._require_played("the departure")
        self._require_seat(event.seat, "")
        hands = len(self._newest.hands)
        if event.after_hand != hands:
            refuse_event(f"the player leaves after hand {event.after_hand}; expected {hands}")
        departure = FoldedDeparture(Departure(event.seat, event.after_hand), event.reason, at)
        self._newest = self._newest._replace(departures=(*self._newest.departures, departure))

    def _close(self, at: datetime, event: RoundClosed) -> None:
        self._require_played("the closing")
        hands = len(self._newest.hands)
        if event.after_hand != hands:
            refuse_event(f"the round is closed after hand {event.after_hand}; expected {hands}")
        self._newest = self._newest._replace(closed=FoldedClosing(Closing(event.after_hand), event.reason, at))

    def _withdraw_hand(self, at: datetime, event: HandWithdrawn) -> None:
        self._require_played("the undo")
        if self.final_revision is not None:
            refuse_event("the undo follows a final settlement, which an undo cannot change")
        newest = self._newest
        if not newest.hands:
            refuse_event("the undo follows no hand")
        *left, withdrawn = newest.hands
        expect(("number",), event.number, len(newest.hands))
        expect(("hand",), event.hand, withdrawn.id)
        expect(("digest",), event.digest, withdrawn.digest)
        departed = [each.departure for each in newest.departures]
        dropped = [each.seat for each in departed if each.seat in event.departures and each.after_hand >= len(left)]
        expect(("departures",), list(event.departures), dropped)
        irregular = newest.irregular - {event.number} if event.irregular is None else frozenset(event.irregular)
        self._revise(
            at,
            event,
            hands=tuple(left),
            departures=tuple(each for each in newest.departures if each.departure.seat not in event.departures),
            irregular=irregular,
            reason=event.reason,
        )

    def _correct(self, at: datetime, event: RoundCorrected) -> None:
        if event.dispute is not None:
            find_dispute(self.disputes, event.dispute)
        document = event.document
        expect(("document", "ruleset"), document.ruleset, event.ruleset)
        for name in ("reference", "point_value", "unit", "unit_digits", "charge_per", "charge_amount"):
            expect(("document", name), getattr(document, name), getattr(self.opening, name))
        self._receive("correction", event.submission, event.round, at)
        hands = self._correct_hands(at, event)
        before = self._newest
        seats = tuple(sorted(document.seats, key=lambda seat: seat.seat))
        kept = (seat.seat for seat in seats if seat in before.seats and seat.seat in before.carried_over)
        self._revise(
            at,
            event,
            ruleset=event.ruleset,
            ruleset_digest=event.ruleset_digest,
            seats=seats,
            carried_over=frozenset(kept),
            hands=hands,
            departures=_correct_departures(at, before, document),
            closed=_correct_closing(at, before, document),
            irregular=frozenset(event.irregular),
            reason=event.reason,
        )
        self.corrections[event.revision] = event

    def _correct_hands(self, at: datetime, event: RoundCorrected) -> tuple[FoldedHand, ...]:
        """Return the hands of a correction; the record of a hand that the revision before has too is the same."""
        before, contents = self._newest.hands, event.document.hands
        expect(("hands",), len(event.hands), len(contents))
        expect(("hands_before",), list(event.hands_before), [hand.id for hand in before])
        kept = {(hand.hand.number, hand.digest): hand for hand in before}
        corrected = [
            _read_hand(id_, content, at, event.submission.id, "document", "hands", index)
            for index, (id_, content) in enumerate(zip(event.hands, contents, strict=True))
        ]
        replaced = find_replaced([hand.hand for hand in before], [hand.hand for hand in corrected])
        references = {hand.hand.number: hand.reference for hand in before}
        hands, recorded = [], []
        for index, (id_, hand) in enumerate(zip(event.hands, corrected, strict=True)):
            hand_before = kept.get((hand.hand.number, hand.digest))
            if hand_before is None:
                if id_ in self.hands:
                    contradict(("hands", index), f"`hands[{index}]` is {id_}, which another hand has")
                recorded.append((id_, hand.digest))
                reference = references.get(replaced.get(hand.hand.number, 0))
                self.hands[id_] = replace(hand, reference=reference)
            else:
                expect(("hands", index), id_, hand_before.id)
            hands.append(hand_before or self.hands[id_])
        expect(("recorded",), [(each.hand, each.digest) for each in event.recorded], recorded)
        return tuple(hands)

    def _recompute(self, at: datetime, event: RoundRecomputed) -> None:
        digest = event.ruleset_digest
        self._revise(at, event, ruleset=event.ruleset, ruleset_digest=digest, reason=event.reason)
        self.recomputations[event.revision] = event.recomputation

    def _revise(self, at: datetime, event: HandWithdrawn | RoundCorrected | RoundRecomputed, **changes: Any) -> None:
        number = self._newest.number + 1
        expect(("revision",), event.revision, number)
        created = self._newest._replace(
            **changes,
            number=number,
            created_at=at,
            adjusts=self.final_revision,
            confirmed={},
            as_created=None,
        )
        created = created._replace(scorers=(event.scorer,) * len(created.hands))
        self.revisions.append(created._replace(as_created=created))

    def _confirm(self, at: datetime, event: SettlementConfirmed) -> None:
        newest, seat = self._newest, event.seat
        expect(("revision",), event.revision, newest.number)
        self._require_seat(seat, ", so nobody there can confirm the settlement")
        if seat in newest.confirmed:
            refuse_event(f"seat {seat} confirms revision {newest.number} a second time")
        if self.final_revision == newest.number:
            refuse_event("the confirmation follows the final settlement")
        require_undisputed(self.disputes, "confirmed")
        self._newest = newest._replace(confirmed={**newest.confirmed, seat: at})

    def _finalize(self, event: SettlementFinalized) -> None:
        number = self._newest.number
        expect(("revision",), event.revision, number)
        if self.final_revision == number:
            refuse_event(f"the settlement of revision {number} becomes final a second time")
        require_undisputed(self.disputes, "final")
        self.final_revision = number

    def _receive(self, kind: str, received: Received | None, record: UUID, at: datetime) -> None:
        if received is not None:
            if (received.sha256 is None) is (received.text is None):
                contradict(("submission",), "`submission` has both digests or none; expected `sha256` or `text`")
            self.submissions[received.id] = FoldedSubmission(kind, received, record, at)

    def _require_played(self, what: str) -> None:
        if self._newest.closed is not None:
            refuse_event(f"{what} follows the closing of the round")
        if self.final_revision == self._newest.number:
            refuse_event(f"{what} follows the final settlement of revision {self.final_revision}")

    def _require_seat(self, seat: int, so: str) -> None:
        if all(each.seat != seat for each in self._newest.seats):
            refuse_event(f"nobody sits in seat {seat}{so}")


def _read_hand(
    id_: UUID, content: CanonicalJson, at: datetime, submission: UUID | None, *place: str | int
) -> FoldedHand:
    try:
        hand, played_at = decode_hand(content)
    except EvidenceError as error:
        mistakes = [mistake.under(*place) for mistake in error.mistakes]
        complete = [replace(each, detail=f"`{show_place(each.path)}` {each.detail}") for each in mistakes]
        raise EvidenceError(tuple(complete)) from error
    return FoldedHand(id_, content, hand, played_at, at, submission)


def _correct_departures(at: datetime, before: Revision, document: CorrectedDocument) -> tuple[FoldedDeparture, ...]:
    """Return the departures of a correction: one that was there before keeps its time, whatever its reason is now."""
    times = {(each.departure.seat, each.departure.after_hand): each.recorded_at for each in reversed(before.departures)}
    return tuple(
        FoldedDeparture(Departure(each.seat, each.after_hand), each.reason, times.get((each.seat, each.after_hand), at))
        for each in sorted(document.departures, key=lambda departure: departure.after_hand)
    )


def _correct_closing(at: datetime, before: Revision, document: CorrectedDocument) -> FoldedClosing | None:
    if document.closed is None:
        return None
    closed = FoldedClosing(Closing(document.closed.after_hand), document.closed.reason, at)
    same = before.closed is not None and replace(before.closed, recorded_at=at) == closed
    return before.closed if same else closed


def _name_event(index: int, event: StoredEvent, mistake: Mistake) -> Mistake:
    detail = f"event {event.sequence}, {event.kind}: {mistake.detail}"
    return Mistake(mistake.code, ("events", index, *mistake.path), detail)

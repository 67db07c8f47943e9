"""A round as its events tell it: who sat down, what was played, and what was corrected since."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from schemas.base import WireError, load
from schemas.documents import (
    DocumentClosingSchema,
    DocumentDepartureSchema,
    RoundDocument,
    load_document,
)
from schemas.evidence import Event, EvidenceError
from schemas.hands import SubmittedHand, digest_of, dump_hand, load_hand
from schemas.irregular import IrregularHand
from schemas.strict_json import read_json
from schemas.tables import LONGEST_WINDOW
from scoring.errors import Mistake
from scoring.hand import Seat
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat
from scoring.ruleset import Points, Ruleset

Content = Mapping[str, Any]

UNTOLD: Final = "document-untold"
"""The code of what an event from before this format leaves out, and no other event tells."""

_DEPARTURE: Final = DocumentDepartureSchema()
_CLOSING: Final = DocumentClosingSchema()


@dataclass(frozen=True, slots=True)
class ToldHand:
    """A hand as it was recorded; `id` is None where its event was written before events said it."""

    id: UUID | None
    submitted: SubmittedHand
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class ToldRevision:
    """
    Everything that happened in a revision of a round, and no result.

    Attributes:
        ruleset: by name and version.
        ruleset_digest: of the rules in full; None where the event was written before events said it.
        irregular: the numbers of the hands that stand.
        reason: why the round was played again for it; None for the first.
        adjusts: the newest revision whose settlement was final by then.
        confirmed: who has said that its settlement is right.
    """

    number: int
    ruleset: str
    ruleset_digest: str | None
    seats: tuple[RoundSeat, ...]
    hands: tuple[ToldHand, ...] = ()
    departures: tuple[Departure, ...] = ()
    closed: Closing | None = None
    irregular: frozenset[int] = frozenset()
    reason: str | None = None
    adjusts: int | None = None
    confirmed: frozenset[Seat] = frozenset()

    def history(self, ruleset: Ruleset) -> History:
        """Give what the rules need of it."""
        hands = tuple(told.submitted.hand for told in self.hands)
        return History(ruleset, self.seats, hands, self.departures, self.closed, self.irregular)


@dataclass(frozen=True, slots=True)
class ToldStacks:
    """Where a hand left the stacks, by seat, as its event says; `event` counts the round's events from 0."""

    event: int
    revision: int
    hand: int
    stacks: tuple[Points, ...]


@dataclass(frozen=True, slots=True)
class Chronicle:
    """
    A round as its events tell it.

    Attributes:
        revisions: all there have been, the one in force last.
        stacks: where hands left the stacks when they were recorded.
        window: for how many minutes its settlements are provisional; None where its opening does not say.
        changed_at: the last change that the window counts from.
        unknown: the places of events whose kind is not known here.
    """

    round_id: UUID
    club_id: UUID
    table_id: UUID
    reference: str | None
    point_value: int | None
    currency: str | None
    window: int | None
    revisions: tuple[ToldRevision, ...]
    changed_at: datetime
    stacks: tuple[ToldStacks, ...] = ()
    final_revision: int | None = None
    open_disputes: int = 0
    unknown: tuple[int, ...] = ()

    @property
    def newest(self) -> ToldRevision:
        """The revision in force."""
        return self.revisions[-1]

    def document(self, revision: ToldRevision, table: str, irregular: tuple[IrregularHand, ...]) -> RoundDocument:
        """Make a revision's document; the table's name, and why hands are irregular, are the caller's to find."""
        return RoundDocument(
            ruleset=revision.ruleset,
            table=table,
            reference=self.reference,
            point_value=self.point_value,
            currency=self.currency,
            seats=revision.seats,
            hands=tuple(told.submitted for told in revision.hands),
            departures=revision.departures,
            closed=revision.closed,
            irregular=irregular,
        )


def read_chronicle(events: Sequence[Event]) -> Chronicle:
    """
    Follow a round through its events.

    Args:
        events: of one round, from its first, in order.

    Raises:
        EvidenceError: an event says what cannot be read, or what cannot follow; its place is named.
    """
    chronicle: Chronicle | None = None
    for index, event in enumerate(events):
        try:
            step = _Step(index, event.at, read_json(event.content))
            chronicle = _open(event, step.content) if chronicle is None else _follow(chronicle, event.kind, step)
        except WireError as error:
            raise EvidenceError(tuple(mistake.under("events", index) for mistake in error.mistakes)) from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            detail = f"the content of {event.kind} cannot be read: {type(error).__name__}: {error}"
            raise EvidenceError((Mistake("event-content", ("events", index), detail),)) from error
    if chronicle is None:
        raise EvidenceError((Mistake("events-missing", ("events",), "there is no event; a round has at least one"),))
    return chronicle


@dataclass(frozen=True, slots=True)
class _Step:
    """An event to follow."""

    index: int
    at: datetime
    content: Content


def _open(event: Event, content: Content) -> Chronicle:
    if event.kind != _OPENING or event.round_id is None:
        detail = f"the first event is {event.kind}; round.opened is right"
        raise EvidenceError((Mistake("event-content", (), detail),))
    _expect("round", content["round"], str(event.round_id))
    as_document = {name: content[name] for name in ("ruleset", "reference", "point_value", "currency", "seats")}
    opened = load_document({**as_document, "table": content["table"], "hands": []})
    return Chronicle(
        round_id=event.round_id,
        club_id=event.club,
        table_id=UUID(content["table"]),
        reference=opened.reference,
        point_value=opened.point_value,
        currency=opened.currency,
        window=_window(content),
        revisions=(ToldRevision(1, opened.ruleset, content.get("ruleset_digest"), opened.seats),),
        changed_at=event.at,
    )


def _window(content: Content) -> int | None:
    window = content.get("correction_window_minutes")
    if window is not None and not (type(window) is int and 0 <= window <= LONGEST_WINDOW):
        raise ValueError(f"a correction window of {window}")
    return window


def _follow(before: Chronicle, kind: str, step: _Step) -> Chronicle:
    follow = _FOLLOWING.get(kind)
    if follow is None:
        return replace(before, unknown=(*before.unknown, step.index), changed_at=step.at)
    _expect("round", step.content["round"], str(before.round_id))
    after = follow(before, step)
    # One player's word gives the others no more time.
    return after if kind == "settlement.confirmed" else replace(after, changed_at=step.at)


def _record_hand(before: Chronicle, step: _Step) -> Chronicle:
    content, newest = step.content, before.newest
    submitted = load_hand(content["hand"])
    number = submitted.hand.number
    _expect("hand/number", number, len(newest.hands) + 1)
    told = ToldHand(UUID(content["id"]) if "id" in content else None, submitted, step.at)
    irregular = newest.irregular | {number} if content.get("irregular") else newest.irregular
    after = _with_newest(before, replace(newest, hands=(*newest.hands, told), irregular=irregular))
    if "stacks" not in content:
        return after
    left = ToldStacks(step.index, newest.number, number, tuple(content["stacks"]))
    return replace(after, stacks=(*before.stacks, left))


def _depart(before: Chronicle, step: _Step) -> Chronicle:
    content, newest = step.content, before.newest
    departure = load(_DEPARTURE, {name: content[name] for name in ("seat", "after_hand", "reason")})
    return _with_newest(before, replace(newest, departures=(*newest.departures, departure)))


def _close(before: Chronicle, step: _Step) -> Chronicle:
    closing = load(_CLOSING, {name: step.content[name] for name in ("after_hand", "reason")})
    return _with_newest(before, replace(before.newest, closed=closing))


def _withdraw(before: Chronicle, step: _Step) -> Chronicle:
    content, newest = step.content, before.newest
    number = content["number"]
    _expect("number", number, len(newest.hands))
    withdrawn = newest.hands[-1].id
    if withdrawn is not None:
        _expect("hand", content["hand"], str(withdrawn))
    _expect("digest", content["digest"], _digest(newest.hands[-1]))
    kept = tuple(departure for departure in newest.departures if departure.after_hand < number)
    gone = [departure.seat for departure in newest.departures if departure not in kept]
    _expect("departures", content["departures"], gone)
    return _revise(
        before,
        step,
        hands=newest.hands[:-1],
        departures=kept,
        irregular=newest.irregular - {number},
        reason=content["reason"] or f"hand {number} was undone",
    )


def _correct(before: Chronicle, step: _Step) -> Chronicle:
    content = step.content
    document, irregular = _document(step), frozenset(content["irregular"])
    _expect("document/ruleset", document.ruleset, content["ruleset"])
    for name in ("reference", "point_value", "currency"):
        _expect(f"document/{name}", getattr(document, name), getattr(before, name))
    ids = [UUID(each) for each in content["hands"]]
    _expect("hands", len(ids), len(document.hands))
    told_before = before.newest.hands
    if all(told.id for told in told_before):
        _expect("hands_before", content["hands_before"], [str(told.id) for told in told_before])
    kept = {_same(told): told for told in told_before}
    anew = [ToldHand(hand_id, submitted, step.at) for hand_id, submitted in zip(ids, document.hands, strict=True)]
    hands = [replace(kept.get(_same(told), told), id=told.id) for told in anew]
    recorded = [{"hand": str(told.id), "digest": _digest(told)} for told in anew if _same(told) not in kept]
    _expect("recorded", content["recorded"], recorded)
    return _revise(
        before,
        step,
        ruleset=document.ruleset,
        ruleset_digest=content.get("ruleset_digest"),
        seats=tuple(sorted(document.seats, key=lambda seat: seat.seat)),
        hands=tuple(hands),
        departures=tuple(sorted(document.departures, key=lambda departure: departure.after_hand)),
        closed=document.closed,
        irregular=irregular,
        reason=content["reason"],
    )


def _document(step: _Step) -> RoundDocument:
    told = step.content["document"]
    if isinstance(told, str):
        detail = f"the correction was recorded before its event told the document; it tells its digest {told} only"
        raise EvidenceError((Mistake(UNTOLD, ("document",), detail),))
    return load_document(told)


def _same(told: ToldHand) -> tuple[int, str]:
    """Say what two records of the same hand have in common."""
    return told.submitted.hand.number, _digest(told)


def _digest(told: ToldHand) -> str:
    return digest_of(dump_hand(told.submitted)).hex()


def _recompute(before: Chronicle, step: _Step) -> Chronicle:
    content = step.content
    digest = content.get("ruleset_digest")
    return _revise(before, step, ruleset=content["ruleset"], ruleset_digest=digest, reason=content["reason"])


def _confirm(before: Chronicle, step: _Step) -> Chronicle:
    newest = before.newest
    _expect("revision", step.content["revision"], newest.number)
    return _with_newest(before, replace(newest, confirmed=newest.confirmed | {step.content["seat"]}))


def _finalize(before: Chronicle, step: _Step) -> Chronicle:
    _expect("revision", step.content["revision"], before.newest.number)
    return replace(before, final_revision=before.newest.number)


def _open_dispute(before: Chronicle, _: _Step) -> Chronicle:
    return replace(before, open_disputes=before.open_disputes + 1)


def _end_dispute(before: Chronicle, _: _Step) -> Chronicle:
    return replace(before, open_disputes=before.open_disputes - 1)


def _go_on(before: Chronicle, _: _Step) -> Chronicle:
    return before


_OPENING: Final = "round.opened"
_FOLLOWING: Final[Mapping[str, Callable[[Chronicle, _Step], Chronicle]]] = {
    "hand.recorded": _record_hand,
    "hand.withdrawn": _withdraw,
    "departure.recorded": _depart,
    "round.closed": _close,
    "round.corrected": _correct,
    "round.recomputed": _recompute,
    "settlement.confirmed": _confirm,
    "settlement.finalized": _finalize,
    "dispute.opened": _open_dispute,
    "dispute.commented": _go_on,
    "dispute.reviewed": _go_on,
    "dispute.resolved": _end_dispute,
    "dispute.withdrawn": _end_dispute,
}

KINDS: Final = frozenset({_OPENING, *_FOLLOWING})
"""The kinds of events that are known here."""


def _with_newest(before: Chronicle, newest: ToldRevision) -> Chronicle:
    return replace(before, revisions=(*before.revisions[:-1], newest))


def _revise(before: Chronicle, step: _Step, **changes: Any) -> Chronicle:
    number = before.newest.number + 1
    _expect("revision", step.content["revision"], number)
    revised = replace(
        before.newest, **{"number": number, "adjusts": before.final_revision, "confirmed": frozenset(), **changes}
    )
    return replace(before, revisions=(*before.revisions, revised))


def _expect(place: str, found: object, right: object) -> None:
    if found != right:
        raise EvidenceError((Mistake("event-content", tuple(place.split("/")), f"is {found}; {right} is right"),))

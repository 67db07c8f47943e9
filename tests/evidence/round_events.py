"""Events of one round, to be folded."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from evidence import canonical_json
from evidence.codec import CanonicalJson
from evidence.events import (
    CorrectedDocument,
    DepartureRecorded,
    DisputeCommented,
    DisputeOpened,
    DisputeResolved,
    DisputeReviewed,
    DisputeStep,
    EventPayload,
    FinalReason,
    HandRecorded,
    HandWithdrawn,
    Received,
    RecordDigest,
    RoundClosed,
    RoundCorrected,
    RoundRecomputed,
    SettlementConfirmed,
    SettlementFinalized,
)
from evidence.fold import FoldedRound, StoredEvent, fold_round
from evidence.hands import encode_hand
from evidence.texts import digest_text
from schemas.documents import RoundDocument
from scoring.board import Row
from scoring.history import History
from tests.evidence.example_events import AT, DISPUTE, KEY, OPENED, ROUND, SALT, SEATS, WORDS, hand, hand_id

OTHER: Final = UUID(int=7)
MINUTE: Final = timedelta(minutes=1)
WHY: Final = digest_text("misread", SALT)


def fold(*events: EventPayload) -> FoldedRound:
    """Fold events that are recorded a minute after each other."""
    return fold_round(ROUND, [stored(index, event) for index, event in enumerate(events)])


def stored(index: int, event: EventPayload) -> StoredEvent:
    return StoredEvent(index + 1, event.kind, AT + index * MINUTE, event.encode())


def recorded(number: int, record: int | None = None, **more: Any) -> HandRecorded:
    content = more.pop("hand", None) or hand(number)
    id_ = hand_id(number if record is None else record)
    return HandRecorded(round=ROUND, id=id_, hand=content, stacks=(90, 110), scorer=1, **more)


def withdrawn(number: int, revision: int, **more: Any) -> HandWithdrawn:
    usual: dict[str, Any] = {
        "hand": hand_id(number),
        "digest": sha256(hand(number)).digest(),
        "departures": (),
        "reason": WHY,
        "scorer": 2,
    }
    return HandWithdrawn(round=ROUND, number=number, revision=revision, **{**usual, **more})


DOCUMENT: Final = CorrectedDocument(
    ruleset="pineapple-qq@1",
    table="kitchen",
    reference="friday",
    opened_at=AT,
    point_value=10,
    unit="EUR",
    unit_digits=2,
    seats=SEATS,
    hands=(hand(1), hand(2, exchanged=True)),
    departures=(),
    closed=None,
)


def corrected(revision: int = 2, **more: Any) -> RoundCorrected:
    """Correct the second of two hands."""
    usual: dict[str, Any] = {
        "reason": WHY,
        "dispute": None,
        "correction": bytes(32),
        "document": DOCUMENT,
        "digest": bytes(32),
        "ruleset": "pineapple-qq@1",
        "ruleset_digest": OPENED.ruleset_digest,
        "hands": (hand_id(1), hand_id(3)),
        "hands_before": (hand_id(1), hand_id(2)),
        "recorded": (RecordDigest(hand_id(3), sha256(DOCUMENT.hands[1]).digest()),),
        "irregular": (2,),
        "submission": Received(OTHER, bytes(32)),
        "scorer": 3,
    }
    return RoundCorrected(round=ROUND, revision=revision, **{**usual, **more})


def recomputed(revision: int) -> RoundRecomputed:
    return RoundRecomputed(
        round=ROUND,
        recomputation=KEY,
        ruleset="other@2",
        ruleset_digest=bytes(32),
        revision=revision,
        reason=WHY,
        scorer=4,
    )


def confirmed(seat: int, revision: int = 1) -> SettlementConfirmed:
    return SettlementConfirmed(round=ROUND, revision=revision, seat=seat)


def final(revision: int = 1) -> SettlementFinalized:
    return SettlementFinalized(round=ROUND, revision=revision, because=FinalReason.WINDOW)


def disputed(**more: Any) -> DisputeOpened:
    usual: dict[str, Any] = {
        "dispute": DISPUTE,
        "revision": 1,
        "hand": 1,
        "seat": 1,
        "row": Row.TOP,
        "by": "ann",
        "claim": WORDS,
    }
    return DisputeOpened(round=ROUND, **{**usual, **more})


def step(kind: type[Any], taken: DisputeStep, version: int, **more: Any) -> EventPayload:
    usual: dict[str, Any] = {"dispute": DISPUTE, "by": "eve", "words": None, "correction": None}
    event: EventPayload = kind(round=ROUND, version=version, step=taken, **{**usual, **more})
    return event


COMMENTED: Final = step(DisputeCommented, DisputeStep.COMMENT, 2)
REVIEWED: Final = step(DisputeReviewed, DisputeStep.UNDER_REVIEW, 2)
REJECTED: Final = step(DisputeResolved, DisputeStep.REJECTED, 3, words=WORDS)
LEFT: Final = DepartureRecorded(round=ROUND, seat=1, after_hand=2, reason=digest_text("a train", SALT))
CLOSED: Final = RoundClosed(round=ROUND, after_hand=2, reason=digest_text("the room closes", SALT))
PLAYED: Final = (OPENED, recorded(1), recorded(2))


def sorted_players(played: Any) -> Any:
    by_seat = sorted(played.players, key=lambda player: player.seat)
    top_ups = sorted(played.top_ups, key=lambda added: added.seat)
    return replace(played, players=tuple(by_seat), top_ups=tuple(top_ups))


def events_of(document: RoundDocument, history: History) -> Any:
    """Make the events of a round in the order in which everything happened."""
    yield replace(OPENED, seats=document.seats, carried_over=())
    for number in range(len(document.hands) + 1):
        if number:
            sent = document.hands[number - 1]
            content = CanonicalJson(canonical_json(encode_hand(sent.hand, sent.played_at)))
            yield recorded(number, hand=content)
        for left in document.departures:
            if left.after_hand == number:
                yield DepartureRecorded(round=ROUND, seat=left.seat, after_hand=number, reason=_digest(left.reason))
    if document.closed:
        yield RoundClosed(round=ROUND, after_hand=document.closed.after_hand, reason=_digest(document.closed.reason))


def _digest(reason: str | None) -> bytes | None:
    return None if reason is None else digest_text(reason, SALT)

"""Rounds on the wire."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import (
    MOST_INTEGER,
    Anything,
    Boolean,
    Choice,
    Inner,
    Integer,
    Listing,
    Table,
    Text,
    Time,
    UuidField,
    show_time,
)
from schemas.hands import MOST_HANDS, MOST_PLAYERS, PlayerField, SeatField, StackField
from schemas.irregular import ReasonsField
from schemas.pages import PageQuerySchema, RevisionField
from schemas.periods import InPeriod
from schemas.problems import dump_mistakes
from schemas.scores import ScoreSchema, dump_points, dump_score, dump_transfers
from schemas.settlement_states import IN_FORCE, SettlementState
from schemas.tables import CurrencyField, PointValueField
from scoring.errors import Mistake
from scoring.hand import Hand, Seat
from scoring.round_state import NextHand, Round, RoundStatus
from scoring.ruleset import Points, Ruleset
from scoring.score import HandScore
from scoring.settlement import Transfer

STATUSES: Final = {status.value: status for status in RoundStatus}


class ReferenceField(Text):
    """The operator's own name for a round, unique at its table."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=200, allow_none=True, **{"metadata": {"example": "2026-11-20/3"}, **options})


class ReasonField(Text):
    """Why, in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=500, **options)


@dataclass(frozen=True, slots=True)
class SeatRequest:
    """A player who sits down; without a stack, his last one at the table carries over."""

    seat: Seat
    player: str
    stack: Points | None


class SeatRequestSchema(WireSchema):
    """A player who sits down. A stack left out carries over from the table's last round."""

    seat = SeatField(required=True)
    player = PlayerField(required=True)
    stack = StackField(least=0, most=MOST_INTEGER, load_default=None, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> SeatRequest:
        return SeatRequest(**read)


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """A round to open."""

    seats: tuple[SeatRequest, ...]
    reference: str | None
    expected: Mapping[str, Any] | None


class RoundRequestSchema(WireSchema):
    """A round to open at a table."""

    seats = Listing(Inner(SeatRequestSchema), least=1, most=MOST_PLAYERS, required=True)
    reference = ReferenceField(load_default=None)
    expected = Anything(load_default=None)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RoundRequest:
        return RoundRequest(tuple(read["seats"]), read["reference"], read["expected"])


@dataclass(frozen=True, slots=True)
class DepartureRequest:
    """A player who leaves the round."""

    seat: Seat
    reason: str | None


class DepartureRequestSchema(WireSchema):
    """A player who leaves for the rest of the round."""

    seat = SeatField(required=True)
    reason = ReasonField(load_default=None, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DepartureRequest:
        return DepartureRequest(**read)


class CloseRequestSchema(WireSchema):
    """Why the round ends early."""

    reason = ReasonField(required=True)


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """The last hand of a round, to be withdrawn."""

    number: int
    hand: UUID | None
    reason: str | None
    expected: Mapping[str, Any] | None


class UndoRequestSchema(WireSchema):
    """
    The last hand of a round, to be withdrawn.

    The number says which, so that the same undo sent twice never takes two hands.
    """

    number = Integer(least=1, most=MOST_HANDS, required=True)
    hand = UuidField(
        load_default=None,
        allow_none=True,
        metadata={"description": "The hand's id: then no other hand recorded under this number since is withdrawn."},
    )
    reason = ReasonField(load_default=None, allow_none=True)
    expected = Anything(load_default=None)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> UndoRequest:
        return UndoRequest(**read)


class RoundSeatSchema(WireSchema):
    """A player of the round and his points."""

    seat = SeatField(required=True)
    player = PlayerField(required=True)
    opening_stack = StackField(most=MOST_INTEGER, required=True)
    top_ups = StackField(least=0, most=MOST_INTEGER, required=True)
    stack = StackField(least=0, most=MOST_INTEGER, required=True)
    playing = Boolean(required=True, metadata={"description": "Neither out nor gone."})


class NextHandSchema(WireSchema):
    """What the next hand must be."""

    number = Integer(least=1, most=MOST_HANDS, required=True)
    button = SeatField(required=True, allow_none=True)
    seats = Listing(SeatField(), most=MOST_PLAYERS, required=True)
    fantasyland = Table(Integer(), required=True)


class RoundSchema(WireSchema):
    """A round as it stands. `next` is null unless it is open; the first hand's button may stand in any seat."""

    id = UuidField(required=True)
    table = UuidField(required=True)
    ruleset = Text(required=True, metadata={"example": "pineapple@1"})
    reference = ReferenceField(required=True)
    status = Choice(STATUSES, required=True)
    version = Integer(least=1, required=True)
    hands = Integer(least=0, required=True)
    point_value = PointValueField(required=True)
    currency = CurrencyField(required=True)
    opened_at = Time(required=True)
    state = Choice(
        IN_FORCE,
        required=True,
        metadata={"description": "How firm the settlement is: open while hands can come."},
    )
    seats = Listing(Inner(RoundSeatSchema), most=MOST_PLAYERS, required=True)
    next = Inner(NextHandSchema, required=True, allow_none=True)


class RoundQuerySchema(InPeriod, PageQuerySchema):
    """Which rounds to list: those opened from a moment on, and before another."""

    table_id = UuidField(data_key="table")
    player = PlayerField()
    status = Choice(STATUSES)
    state = Choice(IN_FORCE)
    opened_from = Time(data_key="from")
    opened_before = Time(data_key="to")


class RoundPageSchema(WireSchema):
    """Rounds, the newest first. The header `Link` leads to the next page."""

    rounds = Listing(Inner(RoundSchema), most=100, required=True)


class RecordedHandSchema(ScoreSchema):
    """A recorded hand, and what it comes to."""

    id = UuidField(required=True)
    number = Integer(least=1, required=True)
    button = SeatField(required=True)
    played_at = Time(required=True, allow_none=True)
    recorded_at = Time(required=True)
    in_force = Boolean(
        required=True, metadata={"description": "Whether the hand counts: false once it was undone, or corrected."}
    )
    irregular = ReasonsField(required=True)


class HandAnswerSchema(RecordedHandSchema):
    """A recorded hand: what it comes to, and where the round stands."""

    round = Inner(RoundSchema, required=True)


class HandQuerySchema(PageQuerySchema):
    """Which hands of a round to list: those of the newest revision, or of an older one."""

    revision = RevisionField()


class HandPageSchema(WireSchema):
    """Hands in the order in which they were played. The header `Link` leads to the next page."""

    hands = Listing(Inner(RecordedHandSchema), most=100, required=True)


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round as it stands, and what the service knows beside the game."""

    id: str
    table: str
    round: Round
    version: int
    reference: str | None
    point_value: int | None
    currency: str | None
    opened_at: datetime
    state: SettlementState


def dump_round(view: RoundView) -> Dumped:
    """Write a round as it stands."""
    return {
        "id": view.id,
        "table": view.table,
        "ruleset": str(view.round.ruleset),
        "reference": view.reference,
        "status": view.round.status.value,
        "version": view.version,
        "hands": view.round.hands,
        "point_value": view.point_value,
        "currency": view.currency,
        "opened_at": show_time(view.opened_at),
        "state": view.state.value,
        "seats": dump_seats(view.round),
        "next": dump_next(view.round.next_hand),
    }


def dump_seats(round_: Round) -> list[Dumped]:
    """Write the players of a round and their points."""
    playing = set(round_.still_playing)
    return [
        {
            "seat": seat.seat,
            "player": seat.player,
            "opening_stack": seat.opening_stack,
            "top_ups": round_.top_ups[seat.seat],
            "stack": round_.stacks[seat.seat],
            "playing": seat.seat in playing,
        }
        for seat in round_.seats
    ]


def dump_next(next_hand: NextHand | None) -> Dumped | None:
    """Write what the next hand must be."""
    if next_hand is None:
        return None
    return {
        "number": next_hand.number,
        "button": next_hand.button,
        "seats": list(next_hand.seats),
        "fantasyland": {str(seat): owed.cards for seat, owed in sorted(next_hand.fantasyland.items())},
    }


@dataclass(frozen=True, slots=True)
class RecordedHand:
    """A hand as it was recorded, what it comes to, and what everyone had in front of him after it."""

    id: str
    hand: Hand
    ruleset: Ruleset
    players: Mapping[Seat, str]
    played_at: datetime | None
    recorded_at: datetime
    score: HandScore
    transfers: tuple[Transfer, ...]
    stacks: Mapping[Seat, Points]
    in_force: bool
    irregular: tuple[Mistake, ...] = ()


def dump_recorded_hand(recorded: RecordedHand) -> Dumped:
    """Write a recorded hand; the round beside it is the caller's to add."""
    return {
        "id": recorded.id,
        "number": recorded.hand.number,
        "button": recorded.hand.button,
        "played_at": show_time(recorded.played_at),
        "recorded_at": show_time(recorded.recorded_at),
        "in_force": recorded.in_force,
        "irregular": dump_mistakes(recorded.irregular),
        **dump_score(recorded.ruleset, recorded.score, recorded.players),
        "transfers": dump_transfers(recorded.transfers),
        "stacks": dump_points(recorded.stacks),
    }

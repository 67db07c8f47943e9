"""Rounds: requests, state and lists."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from evidence.charges import ChargePer, dump_charge
from schemas.base import Dumped, WireSchema
from schemas.fields import (
    MOST_INTEGER,
    Boolean,
    Choice,
    Dictionary,
    ExpectedField,
    Inner,
    Integer,
    Listing,
    Text,
    Time,
    UuidField,
    show_time,
)
from schemas.game_fields import (
    MOST_HANDS,
    MOST_PLAYERS,
    ChargeAmountField,
    ChargePerField,
    OpeningStackField,
    PlayerField,
    PointValueField,
    ReasonField,
    ReferenceField,
    SeatField,
    StackField,
    TableNameField,
    UnitCodeField,
    UnitDigitsField,
)
from schemas.metadata import NO_METADATA, Metadata, MetadataField
from schemas.money import Unit, dump_unit
from schemas.pages import OfRounds, PageQuerySchema, PageSchema
from schemas.problems import FieldErrorSchema, dump_warnings
from schemas.settlements import IN_FORCE, SettlementState
from scoring.errors import Mistake
from scoring.hand import Seat
from scoring.history import Departure
from scoring.round_state import NextHand, Round, RoundStatus
from scoring.ruleset import Points, StakesScope

STATUSES: Final = {status.value: status for status in RoundStatus}
_SCOPES: Final = {scope.value: scope for scope in StakesScope}


@dataclass(frozen=True, slots=True)
class SeatRequest:
    """A player of a new round. If the stack is None, the player's last stack at the table carries over."""

    seat: Seat
    player: str
    stack: Points | None


class RoundSeatRequestSchema(WireSchema):
    """A player of a new round. If `stack` is omitted, the player's last stack at the table carries over."""

    seat = SeatField(required=True, description="Seat number, counted clockwise from 1.")
    player = PlayerField(required=True, description="The operator's ID of the player.")
    stack = OpeningStackField(load_default=None, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> SeatRequest:
        return SeatRequest(**read)


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """A round to open."""

    seats: tuple[SeatRequest, ...]
    reference: str | None
    opened_at: datetime | None
    expected: Mapping[str, Any] | None
    metadata: Metadata = field(default_factory=dict)


class RoundRequestSchema(WireSchema):
    """A round to open at a table."""

    seats = Listing(
        Inner(RoundSeatRequestSchema),
        least=1,
        most=MOST_PLAYERS,
        required=True,
        description="The players of the round.",
    )
    reference = ReferenceField(load_default=None)
    opened_at = Time(load_default=None, allow_none=True, description="Time when the round was opened. Now if omitted.")
    metadata = MetadataField(load_default=NO_METADATA)
    expected = ExpectedField()

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RoundRequest:
        return RoundRequest(**{**read, "seats": tuple(read["seats"])})


@dataclass(frozen=True, slots=True)
class DepartureRequest:
    """A player who leaves the round."""

    seat: Seat
    reason: str | None
    expected: Mapping[str, Any] | None


class DepartureRequestSchema(WireSchema):
    """A player who leaves for the rest of the round."""

    seat = SeatField(required=True, description="Seat of the player who leaves.")
    reason = ReasonField(load_default=None, allow_none=True, description="Why the player leaves, in one line.")
    expected = ExpectedField()

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DepartureRequest:
        return DepartureRequest(**read)


class RoundCloseRequestSchema(WireSchema):
    """The early end of a round."""

    reason = ReasonField(required=True, description="Why the round ends early, in one line.")
    expected = ExpectedField()


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """The last hand of a round, to undo."""

    number: int
    hand: UUID
    reason: str | None
    expected: Mapping[str, Any] | None


class HandUndoRequestSchema(WireSchema):
    """
    The last hand of a round, to undo.

    The ID identifies the hand: a request that arrives twice, or late, never undoes another hand with its number.
    """

    number = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the last hand of the round.")
    hand = UuidField(
        required=True,
        description="ID of the hand. Another hand that was recorded with the same number since is not undone.",
    )
    reason = ReasonField(load_default=None, allow_none=True, description="Why the hand is undone, in one line.")
    expected = ExpectedField()

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> UndoRequest:
        return UndoRequest(**read)


class RoundSeatSchema(WireSchema):
    """A player of a round with their points."""

    seat = SeatField(required=True, description="Seat number, counted clockwise from 1.")
    player = PlayerField(required=True)
    opening_stack = StackField(
        most=MOST_INTEGER, required=True, description="Points that the player started the round with."
    )
    top_ups = StackField(
        least=0, most=MOST_INTEGER, required=True, description="Points that the player added during the round."
    )
    stack = StackField(least=0, most=MOST_INTEGER, required=True, description="Points that the player has now.")
    playing = Boolean(required=True, description="True if the player is neither busted nor has left.")


class NextHandSchema(WireSchema):
    """The number, button, players and Fantasyland of the next hand of a round."""

    number = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the next hand in the round.")
    button = SeatField(
        required=True,
        allow_none=True,
        description="Seat that has the dealer button in the next hand. Null before the first hand, when any"
        " seat can have it.",
    )
    seats = Listing(SeatField(), most=MOST_PLAYERS, required=True, description="Seats that play the next hand.")
    fantasyland = Dictionary(
        Integer(),
        required=True,
        description="Number of Fantasyland cards to deal, by seat. Seats that are not in Fantasyland are omitted.",
    )


class RoundSchema(WireSchema):
    """A round as it is now."""

    id = UuidField(required=True, description="ID of the round.")
    table = UuidField(required=True, description="ID of the table.")
    ruleset = Text(
        required=True, metadata={"example": "pineapple@1"}, description="Ruleset of the round, as `name@version`."
    )
    stakes_scope = Choice(
        _SCOPES,
        required=True,
        description="Period over which stacks limit payments, as in the ruleset. With `round`, points are paid at the"
        " end of the round: the last hand has the payments of the whole round, and the others have none.",
    )
    reference = ReferenceField(required=True)
    status = Choice(
        STATUSES,
        required=True,
        description="`open` while hands can be played, `complete` after the last hand, `closed` if the round"
        " ended early.",
    )
    version = Integer(least=1, required=True, description="Number of changes to the round, from 1.")
    hands = Integer(least=0, required=True, description="Number of hands played.")
    point_value = PointValueField(required=True)
    unit = UnitCodeField(required=True)
    unit_digits = UnitDigitsField(required=True)
    charge_per = ChargePerField(required=True)
    charge_amount = ChargeAmountField(required=True)
    opened_at = Time(required=True, description="Time when the round was opened.")
    recorded_at = Time(
        required=True, description="Time when the service stored the round. Later than `opened_at` for imported rounds."
    )
    state = Choice(IN_FORCE, required=True, description="State of the settlement. `open` while hands can be played.")
    seats = Listing(Inner(RoundSeatSchema), most=MOST_PLAYERS, required=True, description="The players of the round.")
    next = Inner(
        NextHandSchema,
        required=True,
        allow_none=True,
        description="What the next hand must be. Null if the round is not open.",
    )


class WarningsField(Listing):
    """What was recorded, and may be a mistake of the person who typed it."""

    default_description = (
        "What was recorded and may be a mistake: a new player whose ID looks like that of another one of the club"
        " (`player-similar`). Omitted if there is nothing to warn of. A dry run has the same warnings."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(Inner(FieldErrorSchema), most=MOST_PLAYERS, **options)


class RoundWithMetadataSchema(RoundSchema):
    """A round as it is now, with its metadata."""

    metadata = MetadataField(required=True)


class OpenedRoundSchema(RoundWithMetadataSchema):
    """A round that was opened."""

    warnings = WarningsField()


class DroppedDepartureSchema(WireSchema):
    """A departure that is no longer part of the round."""

    seat = SeatField(required=True, description="Seat of the player.")
    after_hand = Integer(
        least=0, most=MOST_HANDS, required=True, description="Number of the last hand before the departure."
    )
    reason = ReasonField(
        required=True, allow_none=True, description="Why the player left. Null if none was recorded, or it was erased."
    )


class DroppedDeparturesField(Listing):
    """Departures that are no longer part of the round."""

    default_description = (
        "Departures that are no longer part of the round: they came after a hand that was removed, or after the end"
        " that the round has without that hand. An undo omits the list if it is empty."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(Inner(DroppedDepartureSchema), most=MOST_PLAYERS, **options)


class RoundAfterUndoSchema(RoundSchema):
    """A round without the hand that was undone."""

    dropped_departures = DroppedDeparturesField()


class RoundQuerySchema(OfRounds, PageQuerySchema):
    """Filters of a list of rounds."""

    table_name = TableNameField(description="List only rounds of the table with this name, if it is not archived.")
    reference = ReferenceField(
        allow_none=False, description="List only rounds with this reference. At each table, one round has it."
    )
    player = PlayerField(description="List only rounds of the player with this ID.")
    status = Choice(STATUSES, description="List only rounds with this status.")
    state = Choice(IN_FORCE, description="List only rounds whose settlement is in this state.")


class RoundPageSchema(PageSchema):
    """One page of rounds, newest first."""

    rounds = Listing(Inner(RoundSchema), most=100, required=True, description="The rounds of this page, newest first.")


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round as it is now, with what the service stores about it."""

    id: str
    table: str
    round: Round
    version: int
    reference: str | None
    point_value: int | None
    unit: Unit | None
    charge_per: ChargePer | None
    charge_amount: int | None
    opened_at: datetime
    recorded_at: datetime
    state: SettlementState


def dump_round(view: RoundView) -> Dumped:
    """Encode a round as it is now."""
    return {
        "id": view.id,
        "table": view.table,
        "ruleset": str(view.round.ruleset),
        "stakes_scope": view.round.ruleset.stakes.scope.value,
        "reference": view.reference,
        "status": view.round.status.value,
        "version": view.version,
        "hands": view.round.hands,
        "point_value": view.point_value,
        **dump_unit(view.unit),
        **dump_charge(view.charge_per, view.charge_amount),
        "opened_at": show_time(view.opened_at),
        "recorded_at": show_time(view.recorded_at),
        "state": view.state.value,
        "seats": dump_seats(view.round),
        "next": dump_next(view.round.next_hand),
    }


def dump_round_with_metadata(view: RoundView, metadata: Metadata) -> Dumped:
    """Encode a round as it is now, with its metadata."""
    return {**dump_round(view), "metadata": dict(metadata)}


def dump_opened_round(view: RoundView, metadata: Metadata, warnings: Sequence[Mistake]) -> Dumped:
    """Encode a round that was opened, with what may be a mistake in it."""
    return {**dump_round_with_metadata(view, metadata), **dump_warnings(warnings)}


def dump_undone_round(view: RoundView, dropped: Iterable[Departure]) -> Dumped:
    """Encode a round without the hand that was undone."""
    return {**dump_round(view), **({"dropped_departures": listed} if (listed := dump_dropped(dropped)) else {})}


def dump_dropped(dropped: Iterable[Departure]) -> list[Dumped]:
    """Encode the departures that are no longer part of a round."""
    return [{"seat": each.seat, "after_hand": each.after_hand, "reason": each.reason} for each in dropped]


def dump_seats(round_: Round) -> list[Dumped]:
    """Encode the players of a round with their points."""
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
    """Encode what the next hand must be."""
    if next_hand is None:
        return None
    return {
        "number": next_hand.number,
        "button": next_hand.button,
        "seats": list(next_hand.seats),
        "fantasyland": {str(seat): owed.cards for seat, owed in sorted(next_hand.fantasyland.items())},
    }

"""Settlements: their states, transfers, standings, money and adjustments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Dictionary, Inner, Integer, Listing, Text, Time, show_time
from schemas.game_fields import (
    MOST_HANDS,
    MOST_PLAYERS,
    PlayerField,
    SeatField,
    StackField,
    UnitCodeField,
    UnitDigitsField,
)
from schemas.hands import IrregularHandSchema, Irregularity, dump_irregular
from schemas.money import Unit, dump_unit
from schemas.pages import QuerySchema, RevisionField
from scoring.hand import Seat
from scoring.history import Paid
from scoring.round_state import Round, rank_players
from scoring.ruleset import Points
from scoring.settle_up import Payment
from scoring.settlement import LimitedBy, Transfer


class SettlementState(StrEnum):
    """
    State of a settlement.

    Open while hands can be played; then provisional until the table's correction window has passed or every player has
    confirmed it; disputed while it has an open dispute; final; superseded once the round has a newer revision.
    """

    OPEN = "open"
    PROVISIONAL = "provisional"
    DISPUTED = "disputed"
    FINAL = "final"
    SUPERSEDED = "superseded"


IMPORT_STATES: Final = (SettlementState.FINAL.value, SettlementState.PROVISIONAL.value)
"""The states in which settlements can be imported, the default first."""
IN_FORCE: Final = {state.value: state for state in SettlementState if state is not SettlementState.SUPERSEDED}
"""The states of a settlement that has not been superseded."""


class TransferSchema(WireSchema):
    """Points paid from one player to another, after caps."""

    order = Integer(least=1, required=True, description="Place of the transfer in the order of payment, from 1.")
    payer = SeatField(required=True, description="Seat of the player who pays.")
    payee = SeatField(required=True, description="Seat of the player who is paid.")
    due = Integer(least=1, required=True, description="Points due from payer to payee before caps.")
    paid = Integer(least=0, required=True, description="Points paid from payer to payee after caps.")
    limited_by = Choice(
        {limit.value: limit for limit in LimitedBy},
        required=True,
        allow_none=True,
        description="What capped the payment: the payer's stack or the payee's win limit. Null if it was paid in full.",
    )
    payer_stack = StackField(
        least=0, most=MOST_INTEGER, required=True, description="The payer's stack after the transfer."
    )
    payee_stack = StackField(
        least=0, most=MOST_INTEGER, required=True, description="The payee's stack after the transfer."
    )


class SettlementTransferSchema(TransferSchema):
    """Points paid from one player to another, after caps, and the hand with which they were paid."""

    hand = Integer(least=1, required=True, description="Number of the hand with which the transfer was paid.")


class StandingSchema(WireSchema):
    """A player's place in the round."""

    seat = SeatField(required=True, description="Seat of the player.")
    net = Integer(required=True, description="Points that the player won or, below zero, lost in the round.")
    place = Integer(
        least=1, required=True, description="Place by net points, from 1. Players with equal net points share a place."
    )


class SettlementMoneySchema(WireSchema):
    """The net points in money."""

    point_value = Integer(least=0, required=True, description="Value of one point, in minor units.")
    unit = UnitCodeField(
        required=True,
        description="Unit of the point value and of the money.",
    )
    unit_digits = UnitDigitsField(required=True)
    net = Dictionary(Integer(), required=True, description="Money won or, below zero, lost, in minor units, by seat.")


class AdjustmentTransferSchema(WireSchema):
    """A payment between two players that adjusts a final settlement."""

    payer = PlayerField(required=True, description="The operator's ID of the player who pays.")
    payee = PlayerField(required=True, description="The operator's ID of the player who is paid.")
    points = Integer(least=1, required=True, description="Points to pay.")
    money = Integer(
        required=True,
        allow_none=True,
        description="Money to pay, in minor units. Null if the round has no point value.",
    )


class SettlementAdjustmentSchema(WireSchema):
    """The fewest payments from a final settlement to the corrected one."""

    from_revision = Integer(
        least=1,
        required=True,
        description="Number of the newest revision that was final, which the players have already settled up.",
    )
    transfers = Listing(
        Inner(AdjustmentTransferSchema),
        most=2 * MOST_PLAYERS,
        required=True,
        description="The payments, as few as possible.",
    )


class SettlementSchema(WireSchema):
    """The settlement of a round: every transfer, the stacks and the standings."""

    revision = Integer(least=1, required=True, description="Number of the settlement revision, from 1.")
    state = Choice(
        {state.value: state for state in SettlementState}, required=True, description="State of the settlement."
    )
    provisional_until = Time(
        required=True,
        allow_none=True,
        description="Time when a provisional settlement becomes final. Null in every other state.",
    )
    confirmed = Listing(
        SeatField(),
        most=MOST_PLAYERS,
        required=True,
        description="Seats of the players who have confirmed this revision.",
    )
    transfers = Listing(
        Inner(SettlementTransferSchema),
        most=100_000,
        required=True,
        description="Points paid after caps, in order, over all hands.",
    )
    stacks = Dictionary(
        StackField(least=0, most=MOST_INTEGER), required=True, description="Stacks at the end, by seat."
    )
    net = Dictionary(Integer(), required=True, description="Points won or, below zero, lost in the round, by seat.")
    standings = Listing(
        Inner(StandingSchema), most=MOST_PLAYERS, required=True, description="The players' places by net points."
    )
    money = Inner(
        SettlementMoneySchema,
        required=True,
        allow_none=True,
        description="The net points in money. Null if the round has no point value.",
    )
    reason = Text(
        required=True,
        allow_none=True,
        longest=500,
        description="Why the round has this revision: the reason of the undo, correction or recomputation."
        " Null in the first, or if it was erased.",
    )
    irregular = Listing(
        Inner(IrregularHandSchema), most=MOST_HANDS, required=True, description="Hands accepted as played."
    )
    adjustment = Inner(
        SettlementAdjustmentSchema,
        required=True,
        allow_none=True,
        description="Payments from the last final settlement to this one. Null if no settlement was final.",
    )


@dataclass(frozen=True, slots=True)
class ConfirmationRequest:
    """A player's confirmation of a settlement."""

    seat: Seat
    revision: int | None


class SettlementConfirmationRequestSchema(WireSchema):
    """A player's confirmation of a settlement."""

    seat = SeatField(required=True, description="Seat of the player who confirms.")
    revision = Integer(
        least=1,
        load_default=None,
        allow_none=True,
        description="Number of the revision that the player has seen. A revision that is no longer in force is a 409.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ConfirmationRequest:
        return ConfirmationRequest(**read)


class SettlementQuerySchema(QuerySchema):
    """Which revision of a settlement."""

    revision = RevisionField(description="Number of the settlement revision. The newest revision if omitted.")


@dataclass(frozen=True, slots=True)
class Adjustment:
    """The payments from a final settlement to the corrected one."""

    from_revision: int
    payments: tuple[Payment, ...]


@dataclass(frozen=True, slots=True)
class SettlementView:
    """The settlement of one revision of a round; `charged` is what its players owe by the standing charge."""

    revision: int
    state: SettlementState
    stacks: Mapping[Seat, Points]
    nets: Mapping[Seat, Points]
    payments: tuple[Paid, ...]
    point_value: int | None
    unit: Unit | None
    reason: str | None = None
    irregular: tuple[Irregularity, ...] = ()
    provisional_until: datetime | None = None
    confirmed: tuple[Seat, ...] = ()
    adjustment: Adjustment | None = None
    charged: Mapping[Seat, int] = field(default_factory=dict)


def view_settlement(
    round_: Round,
    payments: Iterable[Paid],
    revision: int,
    point_value: int | None,
    unit: Unit | None,
    reason: str | None = None,
    irregular: Iterable[Irregularity] = (),
) -> SettlementView:
    """Return the settlement of a round as it is now, without confirmations and disputes."""
    state = SettlementState.OPEN if round_.is_open else SettlementState.PROVISIONAL
    return SettlementView(
        revision,
        state,
        round_.stacks,
        round_.nets,
        tuple(payments),
        point_value,
        unit,
        reason,
        tuple(irregular),
    )


def dump_settlement(
    round_: Round,
    payments: Iterable[Paid],
    revision: int,
    point_value: int | None,
    unit: Unit | None,
    reason: str | None = None,
    irregular: Iterable[Irregularity] = (),
) -> Dumped:
    """Encode the settlement of a round as it is now."""
    return dump_settlement_view(view_settlement(round_, payments, revision, point_value, unit, reason, irregular))


def dump_settlement_view(view: SettlementView) -> Dumped:
    """Encode the settlement of one revision of a round; money is points times the point value."""
    return {
        "revision": view.revision,
        "state": view.state.value,
        "provisional_until": show_time(view.provisional_until),
        "confirmed": list(view.confirmed),
        "transfers": [{"hand": paid.hand, **dump_transfer(paid.transfer)} for paid in view.payments],
        "stacks": dump_points(view.stacks),
        "net": dump_points(view.nets),
        "standings": [
            {"seat": standing.seat, "net": standing.net, "place": standing.place}
            for standing in rank_players(view.nets)
        ],
        "money": None
        if view.point_value is None
        else {
            "point_value": view.point_value,
            **dump_unit(view.unit),
            "net": dump_points({seat: net * view.point_value for seat, net in view.nets.items()}),
        },
        "reason": view.reason,
        "irregular": dump_irregular(view.irregular),
        "adjustment": dump_adjustment(view.adjustment, view.point_value),
    }


def dump_adjustment(adjustment: Adjustment | None, point_value: int | None) -> Dumped | None:
    """Encode the payments of an adjustment; money is points times the point value."""
    if adjustment is None:
        return None
    return {
        "from_revision": adjustment.from_revision,
        "transfers": [
            {
                "payer": payment.payer,
                "payee": payment.payee,
                "points": payment.amount,
                "money": None if point_value is None else payment.amount * point_value,
            }
            for payment in adjustment.payments
        ],
    }


def dump_transfers(transfers: Iterable[Transfer]) -> list[Dumped]:
    """Encode transfers in order."""
    return [dump_transfer(transfer) for transfer in transfers]


def dump_transfer(transfer: Transfer) -> Dumped:
    """Encode a transfer."""
    return {
        "order": transfer.order,
        "payer": transfer.payer,
        "payee": transfer.payee,
        "due": transfer.due,
        "paid": transfer.paid,
        "limited_by": transfer.limited_by.value if transfer.limited_by else None,
        "payer_stack": transfer.payer_stack,
        "payee_stack": transfer.payee_stack,
    }


def dump_points(points: Mapping[Seat, Points]) -> dict[str, Points]:
    """Encode points by seat, lowest seat first."""
    return {str(seat): points[seat] for seat in sorted(points)}

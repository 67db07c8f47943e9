"""Settlements on the wire."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Listing, Table, Text, Time, show_time
from schemas.hands import MOST_HANDS, MOST_PLAYERS, PlayerField, SeatField, StackField
from schemas.irregular import IrregularHand, IrregularHandSchema, dump_irregular
from schemas.pages import QuerySchema, RevisionField
from schemas.scores import TransferSchema, dump_points, dump_transfer
from schemas.settlement_states import SettlementState
from schemas.tables import CurrencyField
from scoring.hand import Seat
from scoring.history import Paid
from scoring.round_state import Round, rank_players
from scoring.ruleset import Points
from scoring.settle_up import Payment


class PaidSchema(TransferSchema):
    """Points paid, and the hand after which they were."""

    hand = Integer(least=1, required=True)


class StandingSchema(WireSchema):
    """A player's place; equal nets share one."""

    seat = SeatField(required=True)
    net = Integer(required=True)
    place = Integer(least=1, required=True)


class MoneySchema(WireSchema):
    """The nets in minor units of a currency."""

    point_value = Integer(least=0, required=True)
    currency = CurrencyField(required=True)
    net = Table(Integer(), required=True)


class AdjustmentTransferSchema(WireSchema):
    """Points that one player pays another, and what they are worth; null where points are all that is settled."""

    payer = PlayerField(required=True)
    payee = PlayerField(required=True)
    points = Integer(least=1, required=True)
    money = Integer(required=True, allow_none=True)


class AdjustmentSchema(WireSchema):
    """
    The fewest payments that lead from a settlement that was final to the one that took its place.

    `from_revision` is the newest one that was final: everyone was settled up by it.
    """

    from_revision = Integer(least=1, required=True)
    transfers = Listing(Inner(AdjustmentTransferSchema), most=2 * MOST_PLAYERS, required=True)


class SettlementSchema(WireSchema):
    """Who paid whom in a round, and where that leaves everyone."""

    revision = Integer(least=1, required=True)
    state = Choice({state.value: state for state in SettlementState}, required=True)
    provisional_until = Time(
        required=True,
        allow_none=True,
        metadata={"description": "When it becomes final unless something happens. Null in every other state."},
    )
    confirmed = Listing(
        SeatField(),
        most=MOST_PLAYERS,
        required=True,
        metadata={"description": "The seats whose players have said that this revision is right."},
    )
    transfers = Listing(Inner(PaidSchema), most=100_000, required=True)
    stacks = Table(StackField(least=0, most=MOST_INTEGER), required=True)
    net = Table(Integer(), required=True)
    standings = Listing(Inner(StandingSchema), most=MOST_PLAYERS, required=True)
    money = Inner(MoneySchema, required=True, allow_none=True)
    reason = Text(
        required=True,
        allow_none=True,
        longest=500,
        metadata={
            "description": "Why the round was played again for this revision, by an undo or a correction. Null in the"
            " first."
        },
    )
    irregular = Listing(Inner(IrregularHandSchema), most=MOST_HANDS, required=True)
    adjustment = Inner(AdjustmentSchema, required=True, allow_none=True)


@dataclass(frozen=True, slots=True)
class ConfirmationRequest:
    """A player's word that a settlement is right."""

    seat: Seat
    revision: int | None


class ConfirmationRequestSchema(WireSchema):
    """A player's word that a settlement is right."""

    seat = SeatField(required=True)
    revision = Integer(
        least=1,
        load_default=None,
        allow_none=True,
        metadata={"description": "The revision that he has seen: one that is in force no more is then a 409."},
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ConfirmationRequest:
        return ConfirmationRequest(**read)


class SettlementQuerySchema(QuerySchema):
    """Which revision of a settlement; the newest where none is named."""

    revision = RevisionField()


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Who pays whom because a settlement that was final is another now."""

    from_revision: int
    payments: tuple[Payment, ...]


@dataclass(frozen=True, slots=True)
class SettlementView:
    """Who paid whom in a revision of a round, and where that left everyone."""

    revision: int
    state: SettlementState
    stacks: Mapping[Seat, Points]
    nets: Mapping[Seat, Points]
    payments: tuple[Paid, ...]
    point_value: int | None
    currency: str | None
    reason: str | None = None
    irregular: tuple[IrregularHand, ...] = ()
    provisional_until: datetime | None = None
    confirmed: tuple[Seat, ...] = ()
    adjustment: Adjustment | None = None


def view_settlement(
    round_: Round,
    payments: Iterable[Paid],
    revision: int,
    point_value: int | None,
    currency: str | None,
    reason: str | None = None,
    irregular: Iterable[IrregularHand] = (),
) -> SettlementView:
    """Show who paid whom in a round as it stands, of which nobody has said anything yet."""
    state = SettlementState.OPEN if round_.is_open else SettlementState.PROVISIONAL
    return SettlementView(
        revision,
        state,
        round_.stacks,
        round_.nets,
        tuple(payments),
        point_value,
        currency,
        reason,
        tuple(irregular),
    )


def dump_settlement(
    round_: Round,
    payments: Iterable[Paid],
    revision: int,
    point_value: int | None,
    currency: str | None,
    reason: str | None = None,
    irregular: Iterable[IrregularHand] = (),
) -> Dumped:
    """Write who paid whom in a round as it stands."""
    return dump_settlement_view(view_settlement(round_, payments, revision, point_value, currency, reason, irregular))


def dump_settlement_view(view: SettlementView) -> Dumped:
    """Write who paid whom in a revision of a round; money is points times the point value, exactly."""
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
            "currency": view.currency,
            "net": dump_points({seat: net * view.point_value for seat, net in view.nets.items()}),
        },
        "reason": view.reason,
        "irregular": dump_irregular(view.irregular),
        "adjustment": dump_adjustment(view.adjustment, view.point_value),
    }


def dump_adjustment(adjustment: Adjustment | None, point_value: int | None) -> Dumped | None:
    """Write who pays whom because a final settlement was corrected; money is points times the point value, exactly."""
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

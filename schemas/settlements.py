"""Settlements on the wire."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Listing, Table, Text
from schemas.hands import MOST_HANDS, MOST_PLAYERS, SeatField, StackField
from schemas.irregular import IrregularHand, IrregularHandSchema, dump_irregular
from schemas.pages import QuerySchema, RevisionField
from schemas.scores import TransferSchema, dump_points, dump_transfer
from schemas.settlement_states import SettlementState
from schemas.tables import CurrencyField
from scoring.hand import Seat
from scoring.history import Paid
from scoring.round_state import Round, rank_players
from scoring.ruleset import Points


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


class SettlementSchema(WireSchema):
    """Who paid whom in a round, and where that leaves everyone."""

    revision = Integer(least=1, required=True)
    state = Choice({state.value: state for state in SettlementState}, required=True)
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


class SettlementQuerySchema(QuerySchema):
    """Which revision of a settlement; the newest where none is named."""

    revision = RevisionField()


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


def view_settlement(
    round_: Round,
    payments: Iterable[Paid],
    revision: int,
    point_value: int | None,
    currency: str | None,
    reason: str | None = None,
    irregular: Iterable[IrregularHand] = (),
) -> SettlementView:
    """Show who paid whom in a round as it stands."""
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
    }

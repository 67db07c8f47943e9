"""Settlements on the wire."""

from collections.abc import Iterable
from enum import StrEnum

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Listing, Table
from schemas.hands import MOST_PLAYERS, SeatField, StackField
from schemas.scores import TransferSchema, dump_points, dump_transfer
from schemas.tables import CurrencyField
from scoring.history import Paid
from scoring.round_state import Round, rank_players


class SettlementState(StrEnum):
    """How firm a settlement is: open while hands can come."""

    OPEN = "open"
    PROVISIONAL = "provisional"


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


def dump_settlement(
    round_: Round, payments: Iterable[Paid], revision: int, point_value: int | None, currency: str | None
) -> Dumped:
    """Write who paid whom in a round; money is points times the point value, exactly."""
    nets = round_.nets
    state = SettlementState.OPEN if round_.is_open else SettlementState.PROVISIONAL
    return {
        "revision": revision,
        "state": state.value,
        "transfers": [{"hand": paid.hand, **dump_transfer(paid.transfer)} for paid in payments],
        "stacks": dump_points(round_.stacks),
        "net": dump_points(nets),
        "standings": [
            {"seat": standing.seat, "net": standing.net, "place": standing.place} for standing in rank_players(nets)
        ],
        "money": None
        if point_value is None
        else {
            "point_value": point_value,
            "currency": currency,
            "net": dump_points({seat: net * point_value for seat, net in nets.items()}),
        },
    }

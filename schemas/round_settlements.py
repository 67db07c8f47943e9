"""The settlement of a round as the API returns it: it can be read without the round."""

from collections.abc import Mapping
from dataclasses import dataclass

from evidence.charges import StandingCharge, charge_of, dump_charge
from schemas.base import Dumped, WireSchema
from schemas.fields import Dictionary, Inner, Integer, Listing, UuidField
from schemas.game_fields import (
    ChargeAmountField,
    ChargePerField,
    PlayerField,
    ReferenceField,
    UnitCodeField,
    UnitDigitsField,
)
from schemas.money import dump_unit
from schemas.rounds import RoundView
from schemas.settlements import (
    SettlementSchema,
    SettlementTransferSchema,
    SettlementView,
    dump_settlement_view,
)
from scoring.hand import Seat


class SettledTransferSchema(SettlementTransferSchema):
    """Points paid from one player to another, with the players and the money."""

    payer_player = PlayerField(required=True, description="The operator's ID of the player who pays.")
    payee_player = PlayerField(required=True, description="The operator's ID of the player who is paid.")
    amount = Integer(
        least=0,
        required=True,
        allow_none=True,
        description="Money paid, in minor units. Null if the round has no point value.",
    )


class SettlementChargeSchema(WireSchema):
    """What the players of a round owe the house by the standing charge of the table."""

    charge_per = ChargePerField(required=True, allow_none=False, description="What the charge is for.")
    charge_amount = ChargeAmountField(required=True, allow_none=False, description="Amount for one hand or the round.")
    unit = UnitCodeField(required=True, description="Unit of the amounts. Null if they are points.")
    unit_digits = UnitDigitsField(required=True)
    charged = Dictionary(
        Integer(least=0),
        required=True,
        description="What each player owes for the hands of this revision, by seat. It is in the journal once the round"
        " has ended.",
    )


class RoundSettlementSchema(SettlementSchema):
    """The settlement of a round, with the table, the round and the players that it is about."""

    table = UuidField(required=True, description="ID of the table.")
    round = UuidField(required=True, description="ID of the round.")
    reference = ReferenceField(required=True, description="The operator's reference of the round. Null if it has none.")
    players = Dictionary(PlayerField(), required=True, description="The operator's ID of each player, by seat.")
    transfers = Listing(
        Inner(SettledTransferSchema),
        most=100_000,
        required=True,
        description="Points paid after caps, in order, over all hands.",
    )
    standing_charge = Inner(
        SettlementChargeSchema,
        required=True,
        allow_none=True,
        description="What the house charges the players, beside what they pay each other. Null if the table had no"
        " standing charge when the round was opened.",
    )


@dataclass(frozen=True, slots=True)
class RoundSettlementView:
    """A settlement, and the table, round and players that it is about."""

    table: str
    round: str
    reference: str | None
    players: Mapping[Seat, str]
    charge: StandingCharge | None
    settlement: SettlementView


def view_round_settlement(view: RoundView, settlement: SettlementView) -> RoundSettlementView:
    """Return the settlement of a round with what it is about."""
    players = {seat.seat: seat.player for seat in view.round.seats}
    charge = charge_of(view.charge_per, view.charge_amount)
    return RoundSettlementView(view.table, view.id, view.reference, players, charge, settlement)


def dump_round_settlement(view: RoundSettlementView) -> Dumped:
    """Encode the settlement of a round; money is points times the point value."""
    settlement = dump_settlement_view(view.settlement)
    players, point_value = view.players, view.settlement.point_value
    return {
        "table": view.table,
        "round": view.round,
        "reference": view.reference,
        **settlement,
        "players": {str(seat): player for seat, player in players.items()},
        "transfers": [
            {
                **transfer,
                "payer_player": players[transfer["payer"]],
                "payee_player": players[transfer["payee"]],
                "amount": None if point_value is None else transfer["paid"] * point_value,
            }
            for transfer in settlement["transfers"]
        ],
        "standing_charge": _dump_charge(view),
    }


def _dump_charge(view: RoundSettlementView) -> Dumped | None:
    if view.charge is None:
        return None
    charged = view.settlement.charged
    return {
        **dump_charge(view.charge.per, view.charge.amount),
        **dump_unit(view.settlement.unit),
        "charged": {str(seat): charged.get(seat, 0) for seat in view.players},
    }

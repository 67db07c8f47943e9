"""Charges of the house that are recorded together with a hand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from evidence import canonical_json
from schemas.base import WireSchema
from schemas.fields import Inner, Integer, Listing
from schemas.game_fields import PlayerField, ReasonField
from schemas.ledger.units import UnitField, read_unit
from schemas.strict_json import read_json

MOST_CHARGES: Final = 20


@dataclass(frozen=True, slots=True)
class HandCharge:
    """An amount that a player owes the house for a hand."""

    player: str
    unit: str
    amount: int
    reason: str


class HandChargeSchema(WireSchema):
    """An amount that a player owes the house for a hand."""

    player = PlayerField(required=True)
    unit = UnitField(required=True)
    amount = Integer(least=1, required=True, description="Amount to charge, in minor units, or in points.")
    reason = ReasonField(required=True, description="What it is for, in one line. It can be erased with the player.")

    @post_load(pass_original=True)
    def _build(self, _read: dict[str, Any], received: dict[str, Any], **_: Any) -> HandCharge:
        return _build_charge(received)


class HandChargesField(Listing):
    """What the house charges players for a hand."""

    default_description = (
        "What the house charges players for the hand. It is recorded together with it, and changes no stack. The"
        " reference of each charge is the ID of the round, the number of the hand and the place in this array from 1,"
        " joined by `/`. A repeated hand has the same charges, or omits them. Links cannot record charges."
    )

    def __init__(self) -> None:
        super().__init__(Inner(HandChargeSchema), most=MOST_CHARGES, load_default=())


def build_charges(received: Iterable[Mapping[str, Any]]) -> tuple[HandCharge, ...]:
    """Build the charges of a hand from valid JSON."""
    return tuple([_build_charge(each) for each in received])


def _build_charge(received: Mapping[str, Any]) -> HandCharge:
    unit, amount = read_unit(received["unit"]), int(received["amount"])
    return HandCharge(received["player"], unit, amount, received["reason"])


def reference_of(round_id: UUID, number: int, place: int) -> str:
    """
    Return the reference of a charge of a hand.

    >>> reference_of(UUID("0193f0c0-0000-7000-8000-000000000002"), 3, 1)
    '0193f0c0-0000-7000-8000-000000000002/3/1'

    Args:
        round_id: the round.
        number: of the hand.
        place: of the charge among those of the hand, from 1.
    """
    return f"{round_id}/{number}/{place}"


def remove_reasons(received: bytes) -> bytes:
    """
    Return a request body without the reasons of its charges, which are stored only where they can be erased.

    >>> remove_reasons(b'{"number": 1, "charges": [{"player": "ann", "reason": "a drink"}]}')
    b'{"charges":[{"player":"ann"}],"number":1}'

    Args:
        received: a hand or a round document, which is valid.
    """
    content = read_json(received)
    for hand in (content, *content.get("hands", ())):
        for charge in hand.get("charges", ()):
            del charge["reason"]
    return canonical_json(content)

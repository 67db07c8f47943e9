"""Payments of players to each other and to the house, charges of the house, and their reversals."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from evidence.events import ChargeRecorded, PaymentRecorded
from schemas.base import Dumped, Sentence, WireError, WireSchema, show
from schemas.fields import Characters, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import PlayerField, ReasonField, ReferenceField, UnitDigitsField
from schemas.ledger.ledger_lines import LONGEST_REFERENCE
from schemas.ledger.units import UnitField
from schemas.money import Unit, read_decimal
from schemas.problems import FieldErrorSchema, dump_mistakes
from scoring.errors import Mistake

MOST_WARNINGS: Final = 3
_LONGEST_AMOUNT: Final = 20
_REFERENCE: Final = (
    "identifies it: the same content under the same reference is recorded once. The `Idempotency-Key` of the request if"
    " omitted; one of the two is required."
)


_PAYER: Final = "The operator's ID of the player who paid. Null for the house."
_PAYEE: Final = "The operator's ID of the player who was paid. Null for the house."


class AmountField(Integer):
    """An amount to pay or to charge."""

    default_description = "Amount, in minor units."

    def __init__(self) -> None:
        super().__init__(least=1, required=True)


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """A payment that was made."""

    payer: str | None
    payee: str | None
    unit: str
    amount: int
    paid_at: datetime | None = None
    note: str | None = None
    round: UUID | None = None
    reference: str | None = None


class PaymentRequestSchema(WireSchema):
    """A payment of one player to another, or to or from the house."""

    payer = PlayerField(required=True, allow_none=True, description=_PAYER)
    payee = PlayerField(required=True, allow_none=True, description=_PAYEE)
    unit = UnitField(required=True)
    amount = AmountField()
    paid_at = Time(load_default=None, allow_none=True, description="Time when it was paid. Now if omitted.")
    note = ReasonField(load_default=None, allow_none=True, description="A note, in one line. It can be erased.")
    round = UuidField(load_default=None, allow_none=True, description="ID of the round that was paid, if it was one.")
    reference = ReferenceField(load_default=None, description=f"The client's ID of the payment, which {_REFERENCE}")

    @validates_schema(skip_on_field_errors=False)
    def _check_players(self, read: dict[str, Any], **_: Any) -> None:
        if {"payer", "payee"} <= read.keys() and read["payer"] == read["payee"]:
            detail = f"is {show(read['payee'])}, as the payer is; expected another player, or null for the house"
            raise ValidationError(Sentence("payee-not-other", detail), "payee")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> PaymentRequest:
        return PaymentRequest(**read)


@dataclass(frozen=True, slots=True)
class ChargeRequest:
    """A charge of the house."""

    player: str
    unit: str
    amount: int
    reason: str
    round: UUID | None = None
    reference: str | None = None


class ChargeRequestSchema(WireSchema):
    """An amount that a player owes the house."""

    player = PlayerField(required=True)
    unit = UnitField(required=True)
    amount = AmountField()
    reason = ReasonField(required=True, description="What it is for, in one line. It can be erased.")
    round = UuidField(load_default=None, allow_none=True, description="ID of the round that the charge is for.")
    reference = ReferenceField(load_default=None, description=f"The client's ID of the charge, which {_REFERENCE}")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ChargeRequest:
        return ChargeRequest(**read)


class ReversalRequestSchema(WireSchema):
    """Why a payment or charge is taken back."""

    reason = ReasonField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> str:
        reason: str = read["reason"]
        return reason


class _RecordedSchema(WireSchema):
    id = UuidField(required=True, description="ID of the entry of the journal, which is that of its event.")
    recorded_at = Time(required=True, description="Time when it was recorded.")


class _AmountSchema(_RecordedSchema):
    unit = UnitField(required=True)
    unit_digits = UnitDigitsField(required=True, allow_none=False)
    amount = AmountField()
    reference = Text(
        longest=LONGEST_REFERENCE,
        characters=Characters.ID,
        required=True,
        description="What identifies it: the reference, or the `Idempotency-Key` of the request.",
    )
    warnings = Listing(
        Inner(FieldErrorSchema),
        most=MOST_WARNINGS,
        description="What was recorded and may be a mistake: the same content was recorded before under another"
        " reference (`equal-payment`), or the payer claims the same payment and nobody has confirmed it yet"
        " (`payment-claimed`), or the payer paid more than they owed in the unit (`more-than-owed`), or it"
        " was taken back since it was recorded and does not count (`payment-reversed`). Omitted if"
        " there is nothing to warn of.",
    )


class RecordedPaymentSchema(_AmountSchema):
    """A recorded payment. The ledger has its note."""

    payer = PlayerField(required=True, allow_none=True, description=_PAYER)
    payee = PlayerField(required=True, allow_none=True, description=_PAYEE)
    paid_at = Time(required=True, description="Time when it was paid.")
    table = UuidField(
        required=True,
        allow_none=True,
        description="ID of the table of the round, or of the points, or of the link that recorded the payment. Null if"
        " there is none of these.",
    )
    round = UuidField(
        required=True, allow_none=True, description="ID of the round that was paid. Null if none is named."
    )
    claim = UuidField(
        required=True,
        allow_none=True,
        description="ID of the payer's claim that it confirms. Null if it confirms none.",
    )


class RecordedChargeSchema(_AmountSchema):
    """A recorded charge. The ledger has its reason."""

    player = PlayerField(required=True)
    table = UuidField(
        required=True, allow_none=True, description="ID of the table of the round, or of the points. Null for neither."
    )
    round = UuidField(required=True, allow_none=True, description="ID of the round that the charge is for.")


class ReversalSchema(_RecordedSchema):
    """A recorded reversal of a payment or charge."""

    reverses = UuidField(required=True, description="ID of the payment or charge that is taken back.")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded payment or charge."""

    id: UUID
    recorded_at: datetime
    event: PaymentRecorded | ChargeRecorded

    @property
    def unit(self) -> Unit:
        """The unit of its amount."""
        return Unit(self.event.unit, self.event.unit_digits)


@dataclass(frozen=True, slots=True)
class Reversal:
    """A recorded reversal of a payment or charge."""

    id: UUID
    recorded_at: datetime
    reverses: UUID


def read_amount(text: str, unit: Unit | None) -> int | str:
    """
    Parse an amount that a person has typed, in minor units of its unit.

    >>> read_amount("2.50", Unit("EUR", 2)), read_amount("25", None)
    (250, 25)

    Args:
        text: what was typed.
        unit: None if it is not known, and will be refused.

    Returns:
        The amount; of an unknown unit, a text that is no number, for the schema to refuse.

    Raises:
        WireError: it is no amount of the unit.
    """
    text = text.strip()
    if unit is None:
        return int(text) if text.isdecimal() and len(text) < _LONGEST_AMOUNT else text
    try:
        return read_decimal(text, unit)
    except ValueError as error:
        raise WireError((Mistake("text-pattern", ("amount",), str(error)),)) from None


def dump_recorded(recorded: Recorded, warnings: tuple[Mistake, ...] = ()) -> Dumped:
    """Encode a payment or charge, with what may be a mistake in it."""
    event = recorded.event
    if isinstance(event, PaymentRecorded):
        paid_at = show_time(event.paid_at)
        own = {"payer": event.payer, "payee": event.payee, "paid_at": paid_at, "claim": _show_id(event.claim)}
    else:
        own = {"player": event.player}
    return {
        "id": str(recorded.id),
        "recorded_at": show_time(recorded.recorded_at),
        **own,
        "table": _show_id(event.table),
        "round": _show_id(event.round),
        "unit": event.unit,
        "unit_digits": event.unit_digits,
        "amount": event.amount,
        "reference": event.reference,
        **({"warnings": dump_mistakes(warnings)} if warnings else {}),
    }


def dump_reversal(reversal: Reversal) -> Dumped:
    """Encode a reversal."""
    return {
        "id": str(reversal.id),
        "recorded_at": show_time(reversal.recorded_at),
        "reverses": str(reversal.reverses),
    }


def _show_id(id_: UUID | None) -> str | None:
    return None if id_ is None else str(id_)

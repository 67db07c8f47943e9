"""Units that a club defines, and the list of the units that it uses."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireSchema, show
from schemas.fields import Inner, Integer, Listing, Text, Time, show_time
from schemas.game_fields import UnitCodeField
from schemas.money import CURRENCIES, MOST_DIGITS, Unit
from schemas.pages import PageSchema

MOST_UNITS: Final = 100
_LONGEST_NAME: Final = 100
_MOST_LISTED: Final = MOST_UNITS + len(CURRENCIES)
_NAME: Final = "Name, for people who read the list. It is part of the evidence and stays: name no person."


class _CodeField(UnitCodeField):
    default_description = (
        "Code: 2 to 12 letters and digits, the first a letter. It is not the code of a currency, and differs from the"
        " other codes of the club not only in capital letters."
    )

    def __init__(self) -> None:
        super().__init__(required=True, allow_none=False, metadata={"example": "mBTC", "minLength": 2})


class _DigitsField(Integer):
    default_description = "Number of digits after the decimal point: 5 if the amount 125000 is 1.25000."

    def __init__(self) -> None:
        super().__init__(least=0, most=MOST_DIGITS, required=True)


@dataclass(frozen=True, slots=True)
class UnitRequest:
    """A unit to define."""

    code: str
    name: str
    digits: int


class UnitRequestSchema(WireSchema):
    """A unit to define."""

    code = _CodeField()
    name = Text(longest=_LONGEST_NAME, required=True, description=_NAME)
    digits = _DigitsField()

    @validates_schema(skip_on_field_errors=False)
    def _check_code(self, read: dict[str, Any], **_: Any) -> None:
        code = read.get("code", "")
        if code.upper() in CURRENCIES:
            detail = f"is {show(code)}, as the currency {code.upper()} of ISO 4217 is; expected another code"
            raise ValidationError(Sentence("unit-code-taken", detail), "code")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> UnitRequest:
        return UnitRequest(**read)


class UnitSchema(WireSchema):
    """A unit of amounts."""

    code = UnitCodeField(required=True, allow_none=False, description="Code, which amounts have as their `unit`.")
    name = Text(longest=_LONGEST_NAME, required=True, description="Name.")
    digits = _DigitsField()
    defined_at = Time(
        required=True, allow_none=True, description="Time when the club defined the unit. Null for a currency."
    )


class UnitPageSchema(PageSchema):
    """The units of a club."""

    units = Listing(
        Inner(UnitSchema),
        most=_MOST_LISTED,
        required=True,
        description="The units that the club has defined, then the currencies that it uses, by their codes.",
    )


@dataclass(frozen=True, slots=True)
class UnitView:
    """A unit of amounts: one that the club has defined, or a currency."""

    unit: Unit
    name: str
    defined_at: datetime | None = None


def dump_defined_unit(view: UnitView) -> Dumped:
    """Encode a unit of the list."""
    return {
        "code": view.unit.code,
        "name": view.name,
        "digits": view.unit.digits,
        "defined_at": show_time(view.defined_at),
    }

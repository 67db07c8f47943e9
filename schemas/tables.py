"""Tables, the unit of the value of their points, and their scorekeepers: who is entering which hand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from evidence.charges import ChargePer, dump_charge
from schemas.base import Dumped, Sentence, WireSchema, load, show
from schemas.fields import Boolean, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import (
    MOST_HANDS,
    ChargeAmountField,
    ChargePerField,
    PointValueField,
    ReferenceField,
    RulesetReference,
    StackField,
    TableNameField,
    UnitCodeField,
    UnitDigitsField,
)
from schemas.metadata import NO_METADATA, Metadata, MetadataField
from schemas.money import Unit, dump_unit
from schemas.pages import PageQuerySchema, PageSchema, QueryBoolean
from scoring.ruleset import Points


def check_new_money(read: Mapping[str, Any]) -> None:
    """
    Refuse a unit without a point value in a new record.

    Stored records are not validated again. An invalid unit or point value is not in `read`.

    Raises:
        ValidationError: the unit has no point value.
    """
    unit = read.get("unit")
    if unit is not None and read.get("point_value", 0) is None:
        detail = (
            f"is required beside the unit {show(unit)}; expected what a point is worth, in minor units, or"
            " neither of the two"
        )
        raise ValidationError(Sentence("point-value-missing", detail), "point_value")


def check_charge(read: Mapping[str, Any]) -> None:
    """
    Refuse a standing charge without its amount, and an amount without a charge. An invalid one is not in `read`.

    Raises:
        ValidationError: one of the two is missing.
    """
    if {"charge_per", "charge_amount"} <= read.keys() and (read["charge_per"] is None) != (
        read["charge_amount"] is None
    ):
        missing, other = ("charge_per", "charge_amount")[:: 1 if read["charge_per"] is None else -1]
        expected = "`hand` or `round`" if missing == "charge_per" else "what each player owes the house for it"
        detail = f"is required beside `{other}`; expected {expected}, or neither of the two"
        raise ValidationError(Sentence("field-missing", detail), missing)


class NewMoney:
    """Validates the point value and unit of a new record."""

    @validates_schema(skip_on_field_errors=False)
    def _check_new_money(self, read: dict[str, Any], **_: Any) -> None:
        check_new_money(read)


DEFAULT_WINDOW: Final = 30
"""Default correction window, in minutes."""
LONGEST_WINDOW: Final = 525_600
"""One year, in minutes."""


class CorrectionWindowField(Integer):
    """The correction window of a table, in minutes."""

    default_description = (
        "Minutes for which a settlement stays provisional after the round's last change, unless every player confirms"
        " it."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=LONGEST_WINDOW, **options)


class TableReferenceField(ReferenceField):
    """The client's own ID of a table."""

    default_description = "The client's own ID of the table, unique in the club. Null if it has none."


def check_unit(read: Mapping[str, Any]) -> None:
    """
    Refuse a point value without a unit. An invalid unit is not in `read`.

    Raises:
        ValidationError: the unit is missing.
    """
    has_value = read.get("point_value") is not None or read.get("unit_digits") is not None
    if has_value and read.get("unit", "") is None:
        sentence = Sentence(
            "unit-missing",
            "is required beside a point value; expected a currency, for example EUR, or a unit of the club",
        )
        raise ValidationError(sentence, "unit")


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A table to create."""

    name: str
    ruleset: str
    point_value: int | None
    unit: str | None
    minimum_stack: Points | None
    correction_window_minutes: int = DEFAULT_WINDOW
    charge_per: ChargePer | None = None
    charge_amount: int | None = None
    reference: str | None = None
    metadata: Metadata = field(default_factory=dict)


class TableRequestSchema(NewMoney, WireSchema):
    """
    A table to create.

    A point value requires a unit, and a unit a point value. Without them, rounds are settled in points only. A standing
    charge has both `charge_per` and `charge_amount`.
    """

    name = TableNameField(required=True)
    ruleset = RulesetReference(required=True)
    point_value = PointValueField(load_default=None)
    unit = UnitCodeField(load_default=None)
    minimum_stack = StackField(
        least=1,
        load_default=None,
        allow_none=True,
        description="Minimum opening stack, in points. No minimum if omitted.",
    )
    correction_window_minutes = CorrectionWindowField(load_default=DEFAULT_WINDOW)
    charge_per = ChargePerField(load_default=None)
    charge_amount = ChargeAmountField(load_default=None)
    reference = TableReferenceField(load_default=None)
    metadata = MetadataField(load_default=NO_METADATA)

    @validates_schema(skip_on_field_errors=False)
    def _check_unit(self, read: dict[str, Any], **_: Any) -> None:
        check_unit(read)

    @validates_schema(skip_on_field_errors=False)
    def _check_charge(self, read: dict[str, Any], **_: Any) -> None:
        check_charge(read)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> TableRequest:
        return TableRequest(**read)


class TableChangesSchema(NewMoney, WireSchema):
    """
    What to change in a table. A field that is omitted stays as it is; at least one is required.

    As for a new table, a point value requires a unit, and a unit a point value: null for both removes them. So it is
    with the two fields of the standing charge. A table with a standing charge that changes its unit requires the amount
    too, which is in the new unit.
    """

    name = TableNameField()
    ruleset = RulesetReference()
    point_value = PointValueField()
    unit = UnitCodeField()
    minimum_stack = StackField(
        least=1, allow_none=True, description="Minimum opening stack, in points. Null for no minimum."
    )
    correction_window_minutes = CorrectionWindowField()
    charge_per = ChargePerField()
    charge_amount = ChargeAmountField()
    is_archived = Boolean(
        description="True archives the table: no round is opened at it, and its name is free. False brings it back."
    )
    reference = TableReferenceField()
    metadata = MetadataField(
        description="All metadata of the table from now on. An empty object removes them; what it had is erased."
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_fields(self, read: dict[str, Any], **_: Any) -> None:
        if not read:
            raise ValidationError(
                Sentence("field-missing", f"has no field; expected at least one of {', '.join(self.load_fields)}")
            )

    @validates_schema(skip_on_field_errors=False)
    def _check_unit(self, read: dict[str, Any], **_: Any) -> None:
        check_unit(read)


class _MoneySchema(NewMoney, WireSchema):
    """The point value and the unit of a table after a change."""

    point_value = PointValueField(required=True)
    unit = UnitCodeField(required=True)

    @validates_schema(skip_on_field_errors=False)
    def _check_unit(self, read: dict[str, Any], **_: Any) -> None:
        check_unit(read)


class _ChargeSchema(WireSchema):
    """The standing charge of a table after a change."""

    charge_per = ChargePerField(required=True)
    charge_amount = ChargeAmountField(required=True)

    @validates_schema(skip_on_field_errors=False)
    def _check_charge(self, read: dict[str, Any], **_: Any) -> None:
        check_charge(read)


_MONEY: Final = _MoneySchema()
_CHARGE: Final = _ChargeSchema()


def check_changed_money(point_value: int | None, unit: str | None) -> None:
    """
    Validate the point value and the unit that a table has after a change of one of them.

    Raises:
        WireError: there is one without the other.
    """
    load(_MONEY, {"point_value": point_value, "unit": unit})


def check_changed_charge(charge_per: ChargePer | None, charge_amount: int | None) -> None:
    """
    Validate the standing charge that a table has after a change of one of its fields.

    Raises:
        WireError: there is one field without the other.
    """
    load(_CHARGE, {"charge_per": charge_per, "charge_amount": charge_amount})


class TableSchema(WireSchema):
    """A table."""

    id = UuidField(required=True, description="ID of the table.")
    name = TableNameField(required=True)
    ruleset = Text(
        required=True, metadata={"example": "pineapple@1"}, description="Ruleset of the table, as `name@version`."
    )
    point_value = PointValueField(required=True)
    unit = UnitCodeField(required=True)
    unit_digits = UnitDigitsField(required=True)
    minimum_stack = StackField(
        required=True, allow_none=True, description="Minimum opening stack, in points. Null if there is none."
    )
    correction_window_minutes = CorrectionWindowField(required=True)
    charge_per = ChargePerField(required=True)
    charge_amount = ChargeAmountField(required=True)
    created_at = Time(required=True, description="Time when the table was created.")
    archived_at = Time(
        required=True, allow_none=True, description="Time when the table was archived. Null if it is not archived."
    )
    reference = TableReferenceField(required=True)


class TableWithMetadataSchema(TableSchema):
    """A table with its metadata."""

    metadata = MetadataField(required=True)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table."""

    id: str
    name: str
    ruleset: str
    point_value: int | None
    unit: Unit | None
    minimum_stack: Points | None
    correction_window_minutes: int
    charge_per: ChargePer | None
    charge_amount: int | None
    created_at: datetime
    archived_at: datetime | None
    reference: str | None


def dump_table(table: TableView) -> dict[str, Any]:
    """Encode a table."""
    return {
        "id": table.id,
        "name": table.name,
        "ruleset": table.ruleset,
        "point_value": table.point_value,
        **dump_unit(table.unit),
        "minimum_stack": table.minimum_stack,
        "correction_window_minutes": table.correction_window_minutes,
        **dump_charge(table.charge_per, table.charge_amount),
        "created_at": show_time(table.created_at),
        "archived_at": show_time(table.archived_at),
        "reference": table.reference,
    }


def dump_table_with_metadata(table: TableView, metadata: Metadata) -> dict[str, Any]:
    """Encode a table with its metadata."""
    return {**dump_table(table), "metadata": dict(metadata)}


class TableQuerySchema(PageQuerySchema):
    """The page and the filter of a list of tables."""

    name = TableNameField(description="List only tables with exactly this name: one, if they are not archived.")
    archived = QueryBoolean(
        description="True for the archived tables. If omitted or false, those not archived; with `reference`, either."
    )
    reference = TableReferenceField(allow_none=False, description="List only the table with this reference, if any.")


class TablePageSchema(PageSchema):
    """One page of tables, newest first."""

    tables = Listing(Inner(TableSchema), most=100, required=True, description="The tables of this page, newest first.")


SCOREKEEPER_LIFETIME: Final = timedelta(seconds=10)
"""How long an entry is shown after it was last sent."""
MOST_SCOREKEEPERS: Final = 10
"""How many devices are shown at a table."""


@dataclass(frozen=True, slots=True)
class Scorekeeper:
    """A device on which a hand is being entered; `label` is that of its link, or the name of its key."""

    device: UUID
    label: str
    hand: int


class ScorekeeperRequestSchema(WireSchema):
    """The hand that is being entered on a device."""

    hand = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand in its round.")

    @post_load
    def _read(self, loaded: dict[str, Any], **_: Any) -> int:
        hand: int = loaded["hand"]
        return hand


class ScorekeeperSchema(WireSchema):
    """A device on which a hand is being entered."""

    device = UuidField(
        required=True,
        description="ID that the device has given itself. Entries of different keys and links can have the same ID.",
    )
    label = Text(required=True, longest=100, description="Label of the device's link, or the name of its key.")
    hand = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand that is being entered.")


class ScorekeeperListSchema(WireSchema):
    """The devices on which hands of a table are being entered now."""

    scorekeepers = Listing(
        Inner(ScorekeeperSchema),
        most=MOST_SCOREKEEPERS,
        required=True,
        description="At most 10 devices, newest first: the one that has begun last is the first.",
    )


def dump_scorekeepers(scorekeepers: Iterable[Scorekeeper]) -> Dumped:
    """Encode the devices on which hands are being entered."""
    shown = [{"device": str(each.device), "label": each.label, "hand": each.hand} for each in scorekeepers]
    return {"scorekeepers": shown}

"""Tables on the wire."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Sentence, WireSchema
from schemas.fields import Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.hands import StackField
from schemas.pages import PageQuerySchema
from schemas.rulesets import RulesetReference
from scoring.ruleset import Points

USUAL_WINDOW: Final = 30
"""So many minutes a settlement is provisional where a table says nothing else."""
LONGEST_WINDOW: Final = 525_600
"""A year."""


class TableNameField(Text):
    """A table's name, unique in its club."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100, **{"metadata": {"example": "kitchen"}, **options})


class PointValueField(Integer):
    """What a point is worth, in minor units of the currency."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=1_000_000_000, allow_none=True, **options)


class CurrencyField(Text):
    """A currency's three letters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            longest=3,
            pattern="^[A-Z]{3}$",
            wanted="three capital letters, like EUR,",
            **{"allow_none": True, **options},
        )


class CorrectionWindowField(Integer):
    """How long settlements stay provisional."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            least=0,
            most=LONGEST_WINDOW,
            metadata={
                "description": "So many minutes a settlement stays provisional, unless everyone has confirmed it: as"
                " long as it can be corrected before it is final."
            },
            **options,
        )


def check_currency(read: Mapping[str, Any]) -> None:
    """
    Refuse a point value without the currency that it is in. A wrong currency is not among what was read.

    Raises:
        ValidationError: the currency is missing.
    """
    if read.get("point_value") is not None and read.get("currency", "") is None:
        sentence = Sentence(
            "currency-missing", "is missing beside a point value; three capital letters, like EUR, are right"
        )
        raise ValidationError(sentence, "currency")


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A table to set up."""

    name: str
    ruleset: str
    point_value: int | None
    currency: str | None
    minimum_stack: Points | None
    correction_window_minutes: int = USUAL_WINDOW


class TableRequestSchema(WireSchema):
    """A table to set up. Without a point value, points are all that is settled."""

    name = TableNameField(required=True)
    ruleset = RulesetReference(required=True)
    point_value = PointValueField(load_default=None)
    currency = CurrencyField(load_default=None)
    minimum_stack = StackField(least=1, load_default=None, allow_none=True)
    correction_window_minutes = CorrectionWindowField(load_default=USUAL_WINDOW)

    @validates_schema(skip_on_field_errors=False)
    def _check_currency(self, read: dict[str, Any], **_: Any) -> None:
        check_currency(read)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> TableRequest:
        return TableRequest(**read)


class TableSchema(WireSchema):
    """A table."""

    id = UuidField(required=True)
    name = TableNameField(required=True)
    ruleset = Text(required=True, metadata={"example": "pineapple@1"})
    point_value = PointValueField(required=True)
    currency = CurrencyField(required=True)
    minimum_stack = StackField(required=True, allow_none=True)
    correction_window_minutes = CorrectionWindowField(required=True)
    created_at = Time(required=True)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as it is."""

    id: str
    name: str
    ruleset: str
    point_value: int | None
    currency: str | None
    minimum_stack: Points | None
    correction_window_minutes: int
    created_at: datetime


def dump_table(table: TableView) -> dict[str, Any]:
    """Write a table."""
    return {
        "id": table.id,
        "name": table.name,
        "ruleset": table.ruleset,
        "point_value": table.point_value,
        "currency": table.currency,
        "minimum_stack": table.minimum_stack,
        "correction_window_minutes": table.correction_window_minutes,
        "created_at": show_time(table.created_at),
    }


class TableQuerySchema(PageQuerySchema):
    """Which tables to list; by its exact name, the one that has it."""

    name = TableNameField()


class TablePageSchema(WireSchema):
    """Tables, the newest first. The header `Link` leads to the next page."""

    tables = Listing(Inner(TableSchema), most=100, required=True)

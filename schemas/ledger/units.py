"""The units of amounts of the journal: currencies, units of the club, and the points of tables without a value."""

from typing import Any, Final
from uuid import UUID

from schemas.fields import UUID_PATTERN, Text
from schemas.game_fields import UNIT_CODE_PATTERN
from schemas.money import Unit

_ID_LENGTH: Final = 36
_PATTERN: Final = f"^(?:{UNIT_CODE_PATTERN[1:-1]}|{UUID_PATTERN[1:-1]})$"


class UnitField(Text):
    """The unit of an amount: a currency, a unit of the club, or a table whose points have no value."""

    default_description = (
        "Unit of the amounts: a currency, as an ISO 4217 code; a unit of the club, by its code; or the ID of a table"
        " for its points, where they have no value."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(
            longest=_ID_LENGTH,
            pattern=_PATTERN,
            meaning="a currency, for example EUR, the code of a unit of the club, or the ID of a table",
            **{"metadata": {"example": "EUR", "minLength": 2}, **options},
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        unit = super()._deserialize(value, attr, data, **kwargs)
        table = table_of(unit)
        return unit if table is None else str(table)


def table_of(unit: str) -> UUID | None:
    """
    Return the table whose points are a unit; None for a currency or a unit of the club.

    >>> table_of("EUR"), table_of("0193f0c0-0000-7000-8000-000000000002")
    (None, UUID('0193f0c0-0000-7000-8000-000000000002'))
    """
    return UUID(unit) if len(unit) == _ID_LENGTH else None


def points_of(table: UUID | str) -> Unit:
    """
    Return the unit of the points of a table without a value.

    >>> points_of("0193f0c0-0000-7000-8000-000000000002").digits
    0
    """
    return Unit(str(table), 0)

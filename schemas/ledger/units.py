"""The units of amounts of the journal: currencies, units of the club, and the points of tables without a value."""

import re
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
        return read_unit(unit)


def read_unit(unit: str) -> str:
    """
    Return a valid unit as it is stored.

    >>> read_unit("EUR"), read_unit("0193F0C0-0000-7000-8000-000000000002")
    ('EUR', '0193f0c0-0000-7000-8000-000000000002')
    """
    table = table_of(unit)
    return unit if table is None else str(table)


def is_unit(text: str) -> bool:
    """
    Return whether a text has the form of a unit.

    >>> is_unit("chips"), is_unit("0193f0c0-0000-7000-8000-000000000002"), is_unit("?")
    (True, True, False)
    """
    return re.fullmatch(_PATTERN, text) is not None


def table_of(unit: str) -> UUID | None:
    """
    Return the table whose points are a unit; None for a currency or a unit of the club.

    >>> table_of("EUR"), table_of("0193f0c0-0000-7000-8000-000000000002")
    (None, UUID('0193f0c0-0000-7000-8000-000000000002'))
    """
    return UUID(unit) if len(unit) == _ID_LENGTH else None


def in_order(unit: Unit) -> tuple[bool, Unit]:
    """
    Return the key by which lists of units are sorted: the points of tables come last.

    >>> sorted([points_of("0193f0c0-0000-7000-8000-000000000002"), Unit("EUR", 2)], key=in_order)[0].code
    'EUR'
    """
    return (table_of(unit.code) is not None, unit)


def points_of(table: UUID | str) -> Unit:
    """
    Return the unit of the points of a table without a value.

    >>> points_of("0193f0c0-0000-7000-8000-000000000002").digits
    0
    """
    return Unit(str(table), 0)

"""What amounts of the journal are counted in: the money of a currency, or the points of a table without a value."""

from typing import Any, Final
from uuid import UUID

from schemas.fields import UUID_PATTERN, Text
from schemas.money import count_digits

_CODE_LENGTH: Final = 3
_PATTERN: Final = f"^(?:[A-Z]{{{_CODE_LENGTH}}}|{UUID_PATTERN[1:-1]})$"


class UnitField(Text):
    """The unit of an amount: a currency, or a table whose points have no value."""

    default_description = (
        "Unit of the amounts: a currency, as an ISO 4217 code, for its minor units; the ID of a table for its points,"
        " where they have no value."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(
            longest=36,
            pattern=_PATTERN,
            meaning="a currency, for example EUR, or the ID of a table",
            **{"metadata": {"example": "EUR", "minLength": _CODE_LENGTH}, **options},
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
    return currency_of(unit) or str(UUID(unit))


def currency_of(unit: str) -> str | None:
    """
    Return the currency of a unit; None for the points of a table.

    >>> currency_of("EUR"), currency_of("0193f0c0-0000-7000-8000-000000000002")
    ('EUR', None)
    """
    return unit if len(unit) == _CODE_LENGTH else None


def digits_of(unit: str) -> int:
    """
    Return the number of digits after the decimal point of amounts in a unit; 0 for the points of a table.

    >>> digits_of("EUR"), digits_of("0193f0c0-0000-7000-8000-000000000002")
    (2, 0)
    """
    currency = currency_of(unit)
    return 0 if currency is None else count_digits(currency)


def table_of(unit: str) -> UUID | None:
    """
    Return the table whose points are a unit; None for a currency.

    >>> table_of("EUR"), table_of("0193f0c0-0000-7000-8000-000000000002")
    (None, UUID('0193f0c0-0000-7000-8000-000000000002'))
    """
    return UUID(unit) if currency_of(unit) is None else None

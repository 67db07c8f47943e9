"""Find the units of amounts."""

from schemas.base import WireError, show
from schemas.money import Unit, find_currency
from scoring.errors import Mistake
from service.db import Transaction


def find_unit(transaction: Transaction, code: str) -> Unit | None:
    """Find a currency by its code."""
    return find_currency(code)


def get_unit(transaction: Transaction, code: str) -> Unit:
    """
    Return the unit that a request names in its field `unit`.

    Raises:
        WireError: there is no unit with this code.
    """
    unit = find_unit(transaction, code)
    if unit is None:
        raise WireError((unknown_unit(code),))
    return unit


def unknown_unit(code: str) -> Mistake:
    """Return the mistake of a code that is of no unit."""
    detail = f"is {show(code)}, not a currency of ISO 4217; expected a code such as EUR or USD"
    return Mistake("unit-unknown", ("unit",), detail)

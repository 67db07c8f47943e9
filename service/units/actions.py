"""Define the units of a club, and find units by their codes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from babel.numbers import get_currency_name

from evidence.events import UnitDefined
from schemas.base import ComparedMistake, WireError, show
from schemas.ledger.defined_units import MOST_UNITS, UnitRequest, UnitView
from schemas.money import Unit, find_currency
from scoring.errors import Mistake
from service.db import Transaction
from service.errors import UnitConflict
from service.units import queries as units

_LOCALE: Final = "en_GB"
_MOST_NAMED: Final = 5
"""How many units of the club a refusal names."""


@dataclass(frozen=True, slots=True)
class DefinedUnit:
    """A unit, and whether the request that defined it is a replay."""

    view: UnitView
    is_replay: bool


def define_unit(transaction: Transaction, request: UnitRequest) -> DefinedUnit:
    """
    Define a unit of the club. The same definition sent again is the existing one.

    Raises:
        UnitConflict: the club has another unit with this code, or one that differs in capital letters, or no further
            unit can be defined.
    """
    units.lock(transaction)
    defined = units.list_all(transaction)
    for other in defined:
        if other.unit.code.lower() == request.code.lower():
            _refuse_differences(other, request)
            return DefinedUnit(other, is_replay=True)
    if len(defined) >= MOST_UNITS:
        raise UnitConflict(f"the club has defined {MOST_UNITS} units; expected one of them")
    view = UnitView(Unit(request.code, request.digits), request.name, transaction.now)
    event = UnitDefined(code=request.code, name=request.name, digits=request.digits)
    units.add(transaction, view, event.encode())
    return DefinedUnit(view, is_replay=False)


def _refuse_differences(recorded: UnitView, request: UnitRequest) -> None:
    """
    Compare a definition with the one that has its code.

    Raises:
        UnitConflict: with every difference.
    """
    differences = tuple(_find_differences(recorded, request))
    if differences:
        detail = f"the club has a unit with the code {recorded.unit.code!r}, which never changes; expected another code"
        raise UnitConflict(detail, (Mistake(UnitConflict.code, ("code",), detail), *differences))


def _find_differences(recorded: UnitView, request: UnitRequest) -> Iterator[Mistake]:
    compared = {
        "code": (recorded.unit.code, request.code),
        "name": (recorded.name, request.name),
        "digits": (recorded.unit.digits, request.digits),
    }
    for field, (old, new) in compared.items():
        if old != new:
            detail = f"{show(old)} is recorded, {show(new)} was received"
            yield ComparedMistake(UnitConflict.code, (field,), detail, {"recorded": old, "received": new})


def list_units(transaction: Transaction) -> list[UnitView]:
    """List the units that the club has defined, and the currencies of its tables and its journal."""
    own = units.list_all(transaction)
    codes = {each.unit.code for each in own}
    used = sorted(unit for unit in units.list_used(transaction) if unit.code not in codes and find_currency(unit.code))
    return [*own, *(UnitView(unit, get_currency_name(unit.code, locale=_LOCALE)) for unit in used)]


def find_unit(transaction: Transaction, code: str) -> Unit | None:
    """Find a unit of the club or a currency by its code. A unit stays the club's if a currency gets its code."""
    own = units.find(transaction, code)
    return find_currency(code) if own is None else own.unit


def get_unit(transaction: Transaction, code: str) -> Unit:
    """
    Return the unit that a request names in its field `unit`.

    Raises:
        WireError: there is no unit with this code.
    """
    unit = find_unit(transaction, code)
    if unit is None:
        raise WireError((unknown_unit(transaction, code),))
    return unit


def unknown_unit(transaction: Transaction, code: str) -> Mistake:
    """Return the mistake of a code that is of no unit, with units that the club has, and how it defines another."""
    own = [each.unit.code for each in units.list_all(transaction)]
    examples = ", ".join([*own[:_MOST_NAMED], *(["…"] if len(own) > _MOST_NAMED else [])])
    of_club = f"a unit of the club ({examples})" if own else "a unit of the club, which has defined none"
    detail = f"is {show(code)}; expected a currency of ISO 4217, such as EUR, or {of_club}; POST /v1/units defines one"
    return Mistake("unit-unknown", ("unit",), detail)

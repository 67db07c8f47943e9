"""The units of amounts: those that a club defines, and the currencies that it uses."""

from flask import Response

from schemas.ledger.defined_units import UnitPageSchema, UnitRequest, UnitRequestSchema, UnitSchema, dump_defined_unit
from service.clubs.scopes import KeyScope
from service.http.authentication import Reach, current_transaction
from service.http.resource import Resource
from service.http.responses import REPLAYED, created_response, respond_page
from service.units.actions import define_unit, list_units

units = Resource("units", __name__, description="Units of amounts: those that the club defines, and currencies.")


@units.route("/v1/units", methods=["POST"])
@units.operation("define_unit", KeyScope.TABLES, records=True)
@units.arguments(UnitRequestSchema)
@units.response(201, UnitSchema, headers=REPLAYED)
def post_unit(request: UnitRequest) -> Response:
    """
    Define a unit of the club, for example `chips` or `mBTC`, which tables, payments and charges can then use.

    A unit never changes, because amounts are integers of its last digit. The same definition sent again is the existing
    one; another one with its code is a conflict. Currencies need no definition.
    """
    defined = define_unit(current_transaction(), request)
    return created_response(dump_defined_unit(defined.view), is_replay=defined.is_replay)


@units.route("/v1/units", methods=["GET"])
@units.operation("list_units", KeyScope.READ, by_link=Reach.CLUB)
@units.response(200, UnitPageSchema)
def get_units() -> Response:
    """List the units that the club has defined, and the currencies of its tables, rounds, payments and charges."""
    return respond_page("units", [dump_defined_unit(each) for each in list_units(current_transaction())])

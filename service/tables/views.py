"""Tables."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.accounting.statements import TableStatementQuerySchema, TableStatementSchema, dump_statement
from schemas.tables import (
    TablePageSchema,
    TableQuerySchema,
    TableRequest,
    TableRequestSchema,
    TableSchema,
    dump_table,
)
from service.clubs.actions import get_club
from service.clubs.scopes import Scope
from service.http.authentication import current_transaction
from service.http.resource import Resource
from service.http.responses import (
    LOCATION,
    NEXT_PAGE,
    REPLAYED,
    TAGGED,
    conditional_response,
    json_response,
    respond_page,
)
from service.tables.actions import add_table, get_statement, get_table, list_tables

tables = Resource("tables", __name__, description="Tables: a name, a ruleset and a point value.")


@tables.route("/v1/tables", methods=["POST"])
@tables.operation("add_table", Scope.TABLES, records=True, problems=(HTTPStatus.CONFLICT,))
@tables.arguments(TableRequestSchema)
@tables.response(201, TableSchema, headers=LOCATION | REPLAYED)
def post_table(request: TableRequest) -> Response:
    """
    Create a table.

    Its rounds use the ruleset version, point value and currency that the table has when they are opened.
    """
    table = add_table(current_transaction(), request)
    return json_response(dump_table(table), HTTPStatus.CREATED, {"Location": f"/v1/tables/{table.id}"})


@tables.route("/v1/tables", methods=["GET"])
@tables.operation("list_tables", Scope.READ, by_table_link=True)
@tables.arguments(TableQuerySchema, location="query")
@tables.response(200, TablePageSchema, headers=NEXT_PAGE)
def get_tables(query: dict[str, Any]) -> Response:
    """List the club's tables, newest first, or find one by its exact name."""
    page = list_tables(current_transaction(), name=query["name"], after=query["cursor"], limit=query["limit"])
    return respond_page("tables", [dump_table(table) for table in page.items], page.next_after)


@tables.route("/v1/tables/<uuid:table_id>", methods=["GET"])
@tables.operation("get_table", Scope.READ, by_table_link=True, conditional=True, problems=(HTTPStatus.NOT_FOUND,))
@tables.response(200, TableSchema, headers=TAGGED)
def get_one_table(table_id: UUID) -> Response:
    """Return a table."""
    return conditional_response(dump_table(get_table(current_transaction(), table_id)))


@tables.route("/v1/tables/<uuid:table_id>/statement", methods=["GET"])
@tables.operation("get_statement", Scope.READ, by_table_link=True, conditional=True, problems=(HTTPStatus.NOT_FOUND,))
@tables.arguments(TableStatementQuerySchema, location="query")
@tables.response(200, TableStatementSchema, headers=TAGGED)
def get_one_statement(query: dict[str, Any], table_id: UUID) -> Response:
    """
    Return the totals of a table's rounds, player by player, and the payments that settle them up.

    The rounds are those opened at or after `from` and before `to`, or on an `evening` of the club; all rounds by
    default. Each round counts with its
    own point value and currency. Open rounds count as they are now. If more than sixteen players remain after those
    with opposite totals have paid each other, the payments are few, but perhaps not the fewest.
    """
    transaction = current_transaction()
    statement = get_statement(transaction, table_id, **get_club(transaction).period(query))
    return conditional_response(dump_statement(statement))

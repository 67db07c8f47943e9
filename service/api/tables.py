"""Tables."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.statements import StatementQuerySchema, StatementSchema, dump_statement
from schemas.tables import (
    TablePageSchema,
    TableQuerySchema,
    TableRequest,
    TableRequestSchema,
    TableSchema,
    dump_table,
)
from service.api.access import current_transaction
from service.api.answers import LOCATION, NEXT_PAGE, REPLAYED, answer, page_link
from service.api.resource import Resource
from service.scopes import Scope
from service.usecases.add_table import add_table
from service.usecases.get_statement import get_statement
from service.usecases.get_table import get_table
from service.usecases.list_tables import list_tables

tables = Resource("tables", __name__, description="Tables: a name, a ruleset, and what a point is worth.")


@tables.route("/v1/tables", methods=["POST"])
@tables.operation("add_table", Scope.TABLES, records=True, problems=(HTTPStatus.CONFLICT,))
@tables.arguments(TableRequestSchema)
@tables.response(201, TableSchema, headers=LOCATION | REPLAYED)
def post_table(request: TableRequest) -> Response:
    """Set up a table. Its rounds keep the ruleset's version, the point value and the currency that it has now."""
    table = add_table(current_transaction(), request)
    return answer(dump_table(table), HTTPStatus.CREATED, {"Location": f"/v1/tables/{table.id}"})


@tables.route("/v1/tables", methods=["GET"])
@tables.operation("list_tables", Scope.READ)
@tables.arguments(TableQuerySchema, location="query")
@tables.response(200, TablePageSchema, headers=NEXT_PAGE)
def get_tables(query: dict[str, Any]) -> Response:
    """List the club's tables, the newest first, or find one by its exact name."""
    page = list_tables(current_transaction(), name=query["name"], after=query["cursor"], limit=query["limit"])
    return answer({"tables": [dump_table(table) for table in page.items]}, headers=page_link(page.next_after))


@tables.route("/v1/tables/<uuid:table_id>", methods=["GET"])
@tables.operation("get_table", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@tables.response(200, TableSchema)
def get_one_table(table_id: UUID) -> Response:
    """Show a table."""
    return answer(dump_table(get_table(current_transaction(), table_id)))


@tables.route("/v1/tables/<uuid:table_id>/statement", methods=["GET"])
@tables.operation("get_statement", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@tables.arguments(StatementQuerySchema, location="query")
@tables.response(200, StatementSchema)
def get_one_statement(query: dict[str, Any], table_id: UUID) -> Response:
    """
    Sum up a table's rounds, player by player, with the fewest payments that settle everyone.

    Rounds are those opened at or after `from` and before `to`; without either, all. Each counts with its own point
    value and currency. Rounds that are open count as they stand. Where more than sixteen players are left after those
    who pair off, the payments are few, and perhaps not the fewest.
    """
    return answer(dump_statement(get_statement(current_transaction(), table_id, **query)))

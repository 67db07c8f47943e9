"""Tables, and their scorekeepers: who is entering which hand."""

from typing import Any, Final
from uuid import UUID

from flask import Response

from schemas.ledger.statements import TableStatementQuerySchema, TableStatementSchema, dump_statement
from schemas.tables import (
    Scorekeeper,
    ScorekeeperListSchema,
    ScorekeeperRequestSchema,
    TableChangesSchema,
    TablePageSchema,
    TableQuerySchema,
    TableRequest,
    TableRequestSchema,
    TableView,
    TableWithMetadataSchema,
    dump_scorekeepers,
    dump_table,
    dump_table_with_metadata,
)
from service.clubs.actions import get_club
from service.clubs.scopes import KeyScope
from service.http.authentication import Reach, current_key, current_transaction
from service.http.resource import Resource
from service.http.responses import (
    LOCATION,
    NEXT_PAGE,
    REPLAYED,
    TAGGED,
    conditional_response,
    created_response,
    json_response,
    no_content,
    respond_page,
)
from service.ledger.actions.statements import get_statement
from service.tables.actions import (
    add_table,
    get_table,
    get_table_metadata,
    hide_scorekeeper,
    list_scorekeepers,
    list_tables,
    show_scorekeeper,
    update_table,
)

ONE: Final = "/v1/tables/<uuid:table_id>"
_SCOREKEEPER: Final = f"{ONE}/scorekeepers/<uuid:device_id>"

tables = Resource("tables", __name__, description="Tables: a name, a ruleset and a point value.")
scorekeepers = Resource(
    "scorekeepers", __name__, description="Who is entering which hand at a table, for a few seconds."
)


@tables.route("/v1/tables", methods=["POST"])
@tables.operation("add_table", KeyScope.TABLES, by_link=Reach.CLUB, records=True)
@tables.arguments(TableRequestSchema)
@tables.response(201, TableWithMetadataSchema, headers=LOCATION | REPLAYED)
def post_table(request: TableRequest) -> Response:
    """
    Create a table.

    Its rounds use the ruleset version, point value, unit and correction window that the table has when they are
    opened. The same table sent again is the existing one, whatever its metadata are; another table with its name or its
    reference is a conflict.
    """
    added = add_table(current_transaction(), request)
    document = dump_table_with_metadata(added.view, added.metadata)
    return created_response(document, f"/v1/tables/{added.view.id}", is_replay=added.is_replay)


@tables.route("/v1/tables", methods=["GET"])
@tables.operation("list_tables", KeyScope.READ, by_link=Reach.TABLE)
@tables.arguments(TableQuerySchema, location="query")
@tables.response(200, TablePageSchema, headers=NEXT_PAGE)
def get_tables(query: dict[str, Any]) -> Response:
    """List the club's tables that are not archived, or the archived ones, newest first, or find one."""
    page = list_tables(
        current_transaction(),
        name=query["name"],
        reference=query["reference"],
        archived=bool(query["archived"]),
        after=query["cursor"],
        limit=query["limit"],
    )
    return respond_page("tables", [dump_table(table) for table in page.items], page.next_after)


@tables.route(ONE, methods=["GET"])
@tables.operation("get_table", KeyScope.READ, by_link=Reach.TABLE, conditional=True)
@tables.response(200, TableWithMetadataSchema, headers=TAGGED)
def get_one_table(table_id: UUID) -> Response:
    """Return a table with its metadata, which links do not see."""
    return conditional_response(_dump_with_metadata(get_table(current_transaction(), table_id)))


def _dump_with_metadata(table: TableView) -> dict[str, Any]:
    return dump_table_with_metadata(table, get_table_metadata(current_transaction(), UUID(table.id)))


@tables.route(ONE, methods=["PATCH"])
@tables.operation("update_table", KeyScope.TABLES, records=True)
@tables.arguments(TableChangesSchema)
@tables.response(200, TableWithMetadataSchema, headers=REPLAYED)
def patch_table(changes: dict[str, Any], table_id: UUID) -> Response:
    """
    Change the name or the settings of a table for its next rounds, archive it, or bring it back.

    What is omitted stays as it is. Rounds keep the ruleset, point value, unit and correction window that they were
    opened with. An archived table has no open round, and none can be opened at it; it stays readable with its rounds,
    and its name is free for another table. To bring it back while another table has its name, send a new name too.
    """
    return json_response(_dump_with_metadata(update_table(current_transaction(), table_id, changes)))


@tables.route(f"{ONE}/statement", methods=["GET"])
@tables.operation("get_statement", KeyScope.READ, by_link=Reach.TABLE, conditional=True)
@tables.arguments(TableStatementQuerySchema, location="query")
@tables.response(200, TableStatementSchema, headers=TAGGED)
def get_one_statement(query: dict[str, Any], table_id: UUID) -> Response:
    """
    Return the totals of a table's rounds, player by player, and the payments that settle them up.

    The rounds are those opened at or after `from` and before `to`, or on an `evening` of the club; all rounds by
    default. Each round counts with its
    own point value and unit. Open rounds count as they are now. If more than sixteen players remain after those
    with opposite totals have paid each other, the payments are few, but perhaps not the fewest.
    """
    transaction = current_transaction()
    by = query.pop("settle_up")
    statement = get_statement(transaction, table_id, by, **get_club(transaction).period(query))
    return conditional_response(dump_statement(statement))


@scorekeepers.route(_SCOREKEEPER, methods=["PUT"])
@scorekeepers.operation("show_scorekeeper", KeyScope.WRITE, by_link=Reach.TABLE, is_internal=True)
@scorekeepers.arguments(ScorekeeperRequestSchema)
@scorekeepers.response(204, description="The device is shown for 10 seconds.")
def put_scorekeeper(hand: int, table_id: UUID, device_id: UUID) -> Response:
    """
    Show that a hand is being entered on a device, so that nobody else enters it too.

    The entry expires after 10 seconds unless it is sent again. It is not part of the evidence: no event has it. Others
    see the label of the device's link, or the name of its key. The device chooses its own ID.
    """
    scorekeeper = Scorekeeper(device_id, current_key().name, hand)
    show_scorekeeper(current_transaction(), table_id, scorekeeper)
    return no_content()


@scorekeepers.route(_SCOREKEEPER, methods=["DELETE"])
@scorekeepers.operation("hide_scorekeeper", KeyScope.WRITE, by_link=Reach.TABLE, is_internal=True)
@scorekeepers.response(204, description="The device is not shown.")
def delete_scorekeeper(table_id: UUID, device_id: UUID) -> Response:
    """Remove a device from the scorekeepers of a table."""
    hide_scorekeeper(current_transaction(), table_id, device_id)
    return no_content()


@scorekeepers.route(f"{ONE}/scorekeepers", methods=["GET"])
@scorekeepers.operation("list_scorekeepers", KeyScope.READ, by_link=Reach.TABLE, is_internal=True, conditional=True)
@scorekeepers.response(200, ScorekeeperListSchema, headers=TAGGED)
def get_scorekeepers(table_id: UUID) -> Response:
    """List the devices on which hands of a table are being entered now."""
    return conditional_response(dump_scorekeepers(list_scorekeepers(current_transaction(), table_id)))

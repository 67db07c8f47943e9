"""Scorekeepers: who is entering which hand at a table."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response

from schemas.scorekeepers import (
    Scorekeeper,
    ScorekeeperListSchema,
    ScorekeeperRequestSchema,
    dump_scorekeepers,
)
from service.clubs.scopes import Scope
from service.http.authentication import current_key, current_transaction
from service.http.resource import Resource
from service.http.responses import TAGGED, conditional_response, no_content
from service.scorekeepers.actions import hide_scorekeeper, list_scorekeepers, show_scorekeeper

ONE: Final = "/v1/tables/<uuid:table_id>/scorekeepers/<uuid:device_id>"

scorekeepers = Resource(
    "scorekeepers", __name__, description="Who is entering which hand at a table, for a few seconds."
)


@scorekeepers.route(ONE, methods=["PUT"])
@scorekeepers.operation(
    "show_scorekeeper", Scope.WRITE, by_table_link=True, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.GATEWAY_TIMEOUT)
)
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


@scorekeepers.route(ONE, methods=["DELETE"])
@scorekeepers.operation(
    "hide_scorekeeper", Scope.WRITE, by_table_link=True, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.GATEWAY_TIMEOUT)
)
@scorekeepers.response(204, description="The device is not shown.")
def delete_scorekeeper(table_id: UUID, device_id: UUID) -> Response:
    """Remove a device from the scorekeepers of a table."""
    hide_scorekeeper(current_transaction(), table_id, device_id)
    return no_content()


@scorekeepers.route("/v1/tables/<uuid:table_id>/scorekeepers", methods=["GET"])
@scorekeepers.operation(
    "list_scorekeepers", Scope.READ, by_table_link=True, conditional=True, problems=(HTTPStatus.NOT_FOUND,)
)
@scorekeepers.response(200, ScorekeeperListSchema, headers=TAGGED)
def get_scorekeepers(table_id: UUID) -> Response:
    """List the devices on which hands of a table are being entered now."""
    return conditional_response(dump_scorekeepers(list_scorekeepers(current_transaction(), table_id)))

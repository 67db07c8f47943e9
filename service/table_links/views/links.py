"""Links to tables: records that open one table on a phone."""

from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response

from evidence.events import TableLinkKind
from schemas.pages import PageQuerySchema
from schemas.table_links import (
    CurrentLinkSchema,
    NewTableLinkSchema,
    TableLinkPageSchema,
    TableLinkRequest,
    TableLinkRequestSchema,
    dump_current_link,
    dump_new_table_link,
    dump_table_link,
)
from service.clubs.scopes import KeyScope
from service.errors import NotFound
from service.http.authentication import current_key, current_transaction
from service.http.public_address import find_public_url, find_warnings
from service.http.resource import Resource
from service.http.responses import NEXT_PAGE, NO_STORE, json_response, no_content, respond_page
from service.table_links.actions import NewTableLink, get_link, issue_table_link, list_table_links, revoke_table_link

KEEPER: Final = "/keeper/"
BOARD: Final = "/board/"
TABLES: Final = "/tables/"
"""Paths of the pages that links open."""

table_links = Resource(
    "table links", __name__, description="Links to one table, for scorekeepers and viewers without a key."
)


@table_links.route("/v1/tables/<uuid:table_id>/links", methods=["POST"])
@table_links.operation("issue_table_link", KeyScope.WRITE)
@table_links.arguments(TableLinkRequestSchema)
@table_links.response(201, NewTableLinkSchema)
def post_table_link(request: TableLinkRequest, table_id: UUID) -> Response:
    """
    Create a link to one table: for a scorekeeper, who records its rounds without a key, for viewers, or for a player.

    A scorekeeper's link opens, records, undoes, closes and confirms rounds of this table, records departures and
    top-ups, and corrects rounds that are not final; all kinds read the table. On the pages of a player's link, this
    player confirms and disputes settlements; disputes need the scope `disputes` of the key. The secret is used like a
    key. The link has at most the scopes of the key that creates it, and ends with this key. Only this response
    has the secret, so the request takes no idempotency key: a retry creates another link.
    """
    url = find_public_url()
    issued = issue_table_link(current_transaction(), table_id, request, current_key().id)
    page, board = find_addresses(url, issued)
    document = dump_new_table_link(issued.link, page, board, list(find_warnings(url)))
    return json_response(document, HTTPStatus.CREATED, headers=NO_STORE)


def find_addresses(url: str, issued: NewTableLink) -> tuple[str, str | None]:
    """Return the address that opens a new link, and that of the scoreboard; a scorekeeper's link has none."""
    if issued.link.kind is TableLinkKind.SCOREKEEPER:
        return f"{url}{KEEPER}#{issued.secret}", None
    return f"{url}{TABLES}{issued.secret}", f"{url}{BOARD}#{issued.secret}"


@table_links.route("/v1/tables/<uuid:table_id>/links", methods=["GET"])
@table_links.operation("list_table_links", KeyScope.WRITE, KeyScope.ADMIN)
@table_links.arguments(PageQuerySchema, location="query")
@table_links.response(200, TableLinkPageSchema, headers=NEXT_PAGE)
def get_table_links(query: dict[str, Any], table_id: UUID) -> Response:
    """List the links to a table, newest first, including expired and revoked ones."""
    page = list_table_links(current_transaction(), table_id, after=query["cursor"], limit=query["limit"])
    return respond_page("links", [dump_table_link(each) for each in page.items], page.next_after)


@table_links.route("/v1/tables/<uuid:table_id>/links/<uuid:link_id>", methods=["DELETE"])
@table_links.operation("revoke_table_link", KeyScope.WRITE, KeyScope.ADMIN)
@table_links.response(204, description="The link is revoked.")
def delete_table_link(table_id: UUID, link_id: UUID) -> Response:
    """Revoke a link to a table immediately. Other links to the table stay valid."""
    revoke_table_link(current_transaction(), table_id, link_id)
    return no_content()


@table_links.route("/v1/link", methods=["GET"])
@table_links.operation("get_link", KeyScope.READ, by_table_link=True)
@table_links.response(200, CurrentLinkSchema)
def get_current_link() -> Response:
    """Return the link that authenticates the request."""
    key = current_key()
    if key.table_id is None:
        raise NotFound(
            "the request is authenticated with a key, which is for all tables of the club; expected the secret of a"
            " link to a table"
        )
    return json_response(dump_current_link(*get_link(current_transaction(), key.table_id, key.id)))

"""Links: records that open one table, one round or the club on a phone or in a browser, without a key."""

from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response

from evidence.events import LinkKind
from schemas.links import (
    CurrentLinkSchema,
    LinkPageSchema,
    LinkQuerySchema,
    LinkRequest,
    LinkRequestSchema,
    NewLinkSchema,
    dump_current_link,
    dump_link,
    dump_new_link,
)
from service.clubs.scopes import KeyScope
from service.errors import NotFound
from service.http.authentication import Reach, current_key, current_transaction
from service.http.public_address import find_public_url, find_warnings
from service.http.resource import Resource
from service.http.responses import NEXT_PAGE, NO_STORE, json_response, no_content, respond_page
from service.links.actions.links import NewLink, get_link, issue_link, list_links, revoke_link
from service.links.queries import LinkFilter

SCOREKEEPER: Final = "/scorekeeper/"
BOARD: Final = "/board/"
PAGES: Final = "/links/"
"""Paths of the pages that links open."""

links = Resource("links", __name__, description="Links to one table or one round, for people without a key.")


@links.route("/v1/links", methods=["POST"])
@links.operation("issue_link", KeyScope.WRITE)
@links.arguments(LinkRequestSchema)
@links.response(201, NewLinkSchema)
def post_link(request: LinkRequest) -> Response:
    """
    Create a link to one table or one round: for a scorekeeper, for viewers, or for a player.

    A scorekeeper's link opens, records, undoes, closes and confirms rounds of its table without a key, records
    departures and top-ups, and corrects rounds that are not final. All kinds read the table; a link to a round reads
    this round, its settlement and the explanation of every hand, and nothing else. On the pages of a player's link,
    this player confirms and disputes settlements; disputes need the scope `disputes` of the key. The secret is used
    like a key. The link has at most the scopes of the key that creates it, and ends with this key. Only this response
    has the secret, so the request takes no idempotency key: a retry creates another link.
    """
    url = find_public_url()
    issued = issue_link(current_transaction(), request, current_key().id)
    page, board = find_addresses(url, issued)
    document = dump_new_link(issued.link, page, board, list(find_warnings(url)))
    return json_response(document, HTTPStatus.CREATED, headers=NO_STORE)


def find_addresses(url: str, issued: NewLink) -> tuple[str, str | None]:
    """Return the address that opens a new link, and that of the scoreboard, which only some links to tables have."""
    if issued.link.kind is LinkKind.SCOREKEEPER:
        return f"{url}{SCOREKEEPER}#{issued.secret}", None
    page = f"{url}{PAGES}{issued.secret}"
    return page, None if issued.link.round_id is not None else f"{url}{BOARD}#{issued.secret}"


@links.route("/v1/links", methods=["GET"])
@links.operation("list_links", KeyScope.WRITE, KeyScope.ADMIN)
@links.arguments(LinkQuerySchema, location="query")
@links.response(200, LinkPageSchema, headers=NEXT_PAGE)
def get_links(query: dict[str, Any]) -> Response:
    """List the links of the club, newest first, including expired and revoked ones."""
    filter_ = LinkFilter(query["table"], query["round"], query["kind"], query["state"])
    page = list_links(current_transaction(), filter_, after=query["cursor"], limit=query["limit"])
    return respond_page("links", [dump_link(each.link) for each in page.items], page.next_after)


@links.route("/v1/links/<uuid:link_id>", methods=["DELETE"])
@links.operation("revoke_link", KeyScope.WRITE, KeyScope.ADMIN)
@links.response(204, description="The link is revoked.")
def delete_link(link_id: UUID) -> Response:
    """Revoke a link immediately. Other links stay valid."""
    revoke_link(current_transaction(), link_id)
    return no_content()


@links.route("/v1/link", methods=["GET"])
@links.operation("get_link", KeyScope.READ, by_link=Reach.ROUND)
@links.response(200, CurrentLinkSchema)
def get_current_link() -> Response:
    """Return the link that authenticates the request."""
    key = current_key()
    if not key.is_link:
        raise NotFound(
            "the request is authenticated with a key, which is for all tables of the club; expected the secret of a"
            " link"
        )
    return json_response(dump_current_link(*get_link(current_transaction(), key.id)))

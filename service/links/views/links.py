"""Viewer links: a round, shown to its players without a key."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, request

from schemas.access import (
    Link,
    LinkedRoundSchema,
    ViewerLinkRequestSchema,
    ViewerLinkSchema,
    dump_link,
    dump_linked_round,
    parse_token,
)
from schemas.explanations.explanations import HandExplanationSchema
from service.clubs.scopes import Scope
from service.http.authentication import current_transaction
from service.http.resource import JSON, Resource
from service.http.responses import best_media_type, json_response, no_content
from service.links.actions import issue_link, read_round_page, revoke_link, show_linked_hand, show_linked_round
from service.links.views.round_page import render_round_page, show_problem_as_page
from service.rounds.views.explanations import FORMS, HTML, STYLED, TEXT, VARY, Neighbours, respond_with_explanation

links = Resource(
    "links", __name__, description="Viewer links: one round, shown without a key.", template_folder="templates"
)
_WRITTEN: Final = {"type": "string"}
links.after_request(show_problem_as_page)


@links.route("/v1/rounds/<uuid:round_id>/links", methods=["POST"])
@links.operation("issue_link", Scope.WRITE, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.GATEWAY_TIMEOUT))
@links.arguments(ViewerLinkRequestSchema)
@links.response(201, ViewerLinkSchema)
def post_link(request: dict[str, Any], round_id: UUID) -> Response:
    """
    Create a link that shows one round without a key.

    The link shows the round as it is, its settlement and the explanation of every hand, and nothing else. `revoke_link`
    revokes it; the operator can revoke all links of the club at once.
    """
    issued = issue_link(current_transaction(), round_id, timedelta(seconds=request["expires_in"]))
    return json_response(dump_link(issued), HTTPStatus.CREATED)


@links.route("/v1/links/<string:token>", methods=["GET"])
@links.operation("show_linked_round", by_link=True, forms=(JSON, HTML))
@links.response(200, LinkedRoundSchema)
@links.alt_response(200, schema=_WRITTEN, content_type=HTML)
def get_linked_round(link: Link) -> Response:
    """Return the round of a link with its settlement, as JSON or as a printable page."""
    if best_media_type((JSON, HTML)) == HTML:
        page = render_round_page(read_round_page(current_transaction(), link.round_id, link.expires_at), request.path)
        return Response(page, headers=VARY | STYLED, content_type=f"{HTML}; charset=utf-8")
    shown = show_linked_round(current_transaction(), link.round_id, link.expires_at)
    return json_response(dump_linked_round(shown), headers=VARY)


@links.route("/v1/links/<string:token>", methods=["DELETE"])
@links.operation("revoke_link", Scope.WRITE, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.GATEWAY_TIMEOUT))
@links.response(204, description="The link is revoked.")
def delete_link(token: str) -> Response:
    """Revoke a link immediately. Other links to the round stay valid."""
    revoke_link(current_transaction(), parse_token(token))
    return no_content()


@links.route("/v1/links/<string:token>/hands/<int:number>", methods=["GET"])
@links.operation("show_linked_hand", by_link=True, forms=FORMS)
@links.response(200, HandExplanationSchema)
@links.alt_response(200, schema=_WRITTEN, content_type=TEXT)
@links.alt_response(200, schema=_WRITTEN, content_type=HTML)
def get_linked_hand(link: Link, number: int) -> Response:
    """Explain a hand of the round by its number, as `explain_hand` does: as JSON, plain text or a page."""
    explained, hands = show_linked_hand(current_transaction(), link.round_id, number)
    return respond_with_explanation(explained, Neighbours(request.path.rpartition("/hands/")[0], number, hands))

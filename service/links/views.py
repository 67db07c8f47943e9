"""Viewer links: a round, shown to its players without a key."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, g, render_template, request

from schemas.access import (
    Link,
    LinkedRoundSchema,
    ViewerLinkRequestSchema,
    ViewerLinkSchema,
    dump_link,
    dump_linked_round,
    parse_token,
)
from schemas.base import Dumped
from schemas.explanations.explanations import HandExplanationSchema
from service.clubs.scopes import Scope
from service.http.authentication import READING, current_transaction
from service.http.problem_kinds import PROBLEM_KINDS
from service.http.problems import MEDIA_TYPE
from service.http.resource import JSON, Resource
from service.http.responses import NO_STORE, best_media_type, json_response, no_content
from service.links.actions import issue_link, revoke_link, show_linked_hand, show_linked_round
from service.rounds.views.explanations import FORMS, HTML, STYLE, STYLED, TEXT, VARY, answer_explanation

links = Resource(
    "links", __name__, description="Viewer links: one round, shown without a key.", template_folder="templates"
)
_WRITTEN: Final = {"type": "string"}
_NOT_FOUND_ADVICE: Final = (
    "The link is incomplete, has expired, or was revoked. Open it again exactly as you received it. If that does not"
    " help, ask the person who sent it for a new link."
)


@links.after_request
def show_problem_as_page(response: Response) -> Response:
    """Replace a problem document by a page if the client is a browser."""
    if response.mimetype != MEDIA_TYPE or request.method not in READING or best_media_type((JSON, HTML)) != HTML:
        return response
    kind, is_missing = PROBLEM_KINDS[g.problem_code], response.status_code == HTTPStatus.NOT_FOUND
    page = render_template(
        "link_problem.html",
        title="This link does not work" if is_missing else kind.title,
        advice=_NOT_FOUND_ADVICE if is_missing else kind.advice,
        request_id=g.request_id,
        style=STYLE,
    )
    response.set_data(page)
    response.content_type = f"{HTML}; charset=utf-8"
    response.headers.update(VARY | STYLED | NO_STORE)
    return response


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
    document = dump_linked_round(show_linked_round(current_transaction(), link))
    if best_media_type((JSON, HTML)) == HTML:
        return Response(_write_round(document), headers=VARY | STYLED, content_type=f"{HTML}; charset=utf-8")
    return json_response(document, headers=VARY)


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
    return answer_explanation(show_linked_hand(current_transaction(), link, number))


def _write_round(document: Dumped) -> str:
    """Render a round and its settlement as a printable page."""
    round_ = document["round"]
    names = {seat["seat"]: seat["player"] for seat in round_["seats"]}
    return render_template(
        "linked_round.html",
        round=round_,
        settlement=document["settlement"],
        names=names,
        address=request.path,
        expires_at=document["expires_at"],
        style=STYLE,
    )

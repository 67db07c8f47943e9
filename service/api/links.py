"""Viewer links: a round shown to its players, without a key."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, render_template, request

from schemas.base import Dumped
from schemas.explanations import ExplanationSchema
from schemas.link_tokens import Link, read_token
from schemas.links import LinkedRoundSchema, LinkRequestSchema, LinkSchema, dump_link, dump_linked_round
from service.api.access import current_transaction
from service.api.answers import answer, best_form, nothing
from service.api.explanations import FORMS, HTML, STYLE, STYLED, TEXT, VARY, answer_explanation
from service.api.resource import JSON, Resource
from service.scopes import Scope
from service.usecases.issue_link import issue_link
from service.usecases.revoke_link import revoke_link
from service.usecases.show_linked_hand import show_linked_hand
from service.usecases.show_linked_round import show_linked_round

links = Resource("links", __name__, description="Rounds shown to whoever has an address.", template_folder="templates")
_WRITTEN: Final = {"type": "string"}


@links.route("/v1/rounds/<uuid:round_id>/links", methods=["POST"])
@links.operation("issue_link", Scope.WRITE, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.GATEWAY_TIMEOUT))
@links.arguments(LinkRequestSchema)
@links.response(201, LinkSchema)
def post_link(request: dict[str, Any], round_id: UUID) -> Response:
    """
    Make an address at which a round can be read without a key, for a week or as long as is asked for.

    Whoever has it sees the round as it stands, its settlement and every hand explained, and nothing else. `revoke_link`
    takes it back; the operator can revoke all links of the club at once.
    """
    issued = issue_link(current_transaction(), round_id, timedelta(seconds=request["expires_in"]))
    return answer(dump_link(issued), HTTPStatus.CREATED)


@links.route("/v1/links/<string:token>", methods=["GET"])
@links.operation("show_linked_round", by_link=True, forms=(JSON, HTML))
@links.response(200, LinkedRoundSchema)
@links.alt_response(200, schema=_WRITTEN, content_type=HTML)
def get_linked_round(link: Link) -> Response:
    """Show a round as it stands, and who paid whom in it: as JSON, or as a page to print."""
    document = dump_linked_round(show_linked_round(current_transaction(), link))
    if best_form((JSON, HTML)) == HTML:
        return Response(_write_round(document), headers=VARY | STYLED, content_type=f"{HTML}; charset=utf-8")
    return answer(document, headers=VARY)


@links.route("/v1/links/<string:token>", methods=["DELETE"])
@links.operation("revoke_link", Scope.WRITE, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.GATEWAY_TIMEOUT))
@links.response(204, description="It opens nothing now.")
def delete_link(token: str) -> Response:
    """Let a link open nothing any more, at once. Other links to the round go on working."""
    revoke_link(current_transaction(), read_token(token))
    return nothing()


@links.route("/v1/links/<string:token>/hands/<int:number>", methods=["GET"])
@links.operation("show_linked_hand", by_link=True, forms=FORMS)
@links.response(200, ExplanationSchema)
@links.alt_response(200, schema=_WRITTEN, content_type=TEXT)
@links.alt_response(200, schema=_WRITTEN, content_type=HTML)
def get_linked_hand(link: Link, number: int) -> Response:
    """Explain a hand of the round by its number, as `explain_hand` does: as JSON, as plain text or as a page."""
    return answer_explanation(show_linked_hand(current_transaction(), link, number))


def _write_round(document: Dumped) -> str:
    """Write a round and its settlement as a page to print."""
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

"""Viewer links: a round, shown to its players without a key, and the page of a link that does not work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, render_template, request

from schemas.access import (
    Link,
    LinkedRoundSchema,
    ViewerLinkRequestSchema,
    ViewerLinkSchema,
    dump_link,
    dump_linked_round,
    parse_token,
)
from schemas.disputes import DisputeEntry
from schemas.explanations.explanations import HandExplanationSchema
from schemas.hands import HandView
from schemas.round_settlements import dump_round_settlement, view_round_settlement
from schemas.rounds import RoundView
from schemas.scores import dump_recorded_hand
from schemas.sentences import describe_kind
from scoring.hand import Seat
from scoring.ruleset import Points
from scoring.settle_up import find_payments
from scoring.settlement import LimitedBy
from service.clubs.scopes import KeyScope
from service.disputes.queries.disputes import StoredDispute
from service.http.authentication import READING, current_transaction
from service.http.formats import format_cards, format_day, format_money, format_money_won, format_time
from service.http.problem_kinds import PROBLEM_KINDS
from service.http.problems import MEDIA_TYPE
from service.http.request_state import current_request
from service.http.resource import JSON, Resource
from service.http.responses import NO_STORE, best_media_type, json_response, no_content
from service.links.actions import (
    RoundPage,
    issue_link,
    read_round_page,
    revoke_link,
    show_linked_hand,
    show_linked_round,
)
from service.pages.apps import find_built
from service.rounds.views.explanations import (
    FORMS,
    HTML,
    STYLE,
    STYLED,
    TEXT,
    VARY,
    Neighbours,
    respond_with_explanation,
)

links = Resource(
    "links", __name__, description="Viewer links: one round, shown without a key.", template_folder="templates"
)
_WRITTEN: Final = {"type": "string"}
_ADVICE: Final = {
    HTTPStatus.NOT_FOUND: (
        "This link does not work",
        "The link is incomplete, or not one of this service. Open it again exactly as you received it. If that does not"
        " help, ask the person who sent it for a new link.",
    ),
    HTTPStatus.GONE: (
        "This link has ended",
        "The link was valid, but has expired or was revoked. Nothing is lost: everything is still recorded. Ask the"
        " person who sent it for a new link.",
    ),
}
"""Title and advice of the pages that a browser shows for links that do not work."""

_CAPS: Final = {
    LimitedBy.PAYER_STACK: "{payer} had only {paid} left",
    LimitedBy.WINNER_ROOM: "{payee} could win at most {paid}",
}


@links.route("/v1/rounds/<uuid:round_id>/links", methods=["POST"])
@links.operation("issue_link", KeyScope.WRITE)
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
@links.operation("revoke_link", KeyScope.WRITE)
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


@links.after_request
def show_problem_as_page(response: Response) -> Response:
    """Replace a problem document by a page if the client is a browser that reads."""
    if request.method not in READING or best_media_type((JSON, HTML)) != HTML:
        return response
    return replace_problem(response)


def replace_problem(response: Response) -> Response:
    """Replace a problem document by a page."""
    if response.mimetype != MEDIA_TYPE:
        return response
    state = current_request()
    assert state.problem is not None, "the response is a problem"
    kind = PROBLEM_KINDS[state.problem]
    title, advice = _ADVICE.get(HTTPStatus(response.status_code), (kind.title, describe_kind(state.problem)))
    page = render_template(
        "link_problem.html",
        title=title,
        advice=advice,
        request_id=state.request_id,
        style_address=find_built(STYLE, ".css"),
    )
    response.set_data(page)
    response.content_type = f"{HTML}; charset=utf-8"
    response.headers.update(VARY | STYLED | NO_STORE)
    return response


@dataclass(frozen=True, slots=True)
class Personal:
    """
    What the page of a personal link shows to its player.

    Attributes:
        player: the operator's ID of the player.
        can_dispute: whether the link can be used to open disputes.
        disputes: the disputes of the round that this player has opened.
        entries: the comments on each dispute and its decision, by its ID.
        message: why what the player has just sent was refused.
        claim: the refused claim, to be changed.
    """

    player: str
    can_dispute: bool
    disputes: Sequence[StoredDispute]
    entries: Mapping[UUID, Sequence[DisputeEntry]]
    message: str | None = None
    claim: str = ""


def render_round_page(
    page: RoundPage, address: str, *, table_address: str | None = None, personal: Personal | None = None
) -> str:
    """
    Render the players' page of a round.

    Args:
        page: what to show.
        address: the URL of the page, below which are the explanations of hands.
        table_address: the URL of the page of the table, if the link shows that too.
        personal: what only the player of a personal link sees.
    """
    view, settlement = page.linked.round, page.linked.settlement
    names = {seat.seat: seat.player for seat in view.round.seats}
    you = None if personal is None else personal.player
    return render_template(
        "linked_round.html",
        table=page.table,
        day=format_day(view.opened_at, page.zone),
        round=view,
        settlement=dump_round_settlement(view_round_settlement(view, settlement)),
        names=names,
        hands=[_show_hand(hand, names) for hand in page.hands],
        payments=list(_show_payments(page, names)),
        changes=page.changes,
        show_cards=format_cards,
        show_amount=partial(_show_amount, view),
        show_time=lambda at: format_time(at, page.zone),
        show_money=lambda minor: format_money_won(minor, view.currency or ""),
        provisional_until=settlement.provisional_until and format_time(settlement.provisional_until, page.zone),
        expires_at=format_time(page.linked.expires_at, page.zone),
        address=address,
        table_address=table_address,
        personal=personal,
        you=you,
        your_seat=next((seat for seat, name in names.items() if name == you), None),
        style_address=find_built(STYLE, ".css"),
    )


def _show_payments(page: RoundPage, names: Mapping[Seat, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the fewest payments that settle the round: payer, payee and the amount in points or money."""
    view, settlement = page.linked.round, page.linked.settlement
    for payment in find_payments({names[seat]: net for seat, net in settlement.nets.items()}).payments:
        yield payment.payer, payment.payee, _show_amount(view, payment.amount)


def _show_amount(view: RoundView, points: Points) -> str:
    """Return points as money or, if they have no value, as points."""
    if view.point_value is not None and view.currency is not None:
        return format_money(points * view.point_value, view.currency)
    return f"{points} {'point' if points == 1 else 'points'}"


def _show_hand(hand: HandView, names: Mapping[Seat, str]) -> dict[str, Any]:
    """Return a hand as the page shows it: boards with cards, what each player won, and its payments that count."""
    won = hand.won
    shown = dump_recorded_hand(hand)
    for player in shown["players"]:
        played = hand.hand.by_seat[player["seat"]]
        player["won"] = won[player["seat"]]
        player["dealt"] = played.fantasyland
        for row, cards in played.board.rows.items():
            player["rows"][row.value]["cards"] = format_cards(cards)
    shown["is_paid_later"] = hand.is_paid_later
    shown["paid"] = [
        (names[transfer.payer], names[transfer.payee], transfer.paid)
        for transfer in hand.transfers
        if hand.is_paid_later
    ]
    shown["caps"] = [
        {
            "payer": names[transfer.payer],
            "payee": names[transfer.payee],
            "paid": transfer.paid,
            "due": transfer.due,
            "because": _CAPS[transfer.limited_by].format(
                payer=names[transfer.payer], payee=names[transfer.payee], paid=transfer.paid
            ),
        }
        for transfer in hand.transfers
        if transfer.limited_by
    ]
    return shown

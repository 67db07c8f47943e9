"""Explanations of hands as JSON, text and HTML."""

import re
from base64 import b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from flask import Response, render_template
from markupsafe import Markup, escape

from schemas.base import Dumped
from schemas.explanations.explanations import ExplanationQuerySchema, ExplanationView, HandExplanationSchema
from schemas.explanations.output import dump_explanation_view, format_heading, render_explanation, show_names
from scoring.cards import Card
from scoring.explanation.wording import show_signed
from service.clubs.scopes import KeyScope
from service.http.authentication import Reach, current_transaction
from service.http.formats import format_cards
from service.http.resource import JSON, Resource
from service.http.responses import best_media_type, json_response
from service.pages.apps import find_built, read_built
from service.rounds.actions.reading import explain_hand

TEXT: Final = "text/plain"
HTML: Final = "text/html"
FORMS: Final = (JSON, TEXT, HTML)
VARY: Final = {"Vary": "Accept"}
STYLE: Final = "players"
"""The name of the style of players' pages and explanations."""

_POLICY: Final = "default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
STYLED: Final = {"Content-Security-Policy": _POLICY.format("'self'")}
"""What a page with the style of players' pages may load."""
_WRITTEN: Final = {"type": "string"}
_TEN: Final = re.compile("T(?=[♠♥♦♣])")

explanations = Resource(
    "explanations", __name__, description="Explanations of the points of a hand.", template_folder="templates"
)
explanations.add_app_template_filter(show_signed, "signed")


@explanations.app_template_filter("cards")
def show_cards(cards: list[str]) -> Markup:
    """Format cards, given by their names, with the colours of their suits."""
    return format_cards(map(Card.parse, cards))


def isolate_names(text: str, names: Mapping[int, str] | Collection[str]) -> Markup:
    """
    Escape a sentence for HTML, with each player's name in a `bdi` element.

    A name written from right to left then does not change the order of the text around it. Tens are shown as 10. The
    names are those of players by their seats, or any names.

    >>> isolate_names("ann pays <bob> 4", {1: "ann", 2: "<bob>"})
    Markup('<bdi>ann</bdi> pays <bdi>&lt;bob&gt;</bdi> 4')
    >>> isolate_names("ann's ten beats ben's deuce: T♦ against 2♠", {})
    Markup('ann&#39;s ten beats ben&#39;s deuce: 10♦ against 2♠')
    """
    text = _TEN.sub("10", text)
    each = names.values() if isinstance(names, Mapping) else names
    longest_first = sorted(set(each), key=len, reverse=True)
    if not longest_first:
        return escape(text)
    any_name = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)")
    parts = any_name.split(text)
    return Markup("").join(
        Markup("<bdi>{}</bdi>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


explanations.add_app_template_filter(isolate_names, "isolated")


@explanations.route("/v1/hands/<uuid:hand_id>/explanation", methods=["GET"])
@explanations.operation("explain_hand", KeyScope.READ, by_link=Reach.ROUND, forms=FORMS)
@explanations.arguments(ExplanationQuerySchema, location="query")
@explanations.response(200, HandExplanationSchema)
@explanations.alt_response(200, schema=_WRITTEN, content_type=TEXT)
@explanations.alt_response(200, schema=_WRITTEN, content_type=HTML)
def get_explanation(query: dict[str, Any], hand_id: UUID) -> Response:
    """
    Explain a hand: every point with the deciding cards, every cap with the stacks.

    The response is JSON, plain text or a printable page, as the header `Accept` requests. Each reason names the heading
    of docs/rules.md that states the rule. If the stakes have scope `round`, the last hand has the payments of the whole
    round.
    """
    return respond_with_explanation(explain_hand(current_transaction(), hand_id, query["revision"]))


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The address of a round's page, the number of a hand and how many hands there are: for links between the hands."""

    round: str
    number: int
    hands: int


def respond_with_explanation(view: ExplanationView, neighbours: Neighbours | None = None) -> Response:
    """Return an explanation in the media type that the request accepts; a page also links to the hands beside it."""
    document = dump_explanation_view(view)
    form = best_media_type(FORMS)
    if form == TEXT:
        return Response(render_explanation(document), headers=VARY, content_type=f"{TEXT}; charset=utf-8")
    if form == HTML and neighbours is not None:
        page = write_page(document, neighbours, style_address=find_built(STYLE, ".css"))
        return Response(page, headers=VARY | STYLED, content_type=f"{HTML}; charset=utf-8")
    if form == HTML:
        return respond_with_page(document)
    return json_response(document, headers=VARY)


def write_explanation(view: ExplanationView, neighbours: Neighbours | None) -> str:
    """Render the explanation of a hand as a page, with links to the hands beside it if there are any."""
    return write_page(dump_explanation_view(view), neighbours, style_address=find_built(STYLE, ".css"))


def write_page(document: Dumped, neighbours: Neighbours | None = None, *, style_address: str | None = None) -> str:
    """Render an explanation as an HTML page. Without the address of the style, the style is part of the page."""
    return render_template(
        "explanation.html",
        explanation=document,
        heading=format_heading(document),
        names=show_names(document),
        neighbours=neighbours,
        style_address=style_address,
        style=None if style_address else Markup(read_built(STYLE, ".css")),
    )


def respond_with_page(document: Dumped, neighbours: Neighbours | None = None) -> Response:
    """Return an explanation as a page that can be saved and opened elsewhere: its style is part of it."""
    digest = b64encode(sha256(read_built(STYLE, ".css").encode()).digest()).decode()
    headers = VARY | {"Content-Security-Policy": _POLICY.format(f"'sha256-{digest}'")}
    return Response(write_page(document, neighbours), headers=headers, content_type=f"{HTML}; charset=utf-8")

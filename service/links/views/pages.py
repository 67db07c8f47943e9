"""The pages of links, for viewers and players: the table, its rounds or one round, and what a player can do there."""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC
from hashlib import sha256
from http import HTTPStatus
from types import MappingProxyType
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import WireError
from schemas.pages import show_cursor
from schemas.problems import refuse
from schemas.sentences import describe_kind
from scoring.errors import ScoringError
from service.clubs.actions import get_club
from service.clubs.queries import keys
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import KeyScope, has_scope
from service.db import Session, Transaction
from service.disputes.actions.own_disputes import list_own_disputes
from service.disputes.queries import disputes
from service.errors import (
    ConfirmationRefused,
    DisputeChanged,
    DisputeInvalid,
    DisputeRefused,
    LinkEnded,
    NotFound,
    ServiceError,
)
from service.http.authentication import database
from service.http.formats import format_evening, format_time
from service.http.language import (
    LANGUAGES,
    current_translations,
    pgettext,
    remember_language,
    use_language,
    vary_by_language,
)
from service.http.problem_kinds import PROBLEM_KINDS
from service.http.problems import MEDIA_TYPE
from service.http.rate_limits import count_request, count_unknown
from service.http.request_state import current_request
from service.http.responses import NO_STORE
from service.links import queries as links
from service.links.actions.links import get_link_of_table
from service.links.actions.pages import list_evening, read_round_page, show_linked_hand
from service.links.views.changes import advise, change_own_round, explain_refusal
from service.links.views.evenings import address_of, find_seated, show_evenings, sum_evening
from service.links.views.forms import read_cursor, read_day, read_form
from service.links.views.money import REFUSALS, Refusal, change_money, read_money, read_totals
from service.links.views.rounds import Personal, render_round_page
from service.pages.apps import find_built
from service.players.queries.aliases import read_aliases
from service.rounds.actions.reading import list_rounds
from service.rounds.queries.round_filter import RoundFilter
from service.rounds.views.explanations import HTML, STYLE, STYLED, Neighbours, write_explanation

_POLICY: Final = "Content-Security-Policy"
_WITH_FORMS: Final = {_POLICY: STYLED[_POLICY].replace("form-action 'none'", "form-action 'self'")}
_ROUNDS: Final = 30
_PAGE: Final = re.compile(r"(?:/\w[\w-]*)*")
"""The part of an address after the link: of the table, an evening, a round or a hand."""

link_pages = Blueprint("link_pages", __name__, template_folder="templates", url_prefix="/links/<string:secret>")


@link_pages.before_request
def choose() -> None:
    """Choose the language of the page."""
    use_language()


@link_pages.context_processor
def find_language_form() -> dict[str, str]:
    """Return where the form sends the language, and the page to which it leads back."""
    secret = (request.view_args or {}).get("secret", "")
    has_page = request.method == "GET" or request.endpoint == "link_pages.change_round"
    rest = request.path.split("/", 3)[3:] if has_page else []
    address = url_for("link_pages.change_language", secret=secret)
    return {"language_address": address, "language_page": "".join(f"/{part}" for part in rest)}


@link_pages.after_request
def show_problem(response: Response) -> Response:
    """Show a problem as a page."""
    # A request over the limit is refused before its language is chosen.
    use_language()
    vary_by_language(response)
    if response.mimetype != MEDIA_TYPE:
        return response
    state = current_request()
    assert state.problem is not None, "the response is a problem"
    kind = PROBLEM_KINDS[state.problem]
    title, advice = advise(response.status_code) or (
        pgettext("problem", kind.title),
        describe_kind(state.problem, words=current_translations()),
    )
    page = render_template(
        "link_problem.html",
        title=title,
        advice=advice,
        request_id=state.request_id,
        style_address=find_built(STYLE, ".css"),
    )
    response.set_data(page)
    response.content_type = f"{HTML}; charset=utf-8"
    response.headers.update(_WITH_FORMS | NO_STORE)
    return response


@link_pages.post("/language")
def change_language(secret: str) -> BaseResponse:
    """
    Set the cookie of the language, and show the page again.

    Only the part of the address after the link is received, so that the form cannot lead elsewhere.
    """
    count_request(_hash(secret))
    form = read_form()
    language, page = form.get("language", ""), form.get("page", "")
    if language not in LANGUAGES or _PAGE.fullmatch(page) is None:
        raise NotFound("the language or the page is unknown")
    response = redirect(f"{url_for('link_pages.show_link', secret=secret)}{page}", HTTPStatus.SEE_OTHER)
    remember_language(response, language)
    return response


@link_pages.get("")
def show_link(secret: str) -> Response:
    """Render the page of the table: its rounds, and the way to its scoreboard. A link to a round shows the round."""
    count_request(_hash(secret))
    with database().session() as session:
        key = _authenticate(session, secret)
        if key.round_id is not None:
            return _render_round(session, key, secret, key.round_id)
        return _render_table(session, key, secret)


def _render_table(session: Session, key: StoredKey, secret: str, refusal: Refusal | None = None) -> Response:
    transaction = _reading(session, key)
    link, table = get_link_of_table(transaction, key.id)
    after = read_cursor(request.args.get("cursor"))
    listed = list_rounds(transaction, RoundFilter(table_id=table.id), after=after, limit=_ROUNDS)
    club = get_club(transaction)
    zone = ZoneInfo(club.time_zone)
    newest = club.evening_of(listed.items[0].opened_at) if listed.items and after is None else None
    page = render_template(
        "linked_table.html",
        table=table.name,
        you=link.player,
        secret=secret,
        sum=newest and sum_evening(transaction, club, link, secret, newest, table),
        evenings=show_evenings(transaction, club, link, secret, listed.items),
        money=read_money(transaction, zone, _money_address(secret), refusal=refusal),
        cursor=listed.next_after and show_cursor(listed.next_after),
        expires_at=format_time(link.expires_at.astimezone(UTC), zone),
        style_address=find_built(STYLE, ".css"),
    )
    status = HTTPStatus.OK if refusal is None else PROBLEM_KINDS[refuse(refusal.error).code].status
    return _respond(page, status)


@link_pages.get("/evenings/<string:evening>")
def show_evening(secret: str, evening: str) -> Response:
    """Render the page of an evening of the table: the sum of each player, and the rounds."""
    count_request(_hash(secret))
    with database().session() as session:
        key = _authenticate(session, secret)
        if key.round_id is not None:
            raise NotFound("the link is for one round only")
        transaction = _reading(session, key)
        link, table = get_link_of_table(transaction, key.id)
        club, day = get_club(transaction), read_day(evening)
        listed = list_evening(transaction, club, table.id, day)
        page = render_template(
            "linked_evening.html",
            table=table.name,
            day=format_evening(day),
            table_address=url_for("link_pages.show_link", secret=secret),
            secret=secret,
            sum=sum_evening(transaction, club, link, secret, day, table),
            evenings=show_evenings(transaction, club, link, secret, listed.items),
            cursor=listed.next_after and show_cursor(listed.next_after),
            expires_at=format_time(link.expires_at.astimezone(UTC), ZoneInfo(club.time_zone)),
            style_address=find_built(STYLE, ".css"),
        )
    return _respond(page)


@link_pages.get("/rounds/<uuid:round_id>")
def show_round(secret: str, round_id: UUID) -> Response:
    """Render the players' page of a round of the table."""
    count_request(_hash(secret))
    with database().session() as session:
        return _render_round(session, _authenticate(session, secret), secret, round_id)


@link_pages.get("/rounds/<uuid:round_id>/hands/<int:number>")
def show_hand(secret: str, round_id: UUID, number: int) -> Response:
    """Render the explanation of a hand."""
    count_request(_hash(secret))
    with database().session() as session:
        key = _authenticate(session, secret)
        transaction = _reading(session, key)
        get_link_of_table(transaction, key.id)
        explained, hands = show_linked_hand(transaction, round_id, number)
        page = write_explanation(explained, Neighbours(_address(secret, round_id), number, hands))
    return _respond(page)


@link_pages.post("/rounds/<uuid:round_id>")
def change_round(secret: str, round_id: UUID) -> BaseResponse:
    """
    Do what the player of a personal link has sent, and show the round again.

    They confirm or dispute the settlement, or reply to a dispute that they have opened, or withdraw it.

    A form that is sent twice is a replay, as in the API. No other site can send it, because the secret is part of its
    address.
    """
    count_request(_hash(secret))
    with database().session() as session:
        key = _authenticate(session, secret)
    form = read_form()
    try:
        with database().session() as session, _writing(session, key) as transaction:
            link, _ = get_link_of_table(transaction, key.id)
            about = change_own_round(transaction, key, link, round_id, form)
    except (ConfirmationRefused, DisputeChanged, DisputeInvalid, DisputeRefused, ScoringError, WireError) as error:
        with database().session() as session:
            return _render_round(session, key, secret, round_id, error, form)
    part = "you" if about is None else f"dispute-{about}"
    return redirect(f"{_address(secret, round_id)}#{part}", HTTPStatus.SEE_OTHER)


@link_pages.post("/money")
def change_own_money(secret: str) -> BaseResponse:
    """
    Claim, confirm, decline or withdraw a payment for the player of a personal link, and show the page again.

    A form that is sent twice is recorded once: a payment has the reference of its form.
    """
    count_request(_hash(secret))
    with database().session() as session:
        key = _authenticate(session, secret)
    form = read_form()
    round_id = key.round_id or _read_round(form)
    try:
        with database().session() as session, _writing(session, key) as transaction:
            change_money(transaction, form)
    except REFUSALS as error:
        refusal = Refusal(error, form)
        with database().session() as session:
            if round_id is None:
                return _render_table(session, key, secret, refusal)
            return _render_round(session, key, secret, round_id, refusal=refusal)
    page = url_for("link_pages.show_link", secret=secret) if round_id is None else _address(secret, round_id)
    return redirect(f"{page}#money", HTTPStatus.SEE_OTHER)


def _read_round(form: Mapping[str, str]) -> UUID | None:
    """
    Return the round to whose page a form leads back.

    Raises:
        NotFound: its ID is none.
    """
    try:
        return UUID(form["round"]) if "round" in form else None
    except ValueError:
        raise NotFound("the form names no round") from None


def _reading(session: Session, key: StoredKey) -> Transaction:
    return session.reading(key.club_id, key.table_id, key.round_id, key.player, is_link=key.is_link)


def _writing(session: Session, key: StoredKey) -> AbstractContextManager[Transaction]:
    return session.transaction(
        key.club_id,
        actor=key.id,
        request_id=current_request().request_id,
        table_id=key.table_id,
        round_id=key.round_id,
        player=key.player,
        is_link=key.is_link,
    )


def _render_round(
    session: Session,
    key: StoredKey,
    secret: str,
    round_id: UUID,
    error: ServiceError | ScoringError | WireError | None = None,
    form: Mapping[str, str] = MappingProxyType({}),
    refusal: Refusal | None = None,
) -> Response:
    transaction = _reading(session, key)
    link, _ = get_link_of_table(transaction, key.id)
    page = read_round_page(transaction, round_id)
    money = read_money(transaction, page.zone, _money_address(secret), round_id=round_id, refusal=refusal)
    totals = read_totals(transaction, round_id, page.settlement.revision, page.zone)
    personal = None
    if link.player is not None:
        own = list_own_disputes(transaction, key, round_id)
        personal = Personal(
            player=find_seated(link, read_aliases(transaction), page.round) or link.player,
            can_dispute=has_scope(key.scopes, (KeyScope.DISPUTES,)),
            disputes=own,
            entries=disputes.list_entries_of(transaction, [each.id for each in own]),
            message=None if error is None else explain_refusal(error),
            about=next((each.id for each in own if str(each.id) == form.get("dispute")), None),
            claim=form.get("claim", ""),
            reply=form.get("comment", ""),
        )
    is_table = key.round_id is None
    shown = render_round_page(
        page,
        _address(secret, round_id),
        expires_at=link.expires_at,
        table_address=url_for("link_pages.show_link", secret=secret) if is_table else None,
        evening_address=address_of(secret, page.club.evening_of(page.round.opened_at)) if is_table else None,
        personal=personal,
        money=money,
        totals=totals,
    )
    error = refusal.error if refusal else error
    status = HTTPStatus.OK if error is None else PROBLEM_KINDS[refuse(error).code].status
    return _respond(shown, status)


def _authenticate(session: Session, secret: str) -> StoredKey:
    """
    Find the link of a secret.

    Raises:
        LinkEnded: it has expired or was revoked, or its key has ended.
        NotFound: the link does not exist, or it is a scorekeeper's, whose secret belongs into no address.
    """
    secret_sha256 = _hash(secret)
    key = keys.find(session, secret_sha256)
    is_link = links.is_for_pages(session, secret_sha256)
    if not is_link:
        count_unknown()
        raise NotFound("the link is incomplete or not one of this service")
    if key is None:
        raise LinkEnded("the link has expired or was revoked")
    return key


def _money_address(secret: str) -> str:
    return url_for("link_pages.change_own_money", secret=secret)


def _address(secret: str, round_id: UUID) -> str:
    return url_for("link_pages.show_round", secret=secret, round_id=round_id)


def _hash(secret: str) -> bytes:
    return sha256(secret.encode(errors="replace")).digest()


def _respond(page: str, status: int = HTTPStatus.OK) -> Response:
    return Response(page, status, {**_WITH_FORMS, **NO_STORE}, content_type=f"{HTML}; charset=utf-8")

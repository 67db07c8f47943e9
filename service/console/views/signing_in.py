"""Signing in to the console with a key or a link, signing out, and the operation that creates a link."""

from contextlib import AbstractContextManager
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.links import ConsoleLinkSchema, dump_sign_in_link
from service.clubs.queries import keys
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import KeyScope
from service.console.actions import (
    NewSecret,
    find_link,
    find_session,
    hash_secret,
    issue_console_link,
    sign_in,
    sign_in_with_link,
    sign_out,
)
from service.console.views.pages import console, console_form, render
from service.console.views.session import COOKIE, PATH, current_session, receive_public_form
from service.db import Session, Transaction
from service.errors import KeyUnknown
from service.http.authentication import current_key, current_transaction, database
from service.http.public_address import find_public_url, find_warnings, is_encrypted
from service.http.rate_limits import count_request, count_unknown
from service.http.request_state import current_request
from service.http.resource import Resource
from service.http.responses import NO_STORE, json_response
from service.logs import get_log

_REFUSED: Final = "This key is unknown, expired or revoked, or is not an API key. Check it, or ask for another one."
_LONGEST_ADDRESS: Final = 2000
"""Of a page to show after signing in: the longest that all browsers and proxies accept."""
_LINK_ENDED: Final = "This link was used before, or has expired. Make a new one, or sign in with a key."
_LINK_SCOPES: Final = tuple(KeyScope)
"""Any key can sign in; its scopes decide what it can do."""

console_links = Resource("console links", __name__, description="Links that sign in to the console in a browser.")

_log = get_log(__name__)


@console_links.route("/v1/console-links", methods=["POST"])
@console_links.operation("issue_console_link", *_LINK_SCOPES)
@console_links.response(201, ConsoleLinkSchema)
def post_console_link() -> Response:
    """
    Create a link that signs in to the console once, with the key of this request.

    The link is valid for ten minutes. The session that it begins lasts for twelve hours at most, and ends with the key.
    Only this response has the address, so the request takes no idempotency key: a retry creates another link.
    """
    url = find_public_url()
    link = issue_console_link(current_transaction(), current_key().id)
    address = url + url_for("console.show_link", code=link.secret)
    document = dump_sign_in_link(link.id, address, link.expires_at, list(find_warnings(url)))
    return json_response(document, HTTPStatus.CREATED, headers=NO_STORE)


@console.get("/sign-in")
def show_sign_in(message: str | None = None) -> str:
    """Render the form to sign in with a key."""
    return render("sign_in.html", message=message, address=_own_address(request.args.get("next")))


@console.get("/sign-in/<string:code>")
def show_link(code: str) -> str:
    """
    Render the page of a link, whose button signs in.

    Only the button uses the link up, so that programs that look at addresses in messages do not.
    """
    return render("link.html", code=code)


@console.post("/sign-in")
def begin_session() -> BaseResponse | tuple[str, int]:
    """Begin a session with the key or the link of the form. An earlier session of the browser ends."""
    form = receive_public_form()
    code = form.get("code")
    secret = (form.get("key", "") if code is None else code).strip()
    count_request(hash_secret(secret))
    with database().session() as session:
        new_secret = _use_key(session, secret) if code is None else _use_link(session, code)
    if new_secret is None:
        count_unknown()
        return show_sign_in(_REFUSED if code is None else _LINK_ENDED), HTTPStatus.FORBIDDEN
    _end_earlier_session()
    response = redirect(_own_address(form.get("next")) or url_for("console.show_home"), HTTPStatus.SEE_OTHER)
    response.set_cookie(
        COOKIE,
        new_secret.secret,
        expires=new_secret.expires_at,
        path=PATH,
        secure=is_encrypted(),
        httponly=True,
        samesite="Strict",
    )
    return response


@console.post("/sign-out")
@console_form(show_again=show_sign_in)
def end_session() -> BaseResponse:
    """End the session."""
    session = current_session()
    sign_out(current_transaction(), session.id)
    _log_change("console_signed_out", session.key, session.id)
    response = redirect(url_for("console.show_sign_in"), HTTPStatus.SEE_OTHER)
    response.delete_cookie(COOKIE, path=PATH)
    return response


def _use_key(session: Session, secret: str) -> NewSecret | None:
    """Begin a session with a key; links open no console."""
    key = keys.find(session, hash_secret(secret)) if secret else None
    if key is None or key.is_link:
        return None
    with _writing(session, key) as transaction:
        new_secret = sign_in(transaction, key.id)
    _log_change("console_signed_in", key, new_secret.id, by="key")
    return new_secret


def _use_link(session: Session, code: str) -> NewSecret | None:
    link = find_link(session, code)
    if link is None:
        return None
    try:
        with _writing(session, link.key) as transaction:
            new_secret = sign_in_with_link(transaction, link)
    except KeyUnknown:
        return None
    _log_change("console_signed_in", link.key, new_secret.id, by="link")
    return new_secret


def _end_earlier_session() -> None:
    secret = request.cookies.get(COOKIE)
    if not secret:
        return
    with database().session() as session:
        earlier = find_session(session, secret)
        if earlier is None:
            return
        with _writing(session, earlier.key) as transaction:
            sign_out(transaction, earlier.id)
    _log_change("console_signed_out", earlier.key, earlier.id)


def _writing(session: Session, key: StoredKey) -> AbstractContextManager[Transaction]:
    return session.transaction(key.club_id, actor=key.id, request_id=current_request().request_id)


def _log_change(event: str, key: StoredKey, session_id: UUID, **more: str) -> None:
    """Log that a session began or ended. The log of requests has its ID, and the request ID of each event."""
    ids = {"key": str(key.id), "club": str(key.club_id), "session": str(session_id)}
    _log.info(event, request_id=current_request().request_id, **ids, **more)


def _own_address(address: str | None) -> str | None:
    """Return an address of the console, or None for any other, so that no link leads to another site."""
    # `urlsplit` ignores line breaks and tabs, which a header cannot have.
    if address is None or len(address) > _LONGEST_ADDRESS or not address.isprintable():
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    is_own = not parts.scheme and not parts.netloc and parts.path.startswith(f"{PATH}/") and "\\" not in parts.path
    return address if is_own else None

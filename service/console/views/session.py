"""The session and the form of a request to the console, and what they allow."""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from flask import g, request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from schemas.clubs import ClubView
from service.clubs.actions import get_club
from service.clubs.queries import clubs
from service.clubs.queries.clubs import StoredClub
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import KeyScope, has_scope
from service.console.actions import find_session, hash_secret
from service.console.queries import ConsoleSession
from service.db import Query, Session
from service.http.authentication import current_key, current_transaction
from service.http.public_address import is_own_origin
from service.http.rate_limits import count_request, count_unknown
from service.http.request_body import receive_body
from service.http.request_state import current_request
from service.verification.queries.findings import count_unacknowledged

COOKIE: Final = "ofc_console"
PATH: Final = "/console"
CSRF: Final = "csrf"
"""The field of a form that proves that a page of the console sent it."""
_FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 200


class SignedOut(Exception):
    """The request has no valid session."""


class FormForged(Exception):
    """A form was not sent by a page of the console, or by a page of another session."""


@dataclass(slots=True)
class ConsoleState:
    """
    The data of a page that its parts share.

    Attributes:
        secret: the secret of the session.
        session: the session.
        club: the club of the session, and `zone` its time zone; None before the first read.
        form: what was sent; empty if the page is not shown again after a refusal.
        refusal: why a form was refused; it is shown once.
        seat_names: the players of the round that the page is about, by seat.
        page_path: the path of the page, where it is not that of the request.
        findings: how many findings of the last verification nobody has acknowledged.
    """

    secret: str
    session: ConsoleSession
    club: StoredClub | None = None
    zone: ZoneInfo | None = None
    form: dict[str, str] = field(default_factory=dict)
    refusal: str | None = None
    seat_names: Mapping[int, str] | None = None
    page_path: str | None = None
    findings: int = 0


def console_state() -> ConsoleState:
    """Return the state of the page of the current request, which has a session."""
    state: ConsoleState = g.console_state
    return state


def find_console_state() -> ConsoleState | None:
    """Return the state of the page of the current request; None without a session."""
    state: ConsoleState | None = g.get("console_state")
    return state


class SessionCaller:
    """A browser with a session of the console, whose secret is in a cookie."""

    def admit(self) -> bytes:
        """
        Read the cookie of the request.

        Raises:
            SignedOut: there is none.
            TooManyRequests: a rate limit is exceeded.
        """
        secret = request.cookies.get(COOKIE)
        if not secret:
            raise SignedOut
        secret_sha256 = hash_secret(secret)
        count_request(secret_sha256)
        return secret_sha256

    def begin(
        self, session: Session, secret_sha256: bytes, *, is_reading: bool, ahead: Sequence[Query] = ()
    ) -> tuple[StoredKey, None]:
        """
        Find the session of the cookie; no transaction is begun with it.

        Raises:
            SignedOut: there is none, or it or its key has ended.
            TooManyRequests: its address has sent too many of these.
        """
        console_session = find_session(session, request.cookies[COOKIE])
        if console_session is None:
            count_unknown()
            raise SignedOut
        g.console_state = ConsoleState(request.cookies[COOKIE], console_session)
        state = current_request()
        state.key, state.session_id = console_session.key, console_session.id
        return console_session.key, None


BY_SESSION: Final = SessionCaller()


def current_session() -> ConsoleSession:
    """Return the session of the request."""
    return console_state().session


def allows(*scopes: KeyScope) -> bool:
    """Return whether the key of the session has one of the scopes."""
    return has_scope(current_key().scopes, scopes)


def current_club() -> ClubView:
    """Return the club of the session."""
    return get_club(current_transaction())


def club_zone() -> ZoneInfo:
    """Return the time zone of the club."""
    state = console_state()
    if state.zone is None:
        state.club = clubs.get(current_transaction())
        state.zone = ZoneInfo(state.club.time_zone)
        state.findings = count_unacknowledged(current_transaction())
    return state.zone


def read_form() -> dict[str, str]:
    """Return the form of the request; it is empty if the page is not shown again after a refusal."""
    state = find_console_state()
    return {} if state is None else state.form


def receive_public_form() -> dict[str, str]:
    """
    Return a form that needs no session.

    Raises:
        FormForged: a page of another site sent it.
    """
    check_origin()
    return receive_form()


def receive_form() -> dict[str, str]:
    """
    Receive the fields of a form. Of a field that is sent several times, the last value counts.

    Raises:
        UnsupportedMediaType: the body is not a form.
        BadRequest: the form has too many fields.
    """
    if request.mimetype != _FORM:
        raise UnsupportedMediaType
    body = receive_body().decode(errors="replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError as error:
        raise BadRequest from error


def check_origin() -> None:
    """
    Check that a page of this service sent the form: browsers say so.

    Raises:
        FormForged: a page of another site sent it.
    """
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    # Only old browsers send no origin; those that need `Sec-Fetch-Site` over HTTPS always send both.
    if site not in ("same-origin", "none") or (origin is not None and not is_own_origin(origin)):
        raise FormForged


def check_csrf(form: Mapping[str, str]) -> None:
    """
    Check that a page of the session sent a form.

    Raises:
        FormForged: the field `csrf` has not the value of the session.
    """
    if not hmac.compare_digest(form.get(CSRF, "").encode(errors="replace"), csrf_token().encode()):
        raise FormForged


def csrf_token() -> str:
    """Return the value of the field `csrf` in the forms of the session."""
    return hmac.new(console_state().secret.encode(), b"csrf", "sha256").hexdigest()

"""Phones of scorekeepers: the link that signs one in once, over the API and in the console, and its use."""

from http import HTTPStatus

from flask import Response

from schemas.links import (
    CurrentLinkSchema,
    PhoneLinkSchema,
    PhoneSignInSchema,
    dump_current_link,
    dump_sign_in_link,
)
from service.clubs.queries import keys
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import KeyScope
from service.console.actions import NewSecret, find_phone_link, hash_secret, issue_phone_link, sign_in_phone
from service.console.views.links import draw_code
from service.console.views.pages import console, console_form, console_page, render
from service.errors import KeyUnknown, LinkEnded
from service.http.authentication import current_key, current_transaction, database
from service.http.public_address import find_public_url, find_warnings
from service.http.rate_limits import count_request, count_unknown
from service.http.request_state import current_request
from service.http.resource import Resource
from service.http.responses import NO_STORE, json_response
from service.links.actions.links import get_link
from service.links.views.links import SCOREKEEPER
from service.logs import get_log

phone_links = Resource("phone links", __name__, description="Links that make a phone a scorekeeper of the club.")

_log = get_log(__name__)


@phone_links.route("/v1/phone-links", methods=["POST"])
@phone_links.operation("issue_phone_link", KeyScope.TABLES)
@phone_links.response(201, PhoneLinkSchema)
def post_phone_link() -> Response:
    """
    Create a link that makes one phone a scorekeeper of the club, once.

    The link is valid for ten minutes. The phone that opens it gets a link of the kind `club`, which is valid for 30
    days, is listed and revoked as other links are, and ends with the key of this request, which needs the scopes
    `read`, `write` and `tables`. Only this response has the address, so the request takes no idempotency key: a retry
    creates another link.
    """
    url = find_public_url()
    issued = issue_phone_link(current_transaction(), current_key().id)
    address = find_phone_address(url, issued)
    document = dump_sign_in_link(issued.id, address, issued.expires_at, list(find_warnings(url)))
    return json_response(document, HTTPStatus.CREATED, headers=NO_STORE)


def find_phone_address(url: str, issued: NewSecret) -> str:
    """Return the address that a phone opens to sign in."""
    return f"{url}{SCOREKEEPER}#{issued.secret}"


@phone_links.route("/v1/phones", methods=["POST"])
@phone_links.operation("sign_in_phone", uses_database=False, is_internal=True)
@phone_links.arguments(PhoneSignInSchema)
@phone_links.response(201, CurrentLinkSchema)
def post_phone(sign_in: dict[str, str | None]) -> Response:
    """
    Issue a link to the club to a phone, with the code of a link that signs in once.

    The response is the link that the phone has from now on, whose secret the phone has drawn and sends like a key. Sent
    again with the same secret, the response is the same link. A code that was used with another secret, has expired or
    does not exist is a 410.
    """
    code, secret = str(sign_in["code"]), str(sign_in["secret"])
    count_request(hash_secret(code))
    key = _find(secret)
    if key is None:
        _use(code, secret, sign_in["label"])
        key = _find(secret)
    if key is None:
        count_unknown()
        raise LinkEnded("the link was used before, has expired or does not exist; expected a new link")
    with database().session() as session:
        document = dump_current_link(*get_link(session.reading(key.club_id), key.id))
    return json_response(document, HTTPStatus.CREATED, headers=NO_STORE)


def _find(secret: str) -> StoredKey | None:
    """Find the valid link of a phone."""
    with database().session() as session:
        key = keys.find(session, hash_secret(secret))
    return key if key is not None and key.is_link and key.table_id is None else None


def _use(code: str, secret: str, label: str | None) -> None:
    """Sign a phone in, if the code is that of a link that was not used, also not in the meantime."""
    request_id = current_request().request_id
    with database().session() as session:
        signing_in = find_phone_link(session, code)
        if signing_in is None:
            return
        key = signing_in.key
        try:
            with session.transaction(key.club_id, actor=key.id, request_id=request_id) as transaction:
                link = sign_in_phone(transaction, signing_in, secret, label)
        except KeyUnknown:
            return
    ids = {"key": str(key.id), "club": str(key.club_id), "link": str(link.id)}
    _log.info("phone_signed_in", request_id=request_id, **ids)


@console.get("/phones/new")
@console_page(KeyScope.TABLES)
def show_new_phone() -> str:
    """Render the form that creates a link which signs a phone in."""
    return render("new_phone.html")


@console.post("/phones/new")
@console_form(KeyScope.TABLES, show_again=show_new_phone)
def sign_phone_in() -> str:
    """Create a link that signs a phone in, and show it once as a QR code. Sending the form again creates another."""
    url = find_public_url()
    issued = issue_phone_link(current_transaction(), current_key().id)
    address = find_phone_address(url, issued)
    return render(
        "phone_link.html",
        address=address,
        expires_at=issued.expires_at,
        code=draw_code(address),
        warnings=list(find_warnings(url)),
    )

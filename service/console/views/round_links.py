"""Links to rounds: issue one, list those that were revoked, and revoke one."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.access import ViewerLinkRequestSchema, dump_link, parse_token
from schemas.base import load
from schemas.fields import show_time
from schemas.pages import cursor_error
from service.clubs.scopes import KeyScope
from service.console.views.exports import Column, send_list, wanted_form
from service.console.views.links import LIFETIMES, SCOPES, draw_code
from service.console.views.pages import PAGE_SIZE, console, console_form, console_page, render
from service.console.views.rounds.reading import read_round
from service.console.views.session import read_form
from service.http.authentication import current_transaction
from service.http.public_address import find_public_url, find_warnings
from service.links.actions import issue_link, revoke_link
from service.links.queries import RevokedLink, list_revoked

REVOKED_COLUMNS: Final[tuple[Column[RevokedLink], ...]] = (
    Column("round", lambda each: str(each.round_id)),
    Column("reference", lambda each: each.reference),
    Column("table_name", lambda each: each.table),
    Column("expires_at", lambda each: show_time(each.expires_at)),
    Column("revoked_at", lambda each: show_time(each.revoked_at)),
)
_REQUEST: Final = ViewerLinkRequestSchema()


@console.get("/rounds/<uuid:round_id>/link")
@console_page(KeyScope.WRITE)
def show_new_round_link(round_id: UUID) -> str:
    """Render the form that issues a link to a round."""
    chosen = {"expires_in": "604800"} | read_form()
    return render("new_round_link.html", read=read_round(round_id, None), lifetimes=LIFETIMES.items(), chosen=chosen)


@console.post("/rounds/<uuid:round_id>/link")
@console_form(KeyScope.WRITE, show_again=show_new_round_link)
def issue_round_link(round_id: UUID) -> str:
    """Issue a link to a round, and show it once with its QR code. Sending the form again issues another link."""
    given = read_form().get("expires_in", "")
    wanted: dict[str, Any] = load(_REQUEST, {"expires_in": int(given[:9]) if given.isdecimal() else given})
    url = find_public_url()
    issued = issue_link(current_transaction(), round_id, timedelta(seconds=wanted["expires_in"]))
    page = url + dump_link(issued)["url"]
    return render(
        "issued_round_link.html",
        read=read_round(round_id, None),
        page=page,
        expires_at=issued.expires_at,
        code=draw_code(page),
        warnings=list(find_warnings(url)),
    )


@console.get("/links/rounds")
@console_page(*SCOPES)
def list_round_links() -> str | Response:
    """Render the revoked links to rounds, newest first, or send them as a file."""
    before = _read_place(request.args.get("cursor", ""))
    if form := wanted_form():
        return send_list("revoked-links", form, REVOKED_COLUMNS, list_revoked(current_transaction(), limit=None))
    found = list_revoked(current_transaction(), before=before, limit=PAGE_SIZE + 1)
    shown = found[:PAGE_SIZE]
    next_cursor = _show_place(shown[-1]) if len(found) > PAGE_SIZE else None
    return render("round_links.html", links=shown, next_cursor=next_cursor)


@console.post("/links/rounds")
@console_form(KeyScope.WRITE, show_again=list_round_links)
def end_round_link() -> BaseResponse:
    """Revoke a link to a round by its address, and show the list."""
    path = read_form().get("address", "").strip().partition("?")[0]
    token = path.partition("/links/")[2].partition("/")[0] or path
    revoke_link(current_transaction(), parse_token(token))
    return redirect(url_for("console.list_round_links"), HTTPStatus.SEE_OTHER)


def _show_place(link: RevokedLink) -> str:
    return urlsafe_b64encode(f"{link.revoked_at.isoformat()} {link.round_id}".encode()).decode().rstrip("=")


def _read_place(cursor: str) -> tuple[datetime, UUID] | None:
    if not cursor:
        return None
    try:
        moment, _, round_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        at = datetime.fromisoformat(moment)
        return at, UUID(round_id)
    except (binascii.Error, ValueError) as error:
        raise cursor_error(cursor) from error

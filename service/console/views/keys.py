"""The API keys of the club: list and revoke them."""

from datetime import datetime
from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.fields import show_time
from schemas.pages import PageQuerySchema, show_cursor
from service.clubs.actions import list_own_keys, revoke_own_key
from service.clubs.queries import keys
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_query
from service.console.views.exports import Column, read_all, send_list, wanted_form
from service.console.views.pages import PAGE_SIZE, console, console_form, console_page, render
from service.console.views.session import current_session
from service.http.authentication import current_transaction

COLUMNS: Final[tuple[Column[IssuedKey], ...]] = (
    Column("id", lambda key: str(key.id)),
    Column("prefix", lambda key: key.prefix),
    Column("name", lambda key: key.name),
    Column("scopes", lambda key: " ".join(key.scopes)),
    Column("created_at", lambda key: show_time(key.created_at)),
    Column("expires_at", lambda key: show_time(key.expires_at)),
    Column("revoked_at", lambda key: show_time(key.revoked_at)),
    Column("last_used_at", lambda key: show_time(key.last_used_at)),
)
_QUERY: Final = PageQuerySchema()


@console.get("/keys")
@console_page(KeyScope.ADMIN)
def list_keys() -> str | Response:
    """Render the keys of the club, newest first, or send them as a file."""
    query = read_query(_QUERY)
    if form := wanted_form():
        rows = read_all(lambda transaction, after: list_own_keys(transaction, after=after, limit=500))
        return send_list("keys", form, COLUMNS, rows)
    page = list_own_keys(current_transaction(), after=query["cursor"], limit=PAGE_SIZE)
    return render(
        "keys.html",
        keys=page.items,
        state=describe_state,
        next_cursor=page.next_after and show_cursor(page.next_after),
        own_id=current_session().key.id,
    )


@console.get("/keys/<uuid:key_id>/revoke")
@console_page(KeyScope.ADMIN)
def confirm_key_revocation(key_id: UUID) -> str:
    """Render the page that asks whether to revoke a key."""
    key = keys.get(current_transaction(), key_id)
    return render("revoke_key.html", key=key, is_own=key.id == current_session().key.id)


@console.post("/keys/<uuid:key_id>/revoke")
@console_form(KeyScope.ADMIN, show_again=confirm_key_revocation)
def revoke_key(key_id: UUID) -> BaseResponse:
    """Revoke a key, and show the list. If it is the key of the session, the session ends."""
    revoke_own_key(current_transaction(), key_id)
    return redirect(url_for("console.list_keys"), HTTPStatus.SEE_OTHER)


def describe_state(ends_at: datetime | None, revoked_at: datetime | None) -> tuple[str, str]:
    """Return the state of a key or a link in a word, and the kind of its label."""
    now = current_transaction().now
    if revoked_at is not None and revoked_at <= now:
        return "revoked", ""
    return ("expired", "") if ends_at is not None and ends_at <= now else ("valid", "accent")

"""The API keys of the club: list and revoke them."""

from datetime import datetime
from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from service.clubs.actions import list_own_keys, revoke_own_key
from service.clubs.queries import keys
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import KeyScope
from service.console.views.exports import Column
from service.console.views.listing import Listing, show_list
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import current_session
from service.http.authentication import current_transaction

KEYS: Final = Listing[IssuedKey](
    name="keys",
    title="Keys",
    columns=(
        Column("id", lambda key: key.id),
        Column("name", lambda key: key.name, "Name", "key_name", is_header=True),
        Column("prefix", lambda key: key.prefix, "Begins with", "key_prefix"),
        Column("state", heading="State", cell="key_state"),
        Column("scopes", lambda key: " ".join(key.scopes), "Scopes", "key_scopes"),
        Column("created_at", lambda key: key.created_at, "Created"),
        Column("ends_at", lambda key: key.ends_at, "Ends", empty="never", in_files=False),
        Column("expires_at", lambda key: key.expires_at),
        Column("revoked_at", lambda key: key.revoked_at),
        Column("last_used_at", lambda key: key.last_used_at, "Last used", empty="never"),
        Column("action", heading="", cell="key_action"),
    ),
    read=lambda transaction, _query, after, limit: list_own_keys(transaction, after=after, limit=limit),
    none="There are no more keys.",
)


@console.get("/keys")
@console_page(KeyScope.ADMIN)
def list_keys() -> str | Response:
    """Render the keys of the club, newest first, or send them as a file."""
    return show_list(KEYS, "keys.html", state=describe_state)


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

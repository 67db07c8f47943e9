"""The API keys of the club, and the sessions of the console that began with them: list and end both."""

from datetime import datetime
from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.fields import Choice, UuidField
from service.clubs.actions import count_own_keys, list_own_keys, revoke_own_key
from service.clubs.queries import keys
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import KeyScope
from service.console import actions as sessions
from service.console.queries import ListedSession, SessionFilter
from service.console.views.exports import Column
from service.console.views.listing import Filter, Listing, by_time, show_list
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import console_state, current_session
from service.http.authentication import current_key, current_transaction
from service.http.request_state import current_request
from service.logs import get_log

KEYS: Final = Listing[IssuedKey](
    name="keys",
    title="Keys",
    columns=(
        Column("id", lambda key: key.id),
        Column("name", lambda key: key.name, "Name", "key_name", is_header=True),
        Column("prefix", lambda key: key.prefix, "Begins with", "key_prefix"),
        Column("player", lambda key: key.player, "Player"),
        Column("state", heading="State", cell="key_state"),
        Column("scopes", lambda key: " ".join(key.scopes), "Scopes", "key_scopes"),
        Column("created_at", lambda key: key.created_at, "Created"),
        Column("ends_at", lambda key: key.ends_at, "Ends", empty="never", in_files=False),
        Column("expires_at", lambda key: key.expires_at),
        Column("revoked_at", lambda key: key.revoked_at),
        Column("last_used_at", lambda key: key.last_used_at, "Last used", empty="never"),
        Column("created_by", lambda key: key.created_by),
        Column("action", heading="", cell="key_action"),
    ),
    read=lambda transaction, query, after, limit: list_own_keys(
        transaction, after=after, limit=limit, oldest_first=query["sort"] == "oldest"
    ),
    count=lambda transaction, _query, limit: count_own_keys(transaction, limit),
    none="There are no more keys.",
    rows=("key", "keys"),
    orders=by_time("created_at"),
)
SESSIONS: Final = Listing[ListedSession](
    name="sessions",
    title="Sessions of the console",
    columns=(
        Column("id", lambda each: each.id),
        Column("key", lambda each: each.key_id),
        Column("key_name", lambda each: each.key_name, "Key", "session_key", is_header=True),
        Column("key_prefix", lambda each: each.key_prefix, "Begins with", "session_prefix"),
        Column("state", heading="State", cell="session_state"),
        Column("created_at", lambda each: each.created_at, "Begun"),
        Column("ends_at", lambda each: each.ends_at, "Ends", in_files=False),
        Column("expires_at", lambda each: each.expires_at),
        Column("ended_at", lambda each: each.ended_at),
        Column("key_revoked_at", lambda each: each.key_revoked_at),
        Column("action", heading="", cell="session_action"),
    ),
    read=lambda transaction, query, after, limit: sessions.list_sessions(
        transaction, SessionFilter(query["key"], query["state"]), after=after, limit=limit
    ),
    count=lambda transaction, query, limit: sessions.count_sessions(
        transaction, SessionFilter(query["key"], query["state"]), limit
    ),
    none="No session is listed.",
    rows=("session", "sessions"),
    filters=(
        Filter("key", UuidField(), "Key", kind="hidden"),
        Filter(
            "state",
            Choice({"open": True, "ended": False}),
            "State",
            (("", "All"), ("open", "Open"), ("ended", "Ended")),
        ),
    ),
)

_log = get_log(__name__)


@console.get("/keys")
@console_page(KeyScope.ADMIN)
def list_keys() -> str | Response:
    """Render the keys of the club, newest first, or send them as a file."""
    return show_list(KEYS, "keys.html", state=describe_state)


@console.get("/keys/<uuid:key_id>/revoke")
@console_page(KeyScope.ADMIN)
def confirm_key_revocation(key_id: UUID) -> str:
    """Render the page that asks whether to revoke a key, with the number of its open sessions."""
    transaction = current_transaction()
    key = keys.get(transaction, key_id)
    open_sessions = sessions.count_sessions(transaction, SessionFilter(key.id, is_open=True))
    is_own = key.id == current_session().key.id
    return render("revoke_key.html", key=key, is_own=is_own, open_sessions=open_sessions)


@console.post("/keys/<uuid:key_id>/revoke")
@console_form(KeyScope.ADMIN, show_again=confirm_key_revocation)
def revoke_key(key_id: UUID) -> BaseResponse:
    """Revoke a key, and show the list. If it is the key of the session, the session ends."""
    revoke_own_key(current_transaction(), key_id)
    return redirect(url_for("console.list_keys"), HTTPStatus.SEE_OTHER)


@console.get("/keys/sessions")
@console_page(KeyScope.ADMIN)
def list_sessions(session_id: UUID | None = None) -> str | Response:
    """
    Render the sessions of the club, newest first, or send them as a file.

    Args:
        session_id: a session that could not be ended, when the page is shown again.
    """
    console_state().page_path = url_for("console.list_sessions")
    return show_list(SESSIONS, "sessions.html", state=_describe_session)


@console.post("/keys/sessions/<uuid:session_id>/end")
@console_form(KeyScope.ADMIN, show_again=list_sessions)
def end_any_session(session_id: UUID) -> BaseResponse:
    """End a session of the club, and show the list. If it is the own one, the next page asks to sign in."""
    ended = sessions.end_session(current_transaction(), session_id)
    ids = {"key": str(ended.key_id), "club": str(current_key().club_id), "session": str(ended.id)}
    _log.info("console_session_ended", request_id=current_request().request_id, by=str(current_session().id), **ids)
    return redirect(url_for("console.list_sessions"), HTTPStatus.SEE_OTHER)


def _describe_session(listed: ListedSession) -> tuple[str, str]:
    """Return the state of a session in words, and the kind of its label."""
    now = current_transaction().now
    if listed.ends_at > now:
        return "open", "accent"
    if listed.ended_at is not None:
        return "ended", ""
    return ("expired" if listed.expires_at <= now else "key revoked"), ""


def describe_state(ends_at: datetime | None, revoked_at: datetime | None) -> tuple[str, str]:
    """Return the state of a key or a link in a word, and the kind of its label."""
    now = current_transaction().now
    if revoked_at is not None and revoked_at <= now:
        return "revoked", ""
    return ("expired", "") if ends_at is not None and ends_at <= now else ("valid", "accent")

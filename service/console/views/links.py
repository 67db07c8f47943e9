"""Links to tables: list, issue and revoke them."""

from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import segno
from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from evidence.events import TableLinkKind
from schemas.base import load
from schemas.fields import Choice, show_time
from schemas.game_fields import TableNameField
from schemas.pages import PageQuerySchema, show_cursor
from schemas.table_links import TableLinkRequest, TableLinkRequestSchema
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_query
from service.console.views.exports import Column, read_all, send_list, wanted_form
from service.console.views.keys import describe_state
from service.console.views.pages import PAGE_SIZE, console, console_form, console_page, render
from service.console.views.session import current_session, read_form
from service.db import Transaction
from service.errors import NotFound
from service.http.authentication import current_transaction
from service.http.public_address import find_public_url, find_warnings
from service.table_links.actions import get_link, issue_table_link, list_club_links, revoke_table_link
from service.table_links.queries import LinkFilter, ListedLink
from service.table_links.views.links import find_addresses
from service.tables import queries as tables

SCOPES: Final = (KeyScope.WRITE, KeyScope.ADMIN)
LIFETIMES: Final = {
    "43200": "12 hours",
    "86400": "24 hours",
    "259200": "3 days",
    "604800": "7 days",
    "2592000": "30 days",
    "31536000": "365 days",
}
KINDS: Final = {
    "scorekeeper": "Scorekeeper: records rounds",
    "viewer": "Viewer: reads the table",
    "player": "Player: confirms and disputes results",
}
MOST_TABLES: Final = 200
"""How many tables a form suggests."""
COLUMNS: Final[tuple[Column[ListedLink], ...]] = (
    Column("id", lambda each: str(each.id)),
    Column("table", lambda each: str(each.link.table_id)),
    Column("table_name", lambda each: each.table),
    Column("label", lambda each: each.link.label),
    Column("kind", lambda each: each.link.kind.value),
    Column("player", lambda each: each.link.player),
    Column("key_name", lambda each: each.key),
    Column("created_at", lambda each: show_time(each.link.created_at)),
    Column("expires_at", lambda each: show_time(each.link.expires_at)),
    Column("revoked_at", lambda each: show_time(each.link.revoked_at)),
    Column("last_used_at", lambda each: show_time(each.link.last_used_at)),
)


class LinkQuerySchema(PageQuerySchema):
    """The filter of links to tables."""

    table = TableNameField()
    kind = Choice({kind.value: kind for kind in TableLinkKind})
    state = Choice({"valid": True, "ended": False})


_QUERY: Final = LinkQuerySchema()
_REQUEST: Final = TableLinkRequestSchema()


@console.get("/links")
@console_page(*SCOPES)
def list_links() -> str | Response:
    """Render the links to tables, newest first, or send them as a file."""
    query = read_query(_QUERY)
    transaction = current_transaction()
    table = None if query["table"] is None else find_table(transaction, query["table"])
    wanted = LinkFilter(table, query["kind"], query["state"])
    if form := wanted_form():
        rows = read_all(lambda reading, after: list_club_links(reading, wanted, after=after, limit=500))
        return send_list("links", form, COLUMNS, rows)
    page = list_club_links(transaction, wanted, after=query["cursor"], limit=PAGE_SIZE)
    return render(
        "links.html",
        links=page.items,
        state=describe_state,
        next_cursor=page.next_after and show_cursor(page.next_after),
        tables=list_table_names(transaction),
    )


@console.get("/links/new")
@console_page(KeyScope.WRITE)
def show_new_link() -> str:
    """Render the form that issues a link to a table."""
    return render(
        "new_link.html",
        tables=list_table_names(current_transaction()),
        kinds=KINDS.items(),
        lifetimes=LIFETIMES.items(),
        chosen={"table": request.args.get("table", ""), "expires_in": "86400"} | read_form(),
    )


@console.post("/links/new")
@console_form(KeyScope.WRITE, show_again=show_new_link)
def issue_link() -> str:
    """Issue a link to a table, and show it once with its QR code. Sending the form again issues another link."""
    form = {name: value.strip() for name, value in read_form().items()}
    url = find_public_url()
    transaction = current_transaction()
    asked: dict[str, Any] = {name: form[name] for name in ("kind", "player", "label") if form.get(name)}
    if form.get("kind") != TableLinkKind.PLAYER:
        asked.pop("player", None)
    if form.get("expires_in", "").isdecimal():
        asked["expires_in"] = int(form["expires_in"][:9])
    wanted: TableLinkRequest = load(_REQUEST, asked)
    table_id = find_table(transaction, form.get("table", ""))
    issued = issue_table_link(transaction, table_id, wanted, current_session().key.id)
    page, board = find_addresses(url, issued)
    return render(
        "issued_link.html",
        link=issued.link,
        table=form["table"],
        page=page,
        board=board,
        code=draw_code(page),
        warnings=list(find_warnings(url)),
    )


@console.get("/links/<uuid:table_id>/<uuid:link_id>/revoke")
@console_page(*SCOPES)
def confirm_link_revocation(table_id: UUID, link_id: UUID) -> str:
    """Render the page that asks whether to revoke a link to a table."""
    transaction = current_transaction()
    link, table = get_link(transaction, table_id, link_id)
    return render("revoke_link.html", link=link, table=table)


@console.post("/links/<uuid:table_id>/<uuid:link_id>/revoke")
@console_form(SCOPES, show_again=confirm_link_revocation)
def end_link(table_id: UUID, link_id: UUID) -> BaseResponse:
    """Revoke a link to a table, and show the list."""
    revoke_table_link(current_transaction(), table_id, link_id)
    return redirect(url_for("console.list_links"), HTTPStatus.SEE_OTHER)


def draw_code(address: str) -> str:
    """Return the QR code of an address as the source of an image."""
    return segno.make(address, error="m", micro=False).svg_data_uri(scale=6, light="white")


def find_table(transaction: Transaction, name: str) -> UUID:
    """
    Return the ID of a table by its name.

    Raises:
        NotFound: the club has no table with this name.
    """
    found = tables.find(transaction, name)
    if found is None:
        raise NotFound(f"there is no table {name[:100]!r}; expected the name of a table of the club")
    return found.id


def list_table_names(transaction: Transaction) -> list[str]:
    """List the names of the newest tables, which forms suggest."""
    return [table.name for table in tables.list_page(transaction, limit=MOST_TABLES)]

"""Links to tables and rounds: list, issue and revoke them."""

from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import segno
from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from evidence.events import LinkKind
from schemas.base import load
from schemas.fields import Choice
from schemas.links import ROUND_LIFETIME, TABLE_LIFETIME, LinkRequest, LinkRequestSchema
from service.clubs.scopes import KeyScope
from service.console.views.addresses import table_of
from service.console.views.exports import Column
from service.console.views.keys import describe_state
from service.console.views.listing import NAME, Filter, Listing, Query, by_time, show_list
from service.console.views.navigation.finding import TABLE
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.rounds.reading import read_round
from service.console.views.session import current_session, read_form
from service.db import Transaction
from service.db.pages import Page
from service.errors import NotFound
from service.http.authentication import current_transaction
from service.http.public_address import find_public_url, find_warnings
from service.links.actions import links
from service.links.queries import LinkFilter, ListedLink
from service.links.views.links import find_addresses
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
    "viewer": "Viewer: reads",
    "player": "Player: confirms and disputes results",
}
KINDS_OF_ROUNDS: Final = {kind: title for kind, title in KINDS.items() if kind != LinkKind.SCOREKEEPER}
MOST_TABLES: Final = 200
"""How many tables a form suggests."""


def _read_links(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Page[ListedLink]:
    oldest_first = query["sort"] == "oldest"
    return links.list_links(transaction, _filter(query), after=after, limit=limit, oldest_first=oldest_first)


def _filter(query: Query) -> LinkFilter:
    return LinkFilter(kind=query["kind"], is_valid=query["state"], **table_of(query))


LINKS: Final = Listing[ListedLink](
    name="links",
    title="Links",
    columns=(
        Column("id", lambda each: each.id),
        Column("label", lambda each: each.link.label, "Label", is_header=True),
        Column("kind", lambda each: each.link.kind, "Kind", "link_kind"),
        Column("player", lambda each: each.link.player),
        Column("table", lambda each: each.link.table_id),
        Column("table_name", lambda each: each.table, "Shows", "link_place"),
        Column("round", lambda each: each.link.round_id),
        Column("reference", lambda each: each.reference),
        Column("state", heading="State", cell="link_state"),
        Column("created_at", lambda each: each.link.created_at, "Issued"),
        Column("ends_at", lambda each: each.link.revoked_at or each.link.expires_at, "Ends", in_files=False),
        Column("expires_at", lambda each: each.link.expires_at),
        Column("revoked_at", lambda each: each.link.revoked_at),
        Column("last_used_at", lambda each: each.link.last_used_at, "Last used", empty="never"),
        Column("key_name", lambda each: each.key, "By key"),
        Column("action", heading="", cell="link_action"),
    ),
    read=_read_links,
    count=lambda transaction, query, limit: links.count_links(transaction, _filter(query), limit),
    none="The club has no links. They appear here after they are issued here, on the page of a round or over the API.",
    no_match="No link matches.",
    rows=("link", "links"),
    orders=by_time("created_at"),
    filters=(
        Filter("table", label="Table", attributes=NAME, finder=TABLE),
        Filter(
            "kind",
            Choice({kind.value: kind for kind in LinkKind}),
            "Kind",
            (("", "All"), *((kind.value, kind.value.capitalize()) for kind in LinkKind)),
        ),
        Filter(
            "state",
            Choice({"valid": True, "ended": False}),
            "State",
            (("", "All"), ("valid", "Valid"), ("ended", "Ended")),
        ),
    ),
)
_REQUEST: Final = LinkRequestSchema()


@console.get("/links")
@console_page(*SCOPES)
def list_links() -> str | Response:
    """Render the links, newest first, or send them as a file."""
    return show_list(LINKS, "links.html", state=describe_state)


@console.get("/links/new")
@console_page(KeyScope.WRITE)
def show_new_link() -> str:
    """Render the form that issues a link: to a round if the address names one, and else to a table."""
    chosen = {name: request.args.get(name, "") for name in ("table", "round")} | read_form()
    if chosen["round"]:
        read, kinds, default = read_round(_read_id(chosen["round"]), None), KINDS_OF_ROUNDS, ROUND_LIFETIME
    else:
        read, kinds, default = None, KINDS, TABLE_LIFETIME
    return render(
        "new_link.html",
        read=read,
        tables=list_table_names(current_transaction()),
        kinds=kinds.items(),
        lifetimes=LIFETIMES.items(),
        chosen={"expires_in": f"{default.total_seconds():.0f}"} | chosen,
    )


@console.post("/links/new")
@console_form(KeyScope.WRITE, show_again=show_new_link)
def issue_link() -> str:
    """Issue a link, and show it once with its QR code. Sending the form again issues another link."""
    form = {name: value.strip() for name, value in read_form().items()}
    url = find_public_url()
    transaction = current_transaction()
    asked: dict[str, Any] = {name: form[name] for name in ("round", "kind", "player", "label") if form.get(name)}
    if form.get("kind") != LinkKind.PLAYER:
        asked.pop("player", None)
    if lifetime := form.get("expires_in", ""):
        asked["expires_in"] = int(lifetime[:9]) if lifetime.isdecimal() else lifetime
    if "round" not in asked:
        asked["table"] = str(find_table(transaction, form.get("table", "")))
    link_request: LinkRequest = load(_REQUEST, asked)
    issued = links.issue_link(transaction, link_request, current_session().key.id)
    page, board = find_addresses(url, issued)
    return render(
        "issued_link.html",
        link=issued.link,
        table=links.get_link(transaction, issued.link.id)[1],
        page=page,
        board=board,
        code=draw_code(page),
        warnings=list(find_warnings(url)),
    )


@console.get("/links/<uuid:link_id>/revoke")
@console_page(*SCOPES)
def confirm_link_revocation(link_id: UUID) -> str:
    """Render the page that asks whether to revoke a link."""
    link, table = links.get_link(current_transaction(), link_id)
    return render("revoke_link.html", link=link, table=table)


@console.post("/links/<uuid:link_id>/revoke")
@console_form(*SCOPES, show_again=confirm_link_revocation)
def end_link(link_id: UUID) -> BaseResponse:
    """Revoke a link, and show the list."""
    links.revoke_link(current_transaction(), link_id)
    return redirect(url_for("console.list_links"), HTTPStatus.SEE_OTHER)


def _read_id(text: str) -> UUID:
    """
    Return the ID of a round.

    Raises:
        NotFound: it is not an ID.
    """
    try:
        return UUID(text)
    except ValueError as error:
        raise NotFound(f"there is no round {text[:80]!r}; expected the ID of a round of the club") from error


def draw_code(address: str) -> str:
    """Return the QR code of an address as the source of an image."""
    return segno.make(address, error="m", micro=False).svg_data_uri(scale=6, light="white")


def find_table(transaction: Transaction, name: str) -> UUID:
    """
    Return the ID of a table by its name, or by the ID itself, which finds archived tables too.

    Raises:
        NotFound: the club has no table with this name or ID.
    """
    table = tables.find_any(transaction, name)
    if table is None:
        raise NotFound(f"there is no table {name[:100]!r}; expected the name of a table of the club")
    return table.id


def list_table_names(transaction: Transaction) -> list[str]:
    """List the names of the newest tables that are not archived, which forms suggest."""
    return [table.name for table in tables.list_page(transaction, limit=MOST_TABLES)]

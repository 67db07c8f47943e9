"""The audit trail of the club: its events, the newest first."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from flask import Response, request

from evidence import Event, read_event
from evidence.events import EventKind
from schemas.events import MOST_POSITION
from schemas.feed.events import AUDITED_KINDS, FeedEvent
from schemas.fields import Choice, Text, UuidField, show_time
from schemas.game_fields import TableNameField
from schemas.pages import PageQuerySchema, show_cursor
from service.clubs.queries import keys
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_days, read_query
from service.console.views.exports import Column, send_list, wanted_form
from service.console.views.links import find_table, list_table_names
from service.console.views.pages import PAGE_SIZE, console, console_page, render
from service.console.views.session import allows
from service.db import Transaction
from service.feed.queries import TrailFilter, list_trail
from service.http.authentication import current_transaction
from service.links import queries as links
from service.tables import queries as tables

SERVICE: Final = "service"
"""The actor of what no key or link did."""
_FILE_PAGE: Final = 500
_LONGEST_SHOWN: Final = 4_000


class TrailQuerySchema(PageQuerySchema):
    """The filter of the audit trail. Days are read in the time zone of the club."""

    kind = Choice({kind.value: kind for kind in EventKind})
    actor = Text(longest=100)
    table = TableNameField()
    round = UuidField()
    first = Text(data_key="from", longest=20)
    last = Text(data_key="to", longest=20)


_QUERY: Final = TrailQuerySchema()


@dataclass(frozen=True, slots=True)
class TrailRow:
    """
    An event of the audit trail.

    Attributes:
        position: in the tree of the club.
        event: the event.
        table_id, table: the table of the event and its name, if it has one.
        reference: of its round, if it has one.
        actor: the name of the key or the label of the link that did it; None for the service, or if it is hidden.
    """

    position: int
    event: Event
    table_id: UUID | None
    table: str | None
    reference: str | None
    actor: str | None

    @property
    def content(self) -> Any:
        """What happened, as it is signed."""
        return json.loads(self.event.content)

    @property
    def shown_content(self) -> str:
        """The content for people, cut if it is long."""
        text = json.dumps(self.content, ensure_ascii=False, indent=2)
        return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}\n…"


@console.get("/audit")
@console_page(KeyScope.READ, KeyScope.AUDIT)
def list_events() -> str | Response:
    """Render the events of the club, newest first, or send them as a file."""
    query = read_query(_QUERY)
    transaction = current_transaction()
    is_auditor = allows(KeyScope.AUDIT)
    begin, end = read_days()
    wanted = TrailFilter(
        kind=query["kind"],
        hidden=() if is_auditor else AUDITED_KINDS,
        table_id=query["table"] and find_table(transaction, query["table"]),
        round_id=query["round"],
        actors=_find_actors(transaction, query["actor"]) if is_auditor and query["actor"] else None,
        begin=begin,
        end=end,
    )
    if form := wanted_form():
        return send_list("audit-trail", form, _columns(is_auditor), _read_all(transaction, wanted, is_auditor))
    before = MOST_POSITION + 1 if query["cursor"] is None else query["cursor"].int
    found = _list(transaction, wanted, before, PAGE_SIZE + 1, is_auditor)
    shown = found[:PAGE_SIZE]
    return render(
        "audit.html",
        rows=shown,
        next_cursor=show_cursor(UUID(int=shown[-1].position)) if len(found) > PAGE_SIZE else None,
        kinds=[("", "All"), *((kind.value, kind.value) for kind in EventKind if kind not in wanted.hidden)],
        is_auditor=is_auditor,
        tables=list_table_names(transaction),
        chosen={name: request.args.get(name, "") for name in ("kind", "actor", "table", "round", "from", "to")},
    )


def _find_actors(transaction: Transaction, known_as: str) -> Collection[UUID | None]:
    """Return the keys and links with a name or an ID; the service itself for `service`."""
    if known_as == SERVICE:
        return (None,)
    try:
        return (UUID(known_as),)
    except ValueError:
        return (*keys.list_named(transaction, known_as), *links.list_labelled(transaction, known_as))


def _list(transaction: Transaction, wanted: TrailFilter, before: int, limit: int, is_auditor: bool) -> list[TrailRow]:
    """List rows with the names of tables and actors, which takes a constant number of queries."""
    found = list_trail(transaction, wanted, before=before, limit=limit)
    events = [read_event(each.written) for each in found]
    table_ids = [_find_table_id(each, event) for each, event in zip(found, events, strict=True)]
    names = tables.list_names(transaction, {table_id for table_id in table_ids if table_id is not None})
    actors = _list_actors(transaction, events) if is_auditor else {}
    return [
        TrailRow(
            each.position,
            event,
            table_id,
            names.get(table_id) if table_id else None,
            each.reference,
            actors.get(event.actor) if event.actor else None,
        )
        for each, event, table_id in zip(found, events, table_ids, strict=True)
    ]


def _find_table_id(found: FeedEvent, event: Event) -> UUID | None:
    content = json.loads(event.content) if event.kind in _OF_TABLES else {}
    named = content.get("id" if event.kind == EventKind.TABLE_CREATED else "table")
    return UUID(named) if named else found.table_id


_OF_TABLES: Final = (EventKind.TABLE_CREATED, EventKind.LINK_ISSUED, EventKind.LINK_REVOKED)


def _list_actors(transaction: Transaction, events: Sequence[Event]) -> dict[UUID, str]:
    ids = {event.actor for event in events if event.actor is not None}
    return {**links.list_labels(transaction, ids), **keys.list_names(transaction, ids)}


def _read_all(transaction: Transaction, wanted: TrailFilter, is_auditor: bool) -> Iterator[TrailRow]:
    before = MOST_POSITION + 1
    while found := _list(transaction, wanted, before, _FILE_PAGE, is_auditor):
        yield from found
        before = found[-1].position


def _columns(is_auditor: bool) -> list[Column[TrailRow]]:
    columns: list[Column[TrailRow]] = [
        Column("position", lambda row: row.position),
        Column("id", lambda row: str(row.event.id)),
        Column("at", lambda row: show_time(row.event.at)),
        Column("kind", lambda row: row.event.kind),
        Column("table", lambda row: row.table_id and str(row.table_id)),
        Column("table_name", lambda row: row.table),
        Column("round", lambda row: row.event.round_id and str(row.event.round_id)),
        Column("reference", lambda row: row.reference),
        Column("sequence", lambda row: row.event.sequence),
        Column("content", lambda row: row.content),
    ]
    of_auditors: list[Column[TrailRow]] = [
        Column("actor", lambda row: row.event.actor and str(row.event.actor)),
        Column("actor_name", lambda row: row.actor),
        Column("request_id", lambda row: row.event.request_id),
    ]
    return [*columns, *of_auditors] if is_auditor else columns

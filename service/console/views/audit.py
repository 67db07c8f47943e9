"""The audit trail of the club: its events, the newest first."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from flask import Response

from evidence import Event, read_event
from evidence.events import EventKind
from schemas.feed.events import AUDITED_KINDS, FeedEvent
from schemas.fields import Choice, Text, UuidField
from service.clubs.queries import keys
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_days, table_of
from service.console.views.exports import Column
from service.console.views.listing import NAME, Filter, Listing, Part, Query, by_time, show_list
from service.console.views.navigation.finding import TABLE
from service.console.views.pages import console, console_page
from service.console.views.session import allows
from service.console.views.trail.names import DecodedEvent, TrailNames, decode, read_names
from service.console.views.trail.phrases import phrase
from service.db import Transaction
from service.feed.queries import TrailFilter, count_trail, list_trail
from service.links import queries as links
from service.tables import queries as tables
from service.tables.queries import StoredTable

SERVICE: Final = "service"
"""The actor of what no key or link did."""
_LONGEST_SHOWN: Final = 4_000


@dataclass(frozen=True, slots=True)
class TrailRow:
    """
    An event of the audit trail.

    Attributes:
        position: in the tree of the club.
        event: the event.
        table_id, table: the ID of the table of the event, if it has one, and the table.
        reference: of its round, if it has one.
        actor: the name of the key or the label of the link that did it; None for the service, or if it is hidden.
        sentence: what happened.
        names: the names in the sentence.
    """

    position: int
    event: Event
    table_id: UUID | None
    table: StoredTable | None
    reference: str | None
    actor: str | None
    sentence: str
    names: Collection[str]

    @property
    def content(self) -> Any:
        """What happened, as it is signed."""
        return json.loads(self.event.content)

    @property
    def shown_content(self) -> str:
        """The content for people, cut if it is long."""
        text = json.dumps(self.content, ensure_ascii=False, indent=2)
        return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}\n…"


def _filter(transaction: Transaction, query: Query) -> TrailFilter:
    is_auditor = allows(KeyScope.AUDIT)
    begin, end = read_days()
    return TrailFilter(
        kind=query["kind"],
        hidden=() if is_auditor else AUDITED_KINDS,
        round_id=query["round"],
        actors=_find_actors(transaction, query["actor"]) if is_auditor and query["actor"] else None,
        begin=begin,
        end=end,
        **table_of(query),
    )


def _read_events(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Part[TrailRow]:
    records = list_trail(
        transaction,
        _filter(transaction, query),
        after=None if after is None else after.int,
        limit=limit + 1,
        oldest_first=query["sort"] == "oldest",
    )
    rows = _view(transaction, records)
    return Part(rows[:limit], UUID(int=rows[limit - 1].position) if len(rows) > limit else None)


def _find_actors(transaction: Transaction, known_as: str) -> Collection[UUID | None]:
    """Return the keys and links with a name or an ID; the service itself for `service`."""
    if known_as == SERVICE:
        return (None,)
    try:
        return (UUID(known_as),)
    except ValueError:
        return (*keys.list_named(transaction, known_as), *links.list_labelled(transaction, known_as))


def _view(transaction: Transaction, records: Sequence[FeedEvent]) -> list[TrailRow]:
    """Add the names of what events are about, which takes a constant number of queries."""
    is_auditor = allows(KeyScope.AUDIT)
    events = [decode(read_event(each.written)) for each in records]
    table_ids = [_find_table_id(each, decoded.event) for each, decoded in zip(records, events, strict=True)]
    of_events = tables.list_by_id(transaction, {table_id for table_id in table_ids if table_id is not None})
    names = read_names(transaction, events, sees_actors=is_auditor)
    return [
        TrailRow(
            each.position,
            decoded.event,
            table_id,
            of_events.get(table_id) if table_id else None,
            each.reference,
            names.actors.get(decoded.event.actor) if decoded.event.actor else None,
            f"{_name_actor(decoded, names, is_auditor=is_auditor)} {_describe(decoded, names)}",
            names.used,
        )
        for each, decoded, table_id in zip(records, events, table_ids, strict=True)
    ]


def _name_actor(decoded: DecodedEvent, names: TrailNames, *, is_auditor: bool) -> str:
    if decoded.event.kind == EventKind.SETTLEMENT_FINALIZED:
        return "The service"
    if not is_auditor:
        return "Somebody"
    actor = decoded.event.actor
    return "The service" if actor is None else names.actor(actor, "A key")


def _describe(decoded: DecodedEvent, names: TrailNames) -> str:
    if decoded.payload is None:
        return f"recorded an event of the kind {decoded.event.kind}"
    return phrase(decoded.payload, names)


def _find_table_id(record: FeedEvent, event: Event) -> UUID | None:
    content = json.loads(event.content) if event.kind in _OF_TABLES else {}
    named = content.get("table" if event.kind in _OF_LINKS else "id")
    return UUID(named) if named else record.table_id


_OF_LINKS: Final = (EventKind.LINK_ISSUED, EventKind.LINK_REVOKED)
_OF_TABLES: Final = (EventKind.TABLE_CREATED, EventKind.TABLE_CHANGED, *_OF_LINKS)


def _filters(*, is_auditor: bool) -> tuple[Filter, ...]:
    kinds = [kind.value for kind in EventKind if is_auditor or kind not in AUDITED_KINDS]
    placeholder = {"placeholder": "name, ID or “service”"}
    return (
        Filter(
            "kind",
            Choice({kind.value: kind for kind in EventKind}),
            "Kind",
            (("", "All"), *((kind, kind) for kind in kinds)),
        ),
        Filter("actor", Text(longest=100), "Actor" if is_auditor else None, attributes=NAME | placeholder),
        Filter("table", label="Table", attributes=NAME, finder=TABLE),
        Filter("round", UuidField(), "ID of a round", attributes=NAME | {"maxlength": 36}),
        Filter("from", Text(longest=20), "First day", kind="date"),
        Filter("to", Text(longest=20), "Last day", kind="date"),
    )


def _columns(*, is_auditor: bool) -> tuple[Column[TrailRow], ...]:
    of_auditors: tuple[Column[TrailRow], ...] = (
        Column("actor", lambda row: row.event.actor, "Actor", "event_actor"),
        Column("actor_name", lambda row: row.actor),
        Column("request_id", lambda row: row.event.request_id),
    )
    return (
        Column("position", lambda row: row.position),
        Column("id", lambda row: row.event.id),
        Column("at", lambda row: row.event.at, "Time", style="whole"),
        Column("sentence", lambda row: row.sentence, "What happened", "event_sentence", is_header=True),
        Column("kind", lambda row: row.event.kind),
        *(of_auditors if is_auditor else ()),
        Column("table", lambda row: row.table_id),
        Column("table_name", lambda row: row.table and row.table.name, "Table", "event_table"),
        Column("round", lambda row: row.event.round_id, "Round", "event_round"),
        Column("reference", lambda row: row.reference),
        Column("sequence", lambda row: row.event.sequence),
        Column("content", lambda row: row.content, "Content", "event_content", style="whole"),
    )


EVENTS: Final = {
    is_auditor: Listing[TrailRow](
        name="audit-trail",
        title="Audit trail",
        label="Events",
        columns=_columns(is_auditor=is_auditor),
        read=_read_events,
        none="No event matches. The first events of a club appear moments after its first change.",
        rows=("event", "events"),
        filters=_filters(is_auditor=is_auditor),
        orders=by_time("at"),
        count=lambda transaction, query, limit: count_trail(transaction, _filter(transaction, query), limit),
    )
    for is_auditor in (True, False)
}
"""The list for auditors, and that for others, who see neither actors nor what was done with keys and links."""


@console.get("/audit")
@console_page(KeyScope.READ, KeyScope.AUDIT)
def list_events() -> str | Response:
    """Render the events of the club, newest first, or send them as a file."""
    is_auditor = allows(KeyScope.AUDIT)
    return show_list(EVENTS[is_auditor], "audit.html", is_auditor=is_auditor)

"""The feed of events: a page, or a long poll."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Final
from uuid import UUID

import orjson
from flask import Response

from schemas.events import EventQuerySchema
from schemas.feed.events import AUDITED_KINDS, FeedEvent, dump_feed_event
from service.clubs.scopes import KeyScope, has_scope
from service.feed.actions import LISTENERS, list_events, wait_for_events
from service.feed.queries import EventSelection
from service.http.authentication import Reach, current_key, database, require_scope
from service.http.request_body import NDJSON, NDJSON_SCHEMA
from service.http.resource import Resource
from service.http.services import current_services
from service.places import MOST_LISTENERS

events = Resource("events", __name__, description="The events of a club, one by one: what happened, in order.")

_SCOPES: Final = (KeyScope.READ, KeyScope.AUDIT)


@events.route("/v1/events", methods=["GET"])
@events.operation("list_events", *_SCOPES, by_link=Reach.TABLE, waits=True, forms=(NDJSON,))
@events.arguments(EventQuerySchema, location="query")
@events.response(
    200, NDJSON_SCHEMA, content_type=NDJSON, description="One event per line, in the order of the club's tree."
)
def get_events(query: dict[str, Any]) -> Response:
    """
    List the club's events, in the order in which they joined the tree that checkpoints sign.

    Events get permanent positions in order, usually within a second. A client that always requests the events after
    the last position that it has received misses no event. With `wait`, the response is sent as soon as there is an
    event. It is empty if there is none in time, if too many requests are waiting, or if the service stops.

    A key without the scope `audit` sees no events about keys, webhooks, links and checkpoints, and no signed
    bytes. New kinds of events can be added: ignore those that you do not know.
    """
    selection = _selection(query)
    is_audited = has_scope(current_key().scopes, (KeyScope.AUDIT,))
    first = 0 if query["after"] is None else query["after"] + 1
    feed_events = _list(selection, first, query["wait"])
    lines = [orjson.dumps(dump_feed_event(each, is_audited=is_audited)) + b"\n" for each in feed_events]
    return Response(b"".join(lines), content_type=NDJSON)


def _selection(query: dict[str, Any]) -> EventSelection:
    """
    Return the selection of a query.

    Raises:
        ScopeMissing: the query names a kind that only auditors see, and the key is not theirs.
    """
    key = current_key()
    hidden = () if has_scope(key.scopes, (KeyScope.AUDIT,)) else AUDITED_KINDS
    if any(kind in hidden for kind in query["kind"] or ()):
        require_scope(KeyScope.AUDIT)
    table_id = query["table"] or key.table_id
    return EventSelection(query["limit"], query["kind"], hidden, table_id, query["round"], key.table_id)


def _list(selection: EventSelection, first: int, seconds: int) -> Sequence[FeedEvent]:
    """List events, and wait for one if there is none and a place to wait."""
    club_id = current_key().club_id
    feed_events = list_events(database(), club_id, selection, first)
    with ExitStack() as opened:
        if feed_events or not seconds or not _take_place(club_id, opened):
            return feed_events
        gives_up = _gives_up()
        return wait_for_events(database(), club_id, selection, first, seconds=seconds, gives_up=gives_up)


def _take_place(club_id: UUID, opened: ExitStack) -> bool:
    """Take a place to wait for events, which `opened` releases."""
    if not LISTENERS.take(club_id, MOST_LISTENERS):
        return False
    opened.callback(LISTENERS.release, club_id)
    return True


def _gives_up() -> Callable[[], bool]:
    """Return a function that returns whether the service stops."""
    is_stopping: Callable[[], bool] = current_services().is_stopping
    return is_stopping

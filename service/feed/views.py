"""The feed of events: a page, a long poll, or a stream of Server-Sent Events."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import orjson
from flask import Response, current_app, request

from schemas.base import WireError
from schemas.events import LAST_EVENT_ID, MOST_POSITION, EventQuerySchema
from schemas.feed.events import AUDITED_KINDS, FeedEvent, dump_feed_event
from scoring.errors import Mistake
from service.clubs.queries import keys
from service.clubs.scopes import Scope, has_scope
from service.db import Database
from service.errors import DatabaseError, StreamsBusy
from service.feed.actions import Feed, list_events, stream_events, wait_for_events
from service.feed.queries import EventSelection
from service.http.authentication import current_key, database, require_scope
from service.http.request_body import NDJSON, NDJSON_SCHEMA
from service.http.resource import Resource
from service.http.responses import NO_STORE, best_media_type
from service.logs import get_log
from service.places import MOST_IN_THREADS, MOST_LISTENERS

events = Resource("events", __name__, description="The events of a club, one by one: what happened, in order.")

EVENT_STREAM: Final = "text/event-stream"
_STREAM: Final = {"content": {EVENT_STREAM: {"schema": {"type": "string"}}}}
_SCOPES: Final = (Scope.READ, Scope.AUDIT)
_RETRY_SECONDS: Final = 5
_RECONNECT: Final = b"retry: 1000\n\n"
_HEARTBEAT: Final = b":\n\n"
_log = get_log(__name__)


@events.route("/v1/events", methods=["GET"])
@events.operation("list_events", *_SCOPES, by_table_link=True, waits=True, forms=(NDJSON, EVENT_STREAM))
@events.arguments(EventQuerySchema, location="query")
@events.response(
    200, NDJSON_SCHEMA, content_type=NDJSON, description="One event per line, in the order of the club's tree."
)
@events.doc(responses={HTTPStatus.OK: _STREAM})
def get_events(query: dict[str, Any]) -> Response:
    """
    List the club's events, in the order in which they joined the tree that checkpoints sign.

    Events get permanent positions in order, usually within a second. A client that always requests the events after
    the last position that it has received misses no event. With `wait`, the response is sent as soon as there is an
    event. It is empty if there is none in time, if too many requests are waiting, or if the service stops.

    With `Accept: text/event-stream` the response is a stream of Server-Sent Events: `id` is the position, `event` the
    kind, and `data` the event as in a list. A stream ends after ten minutes, and when the key is no longer valid; a
    client continues with `Last-Event-ID`. If too many streams are open, the response is a 503 with `Retry-After`.

    A key without the scope `audit` sees no events about keys and links, and no signed bytes. New kinds of
    events can be added: ignore those that you do not know.
    """
    selection = _selection(query)
    is_audited = has_scope(current_key().scopes, (Scope.AUDIT,))
    if best_media_type((NDJSON, EVENT_STREAM)) == EVENT_STREAM:
        return _respond_stream(selection, _first(query["after"]), is_audited)
    found = _list(selection, _first(query["after"]), query["wait"])
    lines = [orjson.dumps(dump_feed_event(each, is_audited=is_audited)) + b"\n" for each in found]
    return Response(b"".join(lines), content_type=NDJSON)


def _selection(query: dict[str, Any]) -> EventSelection:
    """
    Return the selection of a query.

    Raises:
        ScopeMissing: the query names a kind that only auditors see, and the key is not theirs.
    """
    key = current_key()
    hidden = () if has_scope(key.scopes, (Scope.AUDIT,)) else AUDITED_KINDS
    if any(kind in hidden for kind in query["kind"] or ()):
        require_scope(Scope.AUDIT)
    table_id = query["table"] or key.table_id
    return EventSelection(query["limit"], query["kind"], hidden, table_id, query["round"], key.table_id)


def _first(after: int | None) -> int:
    """
    Return the position of the first event to list. `Last-Event-ID` takes precedence: clients repeat the first URL.

    Raises:
        WireError: `Last-Event-ID` is not a position.
    """
    last = request.headers.get(LAST_EVENT_ID)
    if last:
        if not (last.isascii() and last.isdigit() and len(last) <= len(str(MOST_POSITION))):
            detail = f"is {last[:60]!r}; expected the `id` of an event, 0 to {MOST_POSITION}"
            raise WireError((Mistake("out-of-range", ("header", LAST_EVENT_ID), detail),))
        after = int(last)
    return 0 if after is None else after + 1


def _list(selection: EventSelection, first: int, seconds: int) -> Sequence[FeedEvent]:
    """List events, and wait for one if there is none and a place to wait."""
    club_id = current_key().club_id
    found = list_events(database(), club_id, selection, first)
    if found or not seconds or not _take_place(club_id):
        return found
    try:
        gives_up = _abandoning()
        return wait_for_events(database(), _feed(), club_id, selection, first, seconds=seconds, gives_up=gives_up)
    finally:
        _feed().places.release(club_id)


def _respond_stream(selection: EventSelection, first: int, is_audited: bool) -> Response:
    """
    Return a stream of events.

    Raises:
        StreamsBusy: too many requests wait for events.
    """
    club_id = current_key().club_id
    if not _take_place(club_id):
        raise StreamsBusy("too many streams of events are open; retry in a few seconds", _RETRY_SECONDS)
    release = _once(partial(_feed().places.release, club_id))
    secret_sha256 = sha256((request.authorization.token or "").encode()).digest() if request.authorization else b""
    found = stream_events(
        database(),
        _feed(),
        club_id,
        selection,
        first,
        is_valid=partial(_is_valid, database(), secret_sha256, is_audited=is_audited),
        gives_up=_abandoning(),
    )
    headers = {**NO_STORE, "X-Accel-Buffering": "no"}
    response = Response(_encode(found, is_audited, release), headers=headers, content_type=EVENT_STREAM)
    response.call_on_close(release)
    return response


def _encode(found: Iterator[Sequence[FeedEvent]], is_audited: bool, release: Callable[[], None]) -> Iterator[bytes]:
    """Yield events as Server-Sent Events, and a comment after each silence; release the place at the end."""
    try:
        yield _RECONNECT
        for some in found:
            blocks = [
                b"id: %d\nevent: %s\ndata: %s\n\n" % (each.position, document["kind"].encode(), orjson.dumps(document))
                for each in some
                for document in (dump_feed_event(each, is_audited=is_audited),)
            ]
            yield b"".join(blocks) or _HEARTBEAT
    except DatabaseError as error:
        # The response has begun. The client connects again, and receives the problem then.
        _log.warning("stream_interrupted", error=str(error))
    finally:
        release()


def _is_valid(of: Database, secret_sha256: bytes, *, is_audited: bool) -> bool:
    """Return whether a key is still valid, and has the scopes that its stream began with."""
    with of.session() as session:
        key = keys.find(session, secret_sha256)
    return key is not None and has_scope(key.scopes, (Scope.AUDIT,) if is_audited else _SCOPES)


def _take_place(club_id: UUID) -> bool:
    """Take a place to wait for events, and leave the threads of other requests if the web server can do that."""
    step_aside = getattr(request.environ.get("gunicorn.socket"), "step_aside", None)
    if not _feed().places.take(club_id, MOST_LISTENERS if step_aside is not None else MOST_IN_THREADS):
        return False
    if step_aside is not None:
        step_aside()
    return True


def _abandoning() -> Callable[[], bool]:
    """Return a function that returns whether the service stops, or the client has closed the connection."""
    is_stopping = current_app.extensions["ofc_is_stopping"]
    is_abandoned = getattr(request.environ.get("gunicorn.socket"), "is_abandoned", lambda: False)
    return lambda: is_stopping() or is_abandoned()


def _once(call: Callable[[], None]) -> Callable[[], None]:
    """Return a function that makes a call the first time only."""
    calls = [call]

    def call_once() -> None:
        if calls:
            calls.pop()()

    return call_once


def _feed() -> Feed:
    feed: Feed = current_app.extensions["ofc_feed"]
    return feed

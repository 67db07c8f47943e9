"""What happened, for operators' own systems."""

from threading import BoundedSemaphore
from typing import Any, Final

import orjson
from flask import Response, current_app

from schemas.events import EventQuerySchema, dump_event
from service.api.access import current_key, database
from service.api.resource import Resource
from service.api.streams import NDJSON
from service.scopes import Scope
from service.usecases.list_events import list_events

events = Resource("events", __name__, description="What happened in a club, event by event.")

MOST_WAITING: Final = 2
"""So many requests of a process may wait at once: half of its threads, so that the others are answered."""
waiting: Final = BoundedSemaphore(MOST_WAITING)


@events.route("/v1/events", methods=["GET"])
@events.operation("list_events", Scope.AUDIT, waits=True)
@events.arguments(EventQuerySchema, location="query")
@events.response(
    200, {"type": "string"}, content_type=NDJSON, description="One event a line, in the order of the club's tree."
)
def get_events(query: dict[str, Any]) -> Response:
    """
    List what happened, each event with its bytes, its hash and its position in the tree that checkpoints sign.

    Events take their places within seconds, one after the other and for good: who asks for what comes after the last
    position that he has misses none. With `wait` the answer comes as soon as there is any; it is empty where there was
    none in time, too many are waiting already, or the service is being stopped.
    """
    may_wait = query["wait"] > 0 and waiting.acquire(blocking=False)
    wait = query["wait"] if may_wait else 0
    club_id, is_stopping = current_key().club_id, current_app.extensions["ofc_is_stopping"]
    try:
        found = list_events(
            database(), club_id, after=query["after"], limit=query["limit"], wait=wait, gives_up=is_stopping
        )
    finally:
        if may_wait:
            waiting.release()
    lines = [orjson.dumps(dump_event(each.position, each.written)) + b"\n" for each in found]
    return Response(b"".join(lines), content_type=NDJSON)

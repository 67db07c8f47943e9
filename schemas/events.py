"""Events on the wire: one a line, its bytes and what they say."""

import json
from base64 import b64encode
from typing import Final

from schemas.base import Dumped
from schemas.evidence import hash_event, read_event
from schemas.fields import show_time
from schemas.pages import QueryInteger, QuerySchema

MOST_EVENTS: Final = 1000
LONGEST_WAIT: Final = 30
_MOST_POSITION: Final = 999_999_999


class EventQuerySchema(QuerySchema):
    """Which events, and how long to wait for them."""

    after = QueryInteger(
        least=0,
        most=_MOST_POSITION,
        metadata={"description": "The position of the last event that you have; from the first unless given."},
    )
    limit = QueryInteger(least=1, most=MOST_EVENTS, load_default=100)
    wait = QueryInteger(
        least=0,
        most=LONGEST_WAIT,
        load_default=0,
        metadata={"description": "How many seconds to wait at most where there is none yet."},
    )


def dump_event(position: int, written: bytes) -> Dumped:
    """Write an event: its place in the tree, its bytes, and what they say."""
    event = read_event(written)
    return {
        "position": position,
        "hash": hash_event(written).hex(),
        "bytes": b64encode(written).decode(),
        "id": str(event.id),
        "round": None if event.round_id is None else str(event.round_id),
        "sequence": event.sequence,
        "kind": event.kind,
        "actor": None if event.actor is None else str(event.actor),
        "request_id": event.request_id,
        "at": show_time(event.at),
        "previous": event.previous.hex() or None,
        "content": json.loads(event.content),
    }

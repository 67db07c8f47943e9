"""Validates every event of a database from its bytes alone."""

from typing import Any

import psycopg
from psycopg.rows import dict_row

from evidence import Event, hash_event, read_event

EVENTS = "SELECT * FROM events ORDER BY club_id, round_id, sequence, id"
HEADS = "SELECT club_id, round_id, version, last_event FROM round_heads"


def check_chains(owner_url: str) -> list[Event]:
    """See that every event is what its columns say, and names the one before it; gives all of them."""
    with psycopg.connect(owner_url, row_factory=dict_row) as connection:
        records = connection.execute(EVENTS).fetchall()
        heads = connection.execute(HEADS).fetchall()
    last: dict[Any, tuple[int, bytes]] = {}
    events = []
    for record in records:
        written = record["heading"] + record["content"]
        event = read_event(written)
        assert record["hash"] == hash_event(written)
        assert (event.club, event.id, event.round_id, event.sequence) == (
            record["club_id"],
            record["id"],
            record["round_id"],
            record["sequence"],
        )
        assert (event.kind, event.actor, event.request_id) == (record["kind"], record["actor"], record["request_id"])
        assert (event.at, event.content) == (record["at"], record["content"])
        if event.round_id is None:
            assert event.previous == b""
        else:
            number, previous = last.get((event.club, event.round_id), (0, b""))
            assert (event.sequence, event.previous) == (number + 1, previous), f"{event.kind} of {event.round_id}"
            last[event.club, event.round_id] = (number + 1, record["hash"])
        events.append(event)
    stands = {(head["club_id"], head["round_id"]): (head["version"], head["last_event"]) for head in heads}
    assert stands == last
    return events

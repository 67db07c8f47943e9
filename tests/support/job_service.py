"""A service and its queue, whose workers tests can kill."""

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.brokers import Broker
from tests.support.worker_process import Working, lines_of, post_import, results_of, rounds_to_import, wait_for, working

CHUNKS = 6
LINES = 4
GATE = "gate"
"""A table whose lock a test can hold, so that a worker stops there in the middle of a chunk."""


@dataclass(frozen=True)
class Room:
    """A service, its queue, and a club's import to be done."""

    house: House
    broker: Broker
    api: Api

    def work(self, concurrency: int = 1) -> AbstractContextManager[Working]:
        return working(self.house.logins, concurrency=concurrency, **self.broker.variables)

    def send(self, lines: list[Any]) -> str:
        sent = post_import(self.api, lines_of(lines))
        assert sent.status == 202, sent
        return sent.headers["Location"]

    def make_tables(self) -> None:
        """Create all tables first, so that a blocked worker does not block the creation of a table."""
        before = [*rounds_to_import(CHUNKS * LINES + 1)[-1:], *rounds_to_import(LINES + 1, GATE)[-1:]]
        assert wait_for(self.api, self.send(before))["summary"]["rounds"] == len(before)

    def repeated_chunks(self) -> int:
        """How many chunks were begun more than once, each as often as it was."""
        [(repeated,)] = self.house.query("SELECT sum(attempts - 1) FROM job_chunks")
        return int(repeated)

    @contextmanager
    def closed_gate(self) -> Iterator[psycopg.Connection]:
        """Block workers at the gate until the block ends."""
        [(club,)] = self.house.query("SELECT club_id FROM jobs UNION SELECT id FROM clubs LIMIT 1")
        with psycopg.connect(self.house.owner_url) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{club} {GATE}"])
            yield connection

    def someone_waits_at_the_gate(self) -> bool:
        return bool(self.house.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))


def lines() -> list[Any]:
    """Rounds, rounds that come again, and lines that are none; those of the second chunk are played at the gate."""
    result: list[Any] = [*rounds_to_import(CHUNKS * LINES)]
    result[LINES : 2 * LINES] = rounds_to_import(LINES, GATE)
    result[3 * LINES + 1] = result[3 * LINES]
    result[4 * LINES] = b'{"ruleset": 1}'
    return result


STATUSES = ["stored"] * CHUNKS * LINES
STATUSES[3 * LINES + 1] = "replayed"
STATUSES[4 * LINES] = "refused"


def check_outcome(room: Room, job: str, *, beside: int = 0) -> None:
    """See that all of it was done, and none of it twice; other jobs have stored so many rounds beside."""
    ended = wait_for(room.api, job)
    assert ended["state"] == "succeeded"
    counted = Counter(STATUSES)
    assert ended["summary"] == {
        "rounds": counted["stored"],
        "replayed": counted["replayed"],
        "refused": counted["refused"],
        "hands": 3 * counted["stored"],
    }
    results = results_of(room.api, job)
    assert [(result["line"], result["status"]) for result in results] == list(enumerate(STATUSES, 1))
    stored = {result["round"] for result in results if result["status"] == "stored"}
    records = room.house.count_records()
    assert len(stored) == records["rounds"] - beside == counted["stored"]
    assert records["hands"] == records["hand_scores"] == 3 * (counted["stored"] + beside)
    assert records["import_results"] == CHUNKS + bool(beside)
    assert records["import_pieces"] == 0
    assert {str(round_id) for (round_id,) in room.house.query("SELECT id FROM rounds")} >= stored
    [(chips,)] = room.house.query("SELECT sum(points_sum(stacks)) FROM round_heads")
    [(brought,)] = room.house.query("SELECT sum(points_sum(opening_stacks)) FROM round_heads")
    assert chips == brought

"""Streams and long polls of a real server: what they deliver, how they end, and that they leave room for others."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.clubs.actions import create_club, create_key, revoke_key
from service.clubs.scopes import Scope
from service.db import Database
from service.places import MOST_LISTENERS, MOST_LISTENERS_OF_CLUB
from tests.support.api_client import Document
from tests.support.database.postgres import Logins, Server
from tests.support.sample_rounds import SIXES, THREE, hand, seats
from tests.support.server_process import Running, running, wait_until

STREAM = {"Accept": "text/event-stream"}


class Club:
    """A club of the server, and clients with its key."""

    def __init__(self, service: Running, key: str, prefix: str = "") -> None:
        self.url = service.url
        self.key = key
        self.prefix = prefix
        self.tables = 0

    def connect(self, seconds: float = 60) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=seconds, trust_env=False)

    def add_table(self) -> str:
        self.tables += 1
        with self.connect() as client:
            made = client.post("/v1/tables", json={"name": f"table {self.tables}", "ruleset": "pineapple"})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def events(self, **query: Any) -> list[Document]:
        with self.connect() as client:
            found = client.get("/v1/events", params={"limit": 1000, **query})
        assert found.status_code == 200, found.text
        return [json.loads(line) for line in found.text.splitlines()]

    def last_position(self) -> int:
        """Wait until everything that was recorded has joined, and return the last position."""
        marker = self.add_table()
        assert wait_until(lambda: any(event["table"] == marker for event in self.events()))
        return int(self.events()[-1]["position"])


class Stream:
    """An open stream, read one event at a time."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()
        assert response.headers["Content-Type"].startswith("text/event-stream")

    def next_event(self) -> Document:
        """Read the next event; comments and the time to reconnect are none."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if not line and "data" in fields:
                read: Document = json.loads(fields["data"])
                assert (fields["id"], fields["event"]) == (str(read["position"]), read["kind"])
                return read
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
        raise EOFError("the stream has ended")

    def read_to_the_end(self) -> None:
        for _ in self._lines:
            pass


@contextmanager
def streaming(club: Club, last: int | None = None, **query: Any) -> Iterator[Stream]:
    headers = STREAM if last is None else {**STREAM, "Last-Event-ID": str(last)}
    with club.connect() as client, client.stream("GET", "/v1/events", params=query, headers=headers) as response:
        assert response.status_code == 200, response.read()
        yield Stream(response)


class House:
    """A server with one web worker and one job worker, and its clubs."""

    def __init__(self, service: Running, logins: Logins) -> None:
        self.service = service
        self.owner = Database(logins.owner, role=None, pool_size=1)
        self.clubs = 0

    def new_club(self, *scopes: Scope) -> Club:
        self.clubs += 1
        club = create_club(self.owner, f"club {self.clubs}")
        made = create_key(self.owner, club, name="first", **({"scopes": list(scopes)} if scopes else {}))
        return Club(self.service, made.secret, made.key.prefix)


@pytest.fixture(scope="module")
def house(embedded_postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    logins = embedded_postgres.create_database()
    settings = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner, "OFC_CONCURRENCY": "1"}
    with running(tmp_path_factory.mktemp("streams"), **settings) as service:
        made = House(service, logins)
        yield made
        made.owner.close()
    embedded_postgres.drop_database(logins)


@pytest.fixture
def club(house: House) -> Club:
    return house.new_club()


def play_hand(club: Club) -> str:
    """Record a hand at a new table, and return its ID."""
    table = club.add_table()
    with club.connect() as client:
        opened = client.post(f"/v1/tables/{table}/rounds", json={"seats": seats(SIXES)})
        played = client.post(f"/v1/rounds/{opened.json()['id']}/hands", json=hand(1, 1, THREE))
    assert played.status_code == 201, played.text
    return str(played.json()["id"])


def test_a_stream_delivers_an_event_that_is_recorded_after_it_began(club: Club) -> None:
    with streaming(club, last=club.last_position(), kind="hand.recorded") as stream:
        hand_id = play_hand(club)
        event = stream.next_event()
    assert event["result"]["hand_id"] == hand_id
    assert event["result"]["net"] == event["result"]["points"]


def test_a_long_poll_is_woken_by_the_commit(club: Club) -> None:
    """A sweep would add the event to the tree two seconds later at most, so several in a row cannot all be luck."""
    after, waits = club.last_position(), []
    for _ in range(9):
        with ThreadPoolExecutor(1) as pool:
            polling = pool.submit(club.events, after=after, wait=30)
            time.sleep(0.3)
            club.add_table()
            begun = time.monotonic()
            [event] = polling.result()
            waits.append(time.monotonic() - begun)
            after = event["position"]
    assert sorted(waits)[4] < 1, waits


def test_reconnecting_with_the_last_event_id_loses_and_doubles_nothing(club: Club) -> None:
    after = club.last_position()
    is_over = threading.Event()

    def record() -> None:
        for _ in range(30):
            club.add_table()
        is_over.set()

    received: list[Document] = []
    with ThreadPoolExecutor(1) as pool:
        recording = pool.submit(record)
        while len(received) < 30:
            with streaming(club, last=received[-1]["position"] if received else after) as stream:
                received += [stream.next_event() for _ in range(min(4, 30 - len(received)))]
        recording.result()
    assert received == club.events(after=after)
    assert len({event["id"] for event in received}) == 30


def test_a_stream_without_a_last_event_id_starts_after_a_position_or_at_the_first_event(club: Club) -> None:
    club.last_position()
    whole = club.events()
    for after in (None, 0, len(whole) - 2):
        with streaming(club, **({} if after is None else {"after": after})) as stream:
            assert stream.next_event() == whole[0 if after is None else after + 1]


def test_two_clubs_receive_only_their_own_events(house: House, club: Club) -> None:
    other = house.new_club()
    with (
        streaming(club, last=club.last_position()) as mine,
        streaming(other, last=other.last_position()) as theirs,
    ):
        for _ in range(3):
            tables = club.add_table(), other.add_table()
            assert (mine.next_event()["table"], theirs.next_event()["table"]) == tables


def test_full_places_leave_room_for_requests_and_refuse_the_next_stream(house: House, club: Club) -> None:
    other = house.new_club()
    with ExitStack() as opened:
        for _ in range(MOST_LISTENERS_OF_CLUB):
            assert wait_until(lambda: try_to_stream(club, opened))
        with club.connect() as client:
            refused = client.get("/v1/events", headers=STREAM)
            assert (refused.status_code, refused.json()["code"]) == (503, "streams-busy")
            assert int(refused.headers["Retry-After"]) > 0
        for _ in range(MOST_LISTENERS - MOST_LISTENERS_OF_CLUB):
            assert wait_until(lambda: try_to_stream(other, opened))
        third = house.new_club()
        with third.connect(seconds=20) as client:
            assert client.get("/v1/events", headers=STREAM).status_code == 503
            begun = time.monotonic()
            assert client.get("/healthz").status_code == 200
            made = client.post("/v1/tables", json={"name": "another", "ruleset": "pineapple"})
            assert made.status_code == 201
            # A long poll that finds no place responds at once.
            assert client.get("/v1/events?after=999999999&wait=30").text == ""
            assert time.monotonic() - begun < 20
    with ExitStack() as opened:
        assert wait_until(lambda: try_to_stream(third, opened))


def test_a_dead_client_frees_its_place(house: House) -> None:
    club = house.new_club()
    for _ in range(3):
        with ExitStack() as opened:
            for _ in range(MOST_LISTENERS_OF_CLUB):
                assert wait_until(lambda: try_to_stream(club, opened))


def try_to_stream(club: Club, opened: ExitStack) -> bool:
    """Open a stream; return whether there was a place."""
    client = opened.enter_context(club.connect())
    response = opened.enter_context(client.stream("GET", "/v1/events?after=999999999", headers=STREAM))
    return response.status_code == 200


def test_an_abandoned_long_poll_frees_its_place(house: House) -> None:
    club = house.new_club()
    with ExitStack() as opened:
        for _ in range(MOST_LISTENERS_OF_CLUB):
            client = opened.enter_context(club.connect(seconds=0.2))
            with pytest.raises(httpx2.ReadTimeout):
                client.get("/v1/events?after=999999999&wait=30")
    with ExitStack() as opened:
        for _ in range(MOST_LISTENERS_OF_CLUB):
            assert wait_until(lambda: try_to_stream(club, opened))


def test_a_stream_ends_when_its_key_is_revoked(house: House, club: Club) -> None:
    with streaming(club, last=999_999_999) as stream:
        revoke_key(house.owner, club.prefix)
        stream.read_to_the_end()
    with club.connect() as client:
        assert client.get("/v1/events", headers=STREAM).status_code == 401


def test_a_stopped_service_ends_its_streams_at_once(embedded_postgres: Server, tmp_path: Path) -> None:
    logins = embedded_postgres.create_database()
    with running(tmp_path, OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner) as service:
        club = Club(service, (tmp_path / "api-key").read_text().strip())
        with ExitStack() as opened:
            streams = [opened.enter_context(streaming(club, last=999_999_999)) for _ in range(5)]
            begun = time.monotonic()
            assert service.stop(signal.SIGTERM) == 0
            # gunicorn cuts off what still runs after ten seconds: the streams could not be read to the end.
            assert time.monotonic() - begun < 25
            for stream in streams:
                stream.read_to_the_end()
    embedded_postgres.drop_database(logins)

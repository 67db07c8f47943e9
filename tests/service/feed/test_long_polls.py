"""Long polls of a real server: what they deliver, how they end, and that they leave room for others."""

import json
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.clubs.actions import create_club, create_key
from service.clubs.scopes import KeyScope
from service.db import Database
from service.places import MOST_LISTENERS, MOST_LISTENERS_OF_CLUB
from tests.support.api_client import Document
from tests.support.database.postgres import Logins, Server
from tests.support.sample_rounds import SIXES, THREE, hand, seats
from tests.support.server_process import Running, running, wait_until


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
            response = client.post("/v1/tables", json={"name": f"table {self.tables}", "ruleset": "pineapple"})
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def events(self, **query: Any) -> list[Document]:
        with self.connect() as client:
            response = client.get("/v1/events", params={"limit": 1000, **query})
        assert response.status_code == 200, response.text
        return [json.loads(line) for line in response.text.splitlines()]

    def last_position(self) -> int:
        """Wait until everything that was recorded has joined, and return the last position."""
        marker = self.add_table()
        assert wait_until(lambda: any(event["table"] == marker for event in self.events()))
        return int(self.events()[-1]["position"])


class House:
    """A server with one web worker and one job worker, and its clubs."""

    def __init__(self, service: Running, logins: Logins) -> None:
        self.service = service
        self.owner = Database(logins.owner, role=None, pool_size=1)
        self.clubs = 0

    def new_club(self, *scopes: KeyScope) -> Club:
        self.clubs += 1
        club = create_club(self.owner, f"club {self.clubs}")
        new_key = create_key(self.owner, club, name="first", **({"scopes": list(scopes)} if scopes else {}))
        return Club(self.service, new_key.secret, new_key.key.prefix)


@pytest.fixture(scope="module")
def house(embedded_postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    logins = embedded_postgres.create_database()
    settings = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner, "OFC_CONCURRENCY": "1"}
    with running(tmp_path_factory.mktemp("streams"), **settings) as service:
        new_house = House(service, logins)
        yield new_house
        new_house.owner.close()
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


def test_a_long_poll_ends_soon_after_the_commit(club: Club) -> None:
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
    assert sorted(waits)[4] < 3, waits


def test_asking_after_the_last_position_loses_and_doubles_nothing(club: Club) -> None:
    after = club.last_position()

    def record() -> None:
        for _ in range(30):
            club.add_table()

    received: list[Document] = []
    with ThreadPoolExecutor(1) as pool:
        recording = pool.submit(record)
        while len(received) < 30:
            received += club.events(after=received[-1]["position"] if received else after, wait=10, limit=4)
        recording.result()
    assert received == club.events(after=after)
    assert len({event["id"] for event in received}) == 30


def test_two_clubs_receive_only_their_own_events(house: House, club: Club) -> None:
    other = house.new_club()
    mine, theirs = club.last_position(), other.last_position()
    for _ in range(3):
        tables = club.add_table(), other.add_table()
        [event], [their_event] = club.events(after=mine, wait=30), other.events(after=theirs, wait=30)
        assert (event["table"], their_event["table"]) == tables
        mine, theirs = event["position"], their_event["position"]


@contextmanager
def waiting(*clubs: tuple[Club, int]) -> Iterator[None]:
    """Make requests of clubs wait for events that do not happen, until the end."""
    with ThreadPoolExecutor(sum(many for _, many in clubs)) as pool:
        polls = [pool.submit(club.events, after=999_999_999, wait=20) for club, many in clubs for _ in range(many)]
        time.sleep(2)
        yield
        for poll in polls:
            assert poll.result() == []


def test_full_places_leave_room_for_other_requests(house: House, club: Club) -> None:
    other, third = house.new_club(), house.new_club()
    with (
        waiting((club, MOST_LISTENERS_OF_CLUB), (other, MOST_LISTENERS - MOST_LISTENERS_OF_CLUB)),
        third.connect(seconds=20) as client,
    ):
        begun = time.monotonic()
        assert client.get("/healthz").status_code == 200
        response = client.post("/v1/tables", json={"name": "another", "ruleset": "pineapple"})
        assert response.status_code == 201
        # A long poll that finds no place responds at once.
        assert client.get("/v1/events?after=999999999&wait=30").text == ""
        assert time.monotonic() - begun < 15
    # The places are free again.
    with waiting((third, MOST_LISTENERS_OF_CLUB)):
        begun = time.monotonic()
        assert third.events(after=999_999_999, wait=30) == []
        assert time.monotonic() - begun < 10


def test_a_stopped_service_ends_its_long_polls_at_once(embedded_postgres: Server, tmp_path: Path) -> None:
    logins = embedded_postgres.create_database()
    with running(tmp_path, OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner) as service:
        club = Club(service, (tmp_path / "api-key").read_text().strip())
        with ThreadPoolExecutor(5) as pool:
            polls = [pool.submit(club.events, after=999_999_999, wait=30) for _ in range(5)]
            time.sleep(2)
            begun = time.monotonic()
            assert service.stop(signal.SIGTERM) == 0
            assert time.monotonic() - begun < 15
            assert [poll.result() for poll in polls] == [[]] * 5
    embedded_postgres.drop_database(logins)

"""The load of the rig, and a record of what each request was answered."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from random import Random
from threading import Event, Lock
from uuid import UUID

import httpx2

from tests.support.sample_rounds import Document

REQUEST_SECONDS = 45.0
"""A request without a response in this time has none."""
_PAUSE_SECONDS = 0.05


class Outcome(Enum):
    """What a client knows after a request."""

    STORED = "stored"
    NOT_STORED = "not stored"
    """503 (or 429): nothing was stored."""
    UNKNOWN = "unknown"
    """504, or 502 of a proxy: the same request finds out."""
    UNANSWERED = "unanswered"
    """The connection broke, or no response came; the same request finds out."""
    REFUSED = "refused"
    """A response that the load does not cause: a failure of the test."""


def outcome_of(status: int | None) -> Outcome:
    """
    Return what a status means to a client; None is no response.

    >>> outcome_of(201), outcome_of(503), outcome_of(504), outcome_of(None), outcome_of(409)
    ... # doctest: +NORMALIZE_WHITESPACE
    (<Outcome.STORED: 'stored'>, <Outcome.NOT_STORED: 'not stored'>, <Outcome.UNKNOWN: 'unknown'>,
     <Outcome.UNANSWERED: 'unanswered'>, <Outcome.REFUSED: 'refused'>)
    """
    if status is None:
        return Outcome.UNANSWERED
    if status in (200, 201):
        return Outcome.STORED
    known = {429: Outcome.NOT_STORED, 503: Outcome.NOT_STORED, 502: Outcome.UNKNOWN, 504: Outcome.UNKNOWN}
    return known.get(status, Outcome.REFUSED)


@dataclass
class Request:
    """A change that was sent once, with its response."""

    path: str
    body: Document | str
    key: str
    begun: float
    ended: float = 0.0
    status: int | None = None
    response: str = ""

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.status)


@dataclass
class Play:
    """A round of its own table, played until a request is not acknowledged."""

    name: str
    requests: list[Request] = field(default_factory=list)


class Recorder:
    """Clients that play rounds at once, each with requests that are sent once."""

    def __init__(self, url: str, key: str, documents: Sequence[Document], clients: int, seed: int) -> None:
        self.url, self.documents, self.clients, self.seed = url, documents, clients, seed
        self._headers = {"Authorization": f"Bearer {key}"}
        self.plays: list[Play] = []
        self._lock = Lock()
        self._enough = Event()

    @property
    def requests(self) -> list[Request]:
        """All requests that have ended, in the order of their ends."""
        with self._lock:
            plays = [*self.plays]
        ended = [request for play in plays for request in [*play.requests] if request.ended]
        return sorted(ended, key=lambda request: request.ended)

    @contextmanager
    def playing(self, enter: Callable[[], None]) -> Iterator[None]:
        """Play until the block ends; each client calls `enter` first."""
        self._enough.clear()
        with ThreadPoolExecutor(self.clients, initializer=enter) as pool:
            running: list[Future[None]] = [pool.submit(self._play_on, number) for number in range(self.clients)]
            try:
                yield
            finally:
                self._enough.set()
        for each in running:
            each.result()

    def open_client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, headers=self._headers, timeout=REQUEST_SECONDS, trust_env=False)

    def send(self, http: httpx2.Client, request: Request) -> None:
        """Send a request, and record its response in it."""
        is_batch = isinstance(request.body, str)
        headers = {"Content-Type": "application/x-ndjson" if is_batch else "application/json"}
        headers["Idempotency-Key"] = request.key
        content = request.body if isinstance(request.body, str) else json.dumps(request.body)
        try:
            response = http.post(request.path, content=content, headers=headers)
        except httpx2.TransportError as error:
            request.status, request.response = None, repr(error)
        else:
            request.status, request.response = response.status_code, response.text
        request.ended = time.monotonic()

    def _play_on(self, number: int) -> None:
        rng, plays = Random(f"client {number} {self.seed}"), 0
        with self.open_client() as http:
            while not self._enough.is_set():
                play = Play(f"{self.seed} client {number} play {plays}")
                plays += 1
                with self._lock:
                    self.plays.append(play)
                if not self._play(http, rng, play):
                    time.sleep(_PAUSE_SECONDS)

    def _play(self, http: httpx2.Client, rng: Random, play: Play) -> bool:
        """Play a round; return whether all of it was acknowledged."""

        def post(path: str, body: Document | str) -> Document | None:
            key = str(UUID(int=rng.getrandbits(128), version=4))
            request = Request(path, body, key, time.monotonic())
            play.requests.append(request)
            self.send(http, request)
            if request.outcome is not Outcome.STORED:
                return None
            read: Document = {} if isinstance(body, str) else json.loads(request.response)
            return read

        document = {**rng.choice(self.documents), "table": play.name, "reference": play.name}
        if rng.random() < 0.2:
            return post("/v1/documents", document) is not None
        money = {name: document[name] for name in ("point_value", "unit") if name in document}
        table = post("/v1/tables", {"name": play.name, "ruleset": document["ruleset"], **money})
        if table is None:
            return False
        opened = post(f"/v1/tables/{table['id']}/rounds", {"seats": document["seats"], "reference": play.name})
        if opened is None:
            return False
        # Up to the first departure.
        hands = document["hands"][: min((each["after_hand"] for each in document["departures"]), default=None)]
        if rng.random() < 0.3 and hands:
            lines = "\n".join(json.dumps({"round": opened["id"], **hand}) for hand in hands)
            return post("/v1/hands", lines) is not None
        for hand in hands:
            if self._enough.is_set() or post(f"/v1/rounds/{opened['id']}/hands", hand) is None:
                return False
        return True


def longest_gap(requests: Sequence[Request], begun: float, ended: float) -> float:
    """
    Return the most seconds between two acknowledgements after each other, in an interval.

    >>> stored = [Request("/", {}, "", 0, ended, 201) for ended in (1.0, 2.0, 7.0, 8.0)]
    >>> longest_gap(stored, 1.5, 9.0)
    5.0
    """
    times = [each.ended for each in requests if each.outcome is Outcome.STORED and begun <= each.ended <= ended]
    points = [begun, *times, ended]
    return max(later - earlier for earlier, later in pairwise(points))

"""A mixed load on a service: scorekeepers record rounds, others read everything, and some send what is refused."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from threading import Event
from types import TracebackType
from typing import Any, Final, Self

import httpx2

from tests.oracle import PRESETS, random_document
from tests.support.sample_rounds import Document
from tests.support.scorekeepers import PlayedRound, Scorekeeper
from tests.support.server_process import Running

_MOST_ROUNDS: Final = 40
"""The newest rounds, which readers read."""

_OTHERS: Final = 0.1
"""How many readers also send something, of all that they read."""

_PATHS: Final = (
    "/v1/rounds/{round}",
    "/v1/rounds/{round}/settlement",
    "/v1/rounds/{round}/document",
    "/v1/rounds/{round}/evidence",
    "/v1/rounds/{round}/hands",
    "/v1/hands/{hand}",
    "/v1/hands/{hand}/explanation",
    "/v1/rounds?limit=50",
    "/v1/hands?limit=50",
    "/v1/players?limit=50",
    "/v1/tables?limit=50",
    "/v1/tables/{table}/statement",
    "/v1/tables/{table}",
    "/v1/ledger?limit=50",
    "/v1/statement",
    "/v1/statistics",
    "/v1/players/{player}/statistics",
    "/v1/plots/net",
    "/v1/plots/sources",
    "/v1/events?limit=100",
    "/v1/events?wait=1&after=999999",
    "/v1/export",
    "/v1/checkpoints",
    "/v1/rulesets",
    "/v1/club",
    "/v1/keys",
    "/openapi.yaml",
    "/readyz",
    "/metrics",
    "/console/",
    "/console/rounds",
    "/console/rounds?format=csv&table={table_name}",
    "/console/rounds/{round}",
    "/console/rounds/{round}/hands/1",
    "/console/rounds/{round}/hands/1/explanation",
    "/console/rounds/{round}/verification",
    "/console/players",
    "/console/players/{player}",
    "/console/players/{player}?format=csv&part=figures",
    "/console/tables/{table}",
    "/console/statement?table={table}",
    "/console/ledger",
    "/console/plots",
    "/console/disputes",
    "/console/audit",
    "/docs",
    "/scorekeeper/",
    "/v1/rounds/00000000-0000-7000-8000-000000000000",
    "/none",
)
"""What readers read. Responses about all rounds of a club grow with it."""


@dataclass
class _PacedScorekeeper(Scorekeeper):
    """A scorekeeper who waits before each request, and forgets responses, of which a long run has too many."""

    wait: Callable[[], object] = field(default=lambda: None)

    def post(self, path: str, document: Document | str, *, has_identity: bool = False) -> Any:
        self.wait()
        self.completed.clear()
        return super().post(path, document, has_identity=has_identity)


class MixedLoad:
    """
    Sends requests of every kind to a service, at most so many a second, until the end of the `with`.

    Attributes:
        sent: how many requests of readers received a response, by path and status.
    """

    def __init__(self, service: Running, key: str, *, people: int = 4, pause: float, seed: int = 0) -> None:
        """
        Create a load.

        Args:
            service: the service.
            key: a key of the club.
            people: how many scorekeepers, and how many readers.
            pause: the seconds that each of them waits before each request.
            seed: of the random rounds.
        """
        self._service = service
        self._key = key
        self._pause = pause
        self._is_over = Event()
        self._rng = Random(f"load {seed}")
        self._documents = [random_document(Random(f"{name} {seed}"), ruleset) for name, ruleset in PRESETS.items()]
        self._pool = ThreadPoolExecutor(2 * people)
        self._running: list[Future[None]] = []
        self._scorekeepers = [self._make_scorekeeper(f"scorekeeper {number}") for number in range(people)]
        self.sent: Counter[tuple[str, int]] = Counter()

    def __enter__(self) -> Self:
        for scorekeeper in self._scorekeepers:
            self._running.append(self._pool.submit(scorekeeper.play_until, self._is_over))
            self._running.append(self._pool.submit(self._read, scorekeeper))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._pool.shutdown()
        for scorekeeper in self._scorekeepers:
            scorekeeper.close()
        if error is None:
            self.check()

    def check(self) -> None:
        """Raise the first error of those who have ended."""
        for one in self._running:
            if one.done():
                one.result()

    def _make_scorekeeper(self, name: str) -> Scorekeeper:
        return _PacedScorekeeper(
            name,
            Random(self._rng.random()),
            self._key,
            lambda: self._service.url,
            self._documents,
            wait=lambda: self._is_over.wait(self._pause),
        )

    def _read(self, scorekeeper: Scorekeeper) -> None:
        rng = Random(self._rng.random())
        with self._client() as client, self._client() as browser:
            self._sign_in(browser)
            while not self._is_over.wait(self._pause):
                rounds = scorekeeper.rounds[-_MOST_ROUNDS:]
                if rounds:
                    self._read_one(client, browser, rng.choice(rounds), rng)
                    if rng.random() < _OTHERS:
                        self._send_others(client, rng)

    def _read_one(self, client: httpx2.Client, browser: httpx2.Client, played: PlayedRound, rng: Random) -> None:
        path = rng.choice(_PATHS)
        round_ = client.get(f"/v1/rounds/{played.id}").json()
        listed = client.get(f"/v1/rounds/{played.id}/hands")
        assert listed.status_code == 200, listed.text
        hands = listed.json()["hands"]
        if hands:
            values = {
                "round": played.id,
                "hand": rng.choice(hands)["id"],
                "table": round_["table"],
                "table_name": played.document["table"],
                "player": round_["seats"][0]["player"],
            }
            sender = browser if path.startswith("/console") else client
            self.sent[path, sender.get(path.format(**values)).status_code] += 1

    def _send_others(self, client: httpx2.Client, rng: Random) -> None:
        """Send an import, a hand that is invalid, and a key that is unknown."""
        document = {**rng.choice(self._documents), "table": f"imported {rng.random()}", "reference": str(rng.random())}
        packed = gzip.compress(json.dumps(document).encode())
        headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        self.sent["import", client.post("/v1/imports", content=packed, headers=headers).status_code] += 1
        self.sent["invalid", client.post("/v1/score", json={"players": [{"seat": rng.random()}]}).status_code] += 1
        unknown = {"Authorization": f"Bearer ofc_unknown_{rng.random()}"}
        self.sent["unknown key", client.get("/v1/tables", headers=unknown).status_code] += 1

    def _client(self) -> httpx2.Client:
        return httpx2.Client(
            base_url=self._service.url,
            headers={"Authorization": f"Bearer {self._key}"},
            timeout=300,
            trust_env=False,
            verify=False,
        )

    def _sign_in(self, browser: httpx2.Client) -> None:
        response = browser.post("/console/sign-in", data={"key": self._key}, headers={"Origin": self._service.url})
        assert response.status_code == 303, response.text

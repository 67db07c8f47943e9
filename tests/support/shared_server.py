"""A server of real processes that tests share, with many connections."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx2

from tests.support.application import Records
from tests.support.sample_rounds import SIXES, Document, seats
from tests.support.server_process import Running


class Served:
    """A server of its own, as `ofc-server up` runs it, and connections to it."""

    def __init__(self, service: Running, key: str, owner_url: str) -> None:
        self.url = service.url
        self._service = service
        self.headers = {"Authorization": f"Bearer {key}"}
        self.records = Records(owner_url)
        self.tables = 0

    def connect(self, url: str | None = None) -> httpx2.Client:
        return httpx2.Client(base_url=url or self.url, headers=self.headers, timeout=60, trust_env=False, verify=False)

    @property
    def log(self) -> str:
        """Its stderr."""
        return self._service.log

    def get_text(self, path: str) -> str:
        with self.connect() as client:
            return client.get(path).text

    def post(self, path: str, document: Document) -> httpx2.Response:
        with self.connect() as client:
            return client.post(path, json=document)

    def get(self, path: str) -> Any:
        with self.connect() as client:
            return client.get(path).json()

    def at_once(self, *requests: tuple[str, Document], retry_key: str | None = None) -> list[httpx2.Response]:
        """Send requests at the same moment, each over a connection of its own; return the responses in their order."""
        gate = Barrier(len(requests))
        headers = {"Idempotency-Key": retry_key} if retry_key else {}

        def send(request: tuple[str, Document]) -> httpx2.Response:
            path, document = request
            with self.connect() as client:
                client.get("/healthz")
                gate.wait()
                return client.post(path, json=document, headers=headers)

        with ThreadPoolExecutor(len(requests)) as pool:
            return list(pool.map(send, requests))

    def new_table(self, ruleset: str = "pineapple") -> str:
        self.tables += 1
        return str(self.post("/v1/tables", {"name": f"table {self.tables}", "ruleset": ruleset}).json()["id"])

    def new_round(self, ruleset: str = "pineapple") -> str:
        response = self.post(f"/v1/tables/{self.new_table(ruleset)}/rounds", {"seats": seats(SIXES)})
        assert response.status_code == 201
        return str(response.json()["id"])

"""A server that receives messages of webhooks, and responds as a test says."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

from standardwebhooks.webhooks import Webhook

from service.db import Database
from service.webhooks.delivery import Deliverer
from service.webhooks.sending import AllowedAddresses
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import Document

ALLOW = "127.0.0.1"


@dataclass(frozen=True)
class Received:
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def verify(self, secret: str) -> Any:
        """Check the signature as a receiver does, and return the message."""
        return Webhook(secret).verify(self.body, self.headers)


@dataclass
class Receiver:
    """The server: what it received, and how it responds to each request."""

    url: str
    respond: Callable[[Received, BaseHTTPRequestHandler], None] | int = 204
    received: list[Received] = field(default_factory=list)

    @property
    def messages(self) -> list[Any]:
        return [each.message for each in self.received]

    @property
    def kinds(self) -> list[str]:
        return [message["type"] for message in self.messages]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Start a receiver on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.path, headers, body)
            receiver.received.append(received)
            if callable(receiver.respond):
                receiver.respond(received, self)
            else:
                self.send_response(receiver.respond)
                self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    receiver = Receiver(f"http://127.0.0.1:{server.server_address[1]}/hooks")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def hang(seconds: float) -> Callable[[Received, BaseHTTPRequestHandler], None]:
    """Respond after a time."""

    def respond(_received: Received, handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return respond


@dataclass(frozen=True)
class Sending:
    """A club with a webhook, and the process that delivers its messages step by step."""

    house: House
    api: Api
    address: str
    deliverer: Deliverer
    tasks: "deque[tuple[UUID, UUID, int]]"
    """The attempts that are begun, and no worker has made yet."""

    @property
    def secret(self) -> str:
        return str(self.api.get(f"{self.address}/secret")["secret"])

    @property
    def webhook(self) -> Document:
        document: Document = self.api.get(self.address).document
        return document

    @property
    def deliveries(self) -> list[Document]:
        """All deliveries, the oldest first."""
        listed: list[Document] = self.api.get(f"{self.address}/deliveries")["deliveries"]
        return listed[::-1]

    def deliver(self) -> int:
        """Make the attempts that are due, and those that are due after them; return their number."""
        count = 0
        self.deliverer.dispatch()
        while self.tasks:
            self.deliverer.deliver(*self.tasks.popleft())
            count += 1
        return count

    def begin(self) -> list[tuple[UUID, UUID, int]]:
        """Begin the attempts that are due, without making them."""
        self.deliverer.dispatch()
        begun = [*self.tasks]
        self.tasks.clear()
        return begun

    def let_time_pass(self, interval: str) -> None:
        """Move all times of the deliveries and of the webhook into the past."""
        self.house.change(
            "UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - %s::interval,"
            " first_attempt_at = first_attempt_at - %s::interval, ended_at = ended_at - %s::interval"
            " WHERE webhook_id = %s",
            *[interval] * 3,
            self.address.rpartition("/")[2],
        )
        self.house.change(
            "UPDATE webhooks SET failing_since = failing_since - %s::interval,"
            " last_failure_at = last_failure_at - %s::interval, previous_until = previous_until - %s::interval"
            " WHERE id = %s",
            *[interval] * 3,
            self.address.rpartition("/")[2],
        )


KINDS = [
    "hand.recorded", "hand.withdrawn", "round.completed", "settlement.finalized", "round.corrected", "dispute.opened",
    "dispute.resolved", "dispute.withdrawn", "import.ended", "payment.recorded", "payment.reversed", "charge.recorded",
    "charge.reversed", "payment.claimed", "payment.claim-declined", "payment.claim-withdrawn",
]  # as a table  # fmt: skip


@contextmanager
def sending(house: House, url: str, *, kinds: list[str] = KINDS, allow: str = ALLOW) -> Iterator[Sending]:
    """Add a webhook to a new club."""
    api = house.new_client()
    added = api.post("/v1/webhooks", {"url": url, "kinds": kinds})
    assert added.status == 201, added
    database = Database(house.logins.service)
    try:
        tasks = deque[tuple[UUID, UUID, int]]()
        deliverer = Deliverer(database, AllowedAddresses.parse(allow), lambda *task: tasks.append(task))
        yield Sending(house, api, added.headers["Location"], deliverer, tasks)
    finally:
        assert api.delete(added.headers["Location"]).status in (204, 404)
        database.close()

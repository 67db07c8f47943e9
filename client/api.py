"""The Python client: the generated operations, with what reads and writes many things in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar
from uuid import uuid4

from client.errors import attach_hand
from client.operations import Operations
from client.responses import Content, Document, Response, is_object

if TYPE_CHECKING:
    import httpx2

    from client import models, requests
    from client.connection import OnWaiting

DEFAULT_URL: Final = "http://127.0.0.1:8000"
ENDED: Final = ("succeeded", "failed", "cancelled")
"""States of jobs that have ended."""
_PAUSE: Final = 0.5
_PAGE: Final = 500

Job = TypeVar("Job", bound=Document)


class Client(Operations):
    """
    A connection to a service, with a method for each operation of its API.

    A request that failed on the network, or whose response was lost, is retried a few times. It takes effect once: the
    service recognizes a hand or a document by its content, and any other request by its idempotency key. Only a retried
    link can be created twice.

    Raises:
        ApiError: from every method, if the service refuses the request.
        NotModified: from a method with `if_none_match`, if the client has the current response.
        TransportError: from every method, if the service does not respond, also after a few retries.
        UnreadableError: the address or the key is invalid, or a name or an id is empty.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        key: str | None = None,
        *,
        transport: httpx2.BaseTransport | None = None,
        timeout: float | None = None,
        on_waiting: OnWaiting | None = None,
    ) -> None:
        """
        Create a client, which connects with its first request.

        Args:
            url: the address of the service.
            key: an API key, or the secret of a link.
            transport: of httpx2, for tests.
            timeout: how many seconds a connection and the response to a read may take, with all retries; 5 and 30
                seconds an attempt, and retries for 20 seconds, if omitted.
            on_waiting: called with the reason when a request takes longer than a second because it is retried; the
                reason is logged by the logger `tablestakes` if omitted.
        """
        # httpx2 is slow to import, and commands that work offline do not need it.
        from client.calls import Calls
        from client.connection import log_waiting

        self._calls = Calls(url, key, transport, timeout, on_waiting or log_waiting)
        self.server = self._calls.server
        self.timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._calls.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Content:
        """Send any request, for example `GET` `/v1/club`, and return the response as it was received."""
        return self._calls.request(method, path, query or {}, body, headers or {})

    def send(self, path: str, body: bytes, key: str, is_valid: Callable[[Document], bool] = is_object) -> Response:
        """
        Send a stored request with its idempotency key. It takes effect once, whenever it is sent.

        A response that `is_valid` rejects comes from another server, and counts as a failed request.
        """
        return self._calls.post_bytes(path, body, key, is_valid)

    def record_hand(
        self, round_id: str, request: requests.HandRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.RecordedHandWithRound:
        """
        Record the next hand of a round. A refusal has the hand that was sent.

        Args:
            round_id: ID of the round.
            request: A hand to record, optionally with the players' IDs and the expected result.
            idempotency_key: Makes the request safe to retry; a hand is recognized by its content too.
            dry_run: Return the result, and record nothing.
        """
        with attach_hand(dict(request)):
            return super().record_hand(round_id, request, idempotency_key=idempotency_key, dry_run=dry_run)

    def find_table(self, name: str) -> models.Table | None:
        """Find a table by its name, which is unique among the tables of a club that are not archived."""
        return next(self.list_tables(name=name), None)

    def list_documents(
        self, *, limit: int = _PAGE, table: str | None = None, from_: str | None = None, to: str | None = None
    ) -> Iterator[models.RoundDocument]:
        """
        List rounds as documents, oldest first. Pages of `limit` documents are fetched as they are read.

        Args:
            limit: Documents of a page.
            table: List only rounds of the table with this ID.
            from_: List only rounds opened at or after this time.
            to: List only rounds opened before this time.
        """
        cursor: str | None = None
        while True:
            page = self.export_rounds(limit=limit, cursor=cursor, table=table, from_=from_, to=to)
            yield from page.parse()
            if page.next_cursor is None:
                return
            cursor = page.next_cursor

    def import_documents(
        self, documents: Iterable[requests.RoundDocumentRequest], *, is_provisional: bool = False
    ) -> models.Import:
        """
        Import rounds from documents, wait until the import has ended, and return it.

        `list_import_results` returns the result of each document. Settlements are final unless `is_provisional` is set.
        """
        state: Any = "provisional" if is_provisional else None
        return wait_for_job(self.start_import(documents, state=state, idempotency_key=str(uuid4())), self.get_import)


def wait_for_job(job: Job, get: Callable[[str], Job], show: Callable[[Job], None] = lambda _job: None) -> Job:
    """
    Wait until an import or a recomputation has ended, and return it.

    Args:
        job: the job.
        get: returns the job with an ID as it is now.
        show: called with the job, repeatedly.
    """
    while True:
        show(job)
        if job["state"] in ENDED:
            return job
        time.sleep(_PAUSE)
        job = get(job["id"])

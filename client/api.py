"""The service's operations as methods of the same names; documents go in and out as they are on the wire."""

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

import httpx2
import stamina

from client.errors import ApiError, TransportError

Document = dict[str, Any]

DEFAULT_URL: Final = "http://127.0.0.1:8000"
_PASSING: Final = frozenset({502, 503, 504})
_NEVER_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_ATTEMPTS: Final = 4
_TIMEOUT: Final = httpx2.Timeout(30, connect=5)


class _PassingError(Exception):
    """The service, or the way to it, is down for the moment."""


class Client:
    """
    A connection to a service.

    A request that did not reach the service is tried again, a few times. One whose answer was lost on the way is tried
    again where that is safe: reading changes nothing, and a hand or document recorded already is answered as it was.
    """

    def __init__(
        self, url: str = DEFAULT_URL, key: str | None = None, *, transport: httpx2.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.url = url.rstrip("/")
        self.was_replay = False
        """Whether what was last posted had been recorded before."""
        self._http = httpx2.Client(base_url=self.url, headers=headers, timeout=_TIMEOUT, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def score_hand(self, request: Document) -> Document:
        """Score a hand without storing it."""
        return self._post("/v1/score", request, is_repeatable=True)

    def list_rulesets(self) -> list[Document]:
        """List the presets and the club's own rulesets."""
        return list(self._get("/v1/rulesets")["rulesets"])

    def get_ruleset(self, reference: str) -> Document:
        """Show a ruleset by name or name@version."""
        return self._get(f"/v1/rulesets/{quote(reference, safe='@')}")

    def add_ruleset(self, ruleset: Document) -> Document:
        """Store a ruleset of the club's own, or a new version of one."""
        return self._post("/v1/rulesets", ruleset)

    def add_table(self, table: Document) -> Document:
        """Set up a table."""
        return self._post("/v1/tables", table)

    def list_tables(self) -> Iterator[Document]:
        """List the club's tables, the newest first, page by page as they are read."""
        return self._pages("/v1/tables", "tables", {})

    def get_table(self, table: str) -> Document:
        """Show a table."""
        return self._get(f"/v1/tables/{table}")

    def open_round(self, table: str, request: Document) -> Document:
        """Open a round at a table."""
        return self._post(f"/v1/tables/{table}/rounds", request)

    def list_rounds(self, **wanted: str | None) -> Iterator[Document]:
        """List rounds, the newest first, by `table`, `player`, `status`, `from` and `to`."""
        return self._pages("/v1/rounds", "rounds", {name: value for name, value in wanted.items() if value})

    def get_round(self, round_id: str) -> Document:
        """Show a round as it stands."""
        return self._get(f"/v1/rounds/{round_id}")

    def close_round(self, round_id: str, reason: str) -> Document:
        """End a round early."""
        return self._post(f"/v1/rounds/{round_id}/close", {"reason": reason})

    def record_hand(self, round_id: str, hand: Document) -> Document:
        """Record the next hand of a round."""
        return self._post(f"/v1/rounds/{round_id}/hands", hand, is_repeatable=True)

    def get_hand(self, hand_id: str) -> Document:
        """Show a hand and what it came to."""
        return self._get(f"/v1/hands/{hand_id}")

    def list_hands(self, round_id: str) -> Iterator[Document]:
        """List the hands of a round in order, page by page as they are read."""
        return self._pages(f"/v1/rounds/{round_id}/hands", "hands", {})

    def record_departure(self, round_id: str, departure: Document) -> Document:
        """Record that a player left between two hands."""
        return self._post(f"/v1/rounds/{round_id}/departures", departure)

    def get_settlement(self, round_id: str) -> Document:
        """Show who paid whom in a round."""
        return self._get(f"/v1/rounds/{round_id}/settlement")

    def get_document(self, round_id: str) -> Document:
        """Show a round as one document."""
        return self._get(f"/v1/rounds/{round_id}/document")

    def play_document(self, document: Document) -> Document:
        """Play a round whole from one document."""
        return self._post("/v1/documents", document, is_repeatable=True)

    def _get(self, path: str) -> Document:
        return dict(self._send("GET", path).json())

    def _post(self, path: str, document: Document, *, is_repeatable: bool = False) -> Document:
        answer = self._send("POST", path, is_repeatable=is_repeatable, json=document)
        self.was_replay = "Idempotent-Replayed" in answer.headers
        return dict(answer.json())

    def _pages(self, path: str, name: str, wanted: Mapping[str, str]) -> Iterator[Document]:
        answer = self._send("GET", path, params={"limit": "100", **wanted})
        while True:
            yield from answer.json()[name]
            following = answer.links.get("next")
            if following is None:
                return
            answer = self._send("GET", following["url"])

    def _send(self, method: str, path: str, *, is_repeatable: bool = True, **content: Any) -> httpx2.Response:
        """
        Send a request until it is answered.

        Raises:
            ApiError: the service refused.
            TransportError: it did not answer, also after a few attempts.
        """
        try:
            answer = self._attempt(method, path, is_repeatable=is_repeatable, **content)
        except _PassingError as error:
            raise TransportError(f"{self.url} does not answer: {error}") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise TransportError(f"{self.url} cannot be asked: {error}") from error
        if answer.is_success:
            return answer
        raise ApiError(_problem_of(answer))

    @stamina.retry(on=_PassingError, attempts=_ATTEMPTS, wait_initial=0.2, wait_max=2, timeout=20)
    def _attempt(self, method: str, path: str, *, is_repeatable: bool, **content: Any) -> httpx2.Response:
        try:
            answer = self._http.request(method, path, **content)
        except httpx2.TransportError as error:
            if not is_repeatable and not isinstance(error, _NEVER_SENT):
                raise
            raise _PassingError(str(error) or type(error).__name__) from error
        if answer.status_code in _PASSING:
            raise _PassingError(_problem_of(answer)["detail"])
        return answer


def _problem_of(answer: httpx2.Response) -> Document:
    """Read a problem document; what is none, from something between, becomes one."""
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict) and "code" in problem:
        return {"errors": [], **problem}
    title = f"status {answer.status_code} {answer.reason_phrase}"
    return {"title": title, "code": "unknown", "detail": f"the answer was {title}, from no Tablestakes", "errors": []}

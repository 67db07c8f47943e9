"""Requests over HTTP, sent again where the way was bad: each is done once."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from uuid import uuid4

import httpx2
import stamina

from client.answers import BUSY, Answer, Document, Lines, is_object, is_problem
from client.errors import ApiError, TransportError, UnreadableError

NDJSON: Final = "application/x-ndjson"
_CUT_OFF: Final = 408
_DOWN: Final = 503
_PASSING: Final = frozenset({_CUT_OFF, 502, _DOWN, 504})
"""Statuses of a service, or of something before it, that is down for the moment, and of a line that was."""

_LAST_PORT: Final = 65535
_KEY: Final = "Idempotency-Key"
_OURS: Final = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)
_ATTEMPTS: Final = 4
_PAUSES: Final = 3
_LONGEST_PAUSE: Final = 60
"""Seconds; a service that wants to be left alone for longer says so to whoever asked."""
_TIMEOUT: Final = httpx2.Timeout(30, connect=5)


Check = Callable[[Document], bool]
"""Says whether an answer is one of the service's; what is none comes from something between."""


class _PassingError(Exception):
    """Asked again, the service may answer otherwise."""

    def __init__(self, why: str, answer: httpx2.Response | None = None) -> None:
        self.answer = answer
        super().__init__(why)


class Connection:
    """A connection to a service that refuses with ApiError and fails with TransportError, and with nothing else."""

    def __init__(self, url: str, key: str | None, transport: httpx2.BaseTransport | None) -> None:
        self.url = _check_url(url)
        headers = {"Authorization": f"Bearer {_check_key(key)}"} if key else {}
        self._http = httpx2.Client(base_url=self.url, headers=headers, timeout=_TIMEOUT, transport=transport)

    def close(self) -> None:
        """Let go of it."""
        self._http.close()

    @property
    def server(self) -> str:
        """The address without a login that it may hold: it names the service, also where others may read it."""
        return str(httpx2.URL(self.url).copy_with(userinfo=b"")).rstrip("/")

    def get(self, path: str, query: Mapping[str, str] | None = None, is_right: Check = is_object) -> Answer:
        """Read something."""
        return self._read(self._send("GET", path, params=query or None), is_right)

    def get_text(self, path: str, form: str, query: Mapping[str, str] | None = None) -> str:
        """Read something in a form for people."""
        answer = self._send("GET", path, params=query or None, headers={"Accept": form})
        if answer.headers.get("Content-Type", "").partition(";")[0] != form:
            raise self._not_ours(answer)
        return answer.text

    def get_pages(
        self, path: str, name: str, query: Mapping[str, str], is_right: Check = is_object
    ) -> Iterator[Document]:
        """Read a list, page by page as it is needed."""
        answer = self._send("GET", path, params=query)
        while True:
            page = self._read(answer).get(name)
            if not isinstance(page, list) or not all(map(is_right, page)):
                raise self._not_ours(answer)
            yield from page
            following = answer.links.get("next")
            if following is None:
                return
            answer = self._send("GET", following["url"])

    def get_lines(self, path: str, query: Mapping[str, str]) -> Lines:
        """Read NDJSON; what broke off is asked for again, whole."""
        answer = self._send("GET", path, params=query)
        if answer.headers.get("Content-Type", "").partition(";")[0] != NDJSON:
            raise self._not_ours(answer)
        following = answer.links.get("next")
        cursor = None if following is None else httpx2.URL(following["url"]).params.get("cursor")
        total = answer.headers.get("Total-Rounds", "")
        return Lines(answer.content, cursor, int(total) if total.isdigit() else None)

    def post_lines(self, path: str, packed: bytes, key: str) -> Answer:
        """Post NDJSON in gzip, under an idempotency key."""
        headers = {"Content-Type": NDJSON, "Content-Encoding": "gzip", _KEY: key}
        return self._read(self._send("POST", path, content=packed, headers=headers))

    def post(self, path: str, document: Document, *, has_identity: bool = False, is_right: Check = is_object) -> Answer:
        """
        Post something once, however often it has to be sent.

        Args:
            path: where to.
            document: what.
            has_identity: it is known again by its content; anything else gets a key by which it is.
            is_right: whether an answer can be the service's.
        """
        headers = {} if has_identity else {_KEY: str(uuid4())}
        return self._posted(self._send("POST", path, json=document, headers=headers), is_right)

    def delete(self, path: str) -> None:
        """Take something away, which is done once however often it is sent."""
        self._send("DELETE", path)

    def post_bytes(self, path: str, body: bytes, key: str, is_right: Check) -> Answer:
        """Post a body as it was written before, under the idempotency key that it was given then."""
        headers = {"Content-Type": "application/json", _KEY: key}
        return self._posted(self._send("POST", path, content=body, headers=headers), is_right)

    def _posted(self, answer: httpx2.Response, is_right: Check = is_object) -> Answer:
        read = self._read(answer, is_right)
        read.is_replay = "Idempotent-Replayed" in answer.headers
        return read

    def _send(self, method: str, path: str, **content: Any) -> httpx2.Response:
        try:
            answer = self._attempt(method, path, **content)
            for _ in range(_PAUSES):
                pause = _pause_of(answer)
                if pause is None:
                    break
                time.sleep(pause)
                answer = self._attempt(method, path, **content)
        except _PassingError as error:
            if error.answer is None:
                raise TransportError(f"{self.url} does not answer ({error}); is the service running there?") from error
            answer = error.answer
        except httpx2.HTTPError as error:
            raise TransportError(f"{self.url} does not answer as it should ({_why(error)})") from error
        if answer.is_success:
            return answer
        problem = _problem_of(answer)
        if problem is None:
            raise self._not_ours(answer)
        if answer.status_code in _PASSING:
            raise TransportError(f"{self.url} cannot answer now: {problem['detail']}")
        raise ApiError(problem)

    @stamina.retry(on=_PassingError, attempts=_ATTEMPTS, timeout=20, wait_initial=0.2, wait_max=2, wait_jitter=0.2)
    def _attempt(self, method: str, path: str, **content: Any) -> httpx2.Response:
        try:
            answer = self._http.request(method, path, **content)
        except httpx2.TransportError as error:
            if isinstance(error, _OURS):
                raise
            raise _PassingError(_why(error)) from error
        # 502 and 504, a gateway's or our own, leave open whether the service has done what it was asked; its key tells.
        if answer.status_code in _PASSING:
            raise _PassingError(answer.reason_phrase, answer)
        if answer.status_code == httpx2.codes.CONFLICT and (_problem_of(answer) or {}).get("code") in BUSY:
            raise _PassingError("busy", answer)
        return answer

    def _read(self, answer: httpx2.Response, is_right: Check = is_object) -> Answer:
        document = _json_of(answer)
        if not isinstance(document, dict) or not is_right(document):
            raise self._not_ours(answer)
        return Answer(document)

    def _not_ours(self, answer: httpx2.Response) -> TransportError:
        kind = answer.headers.get("Content-Type", "no content type").partition(";")[0]
        found = f"{answer.status_code} {answer.reason_phrase}".strip()
        return TransportError(
            f"{self.url} answered {found} with {kind}, which is not Tablestakes; is the address right?"
        )


def _check_url(url: str) -> str:
    try:
        read = httpx2.URL(url)
        is_address = read.scheme in ("http", "https") and bool(read.host) and (read.port or 0) <= _LAST_PORT
    except httpx2.InvalidURL:
        is_address = False
    if not is_address:
        raise UnreadableError(f"{url!r} is no address of a service; one like http://127.0.0.1:8000 is right")
    return url.rstrip("/")


def _check_key(key: str) -> str:
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UnreadableError(
            "the key has a blank, a line break or a character that no key has; one key alone is right"
        )
    return key


def _problem_of(answer: httpx2.Response) -> Document | None:
    """Read a problem document; what is none comes from something between."""
    problem = _json_of(answer)
    return {"errors": [], **problem, "status": answer.status_code} if is_problem(problem) else None


def _pause_of(answer: httpx2.Response) -> int | None:
    """Read how long to wait before asking again; None where there is nothing to wait for, or it would take too long."""
    seconds = answer.headers.get("Retry-After", "")
    if answer.status_code != httpx2.codes.TOO_MANY_REQUESTS or not (seconds.isascii() and seconds.isdigit()):
        return None
    return int(seconds) if int(seconds) <= _LONGEST_PAUSE else None


def _json_of(answer: httpx2.Response) -> Any:
    try:
        return answer.json()
    except (ValueError, RecursionError):
        return None


def _why(error: Exception) -> str:
    """
    Say what went wrong on the way, without the number that only a system knows.

    >>> _why(OSError("[Errno 111] Connection refused"))
    'connection refused'
    """
    why = (str(error) or type(error).__name__).rpartition("] ")[2]
    return why[:1].lower() + why[1:]

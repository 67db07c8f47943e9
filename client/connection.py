"""HTTP requests that are retried and take effect once."""

import logging
import ssl
import time
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import httpx2
import stamina
from stamina.instrumentation import get_on_retry_hooks, set_on_retry_hooks

from client.address import check_key, check_url
from client.errors import ApiError, TransportError
from client.responses import BUSY, Document, is_problem, parse_json

_CUT_OFF: Final = 408
_DOWN: Final = 503
_TEMPORARY: Final = frozenset({_CUT_OFF, 502, _DOWN, 504})
"""Statuses of a service, or of a gateway in front of it, that is unavailable for the moment."""

_WITH_PAUSE: Final = frozenset({429, _DOWN})
"""Statuses whose Retry-After the client follows."""

_CLIENT_ERRORS: Final = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)
_ATTEMPTS: Final = 4
"""Maximum number of attempts, except of connections that are refused."""
_RETRY_SECONDS: Final = 20
"""No retry begins later than this after the first attempt."""
_SILENT_SECONDS: Final = 1
"""A wait is reported when a request takes longer."""
_PAUSES: Final = 3
_LONGEST_PAUSE: Final = 60
"""Seconds. A longer Retry-After is reported to the user."""
_TIMEOUT: Final = httpx2.Timeout(30, connect=5)

OnWaiting = Callable[[TransportError], None]
"""Called with the reason why the client waits."""

_log: Final = logging.getLogger("tablestakes")


def log_waiting(error: TransportError) -> None:
    """Log why the client waits, as a warning of the logger `tablestakes`."""
    _log.warning("Waiting: %s", error)


class _TemporaryError(Exception):
    """A failure that a retry may overcome."""

    def __init__(self, why: str, response: httpx2.Response | None = None, *, is_refused: bool = False) -> None:
        self.response = response
        self.is_refused = is_refused
        super().__init__(why)


class Connection:
    """
    A connection to a service.

    It raises ApiError when the service refuses, and TransportError when a request fails.
    """

    def __init__(
        self,
        url: str,
        key: str | None,
        transport: httpx2.BaseTransport | None,
        timeout: float | None = None,
        on_waiting: OnWaiting = log_waiting,
    ) -> None:
        self.url = check_url(url)
        self.timeout = timeout
        self._retry_seconds = _RETRY_SECONDS if timeout is None else timeout
        self._on_waiting = on_waiting
        self._is_reported = False
        headers = {"Authorization": f"Bearer {check_key(key)}"} if key else {}
        # Loading the trusted certificates takes longer than most requests. Over HTTP none are loaded, and none trusted.
        verify = httpx2.URL(self.url).scheme == "https" or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._http = httpx2.Client(
            base_url=self.url, headers=headers, timeout=_TIMEOUT, transport=transport, verify=verify
        )
        self._timeouts: dict[str, httpx2.Timeout] = {}
        if timeout is not None:
            # A request that records can take longer, and nobody knows its outcome if the client gives up.
            self._http.timeout = httpx2.Timeout(_TIMEOUT.read, connect=timeout)
            self._timeouts["GET"] = httpx2.Timeout(timeout)

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    @property
    def server(self) -> str:
        """The address without a login. It identifies the service in places that other people can read."""
        return str(httpx2.URL(self.url).copy_with(userinfo=b"")).rstrip("/")

    def _send(self, method: str, path: str, **content: Any) -> httpx2.Response:
        if method in self._timeouts:
            content["timeout"] = self._timeouts[method]
        try:
            response = self._retry(method, path, **content)
            for _ in range(_PAUSES):
                pause = _pause_of(response)
                if pause is None:
                    break
                if pause > _SILENT_SECONDS:
                    self._report(TransportError(f"{self.url} asks to wait for {pause} seconds"))
                time.sleep(pause)
                response = self._retry(method, path, **content)
        except _TemporaryError as error:
            if error.response is None:
                raise self._no_response(error) from error
            response = error.response
        except httpx2.HTTPError as error:
            raise TransportError(f"{self.url} did not respond with valid HTTP ({_why(error)})") from error
        if response.is_success or response.status_code == httpx2.codes.NOT_MODIFIED:
            return response
        problem = _problem_of(response)
        if problem is None:
            raise self._unexpected_response(response)
        if response.status_code in _TEMPORARY:
            raise self._not_available(response)
        raise ApiError(problem)

    def _no_response(self, error: _TemporaryError) -> TransportError:
        cause = error.__cause__
        if self.timeout is not None and isinstance(cause, httpx2.TimeoutException):
            waits = cause.request.extensions["timeout"]
            seconds = waits["connect" if isinstance(cause, httpx2.ConnectTimeout) else "read"]
            return TransportError(f"{self.url} did not respond within {seconds:g} seconds")
        return TransportError(f"{self.url} does not respond ({error}); is the service running there?")

    def _retry(self, method: str, path: str, **content: Any) -> httpx2.Response:
        """
        Send a request until no retry can help, or for too long.

        A refused connection is retried all the time: the service is being restarted. Other failures take time
        themselves, or mean load, which many attempts would increase.
        """
        started, failures = time.monotonic(), 0

        def should_retry(error: Exception) -> bool:
            nonlocal failures
            _hide_retries()
            failures += 1
            if not isinstance(error, _TemporaryError) or (failures >= _ATTEMPTS and not error.is_refused):
                return False
            waited = time.monotonic() - started
            if waited >= (self._retry_seconds if error.response is None else _RETRY_SECONDS):
                return False
            if waited >= _SILENT_SECONDS:
                self._report(
                    self._no_response(error) if error.response is None else self._not_available(error.response)
                )
            return True

        pauses = {"wait_initial": 0.2, "wait_max": 2, "wait_jitter": 0.2}
        for attempt in stamina.retry_context(on=should_retry, attempts=None, timeout=None, **pauses):
            with attempt:
                response = self._attempt(method, path, **content)
                self._is_reported = False
                return response
        raise AssertionError("the last attempt returns or raises")

    def _report(self, error: TransportError) -> None:
        """Report why the client waits, once until the service responds."""
        if not self._is_reported:
            self._is_reported = True
            self._on_waiting(error)

    def _not_available(self, response: httpx2.Response) -> TransportError:
        detail = (_problem_of(response) or {}).get("detail", response.reason_phrase)
        return TransportError(f"{self.url} is not available: {detail}")

    def _attempt(self, method: str, path: str, **content: Any) -> httpx2.Response:
        try:
            response = self._http.request(method, path, **content)
        except httpx2.TransportError as error:
            if isinstance(error, _CLIENT_ERRORS):
                raise
            raise _TemporaryError(_why(error), is_refused=_is_refused(error)) from error
        if _pause_of(response) is not None:
            return response
        # After 502 and 504 the request may have taken effect. Its idempotency key makes the retry safe.
        if response.status_code in _TEMPORARY:
            raise _TemporaryError(response.reason_phrase, response)
        if response.status_code == httpx2.codes.CONFLICT and (_problem_of(response) or {}).get("code") in BUSY:
            raise _TemporaryError("busy", response)
        return response

    def _unexpected_response(self, response: httpx2.Response) -> TransportError:
        kind = response.headers.get("Content-Type", "no content type").partition(";")[0]
        status = f"{response.status_code} {response.reason_phrase}".strip()
        return TransportError(
            f"{self.url} responded {status} with {kind}, which is not a response of Tablestakes; is the address right?"
        )


def _problem_of(response: httpx2.Response) -> Document | None:
    """Return the problem document of a response. None if another server sent the response."""
    problem = _json_of(response)
    return {"errors": [], **problem, "status": response.status_code} if is_problem(problem) else None


def _pause_of(response: httpx2.Response) -> int | None:
    """Return how many seconds to wait before a retry. None without a retry, or if the wait would take too long."""
    seconds = response.headers.get("Retry-After", "")
    if response.status_code not in _WITH_PAUSE or not (seconds.isascii() and seconds.isdigit()):
        return None
    return int(seconds) if int(seconds) <= _LONGEST_PAUSE else None


def _json_of(response: httpx2.Response) -> Any:
    return _parse(response.content)


def _parse(content: bytes) -> Any:
    try:
        return parse_json(content)
    except (ValueError, RecursionError):
        return None


def _is_refused(error: BaseException | None) -> bool:
    """Return whether nothing listens on the port, which every operating system reports at once."""
    while error is not None and not isinstance(error, ConnectionRefusedError):
        error = error.__cause__ or error.__context__
    return error is not None


@cache
def _hide_retries() -> None:
    """
    Remove the retries of this package from stamina's log, which people see and cannot read.

    The retries of the program that uses this package are logged as before.
    """

    def leave_out(hook: Any) -> Any:
        return lambda details: None if isinstance(details.caused_by, _OWN_ERRORS) else hook(details)

    set_on_retry_hooks(list(map(leave_out, get_on_retry_hooks())))


_OWN_ERRORS: Final = (_TemporaryError, TransportError)


def _why(error: Exception) -> str:
    """
    Return the cause of a failed request in words, without the error number of the system.

    >>> _why(OSError("[Errno 111] Connection refused"))
    'connection refused'
    """
    why = (str(error) or type(error).__name__).rpartition("] ")[2]
    return why[:1].lower() + why[1:]

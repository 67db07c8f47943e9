"""The gunicorn configuration, for `ofc-server up` and for `gunicorn --config python:service.server.gunicorn_config`."""

import atexit
import gc
import json
import signal
import sys
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final, Protocol

from gunicorn import glogging, util
from gunicorn.http import wsgi
from gunicorn.http.errors import InvalidHeader
from uuid_utils.compat import uuid7

from service.http.problems import MEDIA_TYPE, build_problem
from service.http.responses import SECURITY_HEADERS
from service.logs import start_logging
from service.metrics.workers import free_place, leave_place, make_directory, remove_directory, take_place
from service.openapi import SERVER_ERRORS
from service.server.embedded import process
from service.server.gunicorn_worker.wire import Wire

wsgi_app = "service.wsgi:app"
# Each worker creates the application itself, so that no connection is opened before the fork.
preload_app = False

worker_class = "service.server.gunicorn_worker.worker.Worker"
threads = 8
timeout = 60
graceful_timeout = 10
# Longer than clients and proxies reuse idle connections (nginx: 60): a request must not meet a connection that closes.
keepalive = 75
# `sendfile` would bypass the buffers of `Wire`.
sendfile = False


class GunicornLog(glogging.Logger):
    """The log of gunicorn in the format of the service, without content of requests."""

    def setup(self, cfg: Any) -> None:
        """Use the log format of the service; the workers inherit it."""
        super().setup(cfg)
        start_logging()
        self.error_log.handlers.clear()
        self.error_log.propagate = True

    def warning(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Log only the kind of error of a malformed request, because its headers can contain a key."""
        if msg.startswith("Invalid request from"):
            msg = f"Invalid request: {type(sys.exception()).__name__}"
        super().warning(msg, *arguments, **options)

    def exception(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Log the exception without the URL."""
        if isinstance(msg, str) and msg.startswith("Error handling request"):
            msg, arguments = "Error handling request", ()
        super().exception(msg, *arguments, **options)


_REFUSALS: Final = {
    **SERVER_ERRORS,
    HTTPStatus.REQUEST_TIMEOUT: "the headers of the request were not received in time; send it again",
    HTTPStatus.TOO_MANY_REQUESTS: "too many connections are open from this address; close some, or use one for several"
    " requests",
}


_CODES: Final = {
    HTTPStatus.REQUEST_TIMEOUT: "request-incomplete",
    HTTPStatus.TOO_MANY_REQUESTS: "rate-limited",
    HTTPStatus.INTERNAL_SERVER_ERROR: "internal-error",
}


def write_problem(client: Wire, status: int, reason: str, _found: str) -> None:
    """
    Send a problem document for a request that gunicorn rejects before the application, and close the connection.

    The message of gunicorn is omitted, because it can contain a key.
    """
    code = _CODES.get(HTTPStatus(status), "request-malformed")
    detail = _REFUSALS.get(
        HTTPStatus(status), "the request is not valid HTTP/1.1; expected a request as RFC 9112 defines it"
    )
    request_id = str(uuid7())
    problem = {**build_problem(code, detail, [], request_id), "status": status}
    body = json.dumps(problem, separators=(",", ":")).encode() + b"\n"
    headers = {
        "Connection": "close",
        "Content-Type": MEDIA_TYPE,
        "Content-Length": str(len(body)),
        "Request-Id": request_id,
        **({"Retry-After": "1"} if status == HTTPStatus.TOO_MANY_REQUESTS else {}),
        **SECURITY_HEADERS,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    client.sendall(f"HTTP/1.1 {status} {reason}\r\n{head}\r\n".encode() + body)


util.write_error = write_problem
# The header Server does not name gunicorn.
wsgi.SERVER = "tablestakes"
logger_class = GunicornLog
loglevel = "warning"
# The control socket in the home directory is not used.
control_socket_disable = True


class Worker(Protocol):
    """A worker as gunicorn passes it to hooks; `place` is added here, `wsgi` is the application."""

    ppid: int
    place: int
    alive: bool
    cfg: Any
    wsgi: Any


_SWITCH_SECONDS: Final = 0.001


class Received(Protocol):
    """A request as gunicorn passes it to hooks; header names are in capitals."""

    headers: Sequence[tuple[str, str]]


class Arbiter(Protocol):
    """The arbiter as gunicorn passes it to hooks."""

    WORKERS: Mapping[int, Worker]


def on_starting(_arbiter: Arbiter) -> None:
    """
    Reset the metrics, and import the code once for all workers.

    The imported objects are excluded from garbage collection, so that the workers share their memory.
    """
    make_directory()
    gc.disable()
    import_module("service.app")
    gc.freeze()
    gc.enable()
    atexit.register(gc.freeze)


def pre_fork(arbiter: Arbiter, worker: Worker) -> None:
    """Assign a free slot of the metrics to the new worker."""
    worker.place = free_place([living.place for living in arbiter.WORKERS.values()])


def post_fork(_arbiter: Arbiter, worker: Worker) -> None:
    """End the worker when gunicorn ends, and use its slot of the metrics."""
    process.set_death_signal(signal.SIGKILL, parent=worker.ppid)
    take_place(worker.place)


def post_worker_init(worker: Worker) -> None:
    """
    End waiting requests when the worker is asked to stop, start the feed, and divide the rate limits.

    The application is excluded from garbage collection. Threads take turns five times as often as by default, so that
    single hands are not delayed by batches.
    """
    gc.freeze()
    sys.setswitchinterval(_SWITCH_SECONDS)
    extensions = worker.wsgi.extensions
    feed = extensions.get("ofc_feed")
    if feed is not None:
        feed.start()
    extensions["ofc_is_stopping"] = lambda: not worker.alive
    limits = extensions.get("ofc_rate_limits")
    if limits is not None:
        limits.workers = worker.cfg.workers


def pre_request(_worker: Worker, request: Received) -> None:
    """
    Reject every transfer coding except `chunked`: proxies interpret others differently, which allows smuggling.

    Raises:
        InvalidHeader: the request has another coding; gunicorn responds with 400 and closes the connection.
    """
    for name, value in request.headers:
        if name == "TRANSFER-ENCODING" and value.lower() != "chunked":
            raise InvalidHeader(name, req=request)


def child_exit(_arbiter: Arbiter, worker: Worker) -> None:
    """Free the slot of the metrics of a worker that has ended."""
    leave_place(worker.place)


def on_exit(_arbiter: Arbiter) -> None:
    """Delete the directory of the metrics."""
    remove_directory()

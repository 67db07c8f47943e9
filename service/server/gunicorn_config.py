"""How gunicorn serves, under `ofc-server up` and alone: `gunicorn --config python:service.server.gunicorn_config`."""

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

from service.http.headers import SECURITY_HEADERS
from service.http.problems import MEDIA_TYPE, build_problem
from service.logs import start_logging
from service.metrics.workers import free_place, leave_place, make_directory, remove_directory, take_place
from service.openapi import SERVER_ERRORS
from service.server.embedded import process
from service.server.gunicorn_worker.wire import Wire

wsgi_app = "service.wsgi:app"
# Each worker makes the application itself, so that nothing, above all no connection, is opened before the fork.
preload_app = False

worker_class = "service.server.gunicorn_worker.worker.Worker"
threads = 4
timeout = 60
graceful_timeout = 10
# Only what has memory for it may send.
sendfile = False


class GunicornLog(glogging.Logger):
    """What gunicorn says, in the service's own form, and without what it repeats of a request."""

    def setup(self, cfg: Any) -> None:
        """Write as everything else in the service does; the workers inherit it."""
        super().setup(cfg)
        start_logging()
        self.error_log.handlers.clear()
        self.error_log.propagate = True

    def warning(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Name only the kind of a malformed request: its headers may hold a key."""
        if msg.startswith("Invalid request from"):
            msg = f"Invalid request: {type(sys.exception()).__name__}"
        super().warning(msg, *arguments, **options)

    def exception(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Leave out the address that was asked for."""
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
    Refuse in the service's own form what never gets as far as the application, and say no more of the connection.

    What gunicorn found in the request is not repeated: it may hold a key.
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
# What serves is nobody's business.
wsgi.SERVER = "tablestakes"
logger_class = GunicornLog
loglevel = "warning"
# Would be a socket in the home directory that nobody here uses.
control_socket_disable = True


class Worker(Protocol):
    """What gunicorn tells a hook about a worker, as far as it matters here; `place` is ours, `wsgi` the application."""

    ppid: int
    place: int
    alive: bool
    cfg: Any
    wsgi: Any


class Received(Protocol):
    """What gunicorn tells a hook about a request whose head it has read; names of headers are in capitals."""

    headers: Sequence[tuple[str, str]]


class Arbiter(Protocol):
    """What gunicorn tells a hook about itself, as far as it matters here."""

    WORKERS: Mapping[int, Worker]


def on_starting(_arbiter: Arbiter) -> None:
    """
    Begin to count anew, and load the code once for all workers, also those that come when others have died.

    What is loaded stays: nobody looks for garbage in it, neither now nor at the end, and so the workers share it.
    """
    make_directory()
    gc.disable()
    import_module("service.app")
    gc.freeze()
    gc.enable()
    atexit.register(gc.freeze)


def pre_fork(arbiter: Arbiter, worker: Worker) -> None:
    """Give the worker that comes the place of one that has gone, if any has."""
    worker.place = free_place([living.place for living in arbiter.WORKERS.values()])


def post_fork(_arbiter: Arbiter, worker: Worker) -> None:
    """No worker outlives gunicorn, however that ended; what it was writing is rolled back."""
    process.set_death_signal(signal.SIGKILL, parent=worker.ppid)
    take_place(worker.place)


def post_worker_init(worker: Worker) -> None:
    """Let requests that wait end when the worker is asked to stop, and divide the rate limits among the workers."""
    extensions = worker.wsgi.extensions
    extensions["ofc_is_stopping"] = lambda: not worker.alive
    if extensions["ofc_rate_limits"] is not None:
        extensions["ofc_rate_limits"].workers = worker.cfg.workers


def pre_request(_worker: Worker, request: Received) -> None:
    """
    Refuse every coding of a body but chunks: a proxy that reads another one otherwise could be made to hide a request.

    Raises:
        InvalidHeader: there is one; gunicorn answers 400 and closes the connection.
    """
    for name, value in request.headers:
        if name == "TRANSFER-ENCODING" and value.lower() != "chunked":
            raise InvalidHeader(name, req=request)


def child_exit(_arbiter: Arbiter, worker: Worker) -> None:
    """Forget what was going on in a worker that has ended."""
    leave_place(worker.place)


def on_exit(_arbiter: Arbiter) -> None:
    """Leave nothing behind."""
    remove_directory()

"""How gunicorn serves, under `ofc-server up` and alone: `gunicorn --config python:service.gunicorn_config`."""

import atexit
import gc
import json
import signal
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final, Protocol

from gunicorn import glogging, util
from gunicorn.http import wsgi
from gunicorn.http.errors import InvalidHeader
from uuid_utils.compat import uuid7

from service import allowances  # noqa: F401  # its memory is shared with the workers that are forked
from service.api.problems import MEDIA_TYPE, complete_problem
from service.api.safety import SAFE
from service.embedded import leash
from service.logs import line_formatter, start_logging
from service.metrics.workers import free_place, leave_place, make_directory, remove_directory, take_place

wsgi_app = "service.wsgi:app"
# Each worker makes the application itself, so that nothing, above all no connection, is opened before the fork.
preload_app = False

worker_class = "gthread"
threads = 4
timeout = 60
graceful_timeout = 10

PATIENCE_SECONDS = 10
"""How long a client may pause in the middle of a request, or take none of its answer."""


class GunicornLog(glogging.Logger):
    """What gunicorn says, in the service's own form, and without what it repeats of a request."""

    def setup(self, cfg: Any) -> None:
        """Write as everything else in the service does; the workers inherit it."""
        super().setup(cfg)
        start_logging()
        for handler in self.error_log.handlers:
            handler.setFormatter(line_formatter())

    def warning(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Name only the kind of a malformed request: its headers may hold a key."""
        if msg.startswith("Invalid request from"):
            msg = f"Invalid request: {type(sys.exception()).__name__}"
        super().warning(msg, *arguments, **options)

    def exception(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Leave out the address that was asked for."""
        if isinstance(msg, str) and msg.startswith("Error handling request"):
            msg, arguments = "Error handling request", ()
        if isinstance(msg, str) and msg.startswith("Socket error") and isinstance(sys.exception(), BlockingIOError):
            self.warning("A client did not finish its request.")
        else:
            super().exception(msg, *arguments, **options)


_REFUSALS: Final = {
    HTTPStatus.REQUEST_URI_TOO_LONG: "the address is too long; some four thousand characters at most are right",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "the headers are too many or too long; a hundred at most are right, and"
    " eight thousand characters in each",
    HTTPStatus.EXPECTATION_FAILED: "the header Expect asks for what is not known here; '100-continue' is right",
    HTTPStatus.NOT_IMPLEMENTED: "the header Transfer-Encoding names a coding not known here; 'chunked' is right",
}


def write_problem(client: socket.socket, status: int, reason: str, _found: str) -> None:
    """
    Refuse in the service's own form what never gets as far as the application, and say no more of the connection.

    What gunicorn found in the request is not repeated: it may hold a key.
    """
    code = "internal-error" if status == HTTPStatus.INTERNAL_SERVER_ERROR else "request-malformed"
    detail = _REFUSALS.get(HTTPStatus(status), "the request is not written as HTTP/1.1 asks; RFC 9112 says how")
    request_id = str(uuid7())
    problem = {**complete_problem(code, detail, [], request_id), "status": status}
    body = json.dumps(problem, separators=(",", ":")).encode() + b"\n"
    headers = {
        "Connection": "close",
        "Content-Type": MEDIA_TYPE,
        "Content-Length": str(len(body)),
        "Request-Id": request_id,
        **SAFE,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    util.write_nonblock(client, f"HTTP/1.1 {status} {reason}\r\n{head}\r\n".encode() + body)


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
    wsgi: Any


class Received(Protocol):
    """What gunicorn tells a hook about a request whose head it has read; names of headers are in capitals."""

    headers: Sequence[tuple[str, str]]


class Listener(Protocol):
    """A socket that gunicorn listens on."""

    sock: socket.socket


class Arbiter(Protocol):
    """What gunicorn tells a hook about itself, as far as it matters here."""

    WORKERS: Mapping[int, Worker]
    LISTENERS: Sequence[Listener]


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


def when_ready(arbiter: Arbiter) -> None:
    """
    Let nobody hold a thread for ever who begins a request and does not go on, or reads no answer.

    A phone that loses its network does just that, and a few of them would be all the threads there are. Connections
    inherit these limits from the socket that accepts them; gunicorn itself has none once a request has begun.
    """
    patience = struct.pack("ll", PATIENCE_SECONDS, 0)
    for listener in arbiter.LISTENERS:
        for limit in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, limit, patience)


def pre_fork(arbiter: Arbiter, worker: Worker) -> None:
    """Give the worker that comes the place of one that has gone, if any has."""
    worker.place = free_place([living.place for living in arbiter.WORKERS.values()])


def post_fork(_arbiter: Arbiter, worker: Worker) -> None:
    """No worker outlives gunicorn, however that ended; what it was writing is rolled back."""
    leash.set_death_signal(signal.SIGKILL, parent=worker.ppid)
    take_place(worker.place)


def post_worker_init(worker: Worker) -> None:
    """Let requests that wait for something be answered as soon as the worker is asked to stop."""
    worker.wsgi.extensions["ofc_is_stopping"] = lambda: not worker.alive


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

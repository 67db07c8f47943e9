"""The HTTP interface of a witness, C2SP `tlog-witness`, as a WSGI application."""

import logging
import re
import signal
import sqlite3
import sys
import time
from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from client.errors import UnreadableError
from client.offline.witness.configuration import WitnessConfiguration
from client.offline.witness.store import SqliteStore
from evidence.witness import MOST_REQUEST_BYTES, Verdict, add_checkpoint

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_TEXT: Final = "text/plain; charset=utf-8"
_NEWEST: Final = re.compile(r"/(?P<hash>[0-9a-f]{64})/checkpoint")
_THREADS: Final = 4
_IDLE_SECONDS: Final = 30
_MOST_HEADER_BYTES: Final = 16_384
_log: Final = logging.getLogger("tablestakes.witness")


class WitnessApplication:
    """
    Cosigns checkpoints that are submitted to `/add-checkpoint`, and serves the newest one of each log.

    Both prefixes of the specification are the root of the server.
    """

    def __init__(self, configuration: WitnessConfiguration, store: SqliteStore) -> None:
        self._configuration = configuration
        self._store = store

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Respond to a request."""
        try:
            status, body, media_type = self._respond(environ)
        except sqlite3.Error as error:
            _log.error("The store cannot be used: %s", error)
            status, body, media_type = HTTPStatus.SERVICE_UNAVAILABLE, "the store cannot be used\n", _TEXT
        content = body.encode()
        headers = [("Content-Type", media_type), ("Content-Length", str(len(content))), ("Cache-Control", "no-store")]
        start_response(f"{status.value} {status.phrase}", headers)
        return [content]

    def _respond(self, environ: "WSGIEnvironment") -> tuple[HTTPStatus, str, str]:
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        newest = _NEWEST.fullmatch(path)
        if path != "/add-checkpoint" and newest is None:
            return HTTPStatus.NOT_FOUND, "expected /add-checkpoint or /HASH/checkpoint\n", _TEXT
        if method != ("GET" if newest else "POST"):
            return HTTPStatus.METHOD_NOT_ALLOWED, "expected POST /add-checkpoint or GET /HASH/checkpoint\n", _TEXT
        if newest is not None:
            note = self._store.find_newest(newest["hash"])
            if note is None:
                return HTTPStatus.NOT_FOUND, "the witness has cosigned no checkpoint of this log\n", _TEXT
            return HTTPStatus.OK, note, _TEXT
        return self._add(environ["wsgi.input"].read(MOST_REQUEST_BYTES + 1))

    def _add(self, body: bytes) -> tuple[HTTPStatus, str, str]:
        configuration = self._configuration
        decision = add_checkpoint(body, configuration.logs, configuration.key, time.time, self._store)
        if decision.verdict is Verdict.INCONSISTENT:
            _log.error("A checkpoint was not cosigned: %s", decision.body.strip())
        return HTTPStatus(decision.verdict), decision.body, decision.media_type


def serve_witness(configuration: WitnessConfiguration) -> None:
    """
    Serve a witness until the process is stopped. Its address is logged when it listens.

    Raises:
        UnreadableError: Waitress is not installed, the address cannot be used, or the store cannot be opened.
    """
    try:
        from waitress.server import create_server
    except ImportError:
        raise UnreadableError("a witness needs Waitress: pip install 'tablestakes-client[witness]'") from None
    application = WitnessApplication(configuration, SqliteStore(configuration.database))
    try:
        server = create_server(
            application,
            listen=configuration.listen,
            threads=_THREADS,
            max_request_body_size=MOST_REQUEST_BYTES,
            max_request_header_size=_MOST_HEADER_BYTES,
            channel_timeout=_IDLE_SECONDS,
            ident=None,
        )
    except (OSError, ValueError) as error:
        raise UnreadableError(f"the witness cannot listen on {configuration.listen}: {error}") from None
    signal.signal(signal.SIGTERM, _stop)
    server.print_listen("listening on http://{}:{}")
    server.run()


def _stop(_number: int, _frame: object) -> None:
    """End the server after the requests that it is working on."""
    sys.exit(0)

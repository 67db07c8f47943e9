"""The child processes of `ofc-server up`: the job worker and the web server."""

import contextlib
import http.client
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

from service.config import Config
from service.logs import get_log
from service.server.address import UpError, address_of
from service.server.embedded import process

_WORKER_GRACE_SECONDS: Final = 15.0
_LONGEST_PAUSE: Final = 60.0
_STEADY_SECONDS: Final = 60.0

_log = get_log(__name__)


class JobWorker:
    """
    An `ofc-server worker` process, restarted when it ends unexpectedly, and stopped at the end of the `with`.

    The web server works without it. A worker that keeps ending is restarted with growing pauses.
    """

    def __init__(self, config: Config, concurrency: int, environment: Mapping[str, str]) -> None:
        self._command = [sys.executable, "-m", "service", "worker", "--concurrency", str(concurrency)]
        self._environment = {**environment, "OFC_DATABASE_URL": config.database_url, "OFC_OWNER_URL": ""}
        self._deaths: deque[float] = deque(maxlen=10)
        self._start_from = 0.0
        self._process = self._spawn()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the worker after its chunks in progress, or kill it after a timeout."""
        process.stop(self._process, _WORKER_GRACE_SECONDS)

    def restart_if_dead(self) -> None:
        """Restart the worker if it has ended: at once, or after a pause if it has ended before."""
        now = time.monotonic()
        if self._process.poll() is None or now < self._start_from:
            return
        _log.warning("worker_restarted", exit_code=self._process.returncode)
        self._deaths.append(now)
        lately = sum(death > now - _STEADY_SECONDS for death in self._deaths)
        self._start_from = now + min(2.0 ** (lately - 1), _LONGEST_PAUSE)
        self._process = self._spawn()

    def _spawn(self) -> subprocess.Popen[bytes]:
        return process.spawn(self._command, last_signal=signal.SIGTERM, env=self._environment)


_READY_SECONDS = 60.0
_RESPONSE_SECONDS = 10.0
_WEB_GRACE_SECONDS = 15.0  # more than gunicorn gives its workers


class Web:
    """The gunicorn process with its workers on an open socket, stopped at the end of the `with`."""

    def __init__(
        self,
        config: Config,
        workers: int,
        listener: socket.socket,
        environment: Mapping[str, str],
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        self.address = address_of(listener, "https" if tls else "http")
        listening = ["--bind", f"fd://{listener.fileno()}", "--workers", str(workers)]
        if tls:
            listening += ["--certfile", str(tls[0]), "--keyfile", str(tls[1])]
        self._gunicorn = process.spawn(
            [sys.executable, "-m", "gunicorn", "--config", "python:service.server.gunicorn_config", *listening],
            # Without its parent it has no database, so it need not stop gracefully.
            last_signal=signal.SIGKILL,
            # The web server does not get the login of the owner.
            env={**environment, "OFC_DATABASE_URL": config.database_url, "OFC_OWNER_URL": ""},
            pass_fds=[listener.fileno()],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop gunicorn after the requests in progress, or kill it after a timeout."""
        process.stop(self._gunicorn, _WEB_GRACE_SECONDS)

    def wait_until_ready(self) -> None:
        """
        Wait until the service responds.

        Raises:
            UpError: gunicorn ended, or did not respond in time.
        """
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline:
            self.check_alive()
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self._get("/healthz") == HTTPStatus.OK:
                    return
            time.sleep(0.05)
        raise UpError(f"The service did not respond on {self.address.url}/healthz within {_READY_SECONDS:.0f} seconds.")

    def check_alive(self) -> None:
        """
        Raise an error if gunicorn has ended.

        Raises:
            UpError: gunicorn has ended.
        """
        if self._gunicorn.poll() is not None:
            code = self._gunicorn.returncode
            raise UpError(f"The web server ended unexpectedly with exit code {code}; its output is above.")

    def knows(self, key: str) -> bool:
        """Return whether the key is valid; the data directory can contain the key of another database."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self._get("/v1/tables", {"Authorization": f"Bearer {key}"}) != HTTPStatus.UNAUTHORIZED
        return True

    def _get(self, path: str, headers: Mapping[str, str] = MappingProxyType({})) -> int:
        connection = self._connect()
        try:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self.address.reachable_host, self.address.port
        if self.address.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=_RESPONSE_SECONDS)
        # The port is our own, and the certificate is for the name that others use.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(host, port, timeout=_RESPONSE_SECONDS, context=context)

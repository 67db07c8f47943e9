"""The child processes of `ofc-server up` and `ofc-server web`: web processes and the job worker."""

import contextlib
import http.client
import json
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

from service.config import Config, read_transfer_seconds
from service.errors import KeyUnknown
from service.logs import get_log
from service.metrics.workers import DIRECTORY, make_directory
from service.server.address import UpError, address_of
from service.server.embedded import process

_GRACE_SECONDS: Final = 25.0  # more than a web process gives its requests
_LONGEST_PAUSE: Final = 60.0
_STEADY_SECONDS: Final = 60.0

_log = get_log(__name__)


class Child:
    """
    A process of the service, restarted when it ends unexpectedly, and stopped at the end of the `with`.

    One that keeps ending is restarted with growing pauses.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        config: Config,
        environment: Mapping[str, str],
        *,
        last_signal: signal.Signals = signal.SIGTERM,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """
        Start the process.

        Args:
            name: its name in the log.
            arguments: the module to run, and its arguments.
            config: names the database; the process does not get the login of the owner.
            environment: its other settings.
            last_signal: the signal that it receives when this process is killed.
            pass_fds: open files that it inherits.
        """
        self._name = name
        self._command = [sys.executable, "-m", *arguments]
        self._environment = {**environment, "OFC_DATABASE_URL": config.database_url, "OFC_OWNER_URL": ""}
        self._last_signal, self._pass_fds = last_signal, pass_fds
        self._deaths: deque[float] = deque(maxlen=10)
        self._start_from = 0.0
        self._process = self._spawn()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the process after its requests or chunks in progress, or kill it after a timeout."""
        process.stop(self._process, _GRACE_SECONDS)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the process; None if it runs."""
        return self._process.poll()

    def terminate(self) -> None:
        """Ask the process to stop."""
        self._process.terminate()

    def restart_if_dead(self) -> None:
        """Restart the process if it has ended: at once, or after a pause if it has ended before."""
        now = time.monotonic()
        if self.exit_code is None or now < self._start_from:
            return
        _log.warning(f"{self._name}_restarted", exit_code=self.exit_code)
        self._deaths.append(now)
        lately = sum(death > now - _STEADY_SECONDS for death in self._deaths)
        self._start_from = now + min(2.0 ** (lately - 1), _LONGEST_PAUSE)
        self._process = self._spawn()

    def _spawn(self) -> subprocess.Popen[bytes]:
        return process.spawn(
            self._command, last_signal=self._last_signal, env=self._environment, pass_fds=self._pass_fds
        )


def start_worker(config: Config, concurrency: int, environment: Mapping[str, str]) -> Child:
    """Start an `ofc-server worker`. The web server works without it."""
    return Child("worker", ["service", "worker", "--concurrency", str(concurrency)], config, environment)


_READY_SECONDS = 60.0
_RESPONSE_SECONDS = 10.0


class Web:
    """The web processes on an open socket, stopped at the end of the `with`."""

    def __init__(
        self,
        config: Config,
        workers: int,
        listener: socket.socket,
        environment: Mapping[str, str],
        tls: tuple[Path, Path] | None = None,
        application: str = "service.wsgi:app",
    ) -> None:
        """
        Start the processes.

        Args:
            config: names the database.
            workers: the number of processes.
            listener: the open socket.
            environment: their other settings.
            tls: the files of a certificate and its key, for HTTPS.
            application: module and name of the WSGI application.
        """
        self.address = address_of(listener, "https" if tls else "http")
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Connections inherit it: the system closes one whose client does not take what was sent to it.
            milliseconds = 1000 * read_transfer_seconds(environment)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
        self._metrics = make_directory()
        self._processes = [
            Child(
                "web_process",
                [
                    "service.server.web",
                    application,
                    str(place),
                    str(workers),
                    str(listener.fileno()),
                    *map(str, tls or ()),
                ],
                config,
                {**environment, DIRECTORY: self._metrics},
                # Without its parent it has no database, so it need not stop gracefully.
                last_signal=signal.SIGKILL,
                pass_fds=[listener.fileno()],
            )
            for place in range(workers)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the processes together, after the requests in progress, or kill them after a timeout."""
        for each in self._processes:
            each.terminate()
        for each in self._processes:
            each.__exit__(kind, error, trace)
        shutil.rmtree(self._metrics, ignore_errors=True)

    def restart_dead(self) -> None:
        """Restart the processes that have ended."""
        for each in self._processes:
            each.restart_if_dead()

    def wait_until_ready(self) -> None:
        """
        Wait until the service responds.

        Raises:
            UpError: a process ended, or the service did not respond in time.
        """
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline:
            self._check_alive()
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self._send("GET", "/healthz")[0] == HTTPStatus.OK:
                    return
            time.sleep(0.05)
        raise UpError(f"The service did not respond on {self.address.url}/healthz within {_READY_SECONDS:.0f} seconds.")

    def _check_alive(self) -> None:
        ended = [each.exit_code for each in self._processes if each.exit_code is not None]
        if ended:
            raise UpError(f"The web server ended unexpectedly with exit code {ended[0]}; its output is above.")

    def issue_sign_in_link(self, key: str, path: str) -> str | None:
        """
        Return the address of a link that signs in once with a key; None if the service issues none.

        Args:
            key: the key.
            path: of the operation that issues the link.

        Raises:
            KeyUnknown: the key is not valid; the data directory can contain the key of another database.
        """
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, body = self._send("POST", path, {"Authorization": f"Bearer {key}"})
            if status == HTTPStatus.UNAUTHORIZED:
                raise KeyUnknown("The key is not valid in this database.")
            if status == HTTPStatus.CREATED:
                return str(json.loads(body)["url"])
        return None

    def is_without_tables(self, key: str) -> bool:
        """Return whether the club of a key has no table in use; False if the service does not show its tables."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, body = self._send("GET", "/v1/tables?limit=1", {"Authorization": f"Bearer {key}"})
            return status == HTTPStatus.OK and not json.loads(body)["tables"]
        return False

    def _send(self, method: str, path: str, headers: Mapping[str, str] = MappingProxyType({})) -> tuple[int, bytes]:
        """Send a request without a body, and return the status and the body of the response."""
        connection = self._connect()
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, response.read()
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

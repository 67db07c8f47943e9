"""Connection poolers: PgBouncer, and a proxy that drops the startup parameter `options`."""

import os
import pwd
import shutil
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import psycopg
from sqlalchemy import make_url

from service.server.embedded import process as launcher
from tests.support.database.postgres import Logins, text_of
from tests.support.free_port import Listener

PGBOUNCER: Final = shutil.which("pgbouncer") or next(
    (path for path in ("/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer") if os.access(path, os.X_OK)), None
)
NO_PGBOUNCER: Final = "PgBouncer is not installed (Debian: apt-get install pgbouncer)"
_ENCRYPTION: Final = {80877103, 80877104}  # SSLRequest, GSSENCRequest


def through(port: int, logins: Logins) -> Logins:
    """Return the same logins, by way of a pooler on this port."""
    urls = (make_url(url).set(host="127.0.0.1", port=port, query={}) for url in (logins.owner, logins.service))
    return Logins(*map(text_of, urls))


class OptionsDropped:
    """A TCP proxy before an embedded PostgreSQL; it drops `options` from the startup packet and passes on the rest."""

    def __init__(self, logins: Logins) -> None:
        self._socket = f"{make_url(logins.owner).query['host']}/.s.PGSQL.5432"
        self._listener = Listener(self._serve)
        self.port, self.close = self._listener.port, self._listener.close

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(self._socket)
            while (packet := _read_packet(client))[1] in _ENCRYPTION:
                client.sendall(b"N")
            server.sendall(_without_options(*packet))
            back = threading.Thread(target=_pass_on, args=(server, client), daemon=True)
            back.start()
            _pass_on(client, server)
            back.join()


@contextmanager
def options_dropped(logins: Logins) -> Iterator[Logins]:
    """Reach the database through a proxy that drops the startup `options`."""
    with closing(OptionsDropped(logins)) as proxy:
        yield through(proxy.port, logins)


@contextmanager
def pgbouncer(directory: Path, logins: Logins, mode: str, ignored: str = "options") -> Iterator[Logins]:
    """
    Reach the database through a PgBouncer of the test's own.

    Args:
        directory: for its files.
        logins: to an embedded PostgreSQL.
        mode: its `pool_mode`.
        ignored: its `ignore_startup_parameters`.
    """
    assert PGBOUNCER is not None, NO_PGBOUNCER
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    users, settings = directory / "users.txt", directory / "pgbouncer.ini"
    users.write_text("".join(f'"{make_url(url).username}" ""\n' for url in (logins.owner, logins.service)))
    settings.write_text(
        f"[databases]\n* = host={make_url(logins.owner).query['host']} port=5432\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\npool_mode = {mode}\n"
        f"auth_type = trust\nauth_file = {users}\nignore_startup_parameters = {ignored}\n"
        # In transaction mode so few that clients have to share them.
        f"default_pool_size = {3 if mode == 'transaction' else 60}\nmax_client_conn = 200\n"
    )
    # It refuses to run as root; like PostgreSQL itself it runs as `nobody`, who may still pass the private directories.
    nobody = pwd.getpwnam("nobody")
    account = (nobody.pw_uid, nobody.pw_gid) if os.geteuid() == 0 else None
    with (directory / "pgbouncer.log").open("wb") as log:
        process = launcher.spawn([PGBOUNCER, str(settings)], last_signal=signal.SIGKILL, account=account, output=log)
    try:
        _wait_until_it_accepts(port, through(port, logins), directory / "pgbouncer.log")
        yield through(port, logins)
    finally:
        process.kill()
        process.wait()


def _wait_until_it_accepts(port: int, logins: Logins, log: Path) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(logins.owner, connect_timeout=2).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, f"PgBouncer does not respond on port {port}: {log.read_text()}"
            time.sleep(0.05)
        else:
            return


def _read_packet(client: socket.socket) -> tuple[bytes, int]:
    """Read a packet of the start of a connection: its content after the code, and the code."""
    length, code = struct.unpack(">ii", _read(client, 8))
    return _read(client, length - 8), code


def _without_options(content: bytes, code: int) -> bytes:
    fields = content.split(b"\0")[:-2]
    pairs = zip(fields[::2], fields[1::2], strict=True)
    parameters = b"".join(name + b"\0" + setting + b"\0" for name, setting in pairs if name != b"options") + b"\0"
    return struct.pack(">ii", len(parameters) + 8, code) + parameters


def _read(source: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length:
        more = source.recv(length - len(received))
        if not more:
            raise OSError("the connection ended")
        received += more
    return received


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while received := source.recv(65536):
            sink.sendall(received)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)

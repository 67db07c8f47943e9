import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self
from urllib.parse import quote

import psycopg
from psycopg import sql

from service.files import SECRET, atomic_write
from service.server.embedded import process
from service.server.embedded.binaries import EmbeddedError, InUse, account_for, binary
from service.server.embedded.data_directory import (
    FORMAT_FILE,
    Lock,
    SocketDirectory,
    find_format,
    initdb,
    refuse_other_versions,
    remove_stale_note,
)

OWNER = "ofc_owner"
DATABASE = "ofc"

# A commit must be on the disk before it is confirmed.
DURABLE = MappingProxyType({"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"})

# Recovery first syncs all files: with one call, or with one for each of 1,400 files.
_QUICK_RECOVERY = {"recovery_init_sync_method": "syncfs"} if sys.platform == "linux" else {}

_LARGEST_LOG = 10_000_000
_STOP_SECONDS = 60.0
_JOIN_SECONDS = 30.0
_RECOVERY_SECONDS = 600.0


class Cluster:
    """
    An embedded PostgreSQL in a directory, which runs while its owner process does.

    Only the owner's system user and root can connect, through a Unix socket in a private directory; it listens on no
    network. It ends with `stop`, or when the owner is killed. `restart_if_dead` starts it again after a crash.
    """

    def __init__(self, home: Path, settings: Mapping[str, str] = DURABLE) -> None:
        """
        Set the directory; `start` creates it.

        Args:
            home: the data directory, with the files of PostgreSQL in `postgres/`.
            settings: settings of PostgreSQL, by name.
        """
        self.home = home.absolute()
        self.files = self.home / "postgres"
        self.log = self.home / "postgres.log"
        self._settings = settings
        self._sockets = SocketDirectory(self.home)
        self._owner_lock = Lock(self.home / "owner.lock")
        # Every process of PostgreSQL inherits this lock, so when it is free, none is left.
        self._files_lock = Lock(self.home / "postgres.lock")
        # Commands take turns, so that the one that started PostgreSQL does not stop it during another one.
        self._joining_lock = Lock(self.home / "joining.lock")
        self._account: tuple[int, int] | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def url(self, login: str, database: str = DATABASE) -> str:
        """Return the URL of a database, for SQLAlchemy and libpq."""
        return f"postgresql://{login}@/{database}?host={quote(str(self._sockets.path), safe='/')}&port=5432"

    @property
    def socket_directory(self) -> Path:
        """The directory of the socket."""
        return self._sockets.path

    def allow_login(self, role: str) -> None:
        """Allow a role to connect; everyone who can reach the socket is trusted."""
        with psycopg.connect(self.url(OWNER), autocommit=True) as connection:
            connection.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(role)))

    @property
    def pid(self) -> int | None:
        """The process ID of the server; None if it does not run."""
        return self._server.pid if self._server is not None and self._server.poll() is None else None

    def start(self) -> None:
        """
        Start PostgreSQL, after creating its files if there are none, and wait until it accepts connections.

        Raises:
            EmbeddedError: the directory is in use, cannot be written, or has files that this PostgreSQL cannot read.
        """
        self._start()
        try:
            self._create_database()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        """Start PostgreSQL, without creating the database."""
        refuse_other_versions(self.files)
        self._lock_directory()
        try:
            self._account = account_for(self.files)
            self._wait_for_files()
            self._sockets.prepare()
            if not self.files.exists():
                self._create_files()
            if not self._launch():
                raise EmbeddedError(f"PostgreSQL did not start in {self.home}: {self.last_error()}")
        except BaseException as error:
            self.stop()
            if isinstance(error, OSError):
                raise EmbeddedError(
                    f"PostgreSQL cannot be set up in {self.home}: {error.strerror}; choose another directory with"
                    " --data or OFC_DATA."
                ) from error
            raise

    def join(self, *, only_reads: bool = False) -> bool:
        """
        Start PostgreSQL on existing files, unless another process runs it; return whether it was started here.

        `stop` must be called in either case. The other process can be starting or stopping, so this is retried for some
        time.

        Args:
            only_reads: whether the database, if a killed start has not created it, is not created either.

        Raises:
            EmbeddedError: there are no files, or they cannot be used.
        """
        try:
            if not self.files.exists():
                raise EmbeddedError(
                    f"There are no records in {self.home}; name their directory with --data or OFC_DATA, or create them"
                    " with `ofc-server up`."
                )
            refuse_other_versions(self.files)
            if not self._joining_lock.acquire(seconds=_JOIN_SECONDS):
                raise InUse(f"Another command uses {self.home} for too long; end it or wait for it.")
            deadline = time.monotonic() + _JOIN_SECONDS
            while True:
                try:
                    if only_reads:
                        self._start()
                    else:
                        self.start()
                    return True
                except InUse:
                    if self._is_reachable():
                        return False
                    if time.monotonic() > deadline:
                        raise
                time.sleep(0.1)
        except OSError as error:
            raise EmbeddedError(
                f"The data directory {self.home} cannot be used: {error.strerror}; choose another with"
                " --data or OFC_DATA."
            ) from error

    def _is_reachable(self) -> bool:
        try:
            psycopg.connect(self.url(OWNER)).close()
        except psycopg.OperationalError:
            return False
        return True

    def restart_if_dead(self) -> bool:
        """Restart PostgreSQL if it has crashed; return whether it had. A crash during the restart counts as another."""
        if self._server is None or self._server.poll() is None:
            return False
        self._launch()
        return True

    def stop(self) -> None:
        """Stop PostgreSQL if it was started here; open transactions are rolled back."""
        if self._owner_lock.is_held:
            self._stop_server()
            self._sockets.remove()
            self._files_lock.release()
            self._owner_lock.release()
        self._joining_lock.release()

    def last_error(self) -> str:
        """Return the last error, or else the last line, that PostgreSQL has logged, and the path of the log."""
        logged = self.log.read_bytes()[self._log_start :].decode(errors="replace")
        lines = [line.strip() for line in logged.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line or "FATAL" in line]
        return f"{[*lines, *errors][-1] if lines else 'it logged nothing'} (more in {self.log})"

    def _stop_server(self) -> None:
        if self._server is None:
            return
        # PostgreSQL's fast and its immediate shutdown, then force.
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            self._server.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(_STOP_SECONDS)
                break
        self._server = None

    def _lock_directory(self) -> None:
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            held = self._owner_lock.acquire()
        except OSError as error:
            raise EmbeddedError(
                f"The data directory {self.home} cannot be written: {error.strerror}; choose another with"
                " --data or OFC_DATA."
            ) from error
        if not held:
            raise InUse(
                f"{self.home} is in use by another ofc-server; stop that one, or choose another directory with"
                " --data or OFC_DATA."
            )

    def _wait_for_files(self) -> None:
        """Acquire the lock that every process of PostgreSQL on these files holds; those of a killed owner end soon."""
        if not self._files_lock.acquire(seconds=_STOP_SECONDS):
            raise EmbeddedError(f"A stopping PostgreSQL still uses {self.files}; end it and start again.")

    def _create_files(self) -> None:
        """Create the files in a temporary directory and rename it, so that there are never partial files."""
        unfinished = self.home / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if self._account is not None:
            os.chown(unfinished, *self._account)
        durable = self._settings.get("fsync") != "off"
        if self._spawn(initdb(unfinished, OWNER, durable=durable)).wait() != 0:
            raise EmbeddedError(f"PostgreSQL could not create its files in {self.home}: {self.last_error()}")
        with atomic_write(unfinished / FORMAT_FILE, SECRET) as writer:
            writer.write(f"{find_format()}\n")
        if self._account is not None:
            os.chown(unfinished / FORMAT_FILE, *self._account)
        unfinished.rename(self.files)

    def _launch(self) -> bool:
        """Start the server and wait until it accepts connections; return False if it ended before."""
        self._wait_for_files()
        remove_stale_note(self.files)
        self._sockets.make(self._account)
        socket_list = '"' + str(self._sockets.path).replace('"', '""') + '"'
        settings = {
            "listen_addresses": "",
            "port": "5432",
            "unix_socket_directories": socket_list,
            "unix_socket_permissions": "0700",
            # A player's name in a statement or a detail could not be erased from the log.
            "log_error_verbosity": "terse",
            "log_min_error_statement": "panic",
            # A club that has just been created is soon in the statistics by which queries are planned.
            "autovacuum_naptime": "15s",
            **_QUICK_RECOVERY,
            **self._settings,
        }
        options = [part for name, setting in settings.items() for part in ("-c", f"{name}={setting}")]
        self._server = self._spawn([binary("postgres"), "-D", self.files, *options])
        return self._becomes_ready(self._server)

    def _spawn(self, command: Sequence[str | Path]) -> subprocess.Popen[bytes]:
        """Start a program of PostgreSQL, and pass the lock on the files to it."""
        too_large = self.log.exists() and self.log.stat().st_size > _LARGEST_LOG
        # Environment variables for clients would change its settings.
        env = {name: text for name, text in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}
        try:
            with self.log.open("wb" if too_large else "ab") as log:
                self._log_start = log.tell()
                return process.spawn(
                    [str(part) for part in command],
                    # SIGQUIT is an immediate shutdown, which is safe like a crash.
                    last_signal=signal.SIGQUIT,
                    account=self._account,
                    env=env,
                    output=log,
                    pass_fds=[self._files_lock.descriptor],
                )
        finally:
            self._files_lock.release()

    def _becomes_ready(self, server: subprocess.Popen[bytes]) -> bool:
        deadline = time.monotonic() + _RECOVERY_SECONDS
        while time.monotonic() < deadline:
            if server.poll() is not None:
                return False
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.url(OWNER, "postgres")).close()
                return True
            time.sleep(0.05)
        raise EmbeddedError(f"PostgreSQL did not become ready in {self.home}; see {self.log}.")

    def _create_database(self) -> None:
        with psycopg.connect(self.url(OWNER, "postgres"), autocommit=True) as connection:
            if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).rowcount == 0:
                connection.execute(f"CREATE DATABASE {DATABASE}")

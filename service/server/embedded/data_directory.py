"""The data directory of the embedded PostgreSQL: initialization, version, socket and lock."""

import fcntl
import os
import shutil
import tempfile
import time
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Final

from service.server.embedded.binaries import MAJOR_VERSION, EmbeddedError, binary

_ENDED_STATES = ("Z", "X", "x")
"""States of ended processes in `/proc/PID/stat`: zombie and dead."""


def initdb(files: Path, owner: str, *, durable: bool) -> list[str | Path]:
    """
    Return the command that creates the files of a new cluster.

    Text sorts by code points whatever the locale of the system is, pages have checksums, and everyone who reaches the
    private socket is trusted.
    """
    return [
        *(binary("initdb"), "--pgdata", files, "--username", owner),
        *("--auth-local=trust", "--auth-host=reject", "--data-checksums", "--encoding=UTF8"),
        *("--locale-provider=builtin", "--locale=C", "--builtin-locale=C.UTF-8"),
        *("--set", "timezone=UTC", "--set", "log_timezone=UTC"),
        *([] if durable else ["--no-sync"]),
    ]


FORMAT_FILE: Final = "tablestakes_format"
"""The file among those of a cluster that has the format of its records. PostgreSQL copies it into backups."""


def find_format() -> str:
    """
    Return the format of records: the beginning of the digest of the schema that the migrations create.

    Until the first release migrations are edited in place, so each change of the schema is another format.
    """
    return sha256(resources.files("migrations").joinpath("manifest.json").read_bytes()).hexdigest()[:_LENGTH]


_LENGTH: Final = 16


def refuse_other_versions(files: Path) -> None:
    """
    Raise an error if the files are of another major version of PostgreSQL, or their records have another format.

    Only reads, so that the directory can still be used by the version that wrote it.

    Raises:
        EmbeddedError: the files have another version or format.
    """
    written, formatted = files / "PG_VERSION", files / FORMAT_FILE
    # `account_for` reports a directory that cannot be read.
    if not os.access(written, os.R_OK):
        return
    if (version := written.read_text().strip()) != str(MAJOR_VERSION):
        raise EmbeddedError(
            f"{files} was written by PostgreSQL {version}; expected {MAJOR_VERSION}: "
            f"upgrade it with pg_upgrade, copy its file {FORMAT_FILE}, or choose another directory"
            " with --data or OFC_DATA."
        )
    if not formatted.exists() or formatted.read_text().strip() != find_format():
        raise EmbeddedError(
            f"{files.parent} was written by an incompatible version of Tablestakes: export the rounds with that version"
            " (`ofc export`), start this version with a new directory (--data or OFC_DATA), and import them"
            " there (`ofc import`)."
        )


def remove_stale_note(files: Path) -> None:
    """
    Remove `postmaster.pid` if the server that wrote it has ended. The caller must hold the lock on the files.

    PostgreSQL does not start while a process has the ID in the file. That process can be another program with a reused
    ID, which is usual in containers, or the zombie of a killed server.
    """
    note = files / "postmaster.pid"
    if note.exists() and _has_ended(Path("/proc", note.read_text().split("\n", 1)[0].strip()), files):
        note.unlink()


def _has_ended(process: Path, files: Path) -> bool:
    """Return whether an existing process is certainly not a server on these files."""
    try:
        # The process ID, the name in parentheses, the state.
        name, _, rest = (process / "stat").read_text().partition("(")[2].rpartition(")")
        if name != "postgres" or rest.split()[0] in _ENDED_STATES:
            return True
        # The working directory of a PostgreSQL server is that of its files.
        return not (process / "cwd").samefile(files)
    except OSError:
        return False


# The address of a Unix socket holds 107 bytes on Linux and 103 on macOS.
_LONGEST_ADDRESS = 103
_SOCKET_NAME = ".s.PGSQL.5432"
_PREFIX = "ofc-socket-"


class SocketDirectory:
    """
    The private directory of the socket: `DIR/socket`.

    If that path is too long for a socket, it is a directory for temporary files, and `DIR/socket` is a link to it, so
    that the next start can remove it after a kill.
    """

    def __init__(self, home: Path) -> None:
        self._entry = home / "socket"

    @property
    def path(self) -> Path:
        """The path of the directory: for the owner after `prepare`, for others while the owner runs."""
        return self._entry.readlink() / "socket" if self._entry.is_symlink() else self._entry

    def prepare(self) -> None:
        """Remove the directory of an earlier owner, and choose the path, which stays the same until `remove`."""
        self.remove()
        if not _fits(self._entry):
            usual = Path(tempfile.gettempdir())
            # Two levels: the outer one belongs to the caller, so other processes of PostgreSQL's account cannot enter.
            outer = Path(
                tempfile.mkdtemp(
                    prefix=_PREFIX, dir=usual if _fits(usual / f"{_PREFIX}12345678" / "socket") else "/tmp"
                )
            )
            self._entry.symlink_to(outer)

    def make(self, account: tuple[int, int] | None) -> None:
        """Create an empty directory for the account of PostgreSQL."""
        if self.path.exists():
            shutil.rmtree(self.path)
        self.path.mkdir(mode=0o700)
        if account is not None:
            os.chown(self.path, *account)

    def remove(self) -> None:
        """Remove the directory and the link to it."""
        if self._entry.is_symlink():
            outer = self._entry.readlink()
            if outer.name.startswith(_PREFIX):
                shutil.rmtree(outer, ignore_errors=True)
            self._entry.unlink()
        elif self._entry.exists():
            shutil.rmtree(self._entry)


def _fits(directory: Path) -> bool:
    return len(os.fsencode(directory / _SOCKET_NAME)) <= _LONGEST_ADDRESS


class Lock:
    """
    A file lock that one process can hold, together with the children that inherit it.

    The kernel releases it when the last of them ends, so nothing must be cleaned up after a crash.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     first, second = Lock(Path(directory, "lock")), Lock(Path(directory, "lock"))
    ...     first.acquire(), second.acquire()
    ...     first.release()
    ...     second.acquire(seconds=1)
    ...     second.release()
    (True, False)
    True
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, seconds: float = 0) -> bool:
        """Acquire the lock within some seconds; return False if another process holds it."""
        if self.is_held:
            return True
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    return False
                time.sleep(0.05)
            else:
                self._descriptor = descriptor
                return True

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock; children can hold it too."""
        return self._descriptor is not None

    @property
    def descriptor(self) -> int:
        """The open file, for children that shall hold the lock too."""
        if self._descriptor is None:
            raise ValueError(f"{self._path} is not held.")
        return self._descriptor

    def release(self) -> None:
        """Release the lock; children that inherited it still hold it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

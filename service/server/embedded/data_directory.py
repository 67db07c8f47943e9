"""The data directory of the embedded PostgreSQL: initialization, version, socket and lock."""

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

from service.server.embedded.binaries import MAJOR_VERSION, EmbeddedError, binary

_ENDED_STATES = ("Z", "X", "x")
"""Of `/proc/PID/stat`: zombie and dead."""


def initdb(files: Path, owner: str, *, durable: bool) -> list[str | Path]:
    """
    The command that makes the files of a new cluster.

    Every machine gets the same: text sorts by code points whatever the system's language, damaged pages are noticed,
    and whoever reaches the private socket is trusted.
    """
    return [
        *(binary("initdb"), "--pgdata", files, "--username", owner),
        *("--auth-local=trust", "--auth-host=reject", "--data-checksums", "--encoding=UTF8"),
        *("--locale-provider=builtin", "--locale=C", "--builtin-locale=C.UTF-8"),
        *("--set", "timezone=UTC", "--set", "log_timezone=UTC"),
        *([] if durable else ["--no-sync"]),
    ]


def refuse_other_versions(files: Path) -> None:
    """
    Refuse the files of another major version, which this PostgreSQL cannot read.

    Raises:
        EmbeddedError: they are of another version.
    """
    written = files / "PG_VERSION"
    # Whoever may not look into the directory is told so when the account is chosen.
    if os.access(written, os.R_OK) and (found := written.read_text().strip()) != str(MAJOR_VERSION):
        raise EmbeddedError(
            f"{files} was written by PostgreSQL {found} and this is {MAJOR_VERSION}; "
            "upgrade it with pg_upgrade or choose another --data."
        )


def remove_stale_note(files: Path) -> None:
    """
    Remove `postmaster.pid` where the server that wrote it has ended. The caller holds the lock on the files.

    PostgreSQL removes it itself where no process has the number. It refuses to start where one has: another program, to
    which the number was given again, as containers do at every start; or its own, killed, of which nobody has asked how
    it ended, so that it stays in the list of processes for ever.
    """
    note = files / "postmaster.pid"
    if note.exists() and _has_ended(Path("/proc", note.read_text().split("\n", 1)[0].strip()), files):
        note.unlink()


def _has_ended(process: Path, files: Path) -> bool:
    """Return whether a process, that is there, is certainly no server on these files. What cannot be known is no."""
    try:
        # The number, the name in parentheses, the state.
        name, _, rest = (process / "stat").read_text().partition("(")[2].rpartition(")")
        if name != "postgres" or rest.split()[0] in _ENDED_STATES:
            return True
        # A server of PostgreSQL works in the directory of its files.
        return not (process / "cwd").samefile(files)
    except OSError:
        return False


# The address of a Unix socket holds 107 bytes on Linux and 103 on macOS.
_LONGEST_ADDRESS = 103
_SOCKET_NAME = ".s.PGSQL.5432"
_PREFIX = "ofc-socket-"


class SocketDirectory:
    """
    Where the embedded PostgreSQL listens: `DIR/socket`, open to nobody else.

    Where that is too long for the address of a socket it is a private directory in the system's place for temporary
    files, and `DIR/socket` a link that remembers it, so that the next start can sweep away what a killed one left.
    """

    def __init__(self, home: Path) -> None:
        self._remembered = home / "socket"

    @property
    def path(self) -> Path:
        """Where it is: for the owner from `prepare` on, for others while the owner runs."""
        return self._remembered.readlink() / "socket" if self._remembered.is_symlink() else self._remembered

    def prepare(self) -> None:
        """Sweep away what an earlier owner left, and choose the path, which stays the same until `remove`."""
        self.remove()
        if not _fits(self._remembered):
            usual = Path(tempfile.gettempdir())
            # Two levels: the outer one is the starter's own, and nobody else who runs as PostgreSQL's account passes.
            outer = Path(
                tempfile.mkdtemp(
                    prefix=_PREFIX, dir=usual if _fits(usual / f"{_PREFIX}12345678" / "socket") else "/tmp"
                )
            )
            self._remembered.symlink_to(outer)

    def make(self, account: tuple[int, int] | None) -> None:
        """Make the directory anew, for the account that PostgreSQL runs as."""
        if self.path.exists():
            shutil.rmtree(self.path)
        self.path.mkdir(mode=0o700)
        if account is not None:
            os.chown(self.path, *account)

    def remove(self) -> None:
        """Remove the directory and what links to it."""
        if self._remembered.is_symlink():
            outer = self._remembered.readlink()
            if outer.name.startswith(_PREFIX):
                shutil.rmtree(outer, ignore_errors=True)
            self._remembered.unlink()
        elif self._remembered.exists():
            shutil.rmtree(self._remembered)


def _fits(directory: Path) -> bool:
    return len(os.fsencode(directory / _SOCKET_NAME)) <= _LONGEST_ADDRESS


class Lock:
    """
    A file that one process at a time can hold, together with the children it is passed to.

    The kernel lets go of it when the last of them is gone, however they went, so that there is nothing to clean up
    after a crash and no process number to mistrust.

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
        """Take the lock, waiting as long as told; True if it is held now, False if another holds it."""
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
        """Whether this object holds the lock; children that it was passed to may do so besides."""
        return self._descriptor is not None

    @property
    def descriptor(self) -> int:
        """The open file, to be passed to a child who then holds the lock too."""
        if self._descriptor is None:
            raise ValueError(f"{self._path} is not held.")
        return self._descriptor

    def release(self) -> None:
        """Let go of the lock; children it was passed to still hold it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

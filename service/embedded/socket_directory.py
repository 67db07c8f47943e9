import os
import shutil
import tempfile
from pathlib import Path

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

import fcntl
import os
import time
from pathlib import Path


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

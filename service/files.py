"""Files that are written atomically."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

SECRET: Final = 0o600
"""The mode of a file that only its owner reads."""
_USUAL: Final = 0o666


@contextmanager
def atomic_write(file: Path, mode: int = _USUAL) -> Iterator[TextIO]:
    """
    Write a file. It is replaced at the end of the block, and remains unchanged after an error.

    Args:
        file: the path; symbolic links are followed.
        mode: of the new file, less the umask.

    Raises:
        OSError: the file cannot be written.
    """
    target = Path(os.path.realpath(file))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    # A killed process with the same id, as is common in containers, may have left the file.
    unfinished.unlink(missing_ok=True)
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as writer:
            yield writer
            writer.flush()
            os.fsync(descriptor)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)

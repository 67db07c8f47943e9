"""Files that are written whole or not at all."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from client.errors import UnreadableError


def standard_output() -> IO[bytes]:
    """
    Give the standard output.

    Raises:
        UnreadableError: there is none.
    """
    if sys.stdout is None:
        raise UnreadableError("the standard output is closed; one that can be written is right")
    return sys.stdout.buffer


def refuse_existing(file: Path, *, overwrites: bool) -> None:
    """
    Refuse to write where something is already, unless it is a file that may be overwritten.

    Raises:
        UnreadableError: it is there, and stays as it is.
    """
    try:
        is_there, is_file = file.exists(), file.is_file()
    except OSError as error:
        raise _unwritable(file, error) from None
    if is_there and not is_file:
        raise UnreadableError(f"{file} cannot be written: it is no file; the name of one is right")
    if is_there and not overwrites:
        raise UnreadableError(f"{file} is there already, and stays as it is; another name or --overwrite is right")


def write_whole(file: Path, content: bytes, *, overwrites: bool) -> None:
    """
    Write a file: it has all of its content, or stays what it was.

    Raises:
        UnreadableError: it cannot be written, or is there and stays.
    """
    with writing_whole(file, overwrites=overwrites) as writer:
        writer.write(content)


@contextmanager
def writing_whole(file: Path, *, overwrites: bool) -> Iterator[IO[bytes]]:
    """
    Write a file piece by piece: it has all that was written once nothing failed, and stays what it was until then.

    Args:
        file: where; a link is followed.
        overwrites: whether a file that is there already gives way.

    Raises:
        UnreadableError: it cannot be written, or is there and stays.
    """
    refuse_existing(file, overwrites=overwrites)
    target = Path(os.path.realpath(file))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        # A process of the same number, as containers give them, can have been killed here.
        unfinished.unlink(missing_ok=True)
        try:
            with unfinished.open("xb") as writer:
                yield writer
                writer.flush()
                os.fsync(writer.fileno())
            refuse_existing(file, overwrites=overwrites)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(file, error) from None


def _unwritable(file: Path, error: OSError) -> UnreadableError:
    return UnreadableError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}")

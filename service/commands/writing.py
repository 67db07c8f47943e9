"""Files that are written whole or not at all."""

import os
from pathlib import Path

from service.errors import OperatorError


def refuse_existing(file: Path, *, overwrites: bool) -> None:
    """
    Refuse to write where a file is already, unless it may be overwritten.

    Raises:
        OperatorError: it is there, and stays as it is.
    """
    if file.exists() and not overwrites:
        raise OperatorError(f"{file} is there already, and stays as it is; another name or --overwrite is right.")


def write_whole(file: Path, content: str) -> None:
    """
    Write a file: it has all of its content, or stays what it was. A link is followed.

    Raises:
        OperatorError: it cannot be written.
    """
    target = file.resolve()
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        try:
            with unfinished.open("x", encoding="utf-8") as writer:
                writer.write(content)
                writer.flush()
                os.fsync(writer.fileno())
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise OperatorError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}.") from error

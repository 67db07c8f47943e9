"""Files that are written whole or not at all."""

import os
from pathlib import Path
from stat import S_ISREG

from service.errors import OperatorError


def is_there(file: Path) -> bool:
    """
    Say whether there is a file of this name. A link is followed.

    Raises:
        OperatorError: there is something else, or nobody can say.
    """
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unwritable(file, error) from error
    if not S_ISREG(found.st_mode):
        raise OperatorError(f"{file} is no file; the name of one is right.")
    return True


def refuse_existing(file: Path, *, overwrites: bool) -> None:
    """
    Refuse to write where a file is already, unless it may be overwritten.

    Raises:
        OperatorError: it is there, and stays as it is; or it is something else.
    """
    if is_there(file) and not overwrites:
        raise OperatorError(f"{file} is there already, and stays as it is; another name or --overwrite is right.")


def write_whole(file: Path, content: str) -> None:
    """
    Write a file: it has all of its content, or stays what it was. A link is followed.

    Raises:
        OperatorError: it cannot be written.
    """
    is_there(file)
    target = target_of(file)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        # A process of the same number, as containers give them, can have been killed here.
        unfinished.unlink(missing_ok=True)
        try:
            with unfinished.open("x", encoding="utf-8") as writer:
                writer.write(content)
                writer.flush()
                os.fsync(writer.fileno())
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(file, error) from error


def target_of(file: Path) -> Path:
    """Say where links lead."""
    return Path(os.path.realpath(file))


def _unwritable(file: Path, error: OSError) -> OperatorError:
    return OperatorError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}.")

"""Output of commands: text for people, JSON for scripts, files written atomically."""

import json
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

import click

from service.errors import OperatorError
from service.files import atomic_write


def print_json(document: object) -> None:
    """Print a document as JSON."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings, in aligned columns."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_message(sentence: str) -> None:
    """Print a sentence on stderr; stdout is for scripts."""
    click.echo(sentence, err=True)


def show_moment(moment: datetime) -> str:
    """
    Format a time for people: to the minute, in UTC.

    >>> show_moment(datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    '2026-11-20 20:15'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"


def file_exists(file: Path) -> bool:
    """
    Return whether a file exists. Symbolic links are followed.

    Raises:
        OperatorError: the path is not a file, or cannot be read.
    """
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unwritable(file, error) from error
    if not S_ISREG(status.st_mode):
        raise OperatorError(f"{file} is not a file; expected the name of a file.")
    return True


def refuse_existing(file: Path, *, overwrites: bool) -> None:
    """
    Raise an error if a file exists, unless it can be overwritten.

    Raises:
        OperatorError: the file exists, or the path is not a file.
    """
    if file_exists(file) and not overwrites:
        raise OperatorError(f"{file} already exists; expected another name, or --overwrite.")


def write_atomically(file: Path, content: str) -> None:
    """
    Write a file atomically. Symbolic links are followed.

    Raises:
        OperatorError: the file cannot be written.
    """
    file_exists(file)
    try:
        with atomic_write(file) as writer:
            writer.write(content)
    except OSError as error:
        raise _unwritable(file, error) from error


def resolve(file: Path) -> Path:
    """Return the path without symbolic links."""
    return Path(os.path.realpath(file))


def _unwritable(file: Path, error: OSError) -> OperatorError:
    return OperatorError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}.")

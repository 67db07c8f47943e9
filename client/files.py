"""Strict reading of JSON files, and writing of files that are complete or not there at all."""

import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import chain, count
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from client.errors import UnreadableError
from client.spelling import respell

STDIN: Final = "-"
_GZIP: Final = b"\x1f\x8b"
_WHOLE_GZIP: Final = "expected a complete file; lines that were already recorded change nothing"
_BYTE_ORDER_MARK: Final = "\ufeff".encode()
_OPENINGS: Final = (b"{", b"[")
_WHOLE_LINES: Final = "expected a complete document on each line; `ofc post` accepts a document of several lines"
_KINDS: Final = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def read_document(name: str) -> dict[str, Any]:
    """
    Read a hand or a round from a file, with cards and rows as people spell them.

    Raises:
        UnreadableError: the file does not exist, it is not a JSON object, or it has a row twice.
    """
    document = read_json(name)
    try:
        return respell(document)
    except UnreadableError as error:
        raise UnreadableError(f"{name}: {error}") from None


def read_json(name: str) -> dict[str, Any]:
    """
    Read a JSON object from a file, or from standard input for `-`.

    Raises:
        UnreadableError: the file does not exist, or it is not a JSON object.
    """
    return parse_object(read_text(name), name)


def open_bytes(name: str) -> AbstractContextManager[IO[bytes]]:
    """
    Open a file, or return standard input for `-`, which remains open.

    Raises:
        UnreadableError: the file does not exist.
    """
    if not name:
        raise UnreadableError("the name of a file is empty; expected the name of an existing file")
    if name == STDIN and sys.stdin is None:
        raise UnreadableError("the standard input is closed; expected a file, or piped input")
    try:
        return nullcontext(sys.stdin.buffer) if name == STDIN else Path(name).open("rb")
    except OSError as error:
        raise _unreadable(name, error) from None
    except ValueError as error:
        raise UnreadableError(f"{name!r} is not a valid file name: {error}") from None


@dataclass(frozen=True, slots=True)
class FileLines:
    """The lines of a file, read lazily, and its size in bytes if known in advance."""

    lines: Iterator[bytes]
    size: int | None


@contextmanager
def open_lines(name: str) -> Iterator[FileLines]:
    """
    Open a file, or standard input for `-`, to read it line by line. Gzip is decompressed.

    Raises:
        UnreadableError: the file does not exist, or, while lines are read, its gzip is incomplete or damaged.
    """
    with ExitStack() as opened:
        file = opened.enter_context(open_bytes(name))
        reader = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]  # whatever has bytes
        is_packed = reader.peek(len(_GZIP)).startswith(_GZIP)
        size = None if name == STDIN or is_packed else Path(name).stat().st_size or None
        whole = opened.enter_context(gzip.open(reader)) if is_packed else reader
        yield FileLines(_lines_of(name, whole), size)


def _lines_of(name: str, file: Iterable[bytes]) -> Iterator[bytes]:
    try:
        for number, line in enumerate(file):
            if number == 0:
                line = line.removeprefix(_BYTE_ORDER_MARK)
                if line.strip() in _OPENINGS:
                    raise UnreadableError(f"{name}: line 1 is only the beginning of a document; {_WHOLE_LINES}")
            yield line
    except EOFError:
        raise UnreadableError(f"{name}: the gzip file ends early; {_WHOLE_GZIP}") from None
    except (gzip.BadGzipFile, zlib.error):
        raise UnreadableError(f"{name}: the gzip file is damaged; {_WHOLE_GZIP}") from None
    except OSError as error:
        raise _unreadable(name, error) from None


def read_text(name: str) -> str:
    """
    Read a text from a file, or from standard input for `-`.

    Raises:
        UnreadableError: the file does not exist, it is not text, or it is empty.
    """
    try:
        with open_bytes(name) as file:
            text = file.read().decode("utf-8-sig")
    except OSError as error:
        raise _unreadable(name, error) from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name}: byte {error.start} is not UTF-8; expected a JSON file in UTF-8") from None
    if not text.strip():
        raise UnreadableError(f"{name}: the file is empty; expected a JSON document")
    return text


def read_patch(name: str) -> list[Any]:
    """
    Read a JSON Patch from a file, or from standard input for `-`.

    Raises:
        UnreadableError: the file does not exist, or it is not a JSON array.
    """
    patch = _parse(read_text(name), name)
    if not isinstance(patch, list):
        raise _wrong_kind(name, patch, "a JSON array of changes")
    return patch


def read_edited(text: str) -> dict[str, Any]:
    """
    Parse a document that a person has edited, with cards and rows as people spell them.

    Raises:
        UnreadableError: it is not a JSON object.
    """
    return respell(parse_object(text, "the edited document"))


def parse_object(text: str, name: str) -> dict[str, Any]:
    """
    Parse a JSON object.

    Raises:
        UnreadableError: the text is not a JSON object; the message begins with `name`.
    """
    document = _parse(text, name)
    if not isinstance(document, dict):
        raise _wrong_kind(name, document, "a JSON object")
    return document


def _unreadable(name: str, error: OSError) -> UnreadableError:
    return UnreadableError(f"{name}: {(error.strerror or str(error)).lower()}")


def _wrong_kind(name: str, value: object, right: str) -> UnreadableError:
    return UnreadableError(f"{name}: {_KINDS.get(type(value), 'a number')} was found; expected {right}")


def _parse(text: str, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at").removesuffix(" starting").lower()
        raise UnreadableError(f"{name}: line {error.lineno}, column {error.colno}: {what}; expected JSON") from None
    except RecursionError:
        raise UnreadableError(f"{name}: the JSON is nested too deeply; expected a hand or a round document") from None
    except _WrongError as error:
        raise UnreadableError(f"{name}: {error}") from None
    except ValueError:
        raise UnreadableError(f"{name}: a number has thousands of digits; expected at most sixteen") from None


class _WrongError(Exception):
    """JSON that is valid but ambiguous or not representable."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise _WrongError(f"the key {key[:60]!r} is given twice in one object; expected once")
        read[key] = value
    return read


def _refuse_constant(name: str) -> NoReturn:
    raise _WrongError(f"{name} is not a JSON number")


def _float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _WrongError(f"{digits[:60]} is too large a number")
    if number.is_integer() and not _is_whole(digits):
        raise _WrongError(f"{digits[:60]} would be read as {number:.15g}; expected a number with fewer digits")
    return number


def _is_whole(digits: str) -> bool:
    # As in schemas/strict_json.py, whose import would double the time that a command takes to start.
    try:
        number = Decimal(digits)
    except InvalidOperation:  # an exponent that Decimal does not support
        return False
    return number == number.to_integral_value()


def standard_output() -> IO[bytes]:
    """
    Return the standard output.

    Raises:
        UnreadableError: the standard output is closed.
    """
    if sys.stdout is None:
        raise UnreadableError("the standard output is closed; expected an open one")
    return sys.stdout.buffer


def refuse_existing(file: Path, *, overwrites: bool) -> None:
    """
    Reject an output file that exists, unless it is a file and may be overwritten.

    Raises:
        UnreadableError: the file exists and may not be overwritten.
    """
    try:
        is_there, is_file = file.exists(), file.is_file()
    except OSError as error:
        raise _unwritable(file, error) from None
    if is_there and not is_file:
        raise UnreadableError(f"{file} cannot be written: it is not a file; expected the name of a file")
    if is_there and not overwrites:
        raise UnreadableError(f"{file} already exists; expected another name, or --overwrite")


def write_file(file: Path, content: bytes, *, overwrites: bool) -> None:
    """
    Write a file atomically: it has all of its content, or remains unchanged.

    Raises:
        UnreadableError: the file cannot be written, or exists and may not be overwritten.
    """
    with atomic_write(file, overwrites=overwrites) as writer:
        writer.write(content)


def write_new(name: str, content: bytes) -> Path:
    """
    Write a file to the current directory, and return its path: the name, or the first with a number that is free.

    Raises:
        UnreadableError: the file cannot be written.
    """
    named = Path(name)
    for path in chain([named], (named.with_stem(f"{named.stem}-{number}") for number in count(2))):
        try:
            file = path.open("xb")
        except FileExistsError:
            continue
        except OSError as error:
            raise _unwritable(path, error) from None
        try:
            with file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            path.unlink(missing_ok=True)
            raise _unwritable(path, error) from None
        return path
    raise AssertionError("one of the names is free")


@contextmanager
def atomic_write(file: Path, *, overwrites: bool) -> Iterator[IO[bytes]]:
    """
    Write a file piece by piece. It is replaced at the end of the block, and remains unchanged after an error.

    Args:
        file: the path; symbolic links are followed.
        overwrites: whether an existing file may be replaced.

    Raises:
        UnreadableError: the file cannot be written, or exists and may not be overwritten.
    """
    refuse_existing(file, overwrites=overwrites)
    target = Path(os.path.realpath(file))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        # A killed process with the same id, as is common in containers, may have left the file.
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

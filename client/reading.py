"""JSON files, read strictly: what two readers could understand differently is refused."""

import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from client.errors import UnreadableError
from client.spelling import respell

STDIN: Final = "-"
_GZIP: Final = b"\x1f\x8b"
_WHOLE_GZIP: Final = "a whole one is right, and lines that were recorded from this one change nothing then"
_BYTE_ORDER_MARK: Final = "\ufeff".encode()
_OPENINGS: Final = (b"{", b"[")
_WHOLE_LINES: Final = "a whole one on each line is right, and `ofc post` takes one that goes over several"
_KINDS: Final = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}


def read_document(name: str) -> dict[str, Any]:
    """
    Read a hand or a round from a file, with cards and rows as people spell them.

    Raises:
        UnreadableError: there is no such file, it is no JSON object, or a row stands in it twice.
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
        UnreadableError: there is no such file, or it is no JSON object.
    """
    return parse_object(read_text(name), name)


def open_bytes(name: str) -> AbstractContextManager[IO[bytes]]:
    """
    Open a file, or take standard input for `-`, which stays open.

    Raises:
        UnreadableError: there is no such file.
    """
    if not name:
        raise UnreadableError("the name of a file is empty; one of a file that there is, is right")
    if name == STDIN and sys.stdin is None:
        raise UnreadableError("the standard input is closed; a file, or something piped in, is right")
    try:
        return nullcontext(sys.stdin.buffer) if name == STDIN else Path(name).open("rb")
    except OSError as error:
        raise _unreadable(name, error) from None
    except ValueError as error:
        raise UnreadableError(f"{name!r} is no file name: {error}") from None


@dataclass(frozen=True, slots=True)
class ComingLines:
    """The lines of a file, as they are read; `size` is how many bytes they are, where that is known before."""

    lines: Iterator[bytes]
    size: int | None


@contextmanager
def reading_lines(name: str) -> Iterator[ComingLines]:
    """
    Read a file line by line, or standard input for `-`, also where it is in gzip.

    Raises:
        UnreadableError: there is no such file, or, while lines are read, it is no whole gzip.
    """
    with ExitStack() as opened:
        file = opened.enter_context(open_bytes(name))
        reader = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]  # whatever has bytes
        is_packed = reader.peek(len(_GZIP)).startswith(_GZIP)
        size = None if name == STDIN or is_packed else Path(name).stat().st_size or None
        whole = opened.enter_context(gzip.open(reader)) if is_packed else reader
        yield ComingLines(_lines_of(name, whole), size)


def _lines_of(name: str, file: Iterable[bytes]) -> Iterator[bytes]:
    try:
        for number, line in enumerate(file):
            if number == 0:
                line = line.removeprefix(_BYTE_ORDER_MARK)
                if line.strip() in _OPENINGS:
                    raise UnreadableError(f"{name}: line 1 only begins a document; {_WHOLE_LINES}")
            yield line
    except EOFError:
        raise UnreadableError(f"{name}: it ends in the middle of its gzip; {_WHOLE_GZIP}") from None
    except (gzip.BadGzipFile, zlib.error):
        raise UnreadableError(f"{name}: its gzip is damaged; {_WHOLE_GZIP}") from None
    except OSError as error:
        raise _unreadable(name, error) from None


def read_text(name: str) -> str:
    """
    Read a text from a file, or from standard input for `-`.

    Raises:
        UnreadableError: there is no such file, it is no text, or it is empty.
    """
    try:
        with open_bytes(name) as file:
            text = file.read().decode("utf-8-sig")
    except OSError as error:
        raise _unreadable(name, error) from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name}: byte {error.start} is not UTF-8; a JSON file in UTF-8 is right") from None
    if not text.strip():
        raise UnreadableError(f"{name}: it is empty; a JSON document is right")
    return text


def read_patch(name: str) -> list[Any]:
    """
    Read a JSON Patch from a file, or from standard input for `-`.

    Raises:
        UnreadableError: there is no such file, or it is no JSON list.
    """
    patch = _parse(read_text(name), name)
    if not isinstance(patch, list):
        raise _wrong_kind(name, patch, "a JSON list of changes")
    return patch


def read_edited(text: str) -> dict[str, Any]:
    """
    Read a document that somebody has edited, with cards and rows as people spell them.

    Raises:
        UnreadableError: it is no JSON object any more.
    """
    return respell(parse_object(text, "the edited document"))


def parse_object(text: str, name: str) -> dict[str, Any]:
    """
    Read a JSON object from a text.

    Raises:
        UnreadableError: it is none; `name` says what it is.
    """
    document = _parse(text, name)
    if not isinstance(document, dict):
        raise _wrong_kind(name, document, "a JSON object")
    return document


def _unreadable(name: str, error: OSError) -> UnreadableError:
    return UnreadableError(f"{name}: {(error.strerror or str(error)).lower()}")


def _wrong_kind(name: str, found: object, right: str) -> UnreadableError:
    return UnreadableError(f"{name}: {_KINDS.get(type(found), 'a number')} was found; {right} is right")


def _parse(text: str, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at").removesuffix(" starting").lower()
        raise UnreadableError(f"{name}: line {error.lineno}, column {error.colno}: {what}; JSON is right") from None
    except RecursionError:
        raise UnreadableError(f"{name}: objects and lists nest far deeper than in any document here") from None
    except _WrongError as error:
        raise UnreadableError(f"{name}: {error}") from None
    except ValueError:
        raise UnreadableError(f"{name}: a number has thousands of digits; none here has more than sixteen") from None


class _WrongError(Exception):
    """It can be read, and means nothing or two things."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise _WrongError(f"the key {key[:60]!r} stands twice in one object; once is right")
        read[key] = value
    return read


def _refuse_constant(name: str) -> NoReturn:
    raise _WrongError(f"{name} is no JSON number")


def _float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _WrongError(f"{digits[:60]} is too large a number")
    return number

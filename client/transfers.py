"""Rounds on their way in and out of a service, many at a time, also when the connection breaks now and then."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, ParamSpec, TypeVar
from uuid import uuid4

from client.answers import Answer, Lines
from client.api import Client
from client.errors import RefusedError, TransportError, UnreadableError
from client.reading import parse_object
from client.spelling import respell

PIECE: Final = 16 * 1024 * 1024
"""How many bytes are sent at once: so much is sent again where the connection breaks."""

ENDED: Final = ("succeeded", "failed", "cancelled")
_PATIENCE: Final = 300.0
_PAUSE: Final = 0.5

TellWaiting = Callable[[TransportError], None]

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of a file; `numbers` are their places in it, and `size` how many of its bytes they were."""

    content: bytes
    numbers: list[int]
    size: int


def cut_up(lines: Iterable[bytes], most: int = PIECE) -> Iterator[Piece]:
    r"""
    Cut a file of round documents into pieces of whole lines, with cards and rows as the service spells them.

    >>> [(piece.content, piece.numbers) for piece in cut_up([b'{"front": ["10s"]}\n', b"\n", b"{"])]
    [(b'{"top":["Ts"]}\n{\n', [1, 3])]
    """
    content, numbers, size = bytearray(), list[int](), 0
    for number, line in enumerate(lines, start=1):
        size += len(line)
        if line.strip():
            content += _respelled(line.strip()) + b"\n"
            numbers.append(number)
        if len(content) >= most:
            yield Piece(bytes(content), numbers, size)
            content, numbers, size = bytearray(), [], 0
    if numbers:
        yield Piece(bytes(content), numbers, size)


def import_piece(
    client: Client,
    piece: Piece,
    tell: Callable[[Answer], None],
    tell_waiting: TellWaiting,
    *,
    is_provisional: bool = False,
) -> Iterator[dict[str, Any]]:
    """
    Import a piece, wait until it is done, and say what became of each of its lines.

    A connection that breaks is waited for: what had been recorded then is a replay.

    Args:
        client: the service.
        piece: whose lines are numbered as in the file.
        tell: is told how far the import is, again and again.
        tell_waiting: is told why the service is waited for.
        is_provisional: whether settlements are provisional, and not final.

    Raises:
        TransportError: the service does not answer for minutes.
        RefusedError: it refuses, or somebody has cancelled the import.
    """
    key = str(uuid4())
    job = patiently(tell_waiting, client.start_import, piece.content, key, is_provisional=is_provisional)
    while job["state"] not in ENDED:
        tell(job)
        time.sleep(_PAUSE)
        job = patiently(tell_waiting, client.get_import, job["id"])
    tell(job)
    for result in patiently(tell_waiting, client.list_import_results, job["id"]):
        yield {**result, "line": piece.numbers[result["line"] - 1]}
    if job["state"] != "succeeded":
        state = "was cancelled" if job["state"] == "cancelled" else "has failed"
        detail = f"import {job['id']} {state}; what is stored stays, and the same file can be imported again"
        raise RefusedError({"title": "The import did not end", "code": "import-ended", "detail": detail, "errors": []})


def patiently(tell_waiting: TellWaiting, ask: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Ask until the service answers, for some minutes; say once why it takes so long."""
    import stamina

    told = False

    def is_worth_waiting(error: Exception) -> bool:
        nonlocal told
        if not isinstance(error, TransportError):
            return False
        if not told:
            tell_waiting(error)
        told = True
        return True

    for attempt in stamina.retry_context(
        on=is_worth_waiting, attempts=None, timeout=_PATIENCE, wait_initial=1, wait_max=15
    ):
        with attempt:
            return ask(*arguments, **options)
    raise AssertionError("the last attempt answers or fails")


def _respelled(line: bytes) -> bytes:
    """Respell a document; what is none stays as it is, for the service to name what is wrong with it."""
    try:
        document = parse_object(line.decode(), "the line")
        respelled = respell(document)
    except (UnreadableError, UnicodeDecodeError):
        return line
    if respelled == document:
        return line
    return json.dumps(respelled, ensure_ascii=False, separators=(",", ":")).encode()


def pages_of_export(client: Client, wanted: Mapping[str, str | None], tell_waiting: TellWaiting) -> Iterator[Lines]:
    """
    Export rounds page by page; where the connection breaks, wait for it and go on after the last whole page.

    `tell_waiting` is told why.

    Raises:
        TransportError: the service does not answer from the beginning, or for minutes.
        ApiError: it refuses.
    """
    page = client.export_rounds(cursor=None, **wanted)
    while True:
        yield page
        if page.next_cursor is None:
            return
        page = patiently(tell_waiting, client.export_rounds, cursor=page.next_cursor, **wanted)

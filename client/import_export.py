"""Import rounds, export rounds and follow events, and resume when the connection breaks."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, ParamSpec, TypeVar
from uuid import uuid4

from client.api import Client, wait_for_job
from client.errors import RefusedError, TransportError, UnreadableError
from client.files import parse_object
from client.responses import Content, Response
from client.spelling import respell

if TYPE_CHECKING:
    import stamina

CHUNK_BYTES: Final = 16 * 1024 * 1024
"""The size of a chunk: how much is sent again after a broken connection."""

_RETRY_SECONDS: Final = 300.0
_LINES: Final = 500
"""Of a page."""

OnWaiting = Callable[[TransportError], None]

P = ParamSpec("P")
T = TypeVar("T")

WAIT: Final = 10
"""How many seconds the service waits for an event before it responds without one."""

_EVENTS_PAUSE: Final = 2.0
_LONGEST_PAUSE: Final = 30.0


@dataclass(frozen=True, slots=True)
class Chunk:
    """
    Some lines of a file.

    `numbers` are their line numbers, and `size` is the number of bytes that they take in it.
    """

    content: bytes
    numbers: list[int]
    size: int


def split_into_chunks(lines: Iterable[bytes], most: int = CHUNK_BYTES) -> Iterator[Chunk]:
    r"""
    Split a file of round documents into chunks of whole lines, with cards and rows in the spelling of the service.

    >>> [(chunk.content, chunk.numbers) for chunk in split_into_chunks([b'{"front": ["10s"]}\n', b"\n", b"{"])]
    [(b'{"top":["Ts"]}\n{\n', [1, 3])]
    """
    content, numbers, size = bytearray(), list[int](), 0
    for number, line in enumerate(lines, start=1):
        size += len(line)
        if line.strip():
            content += _respelled(line.strip()) + b"\n"
            numbers.append(number)
        if len(content) >= most:
            yield Chunk(bytes(content), numbers, size)
            content, numbers, size = bytearray(), [], 0
    if numbers:
        yield Chunk(bytes(content), numbers, size)


def import_chunk(
    client: Client,
    chunk: Chunk,
    notify: Callable[[Response], None],
    on_waiting: OnWaiting,
    *,
    is_provisional: bool = False,
) -> Iterator[dict[str, Any]]:
    """
    Import a chunk, wait until the import ends, and yield the result of each line.

    While the connection is broken, the client waits. Content that were recorded before are replays.

    Args:
        client: the service.
        chunk: the lines, with their numbers in the file.
        notify: called with the import, repeatedly.
        on_waiting: called with the reason for waiting.
        is_provisional: whether settlements are provisional, and not final.

    Raises:
        TransportError: the service does not respond for minutes.
        RefusedError: the import is refused, was cancelled, or has no result for some lines.
    """
    import_state: Literal["provisional"] | None = "provisional" if is_provisional else None
    started = retry_until_available(
        on_waiting, client.start_import, chunk.content, state=import_state, idempotency_key=str(uuid4())
    )
    job = wait_for_job(started, lambda job_id: retry_until_available(on_waiting, client.get_import, job_id), notify)
    unaccounted = set(chunk.numbers)
    for result in retry_until_available(on_waiting, client.list_import_results, job["id"]):
        line = chunk.numbers[result["line"] - 1]
        unaccounted.discard(line)
        yield {**result, "line": line}
    if job["state"] != "succeeded":
        state = "was cancelled" if job["state"] == "cancelled" else f"has failed: {job.get('failure')}"
        raise _not_imported(f"import {job['id']} {state}")
    if unaccounted:
        lines = f"{len(chunk.numbers)} lines were sent and {len(chunk.numbers) - len(unaccounted)} have a result"
        raise _not_imported(f"import {job['id']} lost lines: {lines}; the first without one is line {min(unaccounted)}")


def _not_imported(reason: str) -> RefusedError:
    detail = f"{reason}. What is stored stays, and the same file can be imported again."
    return RefusedError({"title": "Import not completed", "code": "import-ended", "detail": detail, "errors": []})


def retry_until_available(on_waiting: OnWaiting, call: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call a function until the service responds, for some minutes. Report once why it takes long."""
    for attempt in _attempts(on_waiting, timeout=_RETRY_SECONDS, wait_initial=1, wait_max=15):
        with attempt:
            return call(*arguments, **options)
    raise AssertionError("the last attempt returns or raises")


def _attempts(
    on_waiting: OnWaiting, *, timeout: float | None, wait_initial: float, wait_max: float
) -> Iterable["stamina.Attempt"]:
    """Yield attempts until one raises no TransportError. Report the first failure."""
    import stamina

    is_reported = False

    def should_retry(error: Exception) -> bool:
        nonlocal is_reported
        if not isinstance(error, TransportError):
            return False
        if not is_reported:
            on_waiting(error)
        is_reported = True
        return True

    return stamina.retry_context(
        on=should_retry, attempts=None, timeout=timeout, wait_initial=wait_initial, wait_max=wait_max
    )


def _respelled(line: bytes) -> bytes:
    """
    Return a document in the spelling of the service.

    An invalid one is returned as it is, for the service to reject.
    """
    try:
        document = parse_object(line.decode(), "the line")
        respelled = respell(document)
    except (UnreadableError, UnicodeDecodeError):
        return line
    if respelled == document:
        return line
    return json.dumps(respelled, ensure_ascii=False, separators=(",", ":")).encode()


def export_pages(client: Client, query: Mapping[str, Any], on_waiting: OnWaiting) -> Iterator[Content]:
    """
    Export rounds page by page. After a broken connection, resume after the last whole page.

    `on_waiting` is called with the error.

    Raises:
        TransportError: the service does not respond to the first request, or for minutes.
        ApiError: the service refuses the request.
    """
    page = client.export_rounds(limit=_LINES, **query)
    while True:
        yield page
        if page.next_cursor is None:
            return
        page = retry_until_available(on_waiting, client.export_rounds, limit=_LINES, cursor=page.next_cursor, **query)


def csv_pages(
    call: Callable[..., Content], query: Mapping[str, Any], on_waiting: OnWaiting, *, is_paged: bool
) -> Iterator[Content]:
    """
    Yield a list as CSV, page by page, with one header. After a broken connection, resume after the last whole page.

    Args:
        call: the method of the client that returns the list in another form.
        query: the filters.
        on_waiting: called with the error.
        is_paged: whether the list has pages.

    Raises:
        TransportError: the service does not respond to the first request, or for minutes.
        ApiError: the service refuses the request.
    """
    size = {"limit": _LINES} if is_paged else {}
    page = call("text/csv", **size, **query)
    yield page
    while page.next_cursor is not None:
        page = retry_until_available(on_waiting, call, "text/csv", **size, cursor=page.next_cursor, **query)
        _header, _, lines = page.content.partition(b"\r\n")
        yield replace(page, content=lines)


def event_pages(client: Client, after: int | None, **filters: Any) -> Iterator[Content]:
    """
    Yield pages of events after a position, or from the first event, until there are no more.

    The filters are those of `Client.list_events`.

    Raises:
        TransportError: the service does not respond.
        ApiError: the service refuses the request.
    """
    while True:
        page = client.list_events(after=after, limit=_LINES, **filters)
        if not page.content:
            return
        after = _last_position(page)
        yield page


def find_event(client: Client, position: int) -> Mapping[str, Any]:
    """
    Return the event at a position.

    Raises:
        TransportError: the service does not respond, or with another event.
        ApiError: the service refuses the request.
    """
    page = client.list_events(after=position - 1 if position else None, limit=1)
    try:
        event: Mapping[str, Any] = json.loads(page.content.splitlines()[0])
        if event["position"] == position:
            return event
    except (ValueError, KeyError, TypeError, IndexError):
        pass
    raise TransportError(f"the service responded without the event at position {position}; is the address right?")


def follow_events(client: Client, after: int | None, notify: OnWaiting, **filters: Any) -> Iterator[Content]:
    """
    Yield pages of events after a position, or from the first event, and then new events for ever. None is left out.

    Pages may be empty: nothing happened for a while. Once the service has responded, a broken connection is waited for
    without a limit, and the stream resumes after the last event that was received.

    Args:
        client: the service.
        after: the position of the last event that is known.
        notify: called with the error, once each time that the connection breaks.
        filters: those of `Client.list_events`.

    Raises:
        TransportError: the service does not respond to the first request.
        ApiError: the service refuses the request.
    """
    page = client.list_events(after=after, limit=_LINES, **filters)
    while True:
        after = _last_position(page) if page.content else after
        yield page
        page = _next_page(client, after, notify, **filters)


def _next_page(client: Client, after: int | None, notify: OnWaiting, **filters: Any) -> Content:
    for attempt in _attempts(notify, timeout=None, wait_initial=_EVENTS_PAUSE, wait_max=_LONGEST_PAUSE):
        with attempt:
            called_at = time.monotonic()
            page = client.list_events(after=after, wait=WAIT, limit=_LINES, **filters)
            if not page.content:
                # A service with too many waiting clients responds at once. Do not call it in a busy loop.
                time.sleep(max(0.0, called_at + _EVENTS_PAUSE - time.monotonic()))
            return page
    raise AssertionError("the last attempt returns or raises")


def _last_position(page: Content) -> int:
    try:
        position: int = json.loads(page.content.splitlines()[-1])["position"]
    except (ValueError, KeyError, TypeError):
        raise TransportError("the service responded with lines that are not events; is the address right?") from None
    return position

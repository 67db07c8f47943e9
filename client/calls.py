"""Calls of operations: what is sent, and how a response is read."""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar, cast
from uuid import uuid4

import httpx2

from client.connection import Connection
from client.errors import NotModified
from client.paths import Value, write_query
from client.responses import Check, Content, Document, Response, is_object, parse_json

NDJSON: Final = "application/x-ndjson"
MOST_LINES: Final = 500
MOST_BYTES: Final = 1024 * 1024
_KEY: Final = "Idempotency-Key"

T = TypeVar("T", bound=Document)
"""The type of a response, which the generated method states."""

Query = Mapping[str, Value]
Headers = Mapping[str, str | None]
_NOTHING: Final[Mapping[str, Any]] = {}


class Pages(Iterator[T], Generic[T]):
    """The items of a list. Pages are fetched as they are read; `etag` is the entity tag of the first one."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self.etag: str | None = None

    def __next__(self) -> T:
        return next(self._items)


class Calls(Connection):
    """
    A connection to a service whose responses are read and checked.

    `is_valid` checks that a response comes from the service, and not from a proxy or another server.
    """

    def call(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Query = _NOTHING,
        headers: Headers = _NOTHING,
        makes_key: bool = False,
        is_valid: Check = is_object,
    ) -> T:  # type: ignore[type-var]  # the caller chooses T
        """
        Send a request, and return the JSON object of the response.

        With `makes_key`, a request without an idempotency key gets one, which its retries share.

        Raises:
            NotModified: the response would be the one that the client has.
        """
        response = self._call(method, path, body, query, headers, makes_key=makes_key)
        return cast(T, self._read(response, is_valid))

    def call_without_response(self, method: str, path: str, *, body: object = None) -> None:
        """Send a request whose response has no body."""
        self._call(method, path, body, _NOTHING, _NOTHING)

    def get_pages(
        self,
        path: str,
        name: str,
        *,
        query: Query = _NOTHING,
        headers: Headers = _NOTHING,
        is_valid: Check = is_object,
    ) -> Pages[T]:
        """Return the items of a list, which is the field `name` of each page."""

        def read() -> Iterator[T]:
            sent, response = query, self._call("GET", path, None, query, headers)
            while True:
                document = self._read(response)
                page, cursor = document.get(name), document.get("next_cursor")
                if not isinstance(page, list) or not all(map(is_valid, page)) or not isinstance(cursor, str | None):
                    raise self._unexpected_response(response)
                pages.etag = pages.etag or document.etag
                yield from cast(list[T], page)
                # The ledger has a cursor on its last page too.
                if cursor is None or document.get("has_more") is False:
                    return
                sent = {**sent, "cursor": cursor}
                response = self._call("GET", path, None, sent, _NOTHING)

        pages = Pages(read())
        return pages

    def get_text(self, path: str, form: str) -> str:
        """Return a text of the content type `form`."""
        return self.get_content(path, form).content.decode()

    def get_content(self, path: str, form: str, *, query: Query = _NOTHING) -> Content:
        """Return a page of the content type `form`. A page that breaks off is requested again, whole."""
        response = self._call("GET", path, None, query, {"Accept": form})
        if _media_type_of(response) != form:
            raise self._unexpected_response(response)
        total = response.headers.get("Total-Rounds", "")
        return Content(response.content, _next_cursor_of(response), int(total) if total.isdigit() else None, form)

    def post_packed(
        self,
        path: str,
        lines: Iterable[object] | bytes,
        *,
        query: Query = _NOTHING,
        headers: Headers = _NOTHING,
        makes_key: bool = False,
    ) -> T:  # type: ignore[type-var]  # the caller chooses T
        """Post lines, gzipped, and return the JSON object of the response."""
        content = lines if isinstance(lines, bytes) else b"".join(map(_to_line, lines))
        sent = _fill_headers({"Content-Encoding": "gzip", **headers}, NDJSON, makes_key=makes_key)
        packed = gzip.compress(content, mtime=0)
        return cast(T, self._read(self._send("POST", path, content=packed, headers=sent, params=write_query(query))))

    def post_lines(
        self,
        path: str,
        lines: Iterable[object] | bytes,
        *,
        query: Query = _NOTHING,
        headers: Headers = _NOTHING,
    ) -> list[T]:
        """
        Post lines that the service recognizes by their content, and return the lines of the responses.

        More lines than one request may have are sent in several, each with its own key if there is one. The results
        are numbered through.
        """
        results: list[T] = []
        for number, body in enumerate([lines] if isinstance(lines, bytes) else split_lines(lines)):
            part = {name: f"{value}-{number}" if number and value else value for name, value in headers.items()}
            sent = _fill_headers(part, NDJSON)
            response = self._send("POST", path, content=body, headers=sent, params=write_query(query) or None)
            read = [_parse(line) for line in response.content.splitlines()]
            if not all(map(is_object, read)):
                raise self._unexpected_response(response)
            for line, result in enumerate(read, start=len(results) + 1):
                result["line"] = line
                results.append(result)
        return results

    def request(
        self, method: str, path: str, query: Mapping[str, str], body: bytes | None, headers: Mapping[str, str]
    ) -> Content:
        """
        Send any request, and return the response as it was received.

        A body is JSON unless a header says otherwise. A POST has an idempotency key, which its retries share.
        """
        sent = httpx2.Headers(_fill_headers({}, "application/json" if body is not None else None))
        sent.update({_KEY: str(uuid4())} if method == "POST" else {})
        sent.update(headers)
        response = self._send(method, path, params=dict(query) or None, content=body, headers=sent)
        return Content(
            response.content, _next_cursor_of(response), None, _media_type_of(response), response.status_code
        )

    def post_bytes(self, path: str, body: bytes, key: str, is_valid: Check) -> Response:
        """Post a stored body under the idempotency key that it was stored with."""
        headers = _fill_headers({_KEY: key}, "application/json")
        return self._read(self._send("POST", path, content=body, headers=headers), is_valid)

    def _call(
        self, method: str, path: str, body: object, query: Query, headers: Headers, *, makes_key: bool = False
    ) -> httpx2.Response:
        content = {} if body is None else {"json": body}
        sent = _fill_headers(headers, makes_key=makes_key)
        return self._send(method, path, params=write_query(query) or None, headers=sent, **content)

    def _read(self, response: httpx2.Response, is_valid: Check = is_object) -> Response:
        etag = response.headers.get("ETag")
        if response.status_code == httpx2.codes.NOT_MODIFIED:
            raise NotModified("the response is the one that the client has")
        document = _parse(response.content)
        if not isinstance(document, dict) or not is_valid(document):
            raise self._unexpected_response(response)
        read = Response(document)
        read.is_replay, read.etag = "Idempotent-Replayed" in response.headers, etag
        return read


def split_lines(documents: Iterable[object]) -> Iterator[bytes]:
    r"""
    Split documents into request bodies of at most 500 lines and 1 MiB, one document a line.

    >>> list(split_lines([{"number": 1}, {"number": 2}]))
    [b'{"number":1}\n{"number":2}\n']
    """
    body, count = bytearray(), 0
    for line in map(_to_line, documents):
        if count == MOST_LINES or (count and len(body) + len(line) > MOST_BYTES):
            yield bytes(body)
            body, count = bytearray(), 0
        body += line
        count += 1
    if count:
        yield bytes(body)


def _fill_headers(headers: Headers, content_type: str | None = None, *, makes_key: bool = False) -> dict[str, str]:
    """Return the headers that have a value, with the type of the body and, if asked for, an idempotency key."""
    sent = {} if content_type is None else {"Content-Type": content_type}
    sent |= {name: value for name, value in headers.items() if value is not None}
    if makes_key:
        sent.setdefault(_KEY, str(uuid4()))
    return sent


def _to_line(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _media_type_of(response: httpx2.Response) -> str:
    return str(response.headers.get("Content-Type", "").partition(";")[0])


def _next_cursor_of(response: httpx2.Response) -> str | None:
    link = response.links.get("next")
    return None if link is None else httpx2.URL(link["url"]).params.get("cursor")


def _parse(content: bytes) -> Any:
    try:
        return parse_json(content)
    except (ValueError, RecursionError):
        return None

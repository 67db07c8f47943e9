"""A connection: the request head and body received so far, and what it waits for."""

import re
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData, ParseException
from gunicorn.http.parser import RequestParser

from service.server.gunicorn_worker.wire import Wire

IsWhole = Callable[[bytearray], bool]
"""Returns whether the bytes after the head of a request contain the complete body."""

_CHUNK_SIZE: Final = re.compile(rb"[0-9A-Fa-f]{1,15}(?=[;\s]|$)")
_LONGEST_LINE: Final = 8192


def find_end(request: Any) -> IsWhole:
    """Return the function that checks whether a body is complete, by the framing in the head of its request."""
    reader = request.body.reader
    if isinstance(reader, ChunkedReader):
        return Chunks().are_whole
    length: int = reader.length
    return lambda received: len(received) >= length


class Chunks:
    r"""
    Finds the end of a chunked body.

    A malformed body counts as complete, so that gunicorn rejects it at once.

    >>> chunks, body = Chunks(), b"2\r\n{}\r\n0\r\n\r\n"
    >>> [chunks.are_whole(bytearray(body[:length])) for length in (1, 3, 7, 10, 12)]
    [False, False, False, False, True]
    >>> Chunks().are_whole(bytearray(b"0x2\r\n{}"))
    True
    """

    def __init__(self) -> None:
        self._chunk = 0

    def are_whole(self, received: bytearray) -> bool:
        """Return whether the last chunk and the trailers were received."""
        while (line := received.find(b"\r\n", self._chunk)) >= 0:
            size = _CHUNK_SIZE.match(received, self._chunk, line)
            if size is None:
                return True
            if int(size[0], 16) == 0:
                return received.startswith(b"\r\n", line + 2) or received.find(b"\r\n\r\n", line + 2) >= 0
            end = line + 2 + int(size[0], 16)
            if bytes(received[end : end + 2]) not in (b"", b"\r", b"\r\n"):
                return True
            if end + 2 > len(received):
                return False
            self._chunk = end + 2
        return len(received) - self._chunk > _LONGEST_LINE or b"\n" in received[self._chunk :]


MOST_HEAD: Final = 64 * 1024
MOST_BODY: Final = 1024 * 1024 + 64 * 1024
"""Bytes of a body that are received before a thread reads it: complete bodies, except of imports."""
MOST_UNADMITTED: Final = 64 * 1024
"""Bytes of a body that are received before the application authenticates the request."""
_HEAD_END: Final = re.compile(rb"\r\n\r\n|(?<!\r)\n")
"""The empty line, or a line break that gunicorn rejects."""


class Waits(Enum):
    """The event that the poller waits for on a connection."""

    HEAD = "the line and the headers of a request"
    BODY = "the body of a request"
    SENDING = "the client to take the response"
    CLOSING = "the client to close"


class Connection:
    """
    A connection of a client, with its current request.

    The names `sock`, `client` and `server` are those of gunicorn.
    """

    def __init__(self, sock: Wire, client: Any, server: Any) -> None:
        self.sock = sock
        self.client = client
        self.server = server
        self.is_open = True
        self.waits = Waits.HEAD
        self.deadline = 0.0
        self.is_idle = True
        """Whether no byte of the next request was received."""
        self.address = ""
        """The address whose connections it counts for, if any."""
        self.request: Any = None
        self.expects_continue = False
        self.is_admitted = False
        """Whether the application asked for the body."""
        self.keeps_alive = False
        self.has_left = False
        """Whether its thread waits for the client and does not count as busy."""
        self.is_aside = False
        """Whether its thread waits for events and does not count as busy."""
        self._searched = 0
        self._is_whole: IsWhole = lambda _received: True
        self._was_whole = False
        self._body: Any = None
        self._must_close = False

    def has_head(self) -> bool:
        """Return whether the head is complete, or can be rejected."""
        received = self.sock.received
        begin, self._searched = max(0, self._searched - 3), len(received)
        return len(received) > MOST_HEAD or self.sock.is_ended or _HEAD_END.search(received, begin) is not None

    def read_head(self, cfg: Any) -> Sequence[tuple[str, str]]:
        """
        Parse the head of the next request, and return its headers.

        Raises:
            NoMoreData, StopIteration: the client closed the connection during the head, or before it.
            ParseException: gunicorn rejects the head.
        """
        parser = RequestParser(cfg, self.sock, self.client)
        is_long = len(self.sock.received) > MOST_HEAD
        try:
            self.request = next(parser)
        except NoMoreData:
            if is_long:
                raise LimitRequestHeaders("head") from None
            raise
        self.sock.received[:0] = parser.unreader.take_buffered()
        self._body, self._must_close = self.request.body, self.request.must_close
        self._is_whole = find_end(self.request)
        self.expects_continue = self.request._expected_100_continue
        # The worker sends 100 Continue when the application reads the body.
        self.request._expected_100_continue = False
        headers: Sequence[tuple[str, str]] = self.request.headers
        return headers

    def has_body(self) -> bool:
        """Return whether the body is complete."""
        return self._is_whole(self.sock.received)

    def begin(self, awaited_body: Any) -> None:
        """Prepare the request for a thread, with its body or with the object for an awaited body."""
        self._was_whole = self.has_body()
        is_ready = self._was_whole or self.is_admitted or self.sock.is_ended
        self.sock.was_awaited = self.is_admitted
        self.sock.may_wait = is_ready and not (self._was_whole or self.sock.is_late)
        self.request.body = self._body if is_ready else awaited_body
        # The start of the next request is known only after this one is complete.
        self.request.must_close = self._must_close or not self._was_whole

    def finish_body(self) -> bool:
        """Discard the unread part of the body; return whether another request can follow."""
        if not self._was_whole:
            return False
        try:
            while not self._body.failed and self._body.read(64 * 1024):
                pass
        except (ParseException, NoMoreData):
            return False
        if self._body.failed:
            return False
        self.sock.received[:0] = self.request.unreader.take_buffered()
        return True

    def forget_request(self) -> None:
        """Reset the state for the next request of the connection."""
        self.sock.forget_request()
        self.request = self._body = None
        self.waits = Waits.HEAD
        self.is_idle = not self.sock.received
        self.is_admitted = self.has_left = self.is_aside = False
        self._searched = 0

"""A client's socket with buffers on both sides, a TLS connection as such a socket, and the limits for slow clients."""

import os
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from select import POLLIN, POLLOUT, poll
from time import monotonic
from typing import Any, Final, Self, cast

from gunicorn.sock import ssl_context

from service.config import MOST_PROXIES, read_number


@dataclass(frozen=True, slots=True)
class Limits:
    """
    Limits for each client of the web server.

    >>> Limits.from_environment({"OFC_HEAD_SECONDS": "5"})
    Limits(head_seconds=5, transfer_seconds=20, transfer_rate=1024, address_connections=256, proxies=0)
    """

    head_seconds: int
    """Maximum time between the first and the last byte of a head."""
    transfer_seconds: int
    """Maximum delay of a body or a response behind `transfer_rate`, and so the longest pause."""
    transfer_rate: int
    """Minimum bytes per second."""
    address_connections: int
    """Maximum number of open connections of an address to a worker process."""
    proxies: int
    """Number of trusted proxies in front of the service; addresses are then the forwarded ones."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """
        Read OFC_HEAD_SECONDS, OFC_TRANSFER_SECONDS, OFC_TRANSFER_RATE, OFC_ADDRESS_CONNECTIONS and OFC_TRUSTED_PROXIES.

        Raises:
            ConfigError: a value is not an integer, or out of range.
        """
        return cls(
            head_seconds=read_number(environment, "OFC_HEAD_SECONDS", 10, 1, 3600),
            transfer_seconds=read_number(environment, "OFC_TRANSFER_SECONDS", 20, 1, 3600),
            transfer_rate=read_number(environment, "OFC_TRANSFER_RATE", 1024, 1, 1_000_000_000),
            address_connections=read_number(environment, "OFC_ADDRESS_CONNECTIONS", 256, 1, 1_000_000),
            proxies=read_number(environment, "OFC_TRUSTED_PROXIES", 0, 0, MOST_PROXIES),
        )

    def extend(self, seconds_left: float, transferred: int) -> float:
        """
        Return the seconds that a transfer can pause after some bytes were transferred.

        Each byte adds the time that it takes at the minimum rate, up to `transfer_seconds`.

        >>> limits = Limits.from_environment({})
        >>> limits.extend(5, 1), limits.extend(5, 2048), limits.extend(5, 1_000_000)
        (5.0009765625, 7.0, 20)
        """
        return min(self.transfer_seconds, seconds_left + transferred / self.transfer_rate)


_BLOCK: Final = 64 * 1024
_TLS_RECORD: Final = 16 * 1024
"""The largest record of TLS."""
_MOST_BUFFERS: Final = 64
MOST_UNSENT: Final = 1024 * 1024
"""Bytes of a streamed response that are buffered before the client has received them."""


class Wire:
    """
    A socket with buffers in both directions.

    It has the interface of a socket for gunicorn's parser and responses. The poller calls `receive` and `flush`, which
    do not block. Only a body or a streamed response over the size of the buffers waits for its client, in its thread,
    after calling `leave`.
    """

    def __init__(self, client: socket.socket, limits: Limits) -> None:
        client.setblocking(False)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._client = client
        self._limits = limits
        self._unsent: deque[memoryview] = deque()
        self._unsent_bytes = 0
        self._has_begun = False
        self._pause: float = limits.transfer_seconds
        self.leave: Callable[[], None] = lambda: None
        """Called before a thread waits for the client; it can raise a TimeoutError."""
        self.step_aside: Callable[[], None] = lambda: None
        """Called by the application before its thread waits for events."""
        self.received = bytearray()
        self.is_ended = False
        """Whether the client has ended sending."""
        self.is_late = False
        """Whether the deadline of the body has passed."""
        self.may_wait = False
        """Whether the reading thread can wait for more of the body."""
        self.was_awaited = False
        """Whether the application asked for the body in an earlier call for this request."""

    def fileno(self) -> int:
        """Return the file descriptor, for the poller."""
        return self._client.fileno()

    def receive(self) -> int:
        """Receive available bytes without waiting, and return their number."""
        try:
            block = self._client.recv(_BLOCK)
        except (BlockingIOError, InterruptedError):
            return 0
        self.received += block
        self.is_ended = not block
        return len(block)

    def recv(self, size: int) -> bytes:
        """
        Return the next bytes, at most `size`; none if no more are received.

        Raises:
            TimeoutError: the client is too slow, or too many other clients are.
        """
        while not self.received and self.may_wait and not self.is_ended:
            if transferred := self.receive():
                self._pause = self._limits.extend(self._pause, transferred)
            elif not self.is_ended:
                self._wait(POLLIN)
        if self.is_late:
            raise TimeoutError("the body was not received in time")
        block = bytes(self.received[:size])
        del self.received[:size]
        return block

    def sendall(self, block: bytes) -> None:
        """
        Send or buffer a block of the response; the head is sent together with the next block.

        Raises:
            TimeoutError: the client receives a streamed response too slowly, or too many other clients do.
        """
        while self._unsent_bytes > MOST_UNSENT:
            self._wait(POLLOUT)
            self._pause = self._limits.extend(self._pause, self.flush())
        self._unsent.append(memoryview(block))
        self._unsent_bytes += len(block)
        if self._has_begun:
            self.flush()
        self._has_begun = True

    def flush(self) -> int:
        """Send buffered bytes without waiting, and return their number."""
        before = self._unsent_bytes
        try:
            while self._unsent:
                sent = self._client.sendmsg(list(islice(self._unsent, _MOST_BUFFERS)))
                self._unsent_bytes -= sent
                while self._unsent and sent >= len(self._unsent[0]):
                    sent -= len(self._unsent.popleft())
                if sent:
                    self._unsent[0] = self._unsent[0][sent:]
        except (BlockingIOError, InterruptedError):
            pass
        return before - self._unsent_bytes

    def has_unsent(self) -> bool:
        """Return whether a part of the response is still buffered."""
        return bool(self._unsent)

    def is_abandoned(self) -> bool:
        """Return whether the client has closed the connection, without waiting; called while a thread responds."""
        try:
            return not self._client.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            return True

    def end_sending(self) -> None:
        """Shut down the sending direction of the connection."""
        self._client.shutdown(socket.SHUT_WR)

    def shutdown(self, _how: int) -> None:
        """
        Raise an error, because gunicorn would wait for the client after an aborted response.

        Raises:
            OSError: always; gunicorn then closes the socket.
        """
        raise OSError("an aborted response closes the connection")

    def close(self) -> None:
        """Close the socket."""
        self._client.close()

    def forget_request(self) -> None:
        """Reset the state for the next request of the connection."""
        self._pause = self._limits.transfer_seconds
        self.may_wait = self.was_awaited = self._has_begun = False

    def _wait(self, event: int) -> None:
        self.leave()
        poller, began = poll(), monotonic()
        poller.register(self._client, event)
        is_ready = poller.poll(max(0, self._pause) * 1000)
        self._pause -= monotonic() - began
        if not is_ready:
            raise TimeoutError("the client was too slow")


class TlsSocket(ssl.SSLSocket):
    """
    A TLS connection. The handshake is part of the first reads, so that a silent client blocks nothing.

    Where TLS has to wait for the client, this raises a `BlockingIOError`, as a socket does.
    """

    @classmethod
    def make_context(cls, settings: Any) -> ssl.SSLContext:
        """Return the context of connections, with the certificate of gunicorn's settings."""
        context: ssl.SSLContext = ssl_context(settings)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.sslsocket_class = cls
        return context

    @classmethod
    def wrap(cls, client: socket.socket, context: ssl.SSLContext) -> Self:
        """
        Return the TLS connection of an accepted socket.

        Raises:
            OSError: the client has disconnected.
        """
        try:
            return cast(Self, context.wrap_socket(client, server_side=True, do_handshake_on_connect=False))
        except OSError:
            client.close()
            raise

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        """Return received bytes, or with `MSG_PEEK` whether there are any; none if the client has ended sending."""
        if flags:
            return socket.socket.recv(self, buflen, flags)
        try:
            return super().recv(buflen)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error

    # Like `socket.sendmsg`, of which `Wire` uses the first argument.
    def sendmsg(self, buffers: Iterable[Any], *_: Any) -> int:  # type: ignore[override]  # the other arguments are not used
        """Send the beginning of the first buffer, and return the number of bytes."""
        try:
            return super().send(next(iter(buffers))[:_TLS_RECORD])
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error

    def shutdown(self, how: int) -> None:
        """Send the end of the response, and shut down the connection."""
        with suppress(OSError, ValueError):
            self.unwrap()
        super().shutdown(how)

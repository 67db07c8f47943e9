"""A client's socket with buffers on both sides, and the limits for slow clients."""

import os
import socket
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from select import POLLIN, POLLOUT, poll
from time import monotonic
from typing import Final, Self

from service.config import MOST_PROXIES, read_number


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What one client may take of the web server.

    >>> Limits.from_environment({"OFC_HEAD_SECONDS": "5"})
    Limits(head_seconds=5, transfer_seconds=20, transfer_rate=1024, address_connections=256, proxies=0)
    """

    head_seconds: int
    """For a request's line and headers, from their first byte to their last."""
    transfer_seconds: int
    """For a body or a response to fall behind `transfer_rate`, and so also the longest pause in one."""
    transfer_rate: int
    """Bytes a second."""
    address_connections: int
    """Open at once from one address, to one worker process."""
    proxies: int
    """How many trusted proxies are in front of the service; the address is then the one that they forward."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """
        Read OFC_HEAD_SECONDS, OFC_TRANSFER_SECONDS, OFC_TRANSFER_RATE, OFC_ADDRESS_CONNECTIONS and OFC_TRUSTED_PROXIES.

        Raises:
            ConfigError: one of them is not a number, or out of range.
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
        Return how long a transfer may pause after some bytes.

        Bytes earn the time that they take at the lowest rate accepted, so that a byte now and then earns nothing; and
        nobody earns a longer pause than at the beginning.

        >>> limits = Limits.from_environment({})
        >>> limits.extend(5, 1), limits.extend(5, 2048), limits.extend(5, 1_000_000)
        (5.0009765625, 7.0, 20)
        """
        return min(self.transfer_seconds, seconds_left + transferred / self.transfer_rate)


_BLOCK: Final = 64 * 1024
_MOST_BUFFERS: Final = 64
MOST_UNSENT: Final = 1024 * 1024
"""So much of a streamed response is produced before the client has taken it."""


class Wire:
    """
    A socket that keeps what came until it is read, and what is to go until the client takes it.

    To gunicorn's parser and to its responses it is a socket. The poller calls `receive` and `flush`, which never wait.
    Only a body or a streamed response that is longer than what is kept here waits for its client, in its own thread,
    and says so before by calling `leave`.
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
        """Called before a thread waits for the client; it may refuse that by a TimeoutError."""
        self.received = bytearray()
        self.is_ended = False
        """Whether the client sends nothing more."""
        self.is_late = False
        """Whether the time for the body is over."""
        self.may_wait = False
        """Whether more of the body is to be waited for, in the thread that reads it."""
        self.was_awaited = False
        """Whether the application has admitted this request before, and now gets its body."""

    def fileno(self) -> int:
        """Return the descriptor, for the poller."""
        return self._client.fileno()

    def receive(self) -> int:
        """Read what has come, without waiting; return how many bytes."""
        try:
            block = self._client.recv(_BLOCK)
        except (BlockingIOError, InterruptedError):
            return 0
        self.received += block
        self.is_ended = not block
        return len(block)

    def recv(self, size: int) -> bytes:
        """
        Return what came next, at most `size` bytes; none where nothing more comes.

        Raises:
            TimeoutError: the client is too slow, or too many others are.
        """
        while not self.received and self.may_wait and not self.is_ended:
            if transferred := self.receive():
                self._pause = self._limits.extend(self._pause, transferred)
            elif not self.is_ended:
                self._wait(POLLIN)
        if self.is_late:
            raise TimeoutError("the body did not come in time")
        block = bytes(self.received[:size])
        del self.received[:size]
        return block

    def sendall(self, block: bytes) -> None:
        """
        Send a block of the response, or keep it for later; the head of a response goes with what follows it.

        Raises:
            TimeoutError: the client takes a streamed response too slowly, or too many others do.
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
        """Send what the client takes, without waiting; return how many bytes."""
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
        """Whether the client has not yet taken all of the response."""
        return bool(self._unsent)

    def end_sending(self) -> None:
        """Tell the client that nothing more is sent."""
        self._client.shutdown(socket.SHUT_WR)

    def shutdown(self, _how: int) -> None:
        """
        Refuse gunicorn's own way to end a response that broke off, which waits for the client.

        Raises:
            OSError: always; gunicorn then closes the socket.
        """
        raise OSError("a response that broke off ends with its connection")

    def close(self) -> None:
        """Close the socket."""
        self._client.close()

    def forget_request(self) -> None:
        """Begin anew with the next request of the connection."""
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

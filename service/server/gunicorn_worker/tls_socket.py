"""A TLS connection with the interface of a socket that does not block, as `Wire` uses it."""

import socket
import ssl
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Self, cast

from gunicorn.sock import ssl_context

_MOST_SENT: Final = 16 * 1024
"""The largest record of TLS."""


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
            return super().send(next(iter(buffers))[:_MOST_SENT])
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error

    def shutdown(self, how: int) -> None:
        """Send the end of the response, and shut down the connection."""
        with suppress(OSError, ValueError):
            self.unwrap()
        super().shutdown(how)

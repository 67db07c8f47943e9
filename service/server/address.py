"""The address that `ofc-server up` listens on."""

import socket
from dataclasses import dataclass


class UpError(Exception):
    """
    The service cannot start or continue; the message is one sentence with the reason and a remedy.

    >>> str(UpError("The web server ended unexpectedly with exit code 1; its output is above."))
    'The web server ended unexpectedly with exit code 1; its output is above.'
    """

    code = "up"


_ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True)
class Address:
    """
    The address of the service for clients on this machine.

    >>> Address("0.0.0.0", 8000).url, Address("::1", 8000).url
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """

    host: str
    port: int

    @property
    def reachable_host(self) -> str:
        """The host for clients, also if the service listens on all addresses."""
        return _ALL_ADDRESSES.get(self.host, self.host)

    @property
    def url(self) -> str:
        """The URL for a browser."""
        host = self.reachable_host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def listen(host: str, port: int) -> socket.socket:
    """
    Open the listening socket.

    Raises:
        UpError: the port is in use or not allowed, or the host is not an address of this machine.

    >>> with listen("127.0.0.1", 0) as taken:
    ...     address_of(taken).port > 0
    True
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise UpError(
            f"{host!r} is not an address; expected --host 127.0.0.1 for this machine, or 0.0.0.0 for the network."
        ) from None
    family, kind, _, _, address = found[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise UpError(
            f"Port {port} of {host} cannot be used: {(error.strerror or str(error)).lower()}; "
            "choose another with --port (0 selects a free one)."
        ) from None
    return listener


def address_of(listener: socket.socket) -> Address:
    """Return the address of a listening socket, with the port that was selected."""
    host, port = listener.getsockname()[:2]
    return Address(host, port)

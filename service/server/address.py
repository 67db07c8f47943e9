"""The address that `ofc-server up` listens on."""

import socket
from dataclasses import dataclass


class UpError(Exception):
    """
    The service cannot be brought up, or cannot go on; the message is one sentence that says why and what would help.

    >>> str(UpError("The web server ended by itself (exit code 1); what it said is above."))
    'The web server ended by itself (exit code 1); what it said is above.'
    """

    code = "up"


_ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True)
class Address:
    """
    Where the service listens, as one asks it from this machine.

    >>> Address("0.0.0.0", 8000).url, Address("::1", 8000).url
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """

    host: str
    port: int

    @property
    def reachable_host(self) -> str:
        """An address to ask at, also where the service listens on all there are."""
        return _ALL_ADDRESSES.get(self.host, self.host)

    @property
    def url(self) -> str:
        """The address for a browser."""
        host = self.reachable_host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def listen(host: str, port: int) -> socket.socket:
    """
    Take the port, before anything is started for it.

    Raises:
        UpError: the port is in use or may not be used, or the host is not one of this machine.

    >>> with listen("127.0.0.1", 0) as taken:
    ...     address_of(taken).port > 0
    True
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise UpError(f"{host} is not an address; --host 127.0.0.1 serves this machine, 0.0.0.0 a network.") from None
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
            "choose another with --port (0 takes any free one)."
        ) from None
    return listener


def address_of(listener: socket.socket) -> Address:
    """Where a socket listens: the port that was found, where any would do."""
    host, port = listener.getsockname()[:2]
    return Address(host, port)
